"""The width of a Gaussian kernel from how near the other class comes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_X_y

from subsel.models.kernels import squared_distances

__all__ = ["opposite_class_width"]


def opposite_class_width(X: Any, y: Any) -> float:
    r"""Give the mean distance of a row to the nearest row of another class.

    As :math:`\sigma` of :math:`\exp(-\|x - z\|^2 / (2 \sigma^2))` [1]_. It reads the labels: take it within each fold.

    References
    ----------
    .. [1] Lal, Chapelle and Scholkopf, *Combining a filter method with SVMs*, in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 20.

    Examples
    --------
    >>> opposite_class_width([[0.0], [1.0], [4.0]], ["a", "a", "b"])
    3.3333333333333335
    """
    X, y = check_X_y(X, y, dtype=np.float64)
    classes = np.unique(y)
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only ({classes[0]!r}): there is no other class to be near to."
        )
    nearest = np.empty(len(X))
    for label in classes:
        own = y == label
        nearest[own] = np.sqrt(squared_distances(X[own], X[~own]).min(axis=1))
    return float(nearest.mean())
