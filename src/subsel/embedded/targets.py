"""Kinds of targets, the classes to separate, and the strata of a split."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from subsel.data.task import Kind, Task

__all__ = ["kind_of", "positive_classes", "strata_of"]


def kind_of(estimator: Any) -> Kind:
    """Return the kind of target that an estimator predicts.

    >>> from sklearn.linear_model import Ridge
    >>> kind_of(Ridge())
    'regression'
    """
    if is_classifier(estimator):
        return "classification"
    return "regression"


def positive_classes(classes: np.ndarray) -> np.ndarray:
    """Return the classes to separate from the others: the second of two, or each of several.

    >>> positive_classes(np.array(["no", "yes"])), positive_classes(np.array([1, 2, 3]))
    (array(['yes'], dtype='<U3'), array([1, 2, 3]))
    """
    return classes[1:] if len(classes) == 2 else classes


def strata_of(task: Task) -> np.ndarray | None:
    """Return the target to stratify a split by, or None unless every class has two rows.

    >>> strata_of(Task.of(np.eye(3), [0.5, 1.5, 2.5])) is None
    True
    """
    if task.kind == "regression" or np.bincount(task.codes).min() < 2:
        return None
    return task.y
