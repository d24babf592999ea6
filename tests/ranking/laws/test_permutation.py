"""Permutation p-values against enumeration and the exact tests they estimate."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats

from subsel.ranking.laws.permutation import correlation_permutation_p_value, permutation_p_value
from subsel.ranking.scores.counts.hypergeometric import hypergeometric_p_value
from subsel.ranking.scores.moments.signal_to_noise import signal_to_noise
from subsel.ranking.scores.ranks.mann_whitney import auc, auc_p_value

RNG = np.random.default_rng(10)
Y = np.repeat([0, 1], [8, 6])
X = RNG.standard_normal((14, 5)) + 1e3


def test_p_values_estimate_the_exact_ones():
    """Permuted labels give the Mann-Whitney p-value of the AUC up to chance."""
    p = permutation_p_value(auc, X, Y, n_permutations=1500, random_state=0)
    assert_allclose(p, auc_p_value(X, Y), atol=0.05)


def test_the_smallest_p_value_counts_the_sample_itself():
    """No p-value is below 1 / (B + 1), and an infinite score can reach it."""
    x = Y[:, None].astype(float)
    assert permutation_p_value(
        signal_to_noise, x, Y, n_permutations=99, random_state=0
    ) == pytest.approx(0.01, abs=0.011)


def test_correlation_is_that_of_all_permutations():
    """The p-value estimates twice the smaller tail over every order of the labels."""
    x, y = RNG.standard_normal(6), RNG.standard_normal(6)
    products = np.array([x @ np.array(order) for order in permutations(y)])
    exact = min(1, 2 * min(np.mean(products >= x @ y - 1e-12), np.mean(products <= x @ y + 1e-12)))
    assert_allclose(
        correlation_permutation_p_value(x[:, None], y, n_permutations=4000, random_state=0),
        exact,
        atol=0.05,
    )


@pytest.mark.parametrize("given_as", [np.asarray, sparse.csr_array])
def test_a_binary_column_has_the_exact_test(given_as):
    """For a binary column it estimates the hypergeometric test, which is the same permutations
    counted."""
    binary = (RNG.random((14, 6)) < 0.5).astype(float)
    p = correlation_permutation_p_value(given_as(binary), Y, n_permutations=4000, random_state=0)
    assert_allclose(p, hypergeometric_p_value(binary, Y), atol=0.05)
    assert_allclose(
        correlation_permutation_p_value(given_as(-binary), Y, n_permutations=4000, random_state=0),
        p,
    )


def test_ranks_ignore_increasing_maps():
    """On ranks, an increasing map of a column changes nothing, and the test is Mann-Whitney's."""
    p = correlation_permutation_p_value(X, Y, ranks=True, n_permutations=3000, random_state=0)
    assert_array_equal(
        correlation_permutation_p_value(
            np.log(X), Y, ranks=True, n_permutations=3000, random_state=0
        ),
        p,
    )
    exact = [stats.mannwhitneyu(x[Y == 1], x[Y == 0], method="exact").pvalue for x in X.T]
    assert_allclose(p, exact, atol=0.05)


def test_blocks_and_seed():
    """A seed repeats the p-values; a constant column has none to speak of."""
    x = np.column_stack([X, np.full(14, 0.1)])
    first, again = (correlation_permutation_p_value(x, Y, random_state=3) for _ in range(2))
    assert_array_equal(first, again)
    assert first[-1] == 1.0
