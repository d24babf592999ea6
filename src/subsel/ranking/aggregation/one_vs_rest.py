"""Scores of two classes for more of them: each class against the rest."""

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
    """Score features for each class against the rest and combine; the maximum serves small classes too.

    With two classes and a score that treats them alike this is the score itself [1]_.

    Parameters
    ----------
    combine : callable
        Takes the scores, one line per class, and ``axis=0``: `numpy.max`, `numpy.mean`,
        `numpy.median`.

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
