"""The measure of performance where nobody asked for one."""

from __future__ import annotations

from subsel.data.task import Task

__all__ = [
    "default_scoring",
]


def default_scoring(task: Task) -> str:
    """R2, accuracy, or balanced accuracy for skewed classes: what is measured where nobody asked for anything else.

    >>> import numpy as np
    >>> default_scoring(Task.of(np.zeros((6, 1)), np.array([0, 0, 0, 0, 1, 1])))
    'balanced_accuracy'
    """
    if task.kind == "regression":
        return "r2"
    return "balanced_accuracy" if task.skewed else "accuracy"
