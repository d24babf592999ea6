"""A table with centred columns, and its products with vectors, on the processor or a device."""

from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.statistics.blocks import without_duplicates

__all__ = ["CentredOnDevice", "CentredTable"]


class CentredTable:
    """The columns of a table less their means.

    A dense table is copied and centred; a sparse one is not centred, only its products are.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, p)
        The table.

    Attributes
    ----------
    shape : tuple of int
        The shape of the table.
    squared_norms : ndarray of shape (p,)
        The squared norm of each centred column; exactly 0 for a constant one.
    """

    def __init__(self, X: Any) -> None:
        self.shape = X.shape
        if sparse.issparse(X):
            self._centre_sparse(without_duplicates(sparse.csc_array(X, dtype=np.float64)))
        else:
            self._centre_dense(X)

    def _centre_dense(self, X: np.ndarray) -> None:
        mean = X.mean(axis=0, dtype=np.float64)
        self._table: Any = X - mean
        self._mean: np.ndarray | None = None
        self.squared_norms = np.einsum("ij,ij->j", self._table, self._table)
        self._clear_constants(mean)

    def _centre_sparse(self, X: sparse.csc_array) -> None:
        self._table = X
        mean = self._mean = np.asarray(X.mean(axis=0)).ravel()
        stored = np.diff(X.indptr)
        column = np.repeat(np.arange(X.shape[1]), stored)
        # the sum of squared deviations, since the mean square less the squared mean cancels all
        # digits of a column that is far from zero; each cell that is not stored adds mean**2
        self.squared_norms = np.bincount(column, (X.data - mean[column]) ** 2, X.shape[1])
        self.squared_norms += (X.shape[0] - stored) * mean**2
        self._clear_constants(mean)

    def _clear_constants(self, mean: np.ndarray) -> None:
        """Set the squared norms of constant columns to 0; updates `squared_norms`.

        The mean of n equal values is off by at most about ``n * eps / 2`` times the value, which
        leaves a squared norm of at most n times the square of that; 4e-16 is about 2 eps.
        """
        n = self.shape[0]
        self.squared_norms[self.squared_norms <= n * (4e-16 * n * mean) ** 2] = 0.0

    def columns(self, which: Any) -> np.ndarray:
        """Return some centred columns as a dense array; `which` is an array of their numbers."""
        if self._mean is None:
            return self._table[:, which]
        return self._table[:, which].toarray() - self._mean[which]

    def column(self, j: int) -> np.ndarray:
        """Return one centred column, of shape (n,)."""
        return self.columns(np.array([j]))[:, 0]

    def products(self, vector: np.ndarray) -> np.ndarray:
        """Return the scalar product of every centred column with a vector, of shape (p,)."""
        if self._mean is None:
            return vector @ self._table
        return self._table.T @ vector - self._mean * vector.sum()

    def correlations(self, j: int) -> np.ndarray:
        """Return the correlation of every column with column j; 0 where either is constant."""
        scale = np.sqrt(self.squared_norms * self.squared_norms[j])
        products = self.products(self.column(j))
        return np.divide(products, scale, out=np.zeros_like(scale), where=scale > 0)


class CentredOnDevice(CentredTable):
    """`CentredTable` of a dense table on a device; results are returned as numpy arrays.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The table.
    device : Device
        The device, as `subsel._loops.device.find_device` returns it.
    """

    def __init__(self, X: Any, device: Any) -> None:
        if sparse.issparse(X):
            raise ValueError(
                "X must be dense to be ranked on a device, got a sparse table; use device=None, "
                "or convert X."
            )
        super().__init__(np.asarray(X, dtype=np.float64))
        self._device, self._device_table = device, device.array(self._table)
        self._table = None

    def columns(self, which: Any) -> np.ndarray:
        """Return some centred columns as a dense array; `which` is an array of their numbers."""
        return self._device.host(self._device_table[:, self._device.array(np.asarray(which))])

    def products(self, vector: np.ndarray) -> np.ndarray:
        """Return the scalar product of every centred column with a vector, of shape (p,)."""
        return self._device.host(self._device.array(vector) @ self._device_table)
