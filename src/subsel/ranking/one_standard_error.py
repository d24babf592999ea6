"""The one-standard-error rule: the smallest size whose quality is near the best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["smallest_within"]


def smallest_within(qualities: Sequence[float] | np.ndarray, best: float, error: float) -> int:
    """Give the index of the first quality no more than one standard error below the best [1]_ [2]_.

    Qualities are in the order of size, so that the first one has the smallest size. It is a rule
    for the size and no inference: the best quality is the result of a search, and the errors of
    subsets scored on the same rows are not independent.

    Parameters
    ----------
    qualities : sequence of float
        The best quality of each size, smallest size first; larger is better.
    best : float
        The best quality of all.
    error : float
        The standard error of the best.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone, *Classification and Regression Trees*, 1984, section
       3.4.3.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 2.

    Examples
    --------
    >>> smallest_within([0.70, 0.88, 0.91, 0.90], best=0.91, error=0.04)
    1
    """
    return int(np.argmax(np.asarray(qualities) >= best - error))
