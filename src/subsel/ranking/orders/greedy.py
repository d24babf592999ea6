"""Greedy selection: select the best feature, score the others again, repeat."""

from collections.abc import Callable

import numpy as np

from subsel.ranking.feature_order import FeatureOrder

__all__ = ["first_best", "greedy"]


def greedy(
    scores: np.ndarray, n_features: int, rescore: Callable[[int], np.ndarray]
) -> FeatureOrder:
    """Select features one by one, each time the one of highest score.

    Parameters
    ----------
    scores : ndarray of shape (n_columns,)
        The score of every feature when none is selected.
    n_features : int
        The number of features to select.
    rescore : callable
        ``rescore(j)`` is called after feature j was selected. It gives the scores of all features,
        shape (n_columns,), in view of all selected ones; those of selected features are ignored.

    Returns
    -------
    FeatureOrder
        The features, and their scores when they were selected.

    Examples
    --------
    >>> greedy(np.array([1.0, 3.0, 2.0]), 2, lambda j: np.array([1.0, 0.0, 0.5])).features
    array([1, 0])
    """
    free = np.ones(len(scores), dtype=bool)
    features, values = np.empty(n_features, dtype=np.intp), np.empty(n_features)
    for step in range(n_features):
        features[step] = best = first_best(scores, free)
        values[step] = scores[best]
        free[best] = False
        if step + 1 < n_features:
            scores = rescore(best)
    return FeatureOrder(features, values)


def first_best(scores: np.ndarray, free: np.ndarray) -> int:
    """Give the first free feature whose score equals the best to ten digits.

    Ties go to the lower column, however the last bits of equal scores were rounded.

    Parameters
    ----------
    scores : ndarray of shape (n_columns,)
        The scores.
    free : ndarray of bool, shape (n_columns,)
        The features that may be selected.

    Examples
    --------
    >>> first_best(np.array([0.5, 0.1 + 0.2, 0.3]), np.array([False, True, True]))
    1
    """
    scores = np.where(free, scores, -np.inf)
    best = scores.max()
    if not np.isfinite(best):
        return int(np.argmax(np.where(free, scores == best, False)))
    return int(np.argmax(scores >= best - 1e-10 * abs(best) - 1e-13))
