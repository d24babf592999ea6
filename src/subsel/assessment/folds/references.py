"""Reference lines: what the same model reaches on columns chosen with little or no thought."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.feature_selection import f_classif, f_regression

from subsel.data.encoding.encoder import TableEncoder
from subsel.data.encoding.missing_values import without_gaps
from subsel.data.task import Kind, is_frame

__all__ = ["reference_columns"]

_F_TESTS = {"classification": f_classif, "regression": f_regression}


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
    usable: Any = n_columns
    if order is not None:
        usable = np.sort(order)
        columns["best single feature"] = order[:1]
    if size is not None:
        if order is not None:
            columns["univariate top-k"] = np.sort(order[:size])

        columns["random subset"] = np.sort(rng.choice(usable, size, replace=False))
    return columns


def univariate_order(X: Any, y: np.ndarray, kind: Kind) -> np.ndarray | None:
    """The columns by their F statistic, that of the best of the columns that text or dates become; None if there is none."""
    origin, n_columns = None, X.shape[1]
    if is_frame(X):
        try:
            encoder = TableEncoder().fit(X)
        except ValueError:
            return None
        X, origin = encoder.transform(X), encoder.origin_
    X = without_gaps(X)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Features .* are constant")
        F, _ = _F_TESTS[kind](X, y)
    F = np.nan_to_num(F, nan=-1.0, posinf=np.inf)
    if origin is not None:
        best = np.full(n_columns, -np.inf)
        np.maximum.at(best, origin, F)
        F = best
    return np.argsort(-F, kind="stable")[: int((-np.inf < F).sum())]
