"""Planes by linear programmes that minimise a convex and piecewise linear criterion."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack

__all__ = ["cheapest_plane", "plane_with_one_class_pure"]

MARGIN = 1e-9  # a row whose value is not above it counts as on the plane


def cheapest_plane(
    X: np.ndarray, positive: np.ndarray, negative: np.ndarray
) -> tuple[np.ndarray, float]:
    r"""Return the plane of least weighted hinge loss.

    It minimises :math:`\sum_i p_i (1 - f_i)_+ + q_i (1 + f_i)_+` with :math:`f = Xw + b`.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        The rows.
    positive, negative : ndarray of shape (n_rows,)
        The weights p and q of each row on the positive and on the negative side; a row may have
        both, as in criteria of dipoles.

    Returns
    -------
    tuple of ndarray of shape (n_features,) and float
        The weights w and the intercept b.

    Examples
    --------
    >>> cheapest_plane(np.array([[0.0], [2.0]]), np.array([0.0, 1.0]), np.array([1.0, 0.0]))
    (array([1.]), -1.0)
    """
    up, down = np.flatnonzero(positive > 0), np.flatnonzero(negative > 0)
    signed = np.vstack([_augmented(X[up]), -_augmented(X[down])])
    return _solve(signed, np.concatenate([positive[up], negative[down]]))


def plane_with_one_class_pure(
    X: np.ndarray, inside: np.ndarray
) -> tuple[np.ndarray, float, np.ndarray]:
    """Return the plane with only rows of one class, and as many as possible, on its positive side.

    The programme minimises the sum of (1 - f)_+ over the rows of the class, subject to f of at most
    -1 for all others. If
    no row of the class is then on the positive side, the row furthest from the mean of all is cut
    off, provided that it is of this class. For one class of a table at least, rows are so
    separated.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        The rows.
    inside : ndarray of bool of shape (n_rows,)
        The rows of the class.

    Returns
    -------
    tuple of ndarray of shape (n_features,), float and ndarray of bool of shape (n_rows,)
        Weights and intercept of the plane, and the rows on its positive side.
    """
    signed = _augmented(X[inside])
    weights, intercept = _solve(signed, np.ones(len(signed)), -_augmented(X[~inside]))
    separate = inside & (X @ weights + intercept > MARGIN)
    if not separate.any():
        weights, intercept = _furthest(X)
        separate = X @ weights + intercept > MARGIN
        if (separate & ~inside).any():
            separate = np.zeros(len(X), dtype=bool)
    return weights, intercept, separate


def _augmented(X: np.ndarray) -> np.ndarray:
    """Return the table with a column of ones."""
    return np.column_stack([X, np.ones(len(X))])


def _solve(
    signed: np.ndarray, costs: np.ndarray, hard: np.ndarray | None = None
) -> tuple[np.ndarray, float]:
    """Minimise the weighted hinge loss, under constraints, and return weights and intercept.

    Each row of ``signed``, of shape (n, p), is an augmented row times its sign, with the weight
    ``costs[i]``; those of ``hard``, of shape (k, p), must have values of at least 1. The plane is
    f = -1 where no plane meets the constraints.
    """
    # the hinge (1 - f)_+ is the least slack s >= 0 with f + s >= 1 (Bennett and Mangasarian,
    # "Robust linear programming discrimination of two linearly inseparable sets", Optimization
    # Methods and Software 1, 1992)
    n, p = signed.shape
    if hard is None:
        hard = np.zeros((0, p))
    slack = eye_array(n + len(hard), n, format="csr")
    solution = linprog(
        np.append(np.zeros(p), costs),
        A_ub=-hstack([csr_array(np.vstack([signed, hard])), slack], format="csr"),
        b_ub=-np.ones(n + len(hard)),
        bounds=[(None, None)] * p + [(0, None)] * n,
        method="highs",
    )
    if solution.x is None:
        return np.zeros(p - 1), -1.0
    return solution.x[: p - 1], float(solution.x[p - 1])


def _furthest(X: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the plane that separates the row furthest from the mean (and copies) from others."""
    middle = X.mean(axis=0)
    squares = ((X - middle) ** 2).sum(axis=1)
    weights = X[int(np.argmax(squares))] - middle
    # the projections of copies differ by rounding only
    projections = X @ weights
    top = projections.max()
    below = projections[projections < top - 1e-12 * max(1.0, abs(top))]
    if not len(below):
        return weights, -np.inf
    return weights, float(-(top + below.max()) / 2)
