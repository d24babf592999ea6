"""A table with its column means taken out, dense or sparse, and its products with vectors."""

from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["Centred"]


class Centred:
    """Columns about their means: a copy of a dense table; a sparse one stays sparse, centred in the products.

    Attributes
    ----------
    shape : tuple of int
    squared_norms : ndarray
        Of each centred column; exactly 0 for a constant one, whatever its value.
    """

    def __init__(self, X: Any) -> None:
        self.shape = X.shape
        if sparse.issparse(X):
            self._centre_sparse(sparse.csc_array(X, dtype=np.float64))
        else:
            self._centre_dense(X)

    def _centre_dense(self, X: np.ndarray) -> None:
        mean = X.mean(axis=0, dtype=np.float64)
        self._table: Any = X - mean
        self._mean: np.ndarray | None = None
        self.squared_norms = np.einsum("ij,ij->j", self._table, self._table)
        # What rounding the mean leaves of a constant column.
        self.squared_norms[self.squared_norms <= len(X) * (4e-16 * len(X) * mean) ** 2] = 0.0

    def _centre_sparse(self, X: sparse.csc_array) -> None:
        self._table = X
        mean = self._mean = np.asarray(X.mean(axis=0)).ravel()
        squares = np.asarray(X.power(2).sum(axis=0)).ravel()
        self.squared_norms = squares - X.shape[0] * mean**2
        self.squared_norms[self.squared_norms <= 1e-13 * squares] = 0.0

    def columns(self, which: Any) -> np.ndarray:
        """Give the chosen centred columns as a dense table."""
        if self._mean is None:
            return self._table[:, which]
        return self._table[:, which].toarray() - self._mean[which]

    def column(self, j: int) -> np.ndarray:
        """Give one centred column."""
        return self.columns(np.array([j]))[:, 0]

    def products(self, vector: np.ndarray) -> np.ndarray:
        """Give the scalar product of every centred column with a vector."""
        if self._mean is None:
            return vector @ self._table
        return self._table.T @ vector - self._mean * vector.sum()

    def correlations(self, j: int) -> np.ndarray:
        """Give the correlation of every column with column j; 0 where either is constant."""
        scale = np.sqrt(self.squared_norms * self.squared_norms[j])
        products = self.products(self.column(j))
        return np.divide(products, scale, out=np.zeros_like(scale), where=scale > 0)
