"""A ranking repeated on what it left: select, remove, repeat."""

from collections.abc import Callable
from typing import Any

import numpy as np

from subsel.data.statistics.score_input import columns
from subsel.ranking.feature_order import FeatureOrder, path_length
from subsel.ranking.registry import order

__all__ = ["sequential_filter"]


@order("sequential_filter", sparse=True)
def sequential_filter(
    X: Any,
    y: Any,
    n_features: int | None = None,
    n_per_run: int = 1,
    score: Callable[[Any, Any], np.ndarray] | None = None,
) -> FeatureOrder:
    """Take the best few features by a score, remove them, score the others without them, repeat [1]_.

    For a score that looks at each feature alone this is its plain ranking; for one that compares
    rows by all features, such as Relief, the features taken no longer say which rows are
    neighbours.

    Parameters
    ----------
    X, y : array-like
        X may be sparse if the score accepts that.
    n_features : int, optional
        How many features to take; all by default.
    n_per_run : int
        How many features each run of the score gives.
    score : callable, optional
        ``score(X, y)``; :func:`subsel.ranking.relieff` by default.

    References
    ----------
    .. [1] K. Grabczewski and N. Jankowski, "Mining for Complex Models Comprising Feature Selection
       and Classification", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 23, the
       sequential filter.

    Examples
    --------
    >>> X = np.array([[1.0, 3.0, 2.0], [1.0, 1.0, 1.0]])
    >>> sequential_filter(X, [0, 1], score=lambda X, y: X.sum(axis=0)).features
    array([1, 2, 0])
    """
    from subsel.ranking.scores.neighbours.relieff import relieff

    if score is None:
        score = relieff
    if n_per_run < 1:
        raise ValueError(f"n_per_run must be at least 1, got {n_per_run}.")
    X = columns(X)
    length = path_length(n_features, X.shape[1])
    pool = np.arange(X.shape[1])
    features, values = np.empty(length, dtype=np.intp), np.empty(length)
    for begin in range(0, length, n_per_run):
        end = min(begin + n_per_run, length)
        scores = score(X[:, pool], y)
        best = np.argsort(-scores, kind="stable")[: end - begin]
        features[begin:end], values[begin:end] = pool[best], scores[best]
        pool = np.delete(pool, best)
    return FeatureOrder(features, values)
