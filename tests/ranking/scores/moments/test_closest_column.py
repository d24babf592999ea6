"""How like columns are to the most similar other one."""

from importlib import import_module

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from subsel.ranking import closest_column


def by_definition(X, shrink):
    """A loop over all pairs of columns."""
    scores = np.zeros(X.shape[1])
    for j, x in enumerate(X.T):
        for k, z in enumerate(X.T):
            apart = x @ x + z @ z - x @ z + shrink
            if j != k and apart > 0:
                scores[j] = max(scores[j], x @ z / apart)
    return scores


def in_disorder(X):
    """Compressed rows whose columns descend, values in two halves, and a stored zero."""
    rows, columns = np.nonzero(np.fliplr(X))
    columns = X.shape[1] - 1 - columns
    entries = np.append(np.tile(X[rows, columns] / 2, 2), 0.0), np.append(np.tile(columns, 2), 0)
    rows = np.append(np.tile(rows, 2), 0)
    order = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[order], np.arange(X.shape[0] + 1))
    return sparse.csr_array((entries[0][order], entries[1][order], starts), shape=X.shape)


TABLES = {
    "bits": lambda rng: (rng.random((30, 12)) < 0.2).astype(float),
    "counts": lambda rng: rng.poisson(0.3, (25, 9)).astype(float),
    "signs": lambda rng: rng.normal(size=(10, 6)) * (rng.random((10, 6)) < 0.4),
    "one column": lambda rng: np.ones((4, 1)),
    "nothing": lambda rng: np.zeros((4, 3)),
    "copies": lambda rng: np.repeat((rng.random((20, 3)) < 0.3).astype(float), 2, axis=1),
}


@pytest.mark.parametrize("held", [1, 40, 10_000])
@pytest.mark.parametrize("name", TABLES)
def test_blocks_and_sparse_tables_give_the_definition(name, held, monkeypatch):
    """However many similarities are held at a time, dense or sparse of any kind.

    A loop over pairs.
    """
    module = import_module("subsel.ranking.scores.moments.closest_column")
    monkeypatch.setattr(module, "SIMILARITIES", held)
    X = TABLES[name](np.random.default_rng(3))
    for shrink in (0.0, 3.0):
        expected = by_definition(X, shrink)
        for kind in (
            np.asarray,
            sparse.csr_array,
            sparse.csc_matrix,
            sparse.csr_matrix,
            in_disorder,
        ):
            assert_allclose(closest_column(kind(X), None, shrink=shrink), expected, rtol=1e-12)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_row_of_weight_two_is_two_rows(kind):
    """Whole weights repeat rows."""
    rng = np.random.default_rng(0)
    X, weight = (rng.random((20, 7)) < 0.3).astype(float), rng.integers(0, 4, 20)
    assert_allclose(
        closest_column(kind(X), None, weight),
        closest_column(np.repeat(X, weight, axis=0), None),
        rtol=1e-12,
    )


def test_shuffled_columns_score_less_than_columns_of_a_kind():
    """Bits that follow a common cause stand apart from bits shuffled over the rows, though these
    are as frequent."""
    rng = np.random.default_rng(1)
    causes = rng.random((400, 20)) < 0.05
    real = np.repeat(causes, 4, axis=1) & (rng.random((400, 80)) < 0.8)
    probes = rng.permuted(real, axis=0)
    scores = closest_column(sparse.csr_array(np.hstack([real, probes]).astype(float)), None)
    assert np.mean(scores[:80] > scores[80:].max()) > 0.9


def test_bad_shrink_is_named():
    """Less than nothing cannot be counted against."""
    with pytest.raises(ValueError, match="shrink must be 0 or more, got -1"):
        closest_column(np.eye(3), None, shrink=-1)
