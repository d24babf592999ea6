"""Kinds of targets, and the classes that models are trained for."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from subsel.data.task import Kind, Task

__all__ = ["kind_of", "positive_classes", "strata_of"]


def kind_of(estimator: Any) -> Kind:
    """Give the kind of target that an estimator predicts.

    >>> from sklearn.linear_model import Ridge
    >>> kind_of(Ridge())
    'regression'
    """
    if is_classifier(estimator):
        return "classification"
    return "regression"


def positive_classes(classes: np.ndarray) -> np.ndarray:
    """Give the classes to tell from the others: the second of two, each of more.

    >>> positive_classes(np.array(["no", "yes"])), positive_classes(np.array([1, 2, 3]))
    (array(['yes'], dtype='<U3'), array([1, 2, 3]))
    """
    return classes[1:] if len(classes) == 2 else classes


def strata_of(task: Task) -> np.ndarray | None:
    """Give the target to stratify a split by, if it has classes of two rows at least each.

    >>> strata_of(Task.of(np.eye(3), [0.5, 1.5, 2.5])) is None
    True
    """
    if task.kind == "regression" or np.bincount(task.codes).min() < 2:
        return None
    return task.y
