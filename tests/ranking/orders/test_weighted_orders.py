"""Orders of discrete information with weights: a row of weight w is w rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import entr

from subsel import RankingSelector
from subsel.data.intervals.equal import EqualFrequency
from subsel.data.intervals.sparse_codes import coded_table
from subsel.ranking import cfs, cmim, jmi
from subsel.ranking.registry import ORDERS

COUNTED = [
    entry for entry in ORDERS.values() if entry.function.__module__.startswith("subsel.ranking.")
]
WEIGHTED = sorted({entry.key for entry in COUNTED if entry.weights})
UNWEIGHTED = sorted(
    {entry.key for entry in ORDERS.values() if not entry.weights and entry.classification}
)
FORMS = [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array]


def example(seed, n_rows=60, n_columns=7):
    """Sparse small numbers, a copy, a constant, a column of many values, three classes, weights
    with zeros."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n_rows, n_columns)) * (rng.random((n_rows, n_columns)) < 0.5).astype(
        float
    )
    X[:, 4], X[:, 5], X[:, 6] = X[:, 0], 2.0, np.round(rng.standard_normal(n_rows), 2)
    y = (X[:, 0] + X[:, 1] + rng.integers(0, 3, n_rows)).astype(int) % 3
    return X, y, rng.integers(0, 4, n_rows)


def test_the_orders_of_counts_take_weights():
    """Those whose tables are counts do; those of correlations and tests do not."""
    counted = (
        "cfs cmi-buckets cmim disr fcbf information-clusters information-union jmi mifs mifs-max"
    )
    assert [*counted.split(), "mrmr-difference", "mrmr-quotient"] == WEIGHTED


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("key", WEIGHTED)
def test_whole_weights_repeat_rows(key, seed, form):
    """The path and its scores are those of the table with its rows repeated, rows of weight zero
    left out."""
    X, y, weight = example(seed)
    order = ORDERS[key].function
    expected = order(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    found = order(form(X), y, sample_weight=weight)
    assert_array_equal(found.features, expected.features)
    assert_allclose(found.scores, expected.scores, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("key", WEIGHTED)
def test_only_proportions_count(key, form):
    """Equal weights are none, and weights times anything are the same, fractions included.

    Left out is the column that is cut: whether a value on the very edge of two intervals goes left
    is a matter of the last bit of the sums of fractions.
    """
    X, y, weight = example(9)
    order, table = ORDERS[key].function, form(X[:, :6])
    plain, equal = order(table, y), order(table, y, sample_weight=np.full(len(y), 0.3))
    assert_array_equal(equal.features, plain.features)
    assert_allclose(equal.scores, plain.scores, rtol=1e-9, atol=1e-12)
    whole, thirds = (order(table, y, sample_weight=w) for w in (weight, weight / 3))
    assert_array_equal(thirds.features, whole.features)
    assert_allclose(thirds.scores, whole.scores, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_weighted_information_by_definition(form):
    """I(X_k; Y | X_j) and the entropies from the weighted frequencies, cell by cell, with weights
    of any size."""
    X, y, _ = example(3)
    weight = np.random.default_rng(0).random(len(y)) * 5
    X = X[:, :6]
    table = coded_table(form(X), y, sample_weight=weight)

    def entropy(*columns):
        _, cell = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
        return entr(np.bincount(cell.ravel(), weight) / weight.sum()).sum()

    assert_allclose(table.entropies(), [entropy(x) for x in X.T], atol=1e-12)
    assert_allclose(table.class_entropy(), entropy(y))
    assert_allclose(
        table.with_class(), [entropy(x) + entropy(y) - entropy(x, y) for x in X.T], atol=1e-12
    )
    for j in range(6):
        z = X[:, j]
        expected = [entropy(x, z) + entropy(y, z) - entropy(x, y, z) - entropy(z) for x in X.T]
        assert_allclose(table.conditional(j), expected, atol=1e-12)


def test_the_selector_hands_weights_on():
    """Fitting with whole weights keeps what fitting the repeated rows keeps."""
    X, y, weight = example(2)
    for ranking in ("jmi", "fcbf"):
        weighted = RankingSelector(ranking, cut=3).fit(X, y, sample_weight=weight)
        repeated = RankingSelector(ranking, cut=3).fit(
            np.repeat(X, weight, axis=0), np.repeat(y, weight)
        )
        assert_array_equal(weighted.ranking_, repeated.ranking_)
        assert_allclose(weighted.scores_, repeated.scores_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("key", UNWEIGHTED)
def test_the_others_refuse(key):
    """An order that does not take weights says so and names some that do."""
    X, y, weight = example(1)
    with pytest.raises(ValueError, match=r"does not take sample weights; these do: .*jmi"):
        RankingSelector(key, cut=2).fit(X, y > 0, sample_weight=weight)


def test_what_cannot_be_weighted_is_refused():
    """A discretiser, correlations, and weights that are none."""
    X, y, weight = example(1)
    with pytest.raises(ValueError, match=r"cannot be used with the discretiser EqualFrequency"):
        jmi(X, y, discretiser=EqualFrequency(), sample_weight=weight)
    with pytest.raises(ValueError, match="'pearson' does not take sample weights"):
        cfs(X, y, association="pearson", sample_weight=weight)
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        cmim(X, y, sample_weight=-weight)
    with pytest.raises(ValueError, match="at least two classes"):
        cmim(X, y, sample_weight=(y == 0).astype(float))
