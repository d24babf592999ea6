"""The second date of 2003: validation labels are given out, and folds of all labelled rows stand in for the test rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.model_selection import StratifiedKFold

from subsel.assessment.measures import balanced_error, binary_auc, probe_share
from subsel.literature.challenge.figures import figures
from subsel.literature.challenge.problem import Problem, problem_of
from subsel.literature.challenge.results import EntryResult
from subsel.literature.challenge.scoring import EntryScore, class_wise_bar
from subsel.literature.challenge.season import Season
from subsel.literature.challenge.submission import Submission

__all__ = ["Pooled", "SecondDate", "fold_problem", "folds_of", "whole_problem"]


ALL_ROWS = -1


class Pooled(NamedTuple):
    """What an entry said of rows while they were held out.

    Parameters
    ----------
    submission : Submission
        A confidence for each training and each validation row, by the model that did not see it; the columns that any of the
        models used, and the seconds of all.
    sizes, probes : ndarray
        How many columns each model used, and the share of probes among them (NaN where that is not known).
    """

    submission: Submission
    sizes: np.ndarray
    probes: np.ndarray


@dataclass(frozen=True)
class SecondDate:
    """Entries as of 8 December 2003: trained on training and validation labels, ten stratified folds in turn held out.

    The test labels were never given out, so that nothing else is left to score on; a model is trained on nine tenths of the
    rows that the teams had. Every fold of every entry is kept once it is made. Where test rows are at hand, they are
    predicted by a model of all labelled rows, as in 2003.

    Parameters
    ----------
    problems : sequence of Problem
        What is entered for.
    entries : sequence of str
        Keys of entries.
    folder : path
        Where submissions are kept, a folder for each fold.
    quick : bool, default=False
        Whether entries spend little.
    seed : int, default=0
        Of every entry.
    n_folds : int, default=10
        How many parts the rows are divided into.

    Examples
    --------
    >>> SecondDate([], ["cba"], "runs").pending()
    []
    """

    problems: Sequence[Problem]
    entries: Sequence[str]
    folder: str | PathLike[str]
    quick: bool = False
    seed: int = 0
    n_folds: int = 10

    def pending(self) -> list[tuple[str, str, int]]:
        """What is still to be run: entry, problem, fold (-1: all rows, for the test rows)."""
        return [(key, problem.name, k) for k in self._parts() for key, problem in self._waiting(k)]

    def run(
        self, seconds: float | None = None, n_jobs: int | None = None, verbose: int = 0
    ) -> dict[str, str]:
        """Run what is missing, fold by fold; gives those that failed, with the reason.

        ``seconds`` ends it after the entries in progress.
        """
        failed: dict[str, str] = {}
        if seconds is None:
            seconds = math.inf
        deadline = perf_counter() + seconds
        for k in self._parts():
            left = deadline - perf_counter()
            waiting = {problem.name: problem for _, problem in self._waiting(k)}
            if not waiting or left <= 0:
                continue
            cut: Callable[[Problem], Problem]
            if k == ALL_ROWS:
                part, cut = "all rows", whole_problem
            else:
                part, cut = f"fold {k + 1}", partial(fold_problem, k=k, n_folds=self.n_folds)
            found = self._season(k, [cut(p) for p in waiting.values()], self.quick).run(
                left, n_jobs, verbose
            )
            failed |= {f"{what}, {part}": why for what, why in found.items()}
        return failed

    def pooled(self, key: str, problem: Problem) -> Pooled | None:
        """What an entry said of all labelled rows: of the full form if all folds are there, else of the quick one, else None."""
        for quick in (False, True):
            paths = [
                self._season(k, [problem], quick).path(key, problem) for k in range(self.n_folds)
            ]
            if all(path.exists() for path in paths):
                found = _pool(problem, [Submission.load(path) for path in paths])
                last = self._season(ALL_ROWS, [problem], quick).path(key, problem)
                if problem.test is None or not last.exists():
                    return found
                return found._replace(
                    submission=replace(found.submission, test=Submission.load(last).test)
                )
        return None

    def submissions(self, problem: Problem) -> dict[str, Submission]:
        """The pooled predictions of the entries whose folds are all there, by their keys."""
        found = {key: self.pooled(key, problem) for key in self.entries}
        return {key: one.submission for key, one in found.items() if one is not None}

    def results(self, problem: Problem) -> list[EntryResult]:
        """Scores of the entries whose folds are all there, the least error first, beside printed figures of the same date."""
        found = {key: self.pooled(key, problem) for key in self.entries}
        scored = [(key, _score(problem, one)) for key, one in found.items() if one is not None]
        scored.sort(key=lambda pair: pair[1].ber)
        return [
            EntryResult(key, score, 0.0, 0, "", _printed(key, problem)) for key, score in scored
        ]

    def _parts(self) -> list[int]:
        return [*range(self.n_folds), ALL_ROWS]

    def _waiting(self, k: int) -> list[tuple[str, Problem]]:
        problems = [p for p in self.problems if k != ALL_ROWS or p.test is not None]
        return self._season(k, problems, self.quick).pending()

    def _season(self, k: int, problems: Sequence[Problem], quick: bool) -> Season:
        part = f"fold-{k + 1}-of-{self.n_folds}"
        if k == ALL_ROWS:
            part = "all-rows"
        return Season(problems, self.entries, Path(self.folder, part), quick, self.seed)


def folds_of(problem: Problem, n_folds: int = 10) -> list[np.ndarray]:
    """The rows of each fold, training rows being counted before validation rows; the classes are divided evenly.

    >>> X, y = np.zeros((4, 1)), np.array([1, -1, 1, -1])
    >>> sorted(np.concatenate(folds_of(problem_of("tiny", X, y, X, y), 2)).tolist())
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    y = _labels(problem)
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    return [test for _, test in folds.split(np.zeros((len(y), 1)), y)]


def fold_problem(problem: Problem, k: int, n_folds: int = 10) -> Problem:
    """A problem whose training rows are all labelled rows but those of fold k (from 0), which are the others.

    >>> X, y = np.arange(4.0)[:, None], np.array([1, -1, 1, -1])
    >>> fold_problem(problem_of("tiny", X, y, X + 4, y), 0, 2).X.shape
    (4, 1)
    """
    X, y = _rows(problem), _labels(problem)
    held = np.isin(np.arange(len(y)), folds_of(problem, n_folds)[k])
    return problem_of(problem.name, X[~held], y[~held], X[held], y[held], problem.probes)


def whole_problem(problem: Problem) -> Problem:
    """A problem whose training rows are all labelled rows; the others are the validation rows once more.

    >>> X, y = np.arange(4.0)[:, None], np.array([1, -1, 1, -1])
    >>> whole_problem(problem_of("tiny", X, y, X + 4, y)).X.shape
    (8, 1)
    """
    return replace(problem, X=_rows(problem), y=_labels(problem))


def _rows(problem: Problem) -> Any:
    """The training rows and, below them, the validation rows."""
    if problem.sparse:
        return sparse.vstack([problem.X, problem.others]).tocsr()
    return np.vstack([problem.X, problem.others])


def _labels(problem: Problem) -> np.ndarray:
    return np.concatenate([problem.y, problem.sealed])


def _pool(problem: Problem, given: Sequence[Submission]) -> Pooled:
    said = np.empty(len(problem.y) + len(problem.sealed))
    for rows, one in zip(folds_of(problem, len(given)), given, strict=True):
        said[rows] = one.valid
    masks = [np.isin(np.arange(problem.n_features), one.features) for one in given]
    probes = [np.nan] * len(masks)
    if problem.probes is not None:
        probes = [probe_share(mask, problem.probes) for mask in masks]
    whole = Submission(
        given[0].entry,
        problem.name,
        said[: len(problem.y)],
        said[len(problem.y) :],
        np.flatnonzero(np.any(masks, axis=0)),
        round(sum(one.seconds for one in given), 1),
        any(one.transductive for one in given),
    )
    return Pooled(whole, np.array([mask.sum() for mask in masks]), np.array(probes))


def _score(problem: Problem, found: Pooled) -> EntryScore:
    """Over all labelled rows; sizes and shares of probes are means over the folds."""
    y, given = _labels(problem), found.submission
    said = np.concatenate([given.train, given.valid])
    predicted, size = np.where(said > 0, 1, -1), float(np.mean(found.sizes))
    return EntryScore(
        given.entry,
        problem.name,
        100 * balanced_error(y, predicted),
        100 * class_wise_bar(y, predicted),
        100 * binary_auc(y == 1, said),
        100 * size / problem.n_features,
        100 * float(np.mean(found.probes)),
        round(size),
        given.seconds,
        given.transductive,
    )


def _printed(key: str, problem: Problem) -> Any:
    """The printed figure of this date, which is that of the test rows."""
    figure = figures(key).get(problem.name)
    if figure is None or figure.date != "8 Dec":
        return None
    return figure._replace(validation=None)
