"""Mean and variance of each column, of dense and sparse tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.sparsefuncs import mean_variance_axis

__all__ = ["mean_and_variance"]


def mean_and_variance(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Compute the mean and the variance of each column, without making a sparse table dense.

    >>> mean_and_variance(np.array([[0.0, 1.0], [2.0, 1.0]]))
    (array([1., 1.]), array([1., 0.]))
    """
    if issparse(X):
        return mean_variance_axis(X, axis=0)
    return X.mean(axis=0), X.var(axis=0)
