"""Targets of networks with one output, for numbers and for any number of classes."""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import StandardScaler

from subsel.data.task import Task
from subsel.embedded.targets import positive_classes

__all__ = ["standardised_problem"]


def standardised_problem(task: Task) -> tuple[np.ndarray, np.ndarray]:
    """Standardise the columns, and encode the target.

    Returns
    -------
    X : ndarray of shape (rows, columns)
        The standardised columns.
    T : ndarray of shape (rows, networks)
        The target of each network: a standardised numeric target, -1 and 1 for two classes, or the
        same for each of several classes against the rest.

    Examples
    --------
    >>> X, T = standardised_problem(Task.of(np.array([[1.0], [3.0]]), np.array(["a", "b"])))
    >>> T.ravel()
    array([-1.,  1.])
    """
    X = StandardScaler().fit_transform(task.matrix)
    if task.kind == "regression":
        return X, StandardScaler().fit_transform(task.y[:, None].astype(np.float64))
    return X, np.where(task.y[:, None] == positive_classes(task.classes), 1.0, -1.0)
