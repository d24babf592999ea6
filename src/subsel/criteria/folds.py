"""The rows held out: made once per run, so that all subsets are compared on the same folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, check_cv

from subsel.task import Task

__all__ = ["Folds", "make_folds"]


@dataclass(frozen=True, eq=False)
class Folds:
    """Row numbers of the training and the test part of each fold."""

    train: tuple[np.ndarray, ...]
    test: tuple[np.ndarray, ...]
    n_rows: int

    def __len__(self) -> int:
        return len(self.test)

    @property
    def leave_one_out(self) -> bool:
        """Whether each row is held out once, alone, and all others are trained on."""
        single = all(len(t) == 1 for t in self.test) and len(self.test) == self.n_rows
        return single and all(len(t) == self.n_rows - 1 for t in self.train)

    @property
    def partition(self) -> bool:
        """Whether each row is held out exactly once and every training part is the rest of the rows."""
        held = np.concatenate(self.test)
        whole = len(held) == self.n_rows and len(np.unique(held)) == self.n_rows
        return whole and all(len(a) + len(b) == self.n_rows for a, b in zip(self.train, self.test))


def make_folds(cv: Any, task: Task) -> Folds:
    """Split the rows with anything scikit-learn takes as ``cv``; a number of folds keeps groups of rows together."""
    classifier = task.kind == "classification"
    if isinstance(cv, int) and classifier:
        _check_class_sizes(cv, task)
    elif isinstance(cv, int) and cv > task.n_rows:
        raise ValueError(f"cv={cv} folds need as many rows, the table has n_samples={task.n_rows}.")
    if isinstance(cv, int) and task.groups is not None:
        cv = (StratifiedGroupKFold if classifier else GroupKFold)(cv)
    splitter = check_cv(cv, task.y, classifier=classifier)
    pairs = list(splitter.split(np.zeros((task.n_rows, 1)), task.y, task.groups))
    train, test = zip(*((np.asarray(a), np.asarray(b)) for a, b in pairs))
    return Folds(train, test, task.n_rows)


def _check_class_sizes(n_folds: int, task: Task) -> None:
    labels, counts = np.unique(task.y, return_counts=True)
    few, label = int(counts.min()), labels[counts.argmin()]
    if few == 1:
        raise ValueError(
            f"class {label!r} has a single row and cannot be both trained and tested on: merge or drop it."
        )
    if few < n_folds:
        remedy = f"lower cv to {few}, merge the class with another, or pass a splitter"
        raise ValueError(f"class {label!r} has {few} rows, fewer than the {n_folds} folds: {remedy}.")
