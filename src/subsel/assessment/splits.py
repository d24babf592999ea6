"""The outer folds: made once, common to everything that is compared."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.folds import shuffled_splitter, split_rows
from subsel.task import Task

__all__ = ["Split", "make_splits", "share_tested"]

N_SPLITS, N_REPEATS = 5, 2


@dataclass(frozen=True, eq=False)
class Split:
    """Row numbers of one training and one test part; within a repeat no row is tested twice."""

    repeat: int
    fold: int
    train: np.ndarray
    test: np.ndarray


def make_splits(cv: Any, task: Task, seed: int) -> list[Split]:
    """Split the rows: five shuffled folds, twice, by default; a number of folds, once; or any scikit-learn splitter.

    Folds are stratified for classification and keep groups together where there are any. A class or a number of groups
    smaller than five lowers the default number of folds. A splitter that shuffles and has no seed gets one.
    """
    if cv is None or isinstance(cv, (int, np.integer)):
        n_splits = _default_splits(task) if cv is None else int(cv)
        seeds = np.random.SeedSequence(seed).generate_state(N_REPEATS if cv is None else 1)
        splitters = (shuffled_splitter(n_splits, task, int(s)) for s in seeds)
        pairs = [pair for splitter in splitters for pair in split_rows(splitter, task.y, task.groups)]
    else:
        pairs = split_rows(_seeded(cv, seed), task.y, task.groups, classifier=task.kind == "classification")
    return list(_numbered(pairs))


def share_tested(splits: list[Split]) -> float:
    """Test rows per training row, as the correction for overlapping folds needs it."""
    return sum(len(s.test) for s in splits) / sum(len(s.train) for s in splits)


def _default_splits(task: Task) -> int:
    few, what = task.n_rows, "the table has 1 row"
    if task.kind == "classification":
        labels, counts = np.unique(task.y, return_counts=True)
        few, what = int(counts.min()), f"class {labels[counts.argmin()]!r} has a single row"
    if task.groups is not None and (n_groups := len(np.unique(task.groups))) < few:
        few, what = n_groups, "there is one group only"
    if few < 2:
        raise ValueError(f"{what}: it cannot be both trained and tested on.")
    return min(N_SPLITS, few)


def _seeded(cv: Any, seed: int) -> Any:
    """A splitter that shuffles without a seed, with one."""
    if not hasattr(cv, "split") or getattr(cv, "random_state", 0) is not None or not getattr(cv, "shuffle", True):
        return cv
    cv = copy(cv)
    cv.random_state = seed
    return cv


def _numbered(pairs: list[tuple[Any, Any]]) -> Iterator[Split]:
    """Count folds within repeats: a new repeat begins where a row is tested again."""
    repeat, fold = 0, 0
    seen: set[int] = set()
    for train, test in pairs:
        rows = set(np.asarray(test).tolist())
        if rows & seen:
            repeat, fold, seen = repeat + 1, 0, set()
        yield Split(repeat, fold, np.asarray(train), np.asarray(test))
        fold += 1
        seen |= rows
