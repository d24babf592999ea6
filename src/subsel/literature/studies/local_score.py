"""Scores on a part of the rows: near a query, or where the target lies in a range."""

from collections.abc import Callable
from typing import Any

import numpy as np

from subsel.data.statistics.differences import Differences
from subsel.data.statistics.score_input import target
from subsel.data.storage import csr_if_sparse

__all__ = ["local_score", "within_range"]


def local_score(
    score: Callable[..., np.ndarray],
    X: Any,
    y: Any,
    query: Any,
    n_neighbors: int,
    *,
    nominal: Any = None,
    metric: str = "manhattan",
    **parameters: Any,
) -> np.ndarray:
    """Score features on the rows nearest to a query: what tells the classes apart around there [1]_.

    Distances are those of :func:`subsel.ranking.relieff`, the query taking part in the ranges; ties go to the
    lower row index. With all rows as neighbours this is the score itself.

    Parameters
    ----------
    query : array of shape (p,)
        A row, of the table or not.
    n_neighbors : int
        How many rows to score on; both classes should be among them.
    nominal, metric : object
        As for :func:`subsel.ranking.relieff`.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, class-specific
       and local filters.

    Examples
    --------
    >>> from subsel.ranking.scores.ranks.mann_whitney import auc
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> auc(X, [0, 0, 1, 1, 0, 0]), local_score(auc, X, [0, 0, 1, 1, 0, 0], [0.0], 4)
    (array([0.5]), array([1.]))
    """
    y, query = np.asarray(y), np.asarray(query, dtype=np.float64).reshape(1, -1)
    values = np.asarray(X, dtype=np.float64)
    if values.ndim != 2 or query.shape[1] != values.shape[1]:
        raise ValueError(
            f"query must have one value per column of X, got {query.shape[1]} for shape {values.shape}."
        )
    n = len(values)
    if not 2 <= n_neighbors <= n:
        raise ValueError(f"n_neighbors must lie in [2, {n}], got {n_neighbors}.")
    table = Differences(np.vstack([values, query]), np.zeros(n + 1, dtype=np.intp), nominal, metric)
    _, distances = next(table.blocks(np.array([n])))
    rows = np.sort(np.argsort(np.round(distances[0, :n], 10), kind="stable")[:n_neighbors])
    return score(values[rows], y[rows], **parameters)


def within_range(
    score: Callable[..., np.ndarray], X: Any, y: Any, low: float, high: float, **parameters: Any
) -> np.ndarray:
    """Score features on the rows whose numeric target lies in a range, its ends included [1]_.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, class-specific
       and local filters.

    Examples
    --------
    >>> from subsel.ranking.scores.moments.pearson import pearson
    >>> within_range(pearson, [[0.0], [1.0], [2.0], [0.0]], [0.0, 1.0, 2.0, 9.0], 0.0, 5.0)
    array([1.])
    """
    X = csr_if_sparse(X)
    y = target(X, y)
    rows = np.flatnonzero((low <= y) & (y <= high))
    if len(rows) < 2:
        raise ValueError(
            f"the range [{low}, {high}] must hold at least two targets, it holds {len(rows)}."
        )
    return score(X[rows], y[rows], **parameters)
