"""Whitening: a linear map to uncorrelated columns of variance 1."""

from __future__ import annotations

import numpy as np

__all__ = ["whitening"]


def whitening(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and a matrix W, of shape (n_features, rank), that whiten the columns.

    The covariance of ``(X - mean) @ W`` is the identity matrix.

    >>> mean, W = whitening(np.array([[1.0, 5.0], [3.0, 5.0]]))
    >>> mean, abs(W)
    (array([2., 5.]), array([[1.],
           [0.]]))
    """
    mean = X.mean(axis=0)
    _, lengths, directions = np.linalg.svd(X - mean, full_matrices=False)
    # below 1e-10 of the largest singular value or mean, a direction is only rounding errors
    large = lengths > 1e-10 * max(lengths.max(initial=0.0), np.abs(mean).max(initial=0.0))
    return mean, directions[large].T / lengths[large] * np.sqrt(len(X))
