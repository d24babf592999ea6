"""Splitting of rows: which are trained on and which are held out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    check_cv,
)
from sklearn.utils.multiclass import type_of_target

from subsel.data.task import Task

__all__ = [
    "Folds",
    "LoweredFolds",
    "all_rows",
    "fewer_folds",
    "make_folds",
    "shuffled_folds",
    "shuffled_splitter",
    "single_rows",
    "split_rows",
]

N_FOLDS = 5
N_TIMES = 5  # parts of later rows that are predicted from all before them


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

    @classmethod
    def by_label(cls, fold: np.ndarray, n_folds: int) -> Folds:
        """Each row held out by the fold whose number it bears."""
        rows = np.argsort(fold, kind="stable")
        ends = np.cumsum(np.bincount(fold, minlength=n_folds)).tolist()
        test = tuple([rows[a:b] for a, b in zip([0, *ends], ends)])
        folds = cls(tuple([(fold != f).nonzero()[0] for f in range(n_folds)]), test, len(fold))
        vars(folds).update(partition=True, complementary=True)  # as they would be found to be
        return folds

    @cached_property
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
    """Split the rows with anything scikit-learn takes as ``cv``, or forward in time; see :func:`fewer_folds` for numbers.

    A number of folds keeps groups of rows together.
    """
    classifier = task.kind == "classification"
    if isinstance(cv, int):
        cv = fewer_folds(cv, task)[0]
        if cv > task.n_rows:
            raise ValueError(
                f"cv={cv} folds need as many rows, the table has n_samples={task.n_rows}."
            )
        if classifier and (np.bincount(task.codes) == 1).any():
            alone = single_rows(task)
            return _with(alone, make_folds(cv, task.rows(np.flatnonzero(~alone))))
    if isinstance(cv, int) and task.groups is not None:
        cv = (StratifiedGroupKFold if classifier else GroupKFold)(cv)
    if type(cv) is int and cv > 1 and not (classifier and _fractional(task.y)):
        return Folds.by_label(_in_runs(cv, task), cv)
    train, test = zip(*split_rows(cv, task.y, task.groups, classifier))
    return Folds(train, test, task.n_rows)


def shuffled_folds(task: Task, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Five folds of the rows in random order, so that it does not matter how a table is sorted.

    Examples
    --------
    >>> task = Task.of(np.zeros((6, 1)), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    >>> [test.tolist() for _, test in shuffled_folds(task, seed=0)]
    [[2, 3], [5], [4], [0], [1]]
    """
    order = np.random.default_rng(seed).permutation(task.n_rows)
    target = Task(np.zeros((task.n_rows, 1)), task.y, task.kind, ["x0"], groups=task.groups)
    folds = make_folds(min(N_FOLDS, task.n_rows), target.rows(order))
    return [
        (np.sort(order[train]), np.sort(order[test]))
        for train, test in zip(folds.train, folds.test)
    ]


def fewer_folds(n_folds: int, task: Task) -> tuple[int, str]:
    """As many folds as the smallest class has rows, or as there are groups; and what to tell where that is fewer.

    A class of a single row does not count: it is always trained on, never tested on.

    Examples
    --------
    >>> fewer_folds(5, Task.of(np.zeros((9, 1)), ["a"] * 6 + ["b"] * 3))
    (3, "class 'b' has 3 rows: 3 folds instead of 5.")
    """
    few, what, note = n_folds, "", ""
    if task.kind == "classification":
        counts = np.bincount(task.codes)
        if (counts == 1).any():
            label = task.classes[counts.argmin()]
            note = (
                f"class {_told(label)} has a single row: it is always trained on, never tested on."
            )
            if (counts > 1).sum() < 2:
                raise ValueError(
                    f"class {_told(label)} has a single row: it cannot be told apart. Merge or drop it."
                )
        least = int(np.where(counts > 1, counts, task.n_rows + 1).argmin())
        few, what = (
            int(counts[least]),
            f"class {_told(task.classes[least])} has {counts[least]} rows",
        )
    if task.groups is not None and (n_groups := len(np.unique(task.groups))) < few:
        few, what = n_groups, f"there are {n_groups} groups of rows"
    if few < 2:
        raise ValueError(
            "there is one group of rows only: it cannot be both trained and tested on."
        )
    if n_folds <= few:
        return n_folds, note
    return few, " ".join(filter(None, [note, f"{what}: {few} folds instead of {n_folds}."]))


class LoweredFolds:
    """Folds as many as the smallest class has rows, at most, or as there are groups; stratified, groups kept together.

    Parameters
    ----------
    n_splits : int, default=5
        How many, where no class is too small.
    random_state : int, optional
        Seed of shuffled folds; without one the rows stay in their order.

    Examples
    --------
    >>> LoweredFolds(5).get_n_splits(None, ["a", "a", "b", "b", "b"])
    2
    """

    def __init__(self, n_splits: int = 5, random_state: int | None = None) -> None:
        self.n_splits = n_splits
        self.random_state = random_state

    def __repr__(self) -> str:
        return f"LoweredFolds({self.n_splits}, random_state={self.random_state})"

    def get_n_splits(
        self,
        X: Any = None,  # noqa: ARG002
        y: Any = None,
        groups: Any = None,
    ) -> int:
        """How many folds there will be."""
        n_splits = self.n_splits
        if y is not None and type_of_target(y) in ("binary", "multiclass"):
            _, counts = np.unique(np.asarray(y), return_counts=True)
            n_splits = min(n_splits, int(counts.min()))
        if groups is not None:
            n_splits = min(n_splits, len(np.unique(np.asarray(groups))))
        return max(2, n_splits)

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The rows of each training and test part."""
        classes = type_of_target(y) in ("binary", "multiclass")
        order = {"shuffle": self.random_state is not None, "random_state": self.random_state}
        cv = _splitter(classes, groups is not None)(self.get_n_splits(X, y, groups), **order)
        with warnings.catch_warnings():  # of a class of one row, which is trained or tested on
            warnings.filterwarnings(
                "ignore", message="The least populated class", category=UserWarning
            )
            yield from cv.split(X, y, groups)


def split_rows(
    cv: Any, y: np.ndarray, groups: Any = None, classifier: bool = False
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Split rows as scikit-learn's ``cross_val_score`` does.

    Parameters
    ----------
    cv : object
        Anything that scikit-learn takes: a number, a splitter, pairs of rows (numbers or masks); or ``"time"``, which
        predicts each of five later parts of the rows from all that come before.
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
    if isinstance(cv, str):
        if cv != "time":
            raise ValueError(
                f"cv must be a number, 'time', a splitter or pairs of rows, got {cv!r}."
            )
        cv = TimeSeriesSplit(min(N_TIMES, len(y) - 1))
    splits = check_cv(cv, y, classifier=classifier).split(np.zeros((len(y), 1)), y, groups)
    pairs = [(_row_numbers(train), _row_numbers(test)) for train, test in splits]
    if not pairs:
        raise ValueError(
            f"cv={cv!r} gives no folds (an iterator can be used once): pass a list of them or a splitter."
        )
    return pairs


def shuffled_splitter(n_folds: int, task: Task, seed: int) -> Any:
    """The splitter into shuffled folds that fits a task: stratified by class, groups of rows kept together."""
    kind = _splitter(task.kind == "classification", task.groups is not None)
    return kind(n_folds, shuffle=True, random_state=seed)


def _splitter(classes: bool, grouped: bool) -> Any:
    """The kind of folds that keeps the shares of classes, and groups together."""
    if grouped:
        return StratifiedGroupKFold if classes else GroupKFold
    return StratifiedKFold if classes else KFold


def _row_numbers(rows: Any) -> np.ndarray:
    """Rows by number, also where they are given as a mask."""
    rows = np.asarray(rows)
    if rows.dtype == bool:
        return np.flatnonzero(rows)
    return rows


def _distinct(rows: np.ndarray, n_rows: int) -> bool:
    return bool(np.bincount(rows, minlength=n_rows).max() <= 1)


def _in_runs(n_folds: int, task: Task) -> np.ndarray:
    """The fold that holds each row out: run after run of the rows, or of those of each class.

    These are the folds of KFold and StratifiedKFold, for which scikit-learn takes longer than a small search.
    """
    if task.kind == "regression":
        return np.sort(np.arange(task.n_rows) % n_folds)
    fold, place, number = np.empty(task.n_rows, dtype=np.int64), 0, np.arange(n_folds)
    members = [np.flatnonzero(task.codes == k) for k in range(len(task.classes))]
    for rows in sorted(members, key=lambda rows: rows[0]):  # classes in order of appearance
        until = place + len(rows)
        fold[rows] = np.repeat(
            number, (until - number - 1) // n_folds - (place - number - 1) // n_folds
        )
        place = until
    return fold


def _fractional(labels: np.ndarray) -> bool:
    """Whether scikit-learn takes class labels for a quantity, which it does not stratify."""
    return labels.dtype.kind == "f" and bool((labels != np.round(labels)).any())


def single_rows(task: Task) -> np.ndarray:
    """Mask of the rows that are alone in their class."""
    if task.kind != "classification":
        return np.zeros(task.n_rows, dtype=bool)
    return np.bincount(task.codes)[task.codes] == 1


def _with(alone: np.ndarray, folds: Folds) -> Folds:
    """The folds of the other rows, with these trained on in each."""
    others, always = np.flatnonzero(~alone), np.flatnonzero(alone)
    train = tuple(np.sort(np.concatenate([others[rows], always])) for rows in folds.train)
    return Folds(train, tuple(others[rows] for rows in folds.test), len(alone))


def _told(label: Any) -> str:
    """A class label as the user wrote it."""
    return repr(label.item() if isinstance(label, np.generic) else label)
