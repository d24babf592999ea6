"""Stability of selections: hand examples, published properties, direct computation."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_selection import SelectKBest
from sklearn.naive_bayes import GaussianNB

from subsel.assessment import assess
from subsel.assessment.folds.fold import FoldSettings
from subsel.assessment.folds.halves import make_halves
from subsel.assessment.stability_indices import (
    half_stability,
    jaccard,
    kuncheva,
    nogueira,
    stability,
    top_overlap,
)
from subsel.data.task import Task

masks = arrays(bool, st.tuples(st.integers(2, 6), st.integers(2, 8)))


def sized(rng, m, d, k):
    """m random sets of k among d."""
    return np.array([np.isin(np.arange(d), rng.choice(d, k, replace=False)) for _ in range(m)])


def test_nogueira_by_hand():
    """Three sets among four: shares (1, 2/3, 1/3, 0), mean size 2.

    1 - (1/4)(3/2)(2/9 + 2/9) / (1/4) = 1/3.
    """
    value, _ = nogueira([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]])
    assert_allclose(value, 1 / 3)


def test_nogueira_error_by_hand():
    """The error of two unequal sets among three follows theorem 7 written out term by term."""
    Z = np.array([[1.0, 0, 0], [1, 1, 0], [0, 1, 1]])
    m, d = Z.shape
    value, error = nogueira(Z)
    k, p = Z.sum(axis=1), Z.mean(axis=0)
    kbar = k.mean()
    phis = []
    for i in range(m):
        inner = sum(Z[i, f] * p[f] for f in range(d)) / d - k[i] * kbar / d**2
        inner += value / 2 * (2 * kbar * k[i] / d**2 - k[i] / d - kbar / d + 1)
        phis.append(inner / (kbar / d * (1 - kbar / d)))
    variance = 4 / m**2 * sum((phi - np.mean(phis)) ** 2 for phi in phis)
    assert_allclose(error, np.sqrt(variance))


@settings(max_examples=60, deadline=None)
@given(Z=masks)
def test_nogueira_keeps_its_published_bounds(Z):
    """It lies between -1/(M-1) and 1, and is 1 exactly when all sets are equal."""
    value, _ = nogueira(Z)
    if Z.all() or not Z.any():
        assert np.isnan(value)
        return
    assert -1 / (len(Z) - 1) - 1e-12 <= value <= 1 + 1e-12
    assert (value > 1 - 1e-12) == bool((Z[0] == Z).all())


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), m=st.integers(2, 6), d=st.integers(3, 9))
def test_nogueira_is_mean_kuncheva_for_equal_sizes(seed, m, d):
    """For sets of one size it equals the mean pairwise index of Kuncheva (theorem 2)."""
    rng = np.random.default_rng(seed)
    Z = sized(rng, m, d, int(rng.integers(1, d)))
    assert_allclose(nogueira(Z)[0], kuncheva(Z), atol=1e-12)


def test_nogueira_corrects_for_chance():
    """Random sets have stability zero on average.

    Exactly for one size, up to the order of 1/M for sizes that vary.
    """
    rng = np.random.default_rng(0)
    equal = [nogueira(sized(rng, 4, 12, 5))[0] for _ in range(400)]
    assert abs(np.mean(equal)) < 4 * np.std(equal) / 20
    varied = [
        nogueira(np.vstack([sized(rng, 1, 12, k) for k in rng.integers(1, 10, 40)]))[0]
        for _ in range(60)
    ]
    assert abs(np.mean(varied)) < 4 * np.std(varied) / np.sqrt(60) + 1 / 40


def test_nogueira_is_strictly_monotone():
    """Making one feature's choices more alike raises it, sizes kept."""
    loose = np.array([[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1]])
    firm = np.array([[1, 0, 1, 0], [1, 0, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1]])
    assert nogueira(firm)[0] > nogueira(loose)[0]


def test_nogueira_interval_covers():
    """The 95% interval of independent selections has the coverage that it says."""
    rng = np.random.default_rng(1)
    p = np.array([0.9] * 5 + [0.1] * 15)
    truth = 1 - (p * (1 - p)).mean() / (p.mean() * (1 - p.mean()))
    inside = 0
    for _ in range(300):
        low, high = stability(rng.random((40, 20)) < p).interval
        inside += low <= truth <= high
    assert 0.90 <= inside / 300 <= 0.985


@settings(max_examples=60, deadline=None)
@given(Z=masks)
def test_pairwise_indices_equal_direct_computation(Z):
    """Kuncheva and Jaccard equal means over pairs of Python sets, sizes equal or not."""
    sets, d = [set(np.flatnonzero(z).tolist()) for z in Z], Z.shape[1]
    union = [len(a & b) / len(a | b) if a | b else 1.0 for a, b in combinations(sets, 2)]
    assert_allclose(jaccard(Z), np.mean(union))
    index = []
    for a, b in combinations(sets, 2):
        chance = len(a) * len(b) / d
        room = min(len(a), len(b)) - chance
        index.append((len(a & b) - chance) / room if room > 1e-9 else float(a == b))
    assert_allclose(kuncheva(Z), np.mean(index), atol=1e-12)


def test_kuncheva_published_form():
    """For two sets of size k sharing r of d it is (r d - k^2) / (k (d - k)), Kuncheva 2007."""
    first, second = np.zeros(10, bool), np.zeros(10, bool)
    first[:4], second[2:6] = True, True
    assert_allclose(kuncheva([first, second]), (2 * 10 - 16) / (4 * 6))


def test_top_overlap_counts_common_columns():
    """The curve equals the share of common columns among the N best, for every N."""
    rng = np.random.default_rng(0)
    a, b = rng.permutation(30), rng.permutation(30)
    direct = [len(set(a[:n]) & set(b[:n])) / n for n in range(1, 31)]
    assert_allclose(top_overlap(a, b), direct)
    assert_allclose(top_overlap(a, a, corrected=True), 1.0)
    with pytest.raises(ValueError, match="rankings"):
        top_overlap([0, 0, 1], [0, 1, 2])


def test_stability_refuses_what_is_no_mask():
    """Numbers of columns, or one selection, are refused by name."""
    with pytest.raises(ValueError, match="mask of selections by columns"):
        stability([[0, 5, 7]])


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), pairs=st.integers(1, 5), d=st.integers(3, 12))
def test_half_stability_is_the_mean_index_of_the_pairs(seed, pairs, d):
    """For sets of one size it is Kuncheva's index, averaged over the pairs.

    The interval holds it, and has a width.
    """
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, d))
    first, second = sized(rng, pairs, d, k), sized(rng, pairs, d, k)
    found = half_stability(first, second, 20)
    assert_allclose(
        found.value, np.mean([kuncheva([a, b]) for a, b in zip(first, second)]), atol=1e-12
    )
    assert found.interval[0] <= found.value <= found.interval[1] <= 1 + 1e-12
    assert found.interval[0] < found.interval[1] and (found.n_pairs, found.n_rows) == (pairs, 20)


def test_half_stability_of_sizes_that_vary_by_hand():
    """{0, 1} and {0}, twice, among four: mean size 1.5, half a feature differs.

    1 - (1/8) / (3/8 * 5/8) = 7/15.
    """
    found = half_stability([[1, 1, 0, 0]] * 2, [[1, 0, 0, 0]] * 2, 10)
    assert_allclose(found.value, 7 / 15)
    assert np.isnan(half_stability([[0, 0]], [[0, 0]], 10).value)


def test_halves_share_no_row_and_hold_the_classes_in_equal_shares():
    """Each pair splits the rows in two; classes are halved, groups are whole."""
    y = np.repeat([0, 1], [30, 10])
    plan = FoldSettings(
        None, Task(np.zeros((40, 1)), y, "classification", ["x0"], None, None), None, "accuracy", 5
    )
    halves = make_halves(plan, 3)
    for first, second in zip(halves[::2], halves[1::2], strict=True):
        assert_array_equal(np.sort(np.concatenate((first.train, second.train))), np.arange(40))
        assert y[first.train].sum() == y[second.train].sum() == 5
    groups = np.repeat(np.arange(8), 5)
    plan.task = Task(np.zeros((40, 1)), y, "classification", ["x0"], None, groups)
    for half in make_halves(plan, 3):
        assert not set(groups[half.train]) & set(groups[half.test])


def test_overlapping_folds_are_more_alike_than_halves():
    """On noise folds seem to agree, for they share rows; halves agree as chance does."""
    rng = np.random.default_rng(0)
    found = [
        assess(
            SelectKBest(k=5),
            GaussianNB(),
            rng.standard_normal((60, 50)),
            np.arange(60) % 2,
            references=False,
        )
        for _ in range(8)
    ]
    assert np.mean([stability(a.supports).value for a in found]) > 0.3
    assert abs(np.mean([a.stability.value for a in found])) < 0.15
    assert all(a.stability.basis == "3 pairs of disjoint halves, 30 rows each" for a in found)
    assert "3 pairs of disjoint halves, 30 rows each" in str(found[0])


def test_a_selection_that_fails_on_halves_does_not_end_the_assessment():
    """A selector that needs more rows than a half has: no stability, and a note says why."""

    class Demanding(SelectKBest):
        def fit(self, X, y):
            if len(X) < 25:
                raise ValueError("too few rows")
            return super().fit(X, y)

    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 4)), np.repeat([0, 1], [32, 8])
    a = assess(Demanding(k=1), GaussianNB(), X, y, cv=4, references=False, random_state=0)
    assert a.stability is None
    assert any("the selection failed on half of the rows" in note for note in a.notes)
    assert (
        assess(
            SelectKBest(k=1), GaussianNB(), X, y, cv=4, references=False, stability_pairs=0
        ).stability
        is None
    )
    with pytest.raises(ValueError, match="stability_pairs"):
        assess(SelectKBest(k=1), GaussianNB(), X, y, stability_pairs=-1)
