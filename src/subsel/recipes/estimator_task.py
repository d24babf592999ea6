"""The task of an estimator: classes for a classifier, a quantity for all others."""

from __future__ import annotations

from typing import Any

from sklearn.base import is_classifier

from subsel.task import Task

__all__ = ["estimator_task"]


def estimator_task(estimator: Any, X: Any, y: Any) -> Task:
    """Give the validated data for an estimator that predicts y.

    >>> from sklearn.linear_model import Ridge
    >>> estimator_task(Ridge(), [[0.0], [1.0]], [0, 1]).kind
    'regression'
    """
    if is_classifier(estimator):
        return Task.of(X, y, "classification")
    return Task.of(X, y, "regression")
