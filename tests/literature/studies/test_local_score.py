"""Scores on a part of the rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from subsel.literature.studies.local_score import local_score, within_range
from subsel.ranking.scores.moments.pearson import pearson
from subsel.ranking.scores.ranks.mann_whitney import auc
from subsel.ranking.scores.ranks.rank_correlation import spearman

RNG = np.random.default_rng(0)
X = RNG.integers(0, 4, (40, 3)).astype(float)
Y = np.arange(40) % 2


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
def test_neighbours_are_those_of_scaled_differences(metric):
    """The rows scored are the nearest to the query by differences over ranges, the lower row first where they tie."""
    query = np.array([1.0, 5.0, 0.0])  # it widens the range of the second column
    gaps = np.abs(X - query) / np.ptp(np.vstack([X, query]), axis=0)
    distance = gaps.sum(axis=1) if metric == "manhattan" else (gaps**2).sum(axis=1)
    rows = sorted(range(40), key=lambda i: (round(distance[i], 9), i))[:15]
    assert_allclose(local_score(auc, X, Y, query, 15, metric=metric), auc(X[rows], Y[rows]))


def test_all_rows_give_the_score_itself():
    """A neighbourhood, or a range, of all rows is the plain filter."""
    y = RNG.standard_normal(40)
    assert_allclose(local_score(auc, X, Y, X[3], 40), auc(X, Y))
    assert_allclose(within_range(spearman, X, y, y.min(), y.max()), spearman(X, y))


def test_only_around_a_query_does_a_column_tell():
    """A column whose sense turns round tells nothing on the whole, and everything near either end."""
    x, y = np.arange(40.0)[:, None], np.repeat([0, 1, 0], [10, 20, 10])
    assert auc(x, y)[0] == 0.5
    assert local_score(auc, x, y, [0.0], 20)[0] == local_score(auc, x, y, [39.0], 20)[0] == 1.0


def test_the_ends_of_a_range_are_in_it():
    """Targets from low to high count, dense or sparse."""
    y = np.arange(40.0)
    assert_allclose(within_range(pearson, sparse.csc_array(X), y, 5, 20), pearson(X[5:21], y[5:21]))


def test_impossible_parts_are_refused():
    """Too few rows, or a query of another width, are named."""
    with pytest.raises(ValueError, match=r"n_neighbors must lie in \[2, 40\], got 41"):
        local_score(auc, X, Y, X[0], 41)
    with pytest.raises(ValueError, match="one value per column of X, got 2"):
        local_score(auc, X, Y, [0.0, 1.0], 5)
    with pytest.raises(ValueError, match=r"\[50, 60\] must hold at least two targets, it holds 0"):
        within_range(pearson, X, np.arange(40.0), 50, 60)
