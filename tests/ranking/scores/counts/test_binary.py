"""Scores of binary features against their four counts, scipy and enumerated permutations."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats
from scipy.special import gammaln

from subsel.data.statistics.class_counts import PresenceCounts
from subsel.ranking.scores.counts.binary import bi_normal_separation, exp_rate_difference
from subsel.ranking.scores.counts.hypergeometric import hypergeometric, hypergeometric_p_value
from subsel.ranking.scores.counts.odds_ratio import odds_ratio, odds_ratio_p_value

RNG = np.random.default_rng(6)
Y = RNG.permutation(np.repeat([0, 1], [22, 14]))
X = (RNG.random((36, 8)) < [0.1, 0.3, 0.5, 0.9, 0.2, 0.5, 0, 1]) * RNG.choice([-1.0, 2.0], (36, 8))
X[:, 5] = Y
PRESENT = X != 0
TPR, FPR = PRESENT[Y == 1].mean(axis=0), PRESENT[Y == 0].mean(axis=0)
SCORES = [bi_normal_separation, odds_ratio, odds_ratio_p_value, exp_rate_difference, hypergeometric]


def test_rates_give_the_scores():
    """Bi-normal separation and exp(tpr - fpr) are their formulas."""
    z = stats.norm.ppf(np.clip([TPR, FPR], 0.0005, 0.9995))
    assert_allclose(bi_normal_separation(X, Y), np.abs(z[0] - z[1]), rtol=1e-10)
    assert_allclose(exp_rate_difference(X, Y), np.exp(TPR - FPR))


def test_exchanging_the_classes_turns_the_order_round():
    """exp(tpr - fpr) favours marks of the positive class.

    Its logarithm changes sign with the labels.
    """
    assert_allclose(
        np.log(exp_rate_difference(X, 1 - Y)), -np.log(exp_rate_difference(X, Y)), atol=1e-15
    )


def test_odds_ratio_is_scipys():
    """Where no count is zero, |ln theta| is that of scipy's sample odds ratio and the test is
    normal."""
    for j in range(5):
        table = [[np.sum(PRESENT[k == Y, j]), np.sum(~PRESENT[k == Y, j])] for k in (1, 0)]
        if np.min(table) == 0:
            table = np.array(table) + 0.5
            theta = table[0][0] * table[1][1] / (table[0][1] * table[1][0])
        else:
            theta = stats.contingency.odds_ratio(table, kind="sample").statistic
        assert_allclose(odds_ratio(X[:, [j]], Y), abs(np.log(theta)), atol=1e-12)
        z = abs(np.log(theta)) / np.sqrt(np.sum(1 / np.array(table, float)))
        assert_allclose(odds_ratio_p_value(X[:, [j]], Y), 2 * stats.norm.sf(z), rtol=1e-9)


def test_hypergeometric_is_scipys():
    """The p-value is twice the smaller tail of the hypergeometric law, at most 1."""
    hits, drawn = PRESENT[Y == 1].sum(axis=0), PRESENT.sum(axis=0)
    law = stats.hypergeom(36, 14, drawn)
    expected = np.minimum(1, 2 * np.minimum(law.sf(hits - 1), law.cdf(hits)))
    assert_allclose(hypergeometric_p_value(X, Y), expected, rtol=1e-9)
    assert_allclose(hypergeometric(X, Y), -np.log(expected), rtol=1e-9, atol=1e-12)


def test_hypergeometric_is_that_of_enumerated_permutations():
    """The p-value equals the share of all labelings at least as far in the nearer direction,
    doubled."""
    x = np.array([1, 1, 0, 0, 1, 0, 0])
    overlaps = np.array([x[list(chosen)].sum() for chosen in combinations(range(7), 3)])
    for chosen, overlap in zip(combinations(range(7), 3), overlaps):
        y = np.isin(np.arange(7), chosen).astype(int)
        expected = min(1, 2 * min(np.mean(overlaps >= overlap), np.mean(overlaps <= overlap)))
        assert_allclose(hypergeometric_p_value(x[:, None], y), expected)


def test_hypergeometric_one_tail_is_fishers():
    """The smaller tail is that of the one-sided exact test of Fisher."""
    for j in range(5):
        table = [[np.sum(PRESENT[k == Y, j]), np.sum(~PRESENT[k == Y, j])] for k in (1, 0)]
        tails = [stats.fisher_exact(table, alternative=side).pvalue for side in ("less", "greater")]
        assert_allclose(hypergeometric_p_value(X[:, [j]], Y), min(1, 2 * min(tails)), rtol=1e-9)


def test_hypergeometric_score_does_not_underflow():
    """A perfect mark of half of 4000 rows has p-value 0 in floats, and still a score.

    The logarithm of the count.
    """
    y = np.repeat([0, 1], 2000)
    expected = gammaln(4001) - 2 * gammaln(2001) - np.log(2)
    assert_allclose(hypergeometric(y[:, None], y), expected, rtol=1e-9)


@pytest.mark.parametrize("score", SCORES)
def test_counts_stream(score):
    """Counts merged from dense and sparse chunks score as the table does."""
    whole, part = PresenceCounts(2, 8), PresenceCounts(2, 8)
    whole.accumulate(X[:10], Y[:10])
    part.accumulate(sparse.csr_array(X[10:]), Y[10:])
    whole.merge(part)
    assert_allclose(score(whole), score(X, Y))


def test_constant_columns_have_an_answer():
    """A column never or always present scores nothing: 0, or exp(0), with p-value 1."""
    x = np.column_stack([np.zeros(36), np.ones(36)])
    for score in (bi_normal_separation, odds_ratio, hypergeometric):
        assert_array_equal(score(x, Y), 0.0)
    assert_array_equal(exp_rate_difference(x, Y), 1.0)
    assert_allclose([odds_ratio_p_value(x, Y), hypergeometric_p_value(x, Y)], 1.0)


def test_a_stored_zero_is_absent():
    """A zero written into a sparse table is a zero."""
    stored = sparse.csc_array(
        (np.array([0.0, 1.0, 1.0]), np.array([0, 1, 2]), np.array([0, 3])), shape=(4, 1)
    )
    for score in SCORES:
        assert_allclose(score(stored, [0, 0, 1, 1]), score(stored.toarray(), [0, 0, 1, 1]))
