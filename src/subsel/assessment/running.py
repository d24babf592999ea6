"""Runs the folds, one after the other or side by side, shows how it goes, and keeps what is done when interrupted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from time import perf_counter
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs

__all__ = ["run_jobs"]


def run_jobs(
    function: Callable, jobs: Iterable[tuple], total: int, n_jobs: int | None, verbose: int, what: str
) -> tuple[list[Any], bool]:
    """Call a function on each job, in order; give the answers, and whether the user ended it early.

    Workers are processes; joblib hands them large arrays as memory maps. An answer whose ``interrupted`` is true (a
    search caught the interruption) is not kept and ends the run.
    """
    answers: list[Any] = []
    show = _Lines(total, verbose, what)
    try:
        for answer in _answers(function, jobs, total, n_jobs):
            if getattr(answer, "interrupted", False):
                raise KeyboardInterrupt
            answers.append(answer)
            show(answers)
    except KeyboardInterrupt:
        return answers, True
    return answers, False


def _answers(function: Callable, jobs: Iterable[tuple], total: int, n_jobs: int | None) -> Iterator[Any]:
    if min(effective_n_jobs(n_jobs), total) == 1:
        return (function(*job) for job in jobs)
    return Parallel(n_jobs=n_jobs, return_as="generator")(delayed(function)(*job) for job in jobs)


class _Lines:
    """A live line on a terminal, plain lines elsewhere."""

    def __init__(self, total: int, verbose: int, what: str) -> None:
        self.total, self.verbose, self.what = total, verbose, what
        self.begin, self.next = perf_counter(), 0.0

    def __call__(self, answers: list[Any]) -> None:
        """Show the state, now and then; the last one always."""
        seconds, done = perf_counter() - self.begin, len(answers)
        last = done == self.total
        if not self.verbose or (seconds < self.next and not last):
            return
        mean = sum(answer.score for answer in answers) / done
        left = "" if last else f", about {seconds / done * (self.total - done):.0f} s left"
        text = f"subsel: {self.what}: fold {done} of {self.total} in {seconds:.1f} s, mean score {mean:.4g}{left}"
        live = sys.stderr.isatty()
        self.next = seconds + (0.1 if live else 2.0)
        sys.stderr.write(f"\r\033[K{text}{chr(10) if last else ''}" if live else f"{text}\n")
        sys.stderr.flush()
