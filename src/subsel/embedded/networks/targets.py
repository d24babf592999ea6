"""What a network with one output is trained on, for numeric targets and any number of classes."""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import StandardScaler

from subsel.data.task import Task
from subsel.embedded.targets import positive_classes

__all__ = ["standardised_problem"]


def standardised_problem(task: Task) -> tuple[np.ndarray, np.ndarray]:
    """Give the standardised columns, and one column per network to train.

    A numeric target is standardised; two classes are -1 and 1; more classes give one column each,
    1 for the class.

    >>> X, T = standardised_problem(Task.of(np.array([[1.0], [3.0]]), np.array(["a", "b"])))
    >>> T.ravel()
    array([-1.,  1.])
    """
    X = StandardScaler().fit_transform(task.matrix)
    if task.kind == "regression":
        return X, StandardScaler().fit_transform(task.y[:, None].astype(np.float64))
    return X, np.where(task.y[:, None] == positive_classes(task.classes), 1.0, -1.0)
