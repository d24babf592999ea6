"""Redundancy orders of sparse tables.

The paths of the dense ones, without writing the table out.
"""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from subsel.data import EqualWidth
from subsel.data.intervals.codes import code_table
from subsel.data.intervals.sparse_codes import coded_table
from subsel.ranking.registry import ORDERS

# The sequential filter reads what its score reads, by default a dense table.
SPARSE_ORDERS = sorted(
    {e.key for e in ORDERS.values() if e.sparse and e.classification} - {"sequential-filter"}
)


def example(seed, n=70, p=12):
    """Mostly zeros; columns of words, many or negative values, a constant, a copy, empty, full."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.integers(1, 4, (n, p)) * (rng.random((n, p)) < 0.25)
    X[:, 1] = (rng.random(n) < 0.2 + 0.6 * y) * 1
    X[:, 2] = np.where(rng.random(n) < 0.8, X[:, 1], X[:, 2])
    X = X.astype(float)
    X[:, 3] = rng.standard_normal(n) * (rng.random(n) < 0.7)
    X[:, 4] *= -1
    X[:, 5], X[:, 6] = 0, X[:, 1]
    X[:, 7] = rng.integers(1, 4, n)
    X[:, 8] = 3
    return X, y


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix])
@pytest.mark.parametrize("discretiser", [None, EqualWidth(3)])
@pytest.mark.parametrize("seed", range(3))
def test_sparse_codes_tell_what_dense_ones_tell(form, discretiser, seed):
    """Entropies and every kind of information are those of the dense codes."""
    X, y = example(seed)
    dense, thin = code_table(X, y, discretiser), coded_table(form(X), y, discretiser)
    assert sparse.issparse(thin.codes) and thin.codes.data.all()
    assert thin.n_classes == dense.n_classes and thin.n_columns == dense.n_columns
    assert_allclose(thin.entropies(), dense.entropies(), atol=1e-12)
    assert_allclose(thin.with_class(), dense.with_class(), atol=1e-12)
    assert thin.class_entropy() == dense.class_entropy()
    strata = np.random.default_rng(seed).integers(0, 9, len(y))
    assert_allclose(thin.with_codes(strata, [3, 1]), dense.with_codes(strata, [3, 1]), atol=1e-12)
    for j in range(X.shape[1]):
        assert_allclose(thin.with_column(j), dense.with_column(j), atol=1e-12)
        assert_allclose(thin.with_column_and_class(j), dense.with_column_and_class(j), atol=1e-12)
        assert_allclose(thin.conditional(j), dense.conditional(j), atol=1e-12)


@pytest.mark.parametrize("key", SPARSE_ORDERS)
@pytest.mark.parametrize("seed", range(3))
def test_paths_do_not_depend_on_storage(key, seed):
    """Features and scores of a path are the same for a sparse and a dense table, in any numbers."""
    X, y = example(seed)
    take = ORDERS[key].function
    dense = take(X, y)
    for table in (sparse.csr_array(X), sparse.csc_array(X)):
        path = take(table, y)
        assert_array_equal(path.features, dense.features)
        assert_allclose(path.scores, dense.scores, rtol=1e-7, atol=1e-9)
    bits = (X != 0).astype(np.uint8)
    assert_array_equal(take(sparse.csr_array(bits), y).features, take(bits, y).features)


@pytest.mark.parametrize(
    "key",
    [
        "jmi",
        "cmim",
        "fcbf",
        *(pytest.param(key, marks=pytest.mark.slow) for key in ("mrmr-difference", "iamb")),
    ],
)
def test_a_wide_sparse_table_is_not_written_out(key):
    """Ten of 30,000 sparse columns are selected in a fraction of the memory of dense codes."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((500, 30_000), density=0.01, format="csr", rng=rng, dtype=float)
    X.data[:] = 1
    y = rng.integers(0, 2, 500)
    take = ORDERS[key].function
    take(X[:, :20], y, n_features=2)
    tracemalloc.start()
    take(X, y, n_features=10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500 * 30_000 / 2  # the codes alone would be a byte a cell
