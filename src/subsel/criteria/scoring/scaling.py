"""Scalers that are fitted within each training part."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from subsel.data.folds import Folds
from subsel.data.task import Task

__all__ = ["Scaling", "fold_scales", "multipliers", "scaler"]

Scaling = Literal["standard", "minmax"]


def scaler(scaling: Scaling | None) -> list[Any]:
    """The scikit-learn scaler of this name, in a list; empty for None."""
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    if scaling not in (None, "standard", "minmax"):
        raise ValueError(f"scaling must be None, 'standard' or 'minmax', got {scaling!r}.")
    if scaling is None:
        return []
    if scaling == "standard":
        return [StandardScaler()]
    return [MinMaxScaler()]


def fold_scales(task: Task, folds: Folds, scaling: Scaling | None) -> tuple[np.ndarray, np.ndarray]:
    """Fit a scaler to each training part: what it subtracts and divides by, (B, p) each."""
    if scaling is None:
        return np.zeros((len(folds), task.n_columns)), np.ones((len(folds), task.n_columns))
    fitted = [scaler(scaling)[0].fit(task.matrix[train]) for train in folds.train]
    if scaling == "standard":
        return np.stack([f.mean_ for f in fitted]), np.stack([f.scale_ for f in fitted])
    return np.stack([f.data_min_ for f in fitted]), np.stack([1.0 / f.scale_ for f in fitted])


def multipliers(task: Task, folds: Folds, scaling: Scaling | None) -> np.ndarray:
    """Compute the multipliers of differences, of shape (B, p); (1, p) ones without scaling."""
    if scaling is None:
        return np.ones((1, task.n_columns))
    return 1.0 / fold_scales(task, folds, scaling)[1]
