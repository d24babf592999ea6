"""The sequential filter: a ranking repeated on the columns that it has not yet selected."""

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
    """Select the best features by a score, score the remaining ones without them, repeat [1]_.

    For a score that looks at each feature alone this is its ranking. For one that compares rows by
    all features, such as Relief, the selected features no longer determine which rows are
    neighbours.

    Parameters
    ----------
    X, y : array-like
        X may be sparse if the score accepts that.
    n_features : int, optional
        The number of features to select; all by default.
    n_per_run : int
        The number of features that are selected after each run of the score.
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
