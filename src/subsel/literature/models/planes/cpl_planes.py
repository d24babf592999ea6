"""Planes by linear programmes: rows priced on either side, and rows that must not cross."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack

__all__ = ["cheapest_plane", "plane_with_one_class_pure"]

MARGIN = 1e-9


def cheapest_plane(
    X: np.ndarray, positive: np.ndarray, negative: np.ndarray
) -> tuple[np.ndarray, float]:
    r"""The plane with the least :math:`\sum_i p_i (1 - f_i)_+ + q_i (1 + f_i)_+`, where :math:`f = Xw + b`.

    A row may have a price on both sides, as in criteria of dipoles.

    >>> cheapest_plane(np.array([[0.0], [2.0]]), np.array([0.0, 1.0]), np.array([1.0, 0.0]))
    (array([1.]), -1.0)
    """
    up, down = np.flatnonzero(positive > 0), np.flatnonzero(negative > 0)
    signed = np.vstack([_augmented(X[up]), -_augmented(X[down])])
    return _solved(signed, np.concatenate([positive[up], negative[down]]))


def plane_with_one_class_pure(
    X: np.ndarray, inside: np.ndarray
) -> tuple[np.ndarray, float, np.ndarray]:
    """The plane that has only rows of ``inside`` on its positive side, of which it misses least, and which rows it has.

    Where the programme catches none, the row of ``inside`` furthest from the middle of all is cut
    off, if it is the furthest of all; so of the classes of a table one at least is always cut into.
    """
    signed = _augmented(X[inside])
    weights, intercept = _solved(signed, np.ones(len(signed)), -_augmented(X[~inside]))
    caught = inside & (X @ weights + intercept > MARGIN)
    if not caught.any():
        weights, intercept = _furthest(X)
        caught = X @ weights + intercept > MARGIN
        if (caught & ~inside).any():
            caught = np.zeros(len(X), dtype=bool)
    return weights, intercept, caught


def _augmented(X: np.ndarray) -> np.ndarray:
    return np.column_stack([X, np.ones(len(X))])


def _solved(
    signed: np.ndarray, price: np.ndarray, hard: np.ndarray | None = None
) -> tuple[np.ndarray, float]:
    """Least priced hinge of rows that should be at 1 or more, while ``hard`` ones must be."""
    n, p = signed.shape
    if hard is None:
        hard = np.zeros((0, p))
    slack = eye_array(n + len(hard), n, format="csr")
    found = linprog(
        np.append(np.zeros(p), price),
        A_ub=-hstack([csr_array(np.vstack([signed, hard])), slack], format="csr"),
        b_ub=-np.ones(n + len(hard)),
        bounds=[(None, None)] * p + [(0, None)] * n,
        method="highs",
    )
    if found.x is None:
        return np.zeros(p - 1), -1.0
    return found.x[: p - 1], float(found.x[p - 1])


def _furthest(X: np.ndarray) -> tuple[np.ndarray, float]:
    """The plane that cuts off the row furthest from the middle, and its copies."""
    middle = X.mean(axis=0)
    squares = ((X - middle) ** 2).sum(axis=1)
    weights = X[int(np.argmax(squares))] - middle
    reach = X @ weights
    top = reach.max()
    below = reach[reach < top - 1e-12 * max(1.0, abs(top))]
    if not len(below):
        return weights, -np.inf
    return weights, float(-(top + below.max()) / 2)
