"""Make columns uncorrelated with variance 1."""

from __future__ import annotations

import numpy as np

__all__ = ["whitening"]


def whitening(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and the matrix W, as wide as the rank, such that (X - mean) W has covariance 1.

    >>> mean, W = whitening(np.array([[1.0, 5.0], [3.0, 5.0]]))
    >>> mean, abs(W)
    (array([2., 5.]), array([[1.],
           [0.]]))
    """
    mean = X.mean(axis=0)
    _, lengths, directions = np.linalg.svd(X - mean, full_matrices=False)
    kept = lengths > 1e-10 * max(lengths.max(initial=0.0), np.abs(mean).max(initial=0.0))
    return mean, directions[kept].T / lengths[kept] * np.sqrt(len(X))
