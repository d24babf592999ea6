"""Reference lines: what the same model reaches on columns chosen with little or no thought."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_selection import f_classif, f_regression

from subsel.task import Kind, is_frame

__all__ = ["reference_columns"]


def reference_columns(
    X: Any, y: np.ndarray, kind: Kind, size: int | None, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Give the columns of each reference, chosen on the training rows alone.

    All features; the best single one and the ``size`` best ones by the F statistic; as many drawn at random. Without a
    size (a selection that cannot be read) the last two are left out, without numeric columns those that are ranked.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0, 5.0], [1.0, 2.0, 5.0], [2.0, 0.0, 5.0], [3.0, 1.5, 5.0]])
    >>> found = reference_columns(X, np.array([0, 0, 1, 1]), "classification", 2, np.random.default_rng(0))
    >>> found["best single feature"].tolist(), found["univariate top-k"].tolist()
    ([0], [0, 1])
    """
    n_columns = X.shape[1]
    order = univariate_order(X, y, kind)
    columns = {"all features": np.arange(n_columns)}
    if order is not None:
        columns["best single feature"] = order[:1]
    if size is not None:
        if order is not None:
            columns["univariate top-k"] = np.sort(order[:size])
        columns["random subset"] = np.sort(rng.choice(n_columns, size, replace=False))
    return columns


def univariate_order(X: Any, y: np.ndarray, kind: Kind) -> np.ndarray | None:
    """The columns by their F statistic, missing values taken at the mean of the column; None if not all are numeric."""
    try:
        X = X if sparse.issparse(X) else np.asarray(X.to_numpy() if is_frame(X) else X, dtype=float)
    except (TypeError, ValueError):
        return None
    if not sparse.issparse(X) and np.isnan(X.sum()):
        with np.errstate(all="ignore"):
            means = np.nan_to_num(np.nanmean(X, axis=0))
        X = np.where(np.isnan(X), means, X)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Features .* are constant")
        F = f_classif(X, y)[0] if kind == "classification" else f_regression(X, y)[0]
    return np.argsort(-np.nan_to_num(F, nan=-1.0, posinf=np.inf), kind="stable")
