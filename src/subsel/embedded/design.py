"""The table of a linear model: centred where that is free, sparse where it is, with weighted rows and an intercept."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["Design"]


class Design:
    """Columns as a linear model sees them; a dense table is centred if there is an intercept, a sparse one stays.

    Attributes
    ----------
    n_columns : int
    row_weight : ndarray
        One per row.
    """

    def __init__(self, X: Any, intercept: bool = True, sample_weight: Any = None) -> None:
        n = X.shape[0]
        self.intercept, self.n_columns = intercept, X.shape[1]
        self.row_weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        self.centre = np.zeros(self.n_columns)
        if sparse.issparse(X):
            self._table: Any = sparse.csc_array(X, dtype=float)
        else:
            if intercept:
                self.centre = np.average(X, axis=0, weights=self.row_weight)
            self._table = np.asfortranarray(X - self.centre, dtype=float)

    def column(self, j: int) -> np.ndarray:
        """One column, dense."""
        column = self._table[:, [j]]
        return column.toarray()[:, 0] if sparse.issparse(column) else column[:, 0]

    def products(self, rows: np.ndarray) -> np.ndarray:
        """The product of every column with one value per row."""
        return self._table.T @ rows

    def intercepts(self, coefs: Any, intercepts: np.ndarray) -> np.ndarray:
        """The intercepts that the same models have on the table as it was given."""
        return intercepts - coefs @ self.centre
