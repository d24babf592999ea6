"""The table of CPL in the units of its linear programme: scaled columns, sides, prices of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.task import Task

__all__ = ["ScaledColumns", "check_costs", "row_prices", "scaled_columns", "sides"]


@dataclass(frozen=True)
class ScaledColumns:
    """A table in the units of the programme, where every weight costs one.

    Attributes
    ----------
    X : ndarray or sparse array of shape (n_rows, n_columns)
        The scaled table, ``(original - shift) / unit``.
    unit, shift : ndarray of shape (n_columns,)
        The unit and the shift of each column.
    """

    X: Any
    unit: np.ndarray
    shift: np.ndarray

    def dense(self, features: np.ndarray) -> np.ndarray:
        """Give some columns as a dense array of shape (n_rows, n_features)."""
        part = self.X[:, features]
        if sparse.issparse(part):
            return part.toarray()
        return part

    def original(self, weights: np.ndarray, intercept: float) -> tuple[np.ndarray, float]:
        """Convert weights, shape (n_columns,), and threshold to the original units of the table."""
        weights = weights / self.unit
        return weights, float(intercept - self.shift @ weights)


def scaled_columns(
    task: Task,
    scale: bool,
    costs: Sequence[float] | None,
    centre: bool,
    rows: np.ndarray | None = None,
) -> ScaledColumns:
    """Divide each column by its cost and, if asked, its (weighted) standard deviation.

    ``centre`` shifts the columns of a dense table to mean zero. With a free threshold that changes
    only rounding, so a sparse table is not shifted; with a threshold that has a cost the columns
    must not be centred.
    """
    weight = task.row_weights
    if sparse.issparse(task.X):
        X = task.X.tocsc().astype(np.float64)
    else:
        X = task.matrix
    if rows is not None:
        X, weight = X[rows], weight[rows]
    mean, deviation = _moments(X, weight / weight.sum())
    unit, shift = np.ones(X.shape[1]), np.zeros(X.shape[1])
    if scale:
        unit = np.where(deviation > 1e-12 * np.abs(mean), deviation, 1.0)
    unit = unit * check_costs(costs, X.shape[1])
    if sparse.issparse(X):
        return ScaledColumns((X @ sparse.diags_array(1 / unit)).tocsc(), unit, shift)
    if centre:
        shift = mean
    return ScaledColumns(np.asfortranarray((X - shift) / unit), unit, shift)


def _moments(X: Any, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give the weighted mean and standard deviation of the columns; ``share`` sums to one."""
    mean = X.T @ share
    if sparse.issparse(X):
        variance = X.multiply(X).T @ share - mean**2
        variance[variance < 1e-14 * mean**2] = 0.0  # rounding of a constant column
        return mean, np.sqrt(np.maximum(variance, 0.0))
    centred = X - mean
    return mean, np.sqrt(np.einsum("i,ij,ij->j", share, centred, centred))


def check_costs(costs: Sequence[float] | None, n_columns: int) -> np.ndarray:
    """Give one positive cost per column, all 1 where none are values."""
    if costs is None:
        return np.ones(n_columns)
    values = np.asarray(costs, dtype=float)
    if values.shape != (n_columns,) or not (np.isfinite(values).all() and (values > 0).all()):
        raise ValueError(
            f"feature_costs must hold one positive number for each of {n_columns} columns, "
            f"got {costs!r}."
        )
    return values


def sides(task: Task) -> list[np.ndarray]:
    """Give the side of each row, +1 or -1, shape (n_rows,), for each binary problem.

    Two classes make one problem, more classes one problem each, against the rest.
    """
    positive = [1] if len(task.classes) == 2 else range(len(task.classes))
    return [np.where(task.codes == code, 1.0, -1.0) for code in positive]


def row_prices(task: Task) -> np.ndarray:
    """Give the price of each row, which is its weight; every class must have a positive one."""
    if task.sample_weight is None:
        return np.ones(task.n_rows)
    totals = np.bincount(task.codes, task.sample_weight)
    if not totals.all():
        raise ValueError(f"class {task.classes[totals.argmin()]!r} has no row of positive weight.")
    return task.sample_weight
