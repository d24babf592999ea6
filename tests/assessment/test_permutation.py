"""Shuffled labels and their p-value."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.feature_selection import SelectKBest
from sklearn.naive_bayes import GaussianNB

from subsel.assessment import assess
from subsel.assessment.permutation import permutation_p_value, shuffled_labels


def test_p_value_counts_ties_and_itself():
    """Ties count against the procedure, and no p-value is zero."""
    assert permutation_p_value(0.5, np.array([0.5, 0.4, 0.6, 0.1])) == 3 / 5
    assert permutation_p_value(2.0, np.zeros(99)) == 0.01


def test_shuffling_keeps_the_labels():
    """Without groups the labels are the same, in another order."""
    y = np.repeat(["a", "b"], 20)
    shuffled = shuffled_labels(y, None, np.random.default_rng(0))
    assert_array_equal(np.sort(shuffled), y)
    assert (shuffled != y).any()


def test_labels_stay_within_their_groups():
    """Groups with several labels keep their counts."""
    rng = np.random.default_rng(0)
    groups, y = np.repeat(np.arange(5), 8), rng.integers(0, 2, 40)
    shuffled = shuffled_labels(y, groups, rng)
    assert (shuffled != y).any()
    for g in range(5):
        assert shuffled[groups == g].sum() == y[groups == g].sum()


def test_labels_of_whole_groups_are_exchanged():
    """Where each group has one label, groups exchange them whole."""
    groups = np.repeat(np.arange(10), 3)
    y = (groups < 5).astype(int)
    shuffled = shuffled_labels(y, groups, np.random.default_rng(0))
    assert (shuffled != y).any() and shuffled.sum() == y.sum()
    assert all(len(set(shuffled[groups == g])) == 1 for g in range(10))


@pytest.mark.slow
def test_p_values_are_uniform_on_noise():
    """Over tables of noise the p-value lies below each tenth about as often as it says."""
    p = []
    for seed in range(60):
        X, y = np.random.default_rng(seed).standard_normal((30, 40)), np.arange(30) % 2
        a = assess(
            SelectKBest(k=3),
            GaussianNB(),
            X,
            y,
            cv=3,
            permutations=19,
            references=False,
            random_state=seed,
        )
        p.append(a.permutation.p_value)
    assert 0.02 <= np.mean(np.array(p) <= 0.2) <= 0.38
    assert 0.3 <= np.mean(np.array(p) <= 0.5) <= 0.75
