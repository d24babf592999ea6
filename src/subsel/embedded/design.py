"""The table of a linear model: dense or sparse, centred, with weighted rows."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["Design", "numbers", "row_weights", "signs", "unit_columns"]


class Design:
    """Columns as a linear model sees them, centred if there is an intercept; a sparse table is so in its products only.

    Attributes
    ----------
    n_columns : int
        Columns of the table, the intercept aside.
    row_weight : ndarray
        One per row.
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
        """One column, dense."""
        if self.sparse:
            return self._table[:, [j]].toarray()[:, 0] - self.centre[j]
        return self._table[:, j]

    def products(self, rows: np.ndarray) -> np.ndarray:
        """The product of every column with one value per row."""
        products = self._table.T @ rows
        if self.sparse:
            products = products - self.centre * rows.sum()
        return products

    def intercepts(self, coefs: Any, intercepts: np.ndarray) -> np.ndarray:
        """The intercepts that the same models have on the table as it was given."""
        return intercepts - coefs @ self.centre


def row_weights(n_rows: int, sample_weight: Any = None) -> np.ndarray:
    """The weight of each row as a number, 1 where none are given."""
    if sample_weight is None:
        return np.ones(n_rows)
    return np.asarray(sample_weight, dtype=float)


def unit_columns(X: Any, sample_weight: Any = None, centre: bool = False) -> Any:
    """The columns divided by their standard deviation, constant ones as they are; a sparse table is never centred.

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
        deviation = np.sqrt(np.maximum(square - mean**2, 0.0))
        scale = np.where(deviation > 1e-7 * np.sqrt(square), deviation, 1.0)
        return (X @ sparse.diags_array(1 / scale)).tocsc()
    about = X - mean
    deviation = np.sqrt(share @ about**2)
    scale = np.where(deviation > 1e-12 * np.abs(mean), deviation, 1.0)
    about[:, deviation <= 1e-12 * np.abs(mean)] = 0.0
    if centre:
        return about / scale
    return np.asarray(X, dtype=float) / scale


def numbers(y: Any) -> np.ndarray:
    """A numeric target as it is, two classes named otherwise as 0 and 1.

    >>> numbers(["no", "yes"]), numbers([2, 3])
    (array([0., 1.]), array([2., 3.]))
    """
    y = np.asarray(y)
    numeric = y.dtype.kind in "iuf" or (
        y.dtype.kind == "O" and all(isinstance(value, Number) for value in y)
    )
    return y.astype(float) if numeric else np.maximum(signs(y), 0.0)


def signs(y: Any) -> np.ndarray:
    """Two classes as -1 and 1.

    >>> signs(["no", "yes", "no"])
    array([-1.,  1., -1.])
    """
    labels, codes = np.unique(np.asarray(y), return_inverse=True)
    if len(labels) != 2:
        raise ValueError(
            f"Unknown label type: y must hold numbers or two classes, got {len(labels)} classes."
        )
    return 2.0 * codes - 1.0
