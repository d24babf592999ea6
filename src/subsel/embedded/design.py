"""The table of a linear model: dense or sparse, centred, with weighted rows."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["Design", "numbers", "row_weights", "signs", "unit_columns"]


class Design:
    """The table of a linear model, centred if the model has an intercept.

    A sparse table stays as it is; it is centred in the products.

    Attributes
    ----------
    n_columns : int
        Number of columns, without the intercept.
    row_weight : ndarray of shape (rows,)
        The weights of the rows.
    centre : ndarray of shape (n_columns,)
        The weighted means of the columns, 0 without an intercept.
    """

    def __init__(self, X: Any, intercept: bool = True, sample_weight: Any = None) -> None:
        self.intercept, self.n_columns = intercept, X.shape[1]
        self.row_weight = row_weights(X.shape[0], sample_weight)
        share = self.row_weight / self.row_weight.sum()
        self.centre = X.T @ share if intercept else np.zeros(self.n_columns)
        self.sparse = sparse.issparse(X)
        self._table: Any = None
        if self.sparse:
            self._table = sparse.csc_array(X, dtype=float)
        else:
            self._table = np.asfortranarray(X - self.centre, dtype=float)

    def column(self, j: int) -> np.ndarray:
        """Return one column, dense."""
        if self.sparse:
            return self._table[:, [j]].toarray()[:, 0] - self.centre[j]
        return self._table[:, j]

    def products(self, rows: np.ndarray) -> np.ndarray:
        """Multiply every column with a vector of shape (rows,)."""
        products = self._table.T @ rows
        if self.sparse:
            products = products - self.centre * rows.sum()
        return products

    def intercepts(self, coefs: Any, intercepts: np.ndarray) -> np.ndarray:
        """Convert intercepts of the centred table to those of the table as given."""
        return intercepts - coefs @ self.centre


def row_weights(n_rows: int, sample_weight: Any = None) -> np.ndarray:
    """Convert weights of rows to an array, 1 by default."""
    if sample_weight is None:
        return np.ones(n_rows)
    return np.asarray(sample_weight, dtype=float)


def unit_columns(X: Any, sample_weight: Any = None, centre: bool = False) -> Any:
    """Divide columns by their weighted standard deviations.

    Constant columns are not divided. A sparse table is never centred.

    >>> unit_columns(np.array([[1.0, 5.0], [3.0, 5.0]]), centre=True)
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    weight = row_weights(X.shape[0], sample_weight)
    share = weight / weight.sum()
    mean = X.T @ share
    if sparse.issparse(X):
        X = sparse.csc_array(X, dtype=float)
        square = X.multiply(X).T @ share
        # E x^2 - (E x)^2 has a rounding error of about 1e-16 E x^2, so that deviations below the
        # root of that, with a margin, are those of constant columns
        deviation = np.sqrt(np.maximum(square - mean**2, 0.0))
        scale = np.where(deviation > 1e-7 * np.sqrt(square), deviation, 1.0)
        return (X @ sparse.diags_array(1 / scale)).tocsc()
    centred = X - mean
    deviation = np.sqrt(share @ centred**2)
    scale = np.where(deviation > 1e-12 * np.abs(mean), deviation, 1.0)
    centred[:, deviation <= 1e-12 * np.abs(mean)] = 0.0
    if centre:
        return centred / scale
    return np.asarray(X, dtype=float) / scale


def numbers(y: Any) -> np.ndarray:
    """Encode a target as numbers: numeric values as they are, two classes with names as 0 and 1.

    >>> numbers(["no", "yes"]), numbers([2, 3])
    (array([0., 1.]), array([2., 3.]))
    """
    y = np.asarray(y)
    numeric = y.dtype.kind in "iuf" or (
        y.dtype.kind == "O" and all(isinstance(value, Number) for value in y)
    )
    return y.astype(float) if numeric else np.maximum(signs(y), 0.0)


def signs(y: Any) -> np.ndarray:
    """Encode two classes as -1 and 1.

    >>> signs(["no", "yes", "no"])
    array([-1.,  1., -1.])
    """
    labels, codes = np.unique(np.asarray(y), return_inverse=True)
    if len(labels) != 2:
        raise ValueError(
            f"Unknown label type: y must hold numbers or two classes, got {len(labels)} classes."
        )
    return 2.0 * codes - 1.0
