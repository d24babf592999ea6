"""Take the best feature, score the others anew, repeat."""

from collections.abc import Callable

import numpy as np

from subsel.ranking.feature_order import FeatureOrder

__all__ = ["first_best", "greedy"]


def greedy(
    scores: np.ndarray, n_features: int, rescore: Callable[[int], np.ndarray]
) -> FeatureOrder:
    """Take features one by one.

    Parameters
    ----------
    scores : ndarray
        The score of every feature when none is taken.
    n_features : int
        How many to take.
    rescore : callable
        Called with each feature taken; gives the scores of all features in view of those taken so
        far.

    Examples
    --------
    >>> greedy(np.array([1.0, 3.0, 2.0]), 2, lambda taken: np.array([1.0, 0.0, 0.5])).features
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

    So ties go to the lower column, however the last bits of equal scores happened to be rounded.
    """
    scores = np.where(free, scores, -np.inf)
    best = scores.max()
    if not np.isfinite(best):
        return int(np.argmax(np.where(free, scores == best, False)))
    return int(np.argmax(scores >= best - 1e-10 * abs(best) - 1e-13))
