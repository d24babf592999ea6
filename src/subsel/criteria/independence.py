"""Columns that are no sum of others."""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr

__all__ = ["independent"]

NOTHING = 1e-10  # of its length that may be left of a column that is a sum of others


def independent(X: np.ndarray) -> np.ndarray:
    """Give the places of columns, in order, of which the others are sums of multiples, and a number.

    >>> men, age = np.array([1.0, 0, 1, 0]), np.array([20.0, 30, 40, 50])
    >>> independent(np.column_stack((men, age, 1 - men)))  # women are who are no men
    array([0, 1])
    """
    centred = X - X.mean(axis=0)
    length = np.sqrt(np.einsum("ij,ij->j", centred, centred))
    varying = np.flatnonzero(length > NOTHING * np.abs(X).max(axis=0, initial=0.0) * np.sqrt(len(X)))
    if len(varying) == 0:
        return varying
    factor, order = qr(centred[:, varying] / length[varying], mode="r", pivoting=True)
    left = np.abs(np.diag(factor))
    return np.sort(varying[order[: len(left)][left > NOTHING]])
