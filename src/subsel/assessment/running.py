"""Runs the folds, one after the other or side by side, shows how it goes, and keeps what is done when interrupted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from time import perf_counter
from typing import Any

from subsel.assessment.fold_journal import FoldJournal
from subsel.engine.telling import tell
from subsel.engine.workers import Workers
from subsel.interruption import is_part_of_a_job, part_of_a_job

__all__ = ["run_jobs"]


def run_jobs(
    function: Callable,
    shared: Any,
    jobs: Iterable[tuple],
    total: int,
    n_jobs: int | None,
    verbose: int,
    what: str,
    journal: FoldJournal | None = None,
    unit: str = "fold",
) -> tuple[list[Any], bool]:
    """Call ``function(shared, *job)`` for each job; give the answers in order, and whether the user ended it early.

    An interruption in a job ends the whole run, and nothing of that job is kept; where the run is itself part of a
    larger job, it is passed on. With a journal, finished jobs are kept as they finish, and those that it knows are not
    done again: a job is known by the numbers in it.
    """
    answers: dict[int, Any] = {}
    asked: list[tuple[int, str]] = []
    show, interrupted = _Lines(total, verbose, what, unit), False
    try:
        with Workers(partial(_do, function), shared, n_jobs if total > 1 else 1) as workers:
            for place, answer in workers.run(_not_known(jobs, answers, asked, journal)):
                if getattr(answer, "interrupted", False):
                    raise KeyboardInterrupt
                index, key = asked[place]
                answers[index] = answer
                tell("step", what=what, unit=unit, done=len(answers), total=total, score=float(answer.score))
                if journal is not None:
                    journal.keep(key, answer)
                show(answers)
    except KeyboardInterrupt:
        if is_part_of_a_job():
            raise
        interrupted = True
    whole = next((i for i in range(total) if i not in answers), total)
    return [answers[i] for i in range(whole)], interrupted


def _do(function: Callable, shared: Any, *job: Any) -> Any:
    """Do one job; a search in it that is interrupted must not answer with its best so far."""
    with part_of_a_job():
        return function(shared, *job)


def _not_known(
    jobs: Iterable[tuple], answers: dict[int, Any], asked: list[tuple[int, str]], journal: FoldJournal | None
) -> Iterator[tuple]:
    """The jobs that must be done, noting where each belongs; the others are answered from the journal."""
    for index, job in enumerate(jobs):
        key = "/".join(str(part) for part in job if isinstance(part, int))
        if journal is not None and key in journal.known:
            answers[index] = journal.known[key]
        else:
            asked.append((index, key))
            yield job


class _Lines:
    """A live line on a terminal, plain lines elsewhere."""

    def __init__(self, total: int, verbose: int, what: str, unit: str) -> None:
        self.total, self.verbose, self.what, self.unit = total, verbose, what, unit
        self.begin, self.next = perf_counter(), 0.0

    def __call__(self, answers: dict[int, Any]) -> None:
        """Show the state, now and then; the last one always."""
        seconds, done = perf_counter() - self.begin, len(answers)
        last = done == self.total
        if not self.verbose or (seconds < self.next and not last):
            return
        mean = sum(answer.score for answer in answers.values()) / done
        left = "" if last else f", about {seconds / done * (self.total - done):.0f} s left"
        text = (
            f"subsel: {self.what}: {self.unit} {done} of {self.total} in {seconds:.1f} s, mean score {mean:.4g}{left}"
        )
        live = sys.stderr.isatty()
        self.next = seconds + (0.1 if live else 2.0)
        sys.stderr.write(f"\r\033[K{text}{chr(10) if last else ''}" if live else f"{text}\n")
        sys.stderr.flush()
