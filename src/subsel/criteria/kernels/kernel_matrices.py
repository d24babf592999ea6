"""Kernel matrices: sums over columns, and what a kernel makes of the sums."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

__all__ = ["KERNELS", "KernelMatrices"]

KERNELS = ("linear", "rbf", "polynomial", "poly", "sigmoid", "laplacian", "cosine")
_PANEL = 128  # rows of a kernel matrix that are made at a time, in the cache

Sides = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class KernelMatrices:
    """Those of a kernel of scikit-learn's; without gamma it is one over the number of columns.

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
        """Inner products, squared distances or absolute distances of all rows, all of which add over columns."""
        return self._sums(*self._sides(X))

    def upper(self, X: np.ndarray, base: np.ndarray | None = None, n_more: int = 0) -> np.ndarray:
        """The upper triangle of the kernel matrix of the rows of X; below it stand zeros or what belongs there.

        ``base`` are the sums of ``n_more`` other columns, to which those of X are added.
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
        """The kernels between the rows of X and those of Y."""
        sums = self._sums(self._sides(X)[0], self._sides(Y)[1])
        return self._of(sums, X.shape[1], (self._norms(X), self._norms(Y)))

    def _norms(self, X: np.ndarray, squares: np.ndarray | float = 0.0) -> np.ndarray:
        """Lengths of rows, of which some squares are summed already, for the kernel that divides by them."""
        if self.name != "cosine":
            return np.empty(0)
        norms = np.sqrt((X * X).sum(axis=1) + squares)
        return np.where(norms == 0, 1.0, norms)

    def _sides(self, X: np.ndarray) -> Sides:
        """What stands for rows on the left and on the right of a sum: squared distances are one product of both."""
        if self.name != "rbf" or X.shape[1] < 2:
            return X, X
        squares, ones = (X * X).sum(axis=1), np.ones(len(X))
        return np.column_stack((-2.0 * X, squares, ones)), np.column_stack((X, ones, squares))

    def _sums(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
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
        """The kernels of these sums, which may be overwritten."""
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
