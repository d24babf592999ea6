"""Which columns of a table reach a fitted model."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import FeatureUnion, Pipeline

from subsel.assessment.folds.procedure import selected_columns

__all__ = ["columns_used"]

WITHIN = ("best_estimator_", "estimator_", "transformer_")
SEVERAL = ("members_", "estimators_")


def columns_used(model: Any, n_columns: int) -> np.ndarray:
    """The columns that a fitted model needs for its predictions, of so many that it was given.

    Selections are followed through pipelines, searches and committees; a step that mixes its columns, such as principal
    components, needs all that reach it.

    >>> from sklearn.decomposition import PCA
    >>> from sklearn.feature_selection import SelectKBest
    >>> X = np.random.default_rng(0).normal(size=(9, 5))
    >>> fitted = Pipeline([("few", SelectKBest(k=2)), ("mixed", PCA(1))]).fit(X, X[:, 3] > 0)
    >>> len(columns_used(fitted, 5))
    2
    """
    if hasattr(model, "get_support"):
        return np.flatnonzero(model.get_support())
    if isinstance(model, Pipeline):
        return _of_pipeline(model, n_columns)
    if isinstance(model, FeatureUnion):
        return _any([part for _, part in model.transformer_list], n_columns)
    for name in WITHIN:
        if hasattr(model, name):
            return columns_used(getattr(model, name), n_columns)
    for name in SEVERAL:
        if isinstance(members := getattr(model, name, None), list) and members:
            return _any(members, n_columns)
    return np.arange(n_columns)


def _of_pipeline(model: Pipeline, n_columns: int) -> np.ndarray:
    """Follow the steps up to the first that mixes columns."""
    columns = np.arange(n_columns)
    for _, step in model.steps:
        if step is None or step == "passthrough":
            continue
        kept = selected_columns(step)
        if kept is None:
            return columns[columns_used(step, len(columns))]
        columns = columns[kept]
    return columns


def _any(members: list[Any], n_columns: int) -> np.ndarray:
    return np.unique(np.concatenate([columns_used(member, n_columns) for member in members]))
