"""Kernel matrices, computed from sums over columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

__all__ = ["KERNELS", "KernelMatrices"]

KERNELS = ("linear", "rbf", "polynomial", "poly", "sigmoid", "laplacian", "cosine")
_PANEL = 128  # rows of a kernel matrix computed at a time, in the cache

Sides = tuple[np.ndarray, np.ndarray]  # of the rows and of the columns of a kernel matrix


@dataclass(frozen=True)
class KernelMatrices:
    """Kernel matrices as those of scikit-learn.

    Parameters
    ----------
    name : str
        One of KERNELS.
    gamma : float or None, default=None
        The factor of sums; None is one over the number of columns.
    degree : float, default=3
        Of a polynomial.
    coef0 : float, default=1
        Of a polynomial or sigmoid.

    Examples
    --------
    >>> KernelMatrices("rbf", 0.5).upper(np.array([[0.0], [2.0]])).round(3)
    array([[1.   , 0.135],
           [0.135, 1.   ]])
    """

    name: str
    gamma: float | None = None
    degree: float = 3
    coef0: float = 1

    @property
    def definite(self) -> bool:
        """Whether no kernel matrix has a negative eigenvalue."""
        return self.name in ("linear", "rbf", "laplacian", "cosine")

    def sums(self, X: np.ndarray) -> np.ndarray:
        """Return the sums over columns from which the kernels of rows of X (n, s) are computed.

        These are inner products, squared distances or absolute distances: (n, n).
        """
        return self._sums(*self._sides(X))

    def upper(self, X: np.ndarray, base: np.ndarray | None = None, n_more: int = 0) -> np.ndarray:
        """Return the upper triangle of the kernel matrix (n, n) of the rows of X.

        Entries below the diagonal are zeros or those of the kernel matrix.

        Parameters
        ----------
        X : ndarray of shape (n, s)
            The columns.
        base : ndarray of shape (n, n) or None
            The `sums` of `n_more` other columns, to which those of X are added.
        n_more : int, default=0
            Their number.
        """
        left, right = self._sides(X)
        norms = self._norms(X, 0.0 if base is None else np.diag(base))
        K = np.empty((len(X), len(X)))
        for low in range(0, len(X), _PANEL):
            rows = slice(low, low + _PANEL)
            K[rows, :low] = 0.0
            sums = self._sums(left[rows], right[low:])
            if base is not None:
                sums += base[rows, low:]
            K[rows, low:] = self._of(sums, X.shape[1] + n_more, (norms[rows], norms[low:]))
        return K

    def between(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """Return the kernels between the rows of X (n, s) and those of Y (m, s): (n, m)."""
        sums = self._sums(self._sides(X)[0], self._sides(Y)[1])
        return self._of(sums, X.shape[1], (self._norms(X), self._norms(Y)))

    def _norms(self, X: np.ndarray, squares: np.ndarray | float = 0.0) -> np.ndarray:
        """Return the norms of the rows of X (n,) for the cosine kernel, otherwise an empty array.

        `squares` (n,) are those of further columns.
        """
        if self.name != "cosine":
            return np.empty(0)
        norms = np.sqrt((X * X).sum(axis=1) + squares)
        return np.where(norms == 0, 1.0, norms)

    def _sides(self, X: np.ndarray) -> Sides:
        """Return what rows are on the left and on the right of a sum over columns."""
        # |a - b|^2 = [-2a, a'a, 1] [b, 1, b'b]': squared distances are one product of matrices. It
        # cancels, so that sums below zero are set to zero; a single column is subtracted directly.
        if self.name != "rbf" or X.shape[1] < 2:
            return X, X
        squares, ones = (X * X).sum(axis=1), np.ones(len(X))
        return np.column_stack((-2.0 * X, squares, ones)), np.column_stack((X, ones, squares))

    def _sums(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Return the sums over columns between `left` (n, s) and `right` (m, s): (n, m)."""
        if left.shape[1] == 0:
            return np.zeros((len(left), len(right)))
        if self.name == "laplacian":
            return cdist(left, right, "cityblock")
        if self.name == "rbf" and left.shape[1] == 1:
            gaps = left - right.T
            return np.multiply(gaps, gaps, out=gaps)
        sums = left @ right.T
        if self.name == "rbf":
            np.maximum(sums, 0.0, out=sums)
        return sums

    def _of(self, sums: np.ndarray, n_columns: int, norms: Sides) -> np.ndarray:
        """Return the kernels of these sums (n, m), which may be overwritten."""
        gamma = 1.0 / n_columns if self.gamma is None else self.gamma
        if self.name in ("rbf", "laplacian"):
            sums *= -gamma
            return np.exp(sums, out=sums)
        if self.name in ("polynomial", "poly"):
            return (gamma * sums + self.coef0) ** self.degree
        if self.name == "sigmoid":
            return np.tanh(gamma * sums + self.coef0)
        if self.name == "cosine":
            return sums / (norms[0][:, None] * norms[1])
        return sums
