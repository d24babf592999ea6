"""The outer folds, common to all procedures that are compared."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.criteria.scoring.measures import default_scoring
from subsel.data.folds import fewer_folds, shuffled_splitter, single_rows, split_rows
from subsel.data.task import Task

__all__ = ["Split", "make_splits", "scoring_of_folds", "share_tested", "splits_notes"]

N_SPLITS, N_REPEATS = 5, 2


@dataclass(frozen=True, eq=False)
class Split:
    """The row numbers of a training and a test part.

    Within a repeat no row is tested twice.
    """

    repeat: int
    fold: int
    train: np.ndarray
    test: np.ndarray


def make_splits(cv: Any, task: Task, seed: int) -> list[Split]:
    """Split the rows into outer folds.

    By default these are five shuffled folds, twice; a number is that of folds, once; otherwise
    ``cv`` is any scikit-learn splitter.

    Folds are stratified for classification and keep groups together where there are any. With fewer
    rows in a class, or fewer groups, than folds there are fewer folds. A splitter that shuffles and
    has no seed gets one.
    """
    if cv is None or isinstance(cv, (int, np.integer)):
        n_splits = _n_splits(cv, task)
        seeds = np.random.SeedSequence(seed).generate_state(N_REPEATS if cv is None else 1)
        pairs = [pair for s in seeds for pair in _shuffled(n_splits, task, int(s))]
    else:
        pairs = split_rows(
            _seeded(cv, seed), task.y, task.groups, classifier=task.kind == "classification"
        )
    return list(_numbered(pairs))


def share_tested(splits: list[Split]) -> float:
    """Give the number of test rows per training row, for the correction of intervals."""
    return sum(len(s.test) for s in splits) / sum(len(s.train) for s in splits)


def splits_notes(cv: Any, task: Task) -> list[str]:
    """Give a note where classes or groups reduced the number of folds; otherwise nothing."""
    if cv is None:
        cv = N_SPLITS
    if not isinstance(cv, (int, np.integer)):
        return []
    _, note = fewer_folds(int(cv), task)
    return [note] if note else []


def _shuffled(n_splits: int, task: Task, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Make shuffled folds; a row that is alone in its class is in every training part."""
    alone = single_rows(task)
    if not alone.any():
        return split_rows(shuffled_splitter(n_splits, task, seed), task.y, task.groups)
    always, others = np.flatnonzero(alone), np.flatnonzero(~alone)
    pairs = _shuffled(n_splits, task.rows(others), seed)
    return [
        (np.sort(np.concatenate([others[train], always])), others[test]) for train, test in pairs
    ]


def _n_splits(cv: Any, task: Task) -> int:
    if task.n_rows < 2:
        raise ValueError("the table has 1 row: it cannot be both trained and tested on.")
    if cv is None:
        cv = min(N_SPLITS, task.n_rows)
    return fewer_folds(int(cv), task)[0]


def _seeded(cv: Any, seed: int) -> Any:
    """Give a splitter that shuffles a seed where it has none."""
    if (
        not hasattr(cv, "split")
        or getattr(cv, "random_state", 0) is not None
        or not getattr(cv, "shuffle", True)
    ):
        return cv
    cv = copy(cv)
    cv.random_state = seed
    return cv


def _numbered(pairs: list[tuple[Any, Any]]) -> Iterator[Split]:
    """Number folds within repeats; a new repeat begins where a row is tested again."""
    repeat, fold = 0, 0
    seen: set[int] = set()
    for train, test in pairs:
        rows = set(np.asarray(test).tolist())
        if rows & seen:
            repeat, fold, seen = repeat + 1, 0, set()
        yield Split(repeat, fold, np.asarray(train), np.asarray(test))
        fold += 1
        seen |= rows


def scoring_of_folds(task: Task, splits: list[Split], notes: list[str]) -> str:
    """Give the default measure, or another where the folds are too small for it.

    Appends to ``notes``.
    """
    scoring = default_scoring(task)
    if scoring == "r2" and min(len(s.test) for s in splits) == 1:
        notes.append("folds of one row have no R2: scored by the negative mean squared error.")
        return "neg_mean_squared_error"
    if scoring != "balanced_accuracy":
        return scoring
    counts = np.bincount(task.codes)
    if any(len(np.unique(task.y[s.test])) < len(counts) for s in splits):
        notes.append(
            "classes are skewed, but not every fold tests each of them: scored by accuracy, "
            "which flatters."
        )
        return "accuracy"
    sizes = ", ".join(f"{label}: {count}" for label, count in zip(task.classes, counts))
    notes.append(f"classes are skewed ({sizes}): scored by balanced accuracy.")
    return scoring
