"""Nearest rows, and the weights of pairs: negative for hits, positive for misses."""

from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import type_of_target

from subsel.data.statistics.score_input import classes_and_codes, target

__all__ = ["Classes", "Values", "first_nearest", "hits_and_misses", "nearest"]


class Classes:
    r"""Weights of pairs of rows for a target of classes: hits are rows of the same class.

    The weights of the near hits of a row sum to -1. Those of its near misses of another class c sum
    to :math:`P(c) / (1 - P(\mathrm{own}))` (``misses="prior"``), which is +1 over all classes if
    each occurs, or to :math:`(C-1) (m_c / m)^2`, where :math:`m_c` of its m near misses are of
    class c (``misses="observed"``, the rule of the package skrebate).

    Parameters
    ----------
    codes : ndarray of int of shape (n,)
        The class of each row.
    misses : {"prior", "observed"}
        The weights of misses.
    """

    def __init__(self, codes: np.ndarray, misses: str = "prior") -> None:
        if misses not in ("prior", "observed"):
            raise ValueError(f"misses must be 'prior' or 'observed', got {misses!r}.")
        self.codes, self.misses = codes, misses
        self.shares = np.bincount(codes) / len(codes)
        self._member = (codes[:, None] == np.arange(len(self.shares))).astype(np.float64)

    def weigh(self, near: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return the weights of pairs, of shape (len(rows), n).

        `near` is a mask of this shape: the rows near to each of `rows`.
        """
        counts = near.astype(np.float64) @ self._member
        per_class = self._class_weights(counts, rows)
        np.put_along_axis(per_class, self.codes[rows, None], -1.0, axis=1)
        each = np.divide(per_class, counts, out=np.zeros_like(counts), where=counts > 0)
        return near * each[:, self.codes]

    def _class_weights(self, counts: np.ndarray, rows: np.ndarray) -> np.ndarray:
        own = self.codes[rows, None]
        if self.misses == "prior":
            return self.shares / (1.0 - self.shares[own])
        n_misses = counts.sum(axis=1, keepdims=True) - np.take_along_axis(counts, own, axis=1)
        return (len(self.shares) - 1) * (counts / np.maximum(n_misses, 1.0)) ** 2

    def alike(self, rows: np.ndarray) -> np.ndarray:
        """Return a mask of the hits of some rows, of shape (len(rows), n)."""
        return self.codes[rows, None] == self.codes


class Values:
    """Weights of pairs of rows for a numeric target.

    Hits are rows whose targets differ by less than one standard deviation (with n - 1). The weights
    of the near hits of a row sum to -1, those of its near misses to +1.

    Parameters
    ----------
    y : ndarray of shape (n,)
        The target.
    """

    def __init__(self, y: np.ndarray) -> None:
        self.codes = np.zeros(len(y), dtype=np.intp)
        self._y, self._bound = y, np.std(y, ddof=1)

    def weigh(self, near: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return the weights of pairs, of shape (len(rows), n).

        `near` is a mask of this shape: the rows near to each of `rows`.
        """
        alike = self.alike(rows)
        hits, misses = near & alike, near & ~alike
        n_hits, n_misses = hits.sum(axis=1, keepdims=True), misses.sum(axis=1, keepdims=True)
        return misses / np.maximum(n_misses, 1) - hits / np.maximum(n_hits, 1)

    def alike(self, rows: np.ndarray) -> np.ndarray:
        """Return a mask of the hits of some rows, of shape (len(rows), n)."""
        return np.abs(self._y[rows, None] - self._y) < self._bound


def hits_and_misses(X: Any, y: Any, regression: bool | None, misses: str) -> Classes | Values:
    """Return the weights for a target; if `regression` is None, scikit-learn decides its type."""
    if regression is None:
        regression = type_of_target(column_or_1d(y, warn=True)) == "continuous"
    if regression:
        return Values(target(X, y))
    return Classes(classes_and_codes(X, y)[1], misses)


def nearest(distances: np.ndarray, k: int, slack: float = 0.0) -> np.ndarray:
    """Return a mask of the k smallest distances in each row; infinite ones are never near.

    Distances within ``slack`` of the k-th smallest tie with it; of these the lower index is near.

    Parameters
    ----------
    distances : ndarray of shape (n_rows, n)
        The distances.
    k : int
        The number of neighbours.
    slack : float
        The rounding error of distances.
    """
    radius = _kth_smallest(distances, k)
    near = distances <= radius + slack
    tied = np.flatnonzero(np.count_nonzero(near, axis=1) > k)
    if len(tied):
        rest = distances[tied]
        kth = np.max(rest, axis=1, keepdims=True, initial=0.0, where=rest <= radius[tied])
        inside, border = rest < kth - slack, np.abs(rest - kth) <= slack
        room = k - inside.sum(axis=1, keepdims=True)
        near[tied] = inside | (border & (np.cumsum(border, axis=1) <= room))
    return near


def first_nearest(distances: np.ndarray, slack: float) -> np.ndarray:
    """Return the index of the smallest distance in each row, the first of those within slack."""
    return (distances <= distances.min(axis=1, keepdims=True) + slack).argmax(axis=1)


def _kth_smallest(distances: np.ndarray, k: int) -> np.ndarray:
    """Return the k-th smallest distance of each row, (n_rows, 1), at most the largest float."""
    place = min(k, distances.shape[1]) - 1
    radii = np.partition(distances, place, axis=1)[:, place, None]
    return np.minimum(radii, np.finfo(np.float64).max)
