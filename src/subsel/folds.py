"""Splitting of rows: which are trained on and which are held out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold, check_cv

from subsel.task import Task

__all__ = ["Folds", "all_rows", "make_folds", "shuffled_splitter", "split_rows"]


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
        return all(len(t) == 1 for t in self.test) and self.partition

    @property
    def partition(self) -> bool:
        """Whether each row is held out exactly once and every training part is the rest of the rows."""
        held = np.concatenate(self.test)
        whole = len(held) == self.n_rows and bool(np.bincount(held, minlength=self.n_rows).all())
        return whole and self.complementary

    @cached_property
    def complementary(self) -> bool:
        """Whether every training part is the rows that are not held out, each once."""
        parts = (np.concatenate(rows) for rows in zip(self.train, self.test))
        return all(len(rows) == self.n_rows and _distinct(rows, self.n_rows) for rows in parts)

    @property
    def drawn_once(self) -> bool:
        """Whether no training part holds a row twice, as a bootstrap sample does."""
        return all(_distinct(train, self.n_rows) for train in self.train)


def all_rows(task: Task) -> Folds:
    """One training part of all rows, nothing held out."""
    return Folds((np.arange(task.n_rows),), (np.zeros(0, dtype=np.int64),), task.n_rows)


def make_folds(cv: Any, task: Task) -> Folds:
    """Split the rows with anything scikit-learn takes as ``cv``; a number of folds keeps groups of rows together."""
    classifier = task.kind == "classification"
    if isinstance(cv, int) and classifier:
        _check_class_sizes(cv, task)
    elif isinstance(cv, int) and cv > task.n_rows:
        raise ValueError(f"cv={cv} folds need as many rows, the table has n_samples={task.n_rows}.")
    if isinstance(cv, int) and task.groups is not None:
        cv = (StratifiedGroupKFold if classifier else GroupKFold)(cv)
    if type(cv) is int and cv > 1 and not (classifier and _fractional(task.y)):
        held = _in_runs(cv, task) == np.arange(cv)[:, None]
        return Folds(tuple(map(np.flatnonzero, ~held)), tuple(map(np.flatnonzero, held)), task.n_rows)
    train, test = zip(*split_rows(cv, task.y, task.groups, classifier))
    return Folds(train, test, task.n_rows)


def split_rows(
    cv: Any, y: np.ndarray, groups: Any = None, classifier: bool = False
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Split rows as scikit-learn's ``cross_val_score`` does.

    Parameters
    ----------
    cv : object
        Anything that scikit-learn takes: a number, a splitter, pairs of rows (numbers or masks).
    y : array
        The target, by which a number of folds is stratified.
    groups : array, optional
        Labels of rows that a splitter may keep together.
    classifier : bool, default=False
        Whether the target holds classes.

    Returns
    -------
    list of pairs of arrays
        The numbers of the training rows and of the test rows of each fold.

    Examples
    --------
    >>> split_rows(2, np.array([5.0, 6.0, 7.0, 8.0]))
    [(array([2, 3]), array([0, 1])), (array([0, 1]), array([2, 3]))]
    """
    splits = check_cv(cv, y, classifier=classifier).split(np.zeros((len(y), 1)), y, groups)
    pairs = [(_row_numbers(train), _row_numbers(test)) for train, test in splits]
    if not pairs:
        raise ValueError(f"cv={cv!r} gives no folds (an iterator can be used once): pass a list of them or a splitter.")
    return pairs


def shuffled_splitter(n_folds: int, task: Task, seed: int) -> Any:
    """The splitter into shuffled folds that fits a task: stratified by class, groups of rows kept together."""
    classifier = task.kind == "classification"
    if task.groups is not None:
        kind = StratifiedGroupKFold if classifier else GroupKFold
    else:
        kind = StratifiedKFold if classifier else KFold
    return kind(n_folds, shuffle=True, random_state=seed)


def _row_numbers(rows: Any) -> np.ndarray:
    """Rows by number, also where they are given as a mask."""
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype == bool else rows


def _distinct(rows: np.ndarray, n_rows: int) -> bool:
    return bool(np.bincount(rows, minlength=n_rows).max() <= 1)


def _in_runs(n_folds: int, task: Task) -> np.ndarray:
    """The fold that holds each row out: run after run of the rows, or of those of each class.

    These are the folds of KFold and StratifiedKFold, for which scikit-learn takes longer than a small search.
    """
    if task.kind == "regression":
        return np.sort(np.arange(task.n_rows) % n_folds)
    fold, place = np.empty(task.n_rows, dtype=np.int64), 0
    members = [np.flatnonzero(task.codes == k) for k in range(len(task.classes))]
    for rows in sorted(members, key=lambda rows: rows[0]):  # classes in order of appearance
        fold[rows] = np.sort(np.arange(place, place + len(rows)) % n_folds)
        place += len(rows)
    return fold


def _fractional(labels: np.ndarray) -> bool:
    """Whether scikit-learn takes class labels for a quantity, which it does not stratify."""
    return labels.dtype.kind == "f" and bool((labels != np.round(labels)).any())


def _check_class_sizes(n_folds: int, task: Task) -> None:
    counts = np.bincount(task.codes)
    few, label = int(counts.min()), task.classes[counts.argmin()]
    if few == 1:
        raise ValueError(
            f"class {label!r} has a single row and cannot be both trained and tested on: merge or drop it."
        )
    if few < n_folds:
        remedy = f"lower cv to {few}, merge the class with another, or pass a splitter"
        raise ValueError(f"class {label!r} has {few} rows, fewer than the {n_folds} folds: {remedy}.")
