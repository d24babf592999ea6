"""A table with its column means taken out on a device: its products with vectors are computed there."""

from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.statistics.blocks import without_duplicates

__all__ = ["CentredOnDevice", "CentredTable"]


class CentredTable:
    """Columns about their means: a copy of a dense table; a sparse one stays sparse, centred in the products.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns.
    squared_norms : ndarray
        Of each centred column; exactly 0 for a constant one, whatever its value.
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
        self._forget_constants(mean)

    def _centre_sparse(self, X: sparse.csc_array) -> None:
        self._table = X
        mean = self._mean = np.asarray(X.mean(axis=0)).ravel()
        stored = np.diff(X.indptr)
        column = np.repeat(np.arange(X.shape[1]), stored)
        # not the mean square less the squared mean, which leaves nothing right of a column far from zero
        self.squared_norms = np.bincount(column, (X.data - mean[column]) ** 2, X.shape[1])
        self.squared_norms += (X.shape[0] - stored) * mean**2
        self._forget_constants(mean)

    def _forget_constants(self, mean: np.ndarray) -> None:
        """Clear what rounding the mean leaves of a constant column."""
        n = self.shape[0]
        self.squared_norms[self.squared_norms <= n * (4e-16 * n * mean) ** 2] = 0.0

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


class CentredOnDevice(CentredTable):
    """The same as `CentredTable` for a dense table, held by a device; what is asked for comes back as numpy arrays.

    Parameters
    ----------
    X : ndarray
        The table.
    device : Device
        Where to hold it, as `subsel._loops.device.find_device` gives it.
    """

    def __init__(self, X: Any, device: Any) -> None:
        if sparse.issparse(X):
            raise ValueError(
                "a sparse table is ranked on the processor: use device=None, or give a dense one."
            )
        super().__init__(np.asarray(X, dtype=np.float64))
        self._device, self._held = device, device.array(self._table)
        self._table = None

    def columns(self, which: Any) -> np.ndarray:
        """Give the chosen centred columns."""
        return self._device.host(self._held[:, self._device.array(np.asarray(which))])

    def products(self, vector: np.ndarray) -> np.ndarray:
        """Give the scalar product of every centred column with a vector."""
        return self._device.host(self._device.array(vector) @ self._held)
