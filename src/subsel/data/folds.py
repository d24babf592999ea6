"""Folds: the rows that are trained on and those that are held out."""

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
N_TIMES = 5  # folds of cv="time"


@dataclass(frozen=True, eq=False)
class Folds:
    """Row numbers of the training and the test part of each fold.

    Parameters
    ----------
    train : tuple of ndarray of int
        The rows of the training part of each fold; a bootstrap sample may repeat rows.
    test : tuple of ndarray of int
        The rows of the test part of each fold.
    n_rows : int
        The number of rows that were split.

    Examples
    --------
    >>> folds = Folds.by_label(np.array([0, 1, 0]), n_folds=2)
    >>> folds.train, folds.test, folds.partition
    ((array([1]), array([0, 2])), (array([0, 2]), array([1])), True)
    """

    train: tuple[np.ndarray, ...]
    test: tuple[np.ndarray, ...]
    n_rows: int

    def __len__(self) -> int:
        return len(self.test)

    @property
    def leave_one_out(self) -> bool:
        """Whether each fold holds out one row, each row once, and trains on all others."""
        return all(len(t) == 1 for t in self.test) and self.partition

    @classmethod
    def by_label(cls, fold: np.ndarray, n_folds: int) -> Folds:
        """Make folds in which each row is held out once.

        Parameters
        ----------
        fold : ndarray of int of shape (n_rows,)
            The number of the fold that holds out each row.
        n_folds : int
            The number of folds.
        """
        rows = np.argsort(fold, kind="stable")
        ends = np.cumsum(np.bincount(fold, minlength=n_folds)).tolist()
        test = tuple([rows[a:b] for a, b in zip([0, *ends], ends)])
        folds = cls(tuple([(fold != f).nonzero()[0] for f in range(n_folds)]), test, len(fold))
        # both cached properties are true by construction: this saves computing them
        vars(folds).update(partition=True, complementary=True)
        return folds

    @cached_property
    def partition(self) -> bool:
        """Whether each row is held out exactly once and every fold trains on all other rows."""
        test = np.concatenate(self.test)
        counts = np.bincount(test, minlength=self.n_rows)
        each_once = len(test) == self.n_rows and bool(counts.all())
        return each_once and self.complementary

    @cached_property
    def complementary(self) -> bool:
        """Whether every fold trains on each row that it does not hold out, once."""
        parts = (np.concatenate(rows) for rows in zip(self.train, self.test))
        return all(len(rows) == self.n_rows and _distinct(rows, self.n_rows) for rows in parts)

    @property
    def drawn_once(self) -> bool:
        """Whether no training part holds a row twice (a bootstrap sample does)."""
        return all(_distinct(train, self.n_rows) for train in self.train)


def all_rows(task: Task) -> Folds:
    """Return one fold that trains on all rows and holds none out."""
    return Folds((np.arange(task.n_rows),), (np.zeros(0, dtype=np.int64),), task.n_rows)


def make_folds(cv: Any, task: Task) -> Folds:
    """Split the rows of a task.

    Parameters
    ----------
    cv : int, "time", splitter or iterable of pairs
        As in :func:`split_rows`. A number is reduced as by :func:`fewer_folds`, stratified by
        class, and keeps groups of rows together; classes of one row are in every training part.
    task : Task
        The data.
    """
    classifier = task.kind == "classification"
    if isinstance(cv, int):
        cv = fewer_folds(cv, task)[0]
        if cv > task.n_rows:
            raise ValueError(
                f"cv={cv} folds need at least as many rows, but n_samples={task.n_rows}; lower cv."
            )
        if classifier and (np.bincount(task.codes) == 1).any():
            alone = single_rows(task)
            return _with_trained_rows(alone, make_folds(cv, task.rows(np.flatnonzero(~alone))))
    if isinstance(cv, int) and task.groups is not None:
        cv = (StratifiedGroupKFold if classifier else GroupKFold)(cv)
    if type(cv) is int and cv > 1 and not (classifier and _fractional(task.y)):
        return Folds.by_label(_fold_of_row(cv, task), cv)
    train, test = zip(*split_rows(cv, task.y, task.groups, classifier))
    return Folds(train, test, task.n_rows)


def shuffled_folds(task: Task, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return five folds of the rows in random order, so that the order of a table has no effect.

    Parameters
    ----------
    task : Task
        The data; fewer folds are made where a class or the table is too small.
    seed : int
        The seed of the order.

    Returns
    -------
    list of pairs of ndarray of int
        The sorted numbers of the training and the test rows of each fold.

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
    """Limit the number of folds to the rows of the smallest class and the number of groups.

    A class of a single row does not count: its row is in every training part and in no test part.

    Returns
    -------
    n_folds : int
        The number of folds, at most the one given.
    note : str
        What the user should know about the limit; empty where it has no effect.

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
                f"class {_label_text(label)} has a single row: "
                "it is always trained on, never tested on."
            )
            if (counts > 1).sum() < 2:
                raise ValueError(
                    f"class {_label_text(label)} has a single row: training and testing need two "
                    "classes of at least two rows; merge or drop it."
                )
        least = int(np.where(counts > 1, counts, task.n_rows + 1).argmin())
        few, what = (
            int(counts[least]),
            f"class {_label_text(task.classes[least])} has {counts[least]} rows",
        )
    if task.groups is not None and (n_groups := len(np.unique(task.groups))) < few:
        few, what = n_groups, f"there are {n_groups} groups of rows"
    if few < 2:
        raise ValueError(
            "there is one group of rows only: folds need at least two groups, since a group is "
            "either trained or tested on."
        )
    if n_folds <= few:
        return n_folds, note
    return few, " ".join(filter(None, [note, f"{what}: {few} folds instead of {n_folds}."]))


class LoweredFolds:
    """A splitter with at most as many folds as the smallest class has rows, or as there are groups.

    Folds are stratified by class and keep groups of rows together.

    Parameters
    ----------
    n_splits : int, default=5
        The number of folds if no class is too small.
    random_state : int, optional
        The seed of shuffled folds; without one the rows are not shuffled.

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
        """Return the number of folds: `n_splits`, limited by classes and groups, at least 2."""
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
        """Yield the numbers of the training and the test rows of each fold."""
        classes = type_of_target(y) in ("binary", "multiclass")
        order = {"shuffle": self.random_state is not None, "random_state": self.random_state}
        cv = _splitter(classes, groups is not None)(self.get_n_splits(X, y, groups), **order)
        with warnings.catch_warnings():  # a class of one row is in one test part, which is meant
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
    cv : int, "time", splitter or iterable of pairs
        A number of folds, a splitter of scikit-learn, or pairs of training and test rows (numbers
        or masks); ``"time"`` tests on each of five later parts of the rows and trains on all rows
        before it.
    y : ndarray of shape (n_rows,)
        The target, by which a number of folds is stratified.
    groups : ndarray of shape (n_rows,), optional
        The group of each row, which a splitter may keep together.
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
            f"cv={cv!r} gives no folds (an iterator can be used only once); "
            "pass a list of folds or a splitter."
        )
    return pairs


def shuffled_splitter(n_folds: int, task: Task, seed: int) -> Any:
    """Return a splitter into shuffled folds, stratified by class, with groups kept together."""
    kind = _splitter(task.kind == "classification", task.groups is not None)
    return kind(n_folds, shuffle=True, random_state=seed)


def _splitter(classes: bool, grouped: bool) -> Any:
    """Return the splitter class of scikit-learn that stratifies by class and keeps groups."""
    if grouped:
        return StratifiedGroupKFold if classes else GroupKFold
    return StratifiedKFold if classes else KFold


def _row_numbers(rows: Any) -> np.ndarray:
    """Return row numbers, given these or a mask."""
    rows = np.asarray(rows)
    if rows.dtype == bool:
        return np.flatnonzero(rows)
    return rows


def _distinct(rows: np.ndarray, n_rows: int) -> bool:
    """Whether no row number occurs twice."""
    return bool(np.bincount(rows, minlength=n_rows).max() <= 1)


def _fold_of_row(n_folds: int, task: Task) -> np.ndarray:
    """Return the fold that holds out each row, an array of shape (n_rows,).

    These are the folds of scikit-learn's KFold and StratifiedKFold without shuffling, which take
    longer there than a small search: consecutive runs of the rows, or of the rows of each class.
    StratifiedKFold sorts the classes by first appearance and deals the sorted labels out to the
    folds in turn; the number of rows of a class in each fold follows from its first and last
    position in the sorted labels.
    """
    if task.kind == "regression":
        return np.sort(np.arange(task.n_rows) % n_folds)
    fold, begin, number = np.empty(task.n_rows, dtype=np.int64), 0, np.arange(n_folds)
    members = [np.flatnonzero(task.codes == k) for k in range(len(task.classes))]
    for rows in sorted(members, key=lambda rows: rows[0]):  # classes in order of appearance
        end = begin + len(rows)
        # positions p in [begin, end) with p mod n_folds == number
        counts = (end - number - 1) // n_folds - (begin - number - 1) // n_folds
        fold[rows] = np.repeat(number, counts)
        begin = end
    return fold


def _fractional(labels: np.ndarray) -> bool:
    """Whether class labels are fractions, which scikit-learn reads as a quantity: no strata."""
    return labels.dtype.kind == "f" and bool((labels != np.round(labels)).any())


def single_rows(task: Task) -> np.ndarray:
    """Return a mask of the rows that are the only one of their class."""
    if task.kind != "classification":
        return np.zeros(task.n_rows, dtype=bool)
    return np.bincount(task.codes)[task.codes] == 1


def _with_trained_rows(alone: np.ndarray, folds: Folds) -> Folds:
    """Add rows to every training part.

    Parameters
    ----------
    alone : ndarray of bool of shape (n_rows,)
        The rows to add.
    folds : Folds
        The folds of all other rows, numbered among themselves.
    """
    others, always = np.flatnonzero(~alone), np.flatnonzero(alone)
    train = tuple(np.sort(np.concatenate([others[rows], always])) for rows in folds.train)
    return Folds(train, tuple(others[rows] for rows in folds.test), len(alone))


def _label_text(label: Any) -> str:
    """Return a class label as a Python literal."""
    return repr(label.item() if isinstance(label, np.generic) else label)
