"""Spearman and Kendall against scipy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats

from subsel.ranking.laws import few_values
from subsel.ranking.scores.ranks.mann_whitney import auc_p_value
from subsel.ranking.scores.ranks.rank_correlation import (
    kendall,
    kendall_p_value,
    spearman,
    spearman_p_value,
)

RNG = np.random.default_rng(3)
X = RNG.standard_normal((45, 6))
X[:, 2:] = np.round(X[:, 2:] * [2, 1, 0.5, 0.4])
TARGETS = [RNG.standard_normal(45) + X[:, 0], np.round(RNG.standard_normal(45)), np.arange(45) % 2]


@pytest.fixture
def large_samples(monkeypatch):
    """Leave columns of few values to the laws of large samples (their exact ones are in
    test_table_law)."""
    monkeypatch.setattr(few_values, "FEW", 1)


@pytest.mark.parametrize("y", TARGETS)
@pytest.mark.parametrize("given_as", [np.asarray, sparse.csr_array])
def test_spearman_is_scipys(y, given_as, large_samples):
    """Coefficient and p-value are those of spearmanr, ties included, dense or sparse.

    Of two classes that of the AUC.
    """
    peer = [stats.spearmanr(x, y) for x in X.T]
    assert_allclose(spearman(given_as(X), y), [abs(r.statistic) for r in peer], rtol=1e-10)
    expected = auc_p_value(X, y) if len(np.unique(y)) == 2 else [r.pvalue for r in peer]
    assert_allclose(spearman_p_value(given_as(X), y), expected, rtol=1e-8)


@pytest.mark.parametrize("y", TARGETS)
@pytest.mark.parametrize("rows", [45, 20, 3, 2])
@pytest.mark.parametrize("given_as", [np.asarray, sparse.csr_array])
def test_kendall_is_scipys(y, rows, given_as, large_samples):
    """Tau-b and its p-value are those of kendalltau.

    They are exact for few rows without ties and corrected for ties otherwise.

    The p-value of two classes is that of the AUC, whose oracles are in test_tied_law.
    """
    table, y = X[:rows], y[:rows]
    peer = [stats.kendalltau(x, y, method="auto") for x in table.T]
    defined = np.isfinite([r.statistic for r in peer])
    assert_allclose(
        kendall(given_as(table), y)[defined],
        np.abs([r.statistic for r in peer])[defined],
        rtol=1e-10,
    )
    assert_array_equal(kendall(given_as(table), y)[~defined], 0.0)
    expected = (
        auc_p_value(table, y > y.min())
        if len(np.unique(y)) == 2
        else np.array([r.pvalue for r in peer])
    )
    assert_allclose(kendall_p_value(given_as(table), y)[defined], expected[defined], rtol=1e-8)
    assert_array_equal(kendall_p_value(given_as(table), y)[~defined], 1.0)


def test_the_law_of_33_rows_is_still_counted():
    """At 33 rows without ties the p-value is the exact one."""
    y = RNG.standard_normal(33)
    peer = [stats.kendalltau(x, y, method="exact").pvalue for x in X[:33, :2].T]
    assert_allclose(kendall_p_value(X[:33, :2], y), peer, rtol=1e-8)


def test_constants_score_nothing():
    """A constant column or target scores 0 with p-value 1."""
    x = np.full((9, 1), 0.1)
    y = np.arange(9.0)
    for score, p_value in ((spearman, spearman_p_value), (kendall, kendall_p_value)):
        assert_array_equal([score(x, y), score(y[:, None], x[:, 0])], 0.0)
        assert_array_equal([p_value(x, y), p_value(y[:, None], x[:, 0])], 1.0)
