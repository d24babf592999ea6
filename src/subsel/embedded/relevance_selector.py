"""Base class of selectors by the relevances of a trained model."""

from __future__ import annotations

from typing import Any

import numpy as np

from subsel.data.columns import ColumnSelector
from subsel.data.task import Kind, Task

__all__ = ["RelevanceSelector", "check_n_features"]


def check_n_features(n_features: int | None, n_columns: int) -> None:
    """Refuse a number of features outside [1, n_columns]; None is allowed.

    >>> check_n_features(None, 3)
    """
    if n_features is not None and not 1 <= n_features <= n_columns:
        raise ValueError(f"n_features must lie in [1, {n_columns}], got {n_features!r}.")


class RelevanceSelector(ColumnSelector):
    """Rank the columns by a relevance and keep the first.

    A subclass implements ``_relevances(task)``, which returns an array of shape (columns,), and
    has the parameter ``n_features``: the number of columns to keep, or None for all whose
    relevance is not zero, and at least the best one.
    """

    n_features: int | None
    _kind: Kind | None = None

    def fit(self, X: Any, y: Any) -> Any:
        """Compute the relevances and keep the columns of the largest."""
        X, y = self._receive(X, y)
        task = Task.of(X, y, self._kind)
        n = task.n_columns
        check_n_features(self.n_features, n)
        self.feature_importances_ = self._relevances(task)
        self.ranking_ = np.argsort(-self.feature_importances_, kind="stable")
        n_kept = self.n_features
        if n_kept is None:
            n_kept = max(1, int(np.count_nonzero(self.feature_importances_)))
        self.support_ = np.isin(np.arange(n), self.ranking_[:n_kept])
        return self

    def _relevances(self, task: Task) -> np.ndarray:  # noqa: ARG002
        raise TypeError(f"{type(self).__name__} does not implement _relevances(task).")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags
