"""The measure of performance where nobody asked for one."""

from __future__ import annotations

import numpy as np

from subsel.assessment.splits import Split
from subsel.data.task import Task

__all__ = ["default_scoring", "scoring_of_folds"]


def default_scoring(task: Task) -> str:
    """R2, accuracy, or balanced accuracy for skewed classes: what is measured where nobody asked for anything else.

    >>> default_scoring(Task.of(np.zeros((6, 1)), np.array([0, 0, 0, 0, 1, 1])))
    'balanced_accuracy'
    """
    if task.kind == "regression":
        return "r2"
    return "balanced_accuracy" if task.skewed else "accuracy"


def scoring_of_folds(task: Task, splits: list[Split], notes: list[str]) -> str:
    """The default, or where a fold is too small for it, what it can bear; which is noted."""
    scoring = default_scoring(task)
    if scoring == "r2" and min(len(s.test) for s in splits) == 1:
        notes.append("folds of one row have no R2: scored by the negative mean squared error.")
        return "neg_mean_squared_error"
    if scoring != "balanced_accuracy":
        return scoring
    counts = np.bincount(task.codes)
    if any(len(np.unique(task.y[s.test])) < len(counts) for s in splits):
        notes.append(
            "classes are skewed, but not every fold tests each of them: scored by accuracy, which flatters."
        )
        return "accuracy"
    sizes = ", ".join(f"{label}: {count}" for label, count in zip(task.classes, counts))
    notes.append(f"classes are skewed ({sizes}): scored by balanced accuracy.")
    return scoring
