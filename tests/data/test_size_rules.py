"""Rules for the number of columns, against plain loops and on noise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from subsel.data.size_rules import HeldOutScores, beats_no_columns, per_group


def drawn(seed, n=40, k=5, slope=0.0):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 1)) + 0.3 * rng.normal(size=(n, k)) + slope * np.arange(k)
    return HeldOutScores(np.arange(k), values, np.ones(n))


def test_errors_of_paired_differences_are_those_of_a_mean():
    """With equal weights: their standard deviation over the root of their number."""
    scores = drawn(0)
    means, errors = scores.differences(2)
    paired = scores.values - scores.values[:, [2]]
    assert_allclose(means, paired.mean(axis=0), atol=1e-15)
    assert_allclose(errors, paired.std(axis=0, ddof=1) / np.sqrt(len(paired)), atol=1e-15)


def test_whole_weights_move_means_as_repeated_units_do():
    """A unit of weight 3 moves the mean as three units do; scaling all weights changes nothing."""
    scores, weights = drawn(1, n=6), np.array([1, 3, 1, 2, 1, 1])
    repeated = HeldOutScores(scores.sizes, np.repeat(scores.values, weights, axis=0), np.ones(9))
    weighted = scores._replace(weights=weights.astype(float))
    assert_allclose(weighted.means(), repeated.means())
    for one, two in zip(
        weighted.differences(0), weighted._replace(weights=7.0 * weights).differences(0)
    ):
        assert_allclose(one, two)


@pytest.mark.parametrize("seed", range(10))
def test_the_smallest_near_the_best_by_a_loop(seed):
    """The first size whose paired difference to the best is within its own standard error."""
    scores = drawn(seed, slope=0.05)
    best = scores.best(1)
    assert best == 1 + np.argmax(scores.means()[1:])
    for k in range(1, 5):
        paired = scores.values[:, k] - scores.values[:, best]
        if paired.mean() >= -paired.std(ddof=1) / np.sqrt(len(paired)):
            break
    assert scores.smallest_near(best, 1) == k


def test_the_corrected_test_keeps_its_level_on_noise_and_finds_what_helps():
    """Of 300 draws without an effect about 5 % are rejected; with an effect nearly all."""
    for k in (2, 12):
        rejected = sum(
            beats_no_columns(drawn(s, k=k), 1, proper=False, n_draws=299) for s in range(300)
        )
        assert rejected <= 300 * 0.05 + 3 * np.sqrt(300 * 0.05 * 0.95)
        assert rejected >= 3
    assert all(
        beats_no_columns(drawn(s, slope=0.2), 4, proper=False, n_draws=299) for s in range(20)
    )


def test_without_the_correction_the_level_would_be_missed():
    """One standard error, which is for proper losses alone, lets far more of such draws through."""
    let_through = sum(
        beats_no_columns(s := drawn(i, k=12), s.best(1), proper=True) for i in range(300)
    )
    assert let_through > 0.5 * 300


def test_sizes_that_predict_the_constant_never_win():
    """Equal scores are no difference, also where all are equal; one unit allows no test."""
    alike = HeldOutScores(np.arange(3), np.ones((8, 3)), np.ones(8))
    assert not beats_no_columns(alike, 1, proper=True) and not beats_no_columns(
        alike, 1, proper=False
    )
    single = HeldOutScores(np.arange(2), np.array([[0.0, 9.0]]), np.ones(1))
    assert not beats_no_columns(single, 1, proper=True) and not beats_no_columns(
        single, 1, proper=False
    )


def test_groups_are_averaged_by_a_loop():
    """Each group's mean and weight are those of its rows, and the overall mean stays."""
    rng = np.random.default_rng(0)
    values, weights, groups = rng.normal(size=(30, 3)), rng.random(30), rng.integers(0, 5, 30)
    means, total = per_group(values, weights, groups)
    for g in range(5):
        rows = groups == g
        assert_allclose(means[g], np.average(values[rows], axis=0, weights=weights[rows]))
        assert_allclose(total[g], weights[rows].sum())
    assert_allclose(total @ means / total.sum(), weights @ values / weights.sum())
