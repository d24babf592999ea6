"""Ranking a wide sparse table takes at most twice the memory of the table, whatever the cut and the
form."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from subsel import RankingSelector

N_ROWS, N_COLUMNS, N_STORED = 800, 40_000, 290_000  # DOROTHEA, narrower


@pytest.fixture(scope="module")
def rows():
    """Bits, and labels of which the first columns know something."""
    rng = np.random.default_rng(0)
    y = (rng.random(N_ROWS) < 0.1).astype(int)
    cells = np.unique(rng.choice(N_ROWS * N_COLUMNS, N_STORED))
    row, column = np.divmod(cells, N_COLUMNS)
    known = np.flatnonzero(y)
    row, column = (
        np.append(row, np.repeat(known, 5)),
        np.append(column, np.tile(np.arange(5), len(known))),
    )
    places = row.astype(np.int32), column.astype(np.int32)
    bits = sparse.coo_array(
        (np.ones(len(row), dtype=np.uint8), places), shape=(N_ROWS, N_COLUMNS)
    ).tocsr()
    bits.data[:] = 1
    return bits, y


def size(X):
    return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes


@pytest.mark.parametrize(
    ("score", "cut", "dtype", "form"),
    [
        ("pearson", "fdr:0.1", np.uint8, "csr"),
        ("pearson", "fdr:0.1", np.uint8, "csc"),
        ("pearson", "fdr:0.1", np.float64, "csr"),
        ("pearson", "bonferroni:0.1", np.float64, "csc"),
        ("hypergeometric", "fdr:0.1", np.uint8, "csr"),
        ("auc", 100, np.uint8, "csr"),
        ("mutual-information", 0.001, np.uint8, "csr"),
        ("odds-ratio", "threshold:2", np.uint8, "csr"),
        ("t-times-ks", "gap", np.uint8, "csc"),
        ("lambda-ranking", "p:0.001", np.uint8, "csr"),  # by probes
        ("pearson", "probe-p:0.0001", np.float64, "csc"),
    ],
)
def test_twice_the_table_is_enough(rows, score, cut, dtype, form):
    """Names, ranks, p- and q-values and the cut included.

    The five columns that know the labels are found.
    """
    bits, y = rows
    X = bits.astype(dtype).asformat(form)
    selector = RankingSelector(score, cut)
    selector.fit(X[:, :200], y)  # compiled before it is measured
    tracemalloc.start()
    selector.fit(X, y)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most <= 2 * size(X)
    assert set(selector.ranking_[:5]) == set(range(5)) and selector.support_[:5].all()
    assert selector.get_feature_names_out()[0] == "x0"
