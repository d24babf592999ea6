"""Climb a function of orthonormal directions along its gradient."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["Estimate", "climb", "orthonormal"]

Estimate = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""A value of places, and its gradient by them."""


def climb(
    S: np.ndarray, Z: np.ndarray, estimate: Estimate, max_iter: int
) -> tuple[np.ndarray, list[float]]:
    """Follow the gradient along orthonormal directions while the estimate grows; give the values on the way.

    >>> Z, spread = np.array([[3.0, 0.0], [0.0, 1.0]]), lambda places: ((places**2).sum(), 2 * places)
    >>> S, values = climb(np.array([[0.6], [0.8]]), Z, spread, max_iter=100)
    >>> abs(S).round(2).T.tolist(), round(float(values[-1]), 4)
    ([[1.0, 0.0]], 9.0)
    """
    value, slope = estimate(Z @ S)
    values, length = [value], 1.0
    for _ in range(max_iter):
        gradient = Z.T @ slope
        gradient /= max(np.linalg.norm(gradient), np.finfo(float).tiny)
        while length > 1e-6:
            tried = orthonormal(S + length * gradient)
            new, new_slope = estimate(Z @ tried)
            if new > value:
                break
            length /= 2
        else:
            break
        S, value, slope, length = tried, new, new_slope, 2 * length
        values.append(value)
    return S, values


def orthonormal(S: np.ndarray) -> np.ndarray:
    """Give the nearest matrix with orthonormal columns.

    >>> orthonormal(np.array([[2.0], [0.0]])).round(6)
    array([[1.],
           [0.]])
    """
    U, _, V = np.linalg.svd(S, full_matrices=False)
    return U @ V
