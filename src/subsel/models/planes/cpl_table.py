"""The table that CPL learns from, in the units of its linear programme: scaled columns, sides and prices of rows."""

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
    """A table in the units of the programme, where every weight costs one: ``(X - shift) / unit``."""

    X: Any
    unit: np.ndarray
    shift: np.ndarray

    def dense(self, features: np.ndarray) -> np.ndarray:
        """Some columns as a dense array."""
        part = self.X[:, features]
        if sparse.issparse(part):
            return part.toarray()
        return part

    def original(self, weights: np.ndarray, intercept: float) -> tuple[np.ndarray, float]:
        """Weights and threshold for the table as it was given."""
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

    ``centre`` shifts the columns of a dense table to mean zero. With a free threshold that changes rounding alone, so
    that a sparse table stays as it is; with a threshold that costs it must not be done.
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
    """Weighted mean and standard deviation of the columns."""
    mean = X.T @ share
    if sparse.issparse(X):
        variance = X.multiply(X).T @ share - mean**2
        variance[variance < 1e-14 * mean**2] = 0.0
        return mean, np.sqrt(np.maximum(variance, 0.0))
    centred = X - mean
    return mean, np.sqrt(np.einsum("i,ij,ij->j", share, centred, centred))


def check_costs(costs: Sequence[float] | None, n_columns: int) -> np.ndarray:
    """One positive cost per column."""
    if costs is None:
        return np.ones(n_columns)
    given = np.asarray(costs, dtype=float)
    if given.shape != (n_columns,) or not (np.isfinite(given).all() and (given > 0).all()):
        raise ValueError(
            f"feature_costs must hold one positive number for each of {n_columns} columns."
        )
    return given


def sides(task: Task) -> list[np.ndarray]:
    """The side of each row, +1 or -1: once for two classes, once per class (against the rest) for more."""
    positive = [1] if len(task.classes) == 2 else range(len(task.classes))
    return [np.where(task.codes == code, 1.0, -1.0) for code in positive]


def row_prices(task: Task) -> np.ndarray:
    """The price of each row: its weight. Every class must weigh something."""
    if task.sample_weight is None:
        return np.ones(task.n_rows)
    totals = np.bincount(task.codes, task.sample_weight)
    if not totals.all():
        raise ValueError(f"class {task.classes[totals.argmin()]!r} has no row of positive weight.")
    return task.sample_weight
