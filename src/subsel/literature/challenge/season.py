"""Running entries: every submission is kept once it is made, so that the same command goes on where it ended."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from time import perf_counter

from joblib import Parallel, delayed

from subsel.literature.challenge.entry import ENTRIES
from subsel.literature.challenge.problem import Problem
from subsel.literature.challenge.submission import Submission

__all__ = ["Season"]


@dataclass(frozen=True)
class Season:
    """A set of entries to a set of problems.

    Where an entry does the same with a problem as an earlier one, what that one handed in is handed in again.

    Parameters
    ----------
    problems : sequence of Problem
        What is entered for.
    entries : sequence of str
        Keys of entries.
    folder : path
        Where submissions are kept.
    quick : bool, default=False
        Whether entries spend little.
    seed : int, default=0
        Of every entry.

    Examples
    --------
    >>> Season([], ["chance"], "runs").pending()
    []
    """

    problems: Sequence[Problem]
    entries: Sequence[str]
    folder: str | PathLike[str]
    quick: bool = False
    seed: int = 0

    def path(self, key: str, problem: Problem) -> Path:
        """Where a submission is kept."""
        return self._path(key, problem, self.quick)

    def pending(self) -> list[tuple[str, Problem]]:
        """What is still to be run."""
        return [
            (key, p)
            for p in self.problems
            for key in self.entries
            if not self.path(key, p).exists()
        ]

    def run(
        self, seconds: float | None = None, n_jobs: int | None = None, verbose: int = 0
    ) -> dict[str, str]:
        """Run what is missing; gives those that failed, with the reason.

        ``seconds`` ends it after the entries in progress.
        """
        failed: dict[str, str] = {}
        n_all = len(self.pending())
        if seconds is None:
            seconds = math.inf
        deadline = perf_counter() + seconds
        jobs = (delayed(self._one)(key, problem) for key, problem in self._until(deadline))
        runs = Parallel(n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch="n_jobs")(jobs)
        for n_done, (key, name, error, took) in enumerate(runs, 1):
            if error:
                failed[f"{key} on {name}"] = error
            if verbose:
                said = f"subsel: {n_done} of {n_all}: {key} on {name}: {error or f'{took:.0f} s'}"
                print(said, file=sys.stderr, flush=True)
        return failed

    def submissions(self, problem: Problem) -> dict[str, Submission]:
        """What was handed in for a problem, by the keys of the entries: the full form where it is there, else the quick one."""
        kept = {
            key: [self._path(key, problem, quick) for quick in (False, True)]
            for key in self.entries
        }
        found = {
            key: next((path for path in paths if path.exists()), None)
            for key, paths in kept.items()
        }
        return {key: Submission.load(path) for key, path in found.items() if path is not None}

    def _path(self, key: str, problem: Problem, quick: bool) -> Path:
        return Path(self.folder, problem.name, f"{key}{'-quick' if quick else ''}.npz")

    def _until(self, deadline: float) -> Iterator[tuple[str, Problem]]:
        for pair in self.pending():
            if perf_counter() >= deadline:
                return
            yield pair

    def _one(self, key: str, problem: Problem) -> tuple[str, str, str, float]:
        entry = ENTRIES.find(key)(quick=self.quick)
        twin = entry.same_as(problem)
        try:
            if twin is not None and (path := self.path(twin, problem)).exists():
                given = replace(Submission.load(path), entry=entry.name)
            else:
                given = entry.fit(problem, self.seed)
        except Exception as error:  # one entry must not end the season
            return key, problem.name, f"{type(error).__name__}: {error}", 0.0
        given.save(self.path(key, problem))
        return key, problem.name, "", given.seconds
