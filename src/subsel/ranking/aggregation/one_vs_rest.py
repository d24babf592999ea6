"""Scores of two classes for more than two: each class against the rest."""

from collections.abc import Callable
from typing import Any

import numpy as np

from subsel.data.statistics.score_input import classes_and_codes

__all__ = ["one_vs_rest"]


def one_vs_rest(
    score: Callable[..., np.ndarray],
    X: Any,
    y: Any,
    combine: Callable[..., np.ndarray] = np.max,
    **parameters: Any,
) -> np.ndarray:
    """Score features for each class against the rest, and combine the scores [1]_.

    With two classes and a score that is symmetric in them, this is the score itself.

    Parameters
    ----------
    score : callable
        ``score(X, y, **parameters)`` for two classes.
    X, y : array-like
        The table and the classes.
    combine : callable
        A function of the scores, shape (n_classes, n_columns), and ``axis=0``: `numpy.max`, which
        also keeps features of small classes, `numpy.mean` or `numpy.median`.
    **parameters : object
        Parameters of the score.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       class-specific and local filters.

    Examples
    --------
    >>> from subsel.ranking.scores.ranks.mann_whitney import auc
    >>> one_vs_rest(auc, [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], list("aabbcc"))
    array([1.])
    """
    labels, codes = classes_and_codes(X, y)
    return combine([score(X, codes == k, **parameters) for k in range(len(labels))], axis=0)
