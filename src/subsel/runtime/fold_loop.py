"""Runs the folds, one after the other or side by side, shows how it goes, and keeps what is done when interrupted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from math import inf
from time import perf_counter
from typing import Any, Protocol

from subsel.runtime.events import emit
from subsel.runtime.interruption import is_part_of_a_job, part_of_a_job
from subsel.runtime.status_line import StatusLine, bar
from subsel.runtime.workers import Workers

__all__ = ["Records", "run_jobs", "why_ended"]


class Records(Protocol):
    """Answers of jobs that are kept beyond the run, such as a journal of folds."""

    @property
    def known(self) -> Mapping[str, Any]:
        """The answers at hand, by the key of their job."""

    def keep(self, key: str, answer: Any) -> None:
        """Keep the answer of a job."""


def run_jobs(
    function: Callable,
    shared: Any,
    jobs: Iterable[tuple],
    total: int,
    *,
    n_jobs: int | None,
    what: str,
    verbose: int = 0,
    journal: Records | None = None,
    unit: str = "fold",
    named: Callable[[tuple], str] = lambda job: "",  # noqa: ARG005
    deadline: float = inf,
    at_least: int = 1,
) -> tuple[list[Any], bool]:
    """Call ``function(shared, *job)`` for each job; give the answers in order, and whether the user ended it early.

    An interruption in a job ends the whole run, and nothing of that job is kept; where the run is itself part of a
    larger job, it is passed on. With a journal, finished jobs are kept as they finish, and those that it knows are not
    done again: a job is known by the numbers in it. ``named`` says what a job tries, for the line that is shown. Past the
    deadline (of ``perf_counter``) only the first ``at_least`` jobs are still done.
    """
    if total <= 1:
        n_jobs = 1
    answers: dict[int, Any] = {}
    asked: list[tuple[int, str]] = []
    line, interrupted = _Line(answers, total, what, unit), False
    handed = _telling(_not_known(jobs, answers, asked, journal), line, named)
    try:
        with (
            StatusLine(line, verbose > 0, final=True),
            Workers(partial(_do, function), shared, n_jobs) as workers,
        ):
            for place, answer in workers.run(handed, deadline, at_least):
                if getattr(answer, "interrupted", False):
                    raise KeyboardInterrupt
                index, key = asked[place]
                answers[index] = answer
                emit(
                    "step",
                    what=what,
                    unit=unit,
                    done=len(answers),
                    total=total,
                    score=float(answer.score),
                )
                if journal is not None:
                    journal.keep(key, answer)
    except KeyboardInterrupt:
        if is_part_of_a_job():
            raise
        interrupted = True
    whole = next((i for i in range(total) if i not in answers), total)
    return [answers[i] for i in range(whole)], interrupted


def why_ended(interrupted: bool) -> str:
    """What ended a run before its last job, in words."""
    return "interrupted" if interrupted else "the budget ended"


def _do(function: Callable, shared: Any, *job: Any) -> Any:
    """Do one job; a search in it that is interrupted must not answer with its best so far."""
    with part_of_a_job():
        return function(shared, *job)


def _telling(jobs: Iterable[tuple], line: _Line, named: Callable[[tuple], str]) -> Iterator[tuple]:
    """The jobs as they are handed out, each named on the line."""
    for job in jobs:
        line.doing = named(job)
        yield job


def _not_known(
    jobs: Iterable[tuple],
    answers: dict[int, Any],
    asked: list[tuple[int, str]],
    journal: Records | None,
) -> Iterator[tuple]:
    """The jobs that must be done, noting where each belongs; the others are answered from the journal."""
    for index, job in enumerate(jobs):
        key = "/".join(str(part) for part in job if isinstance(part, int))
        if journal is not None and key in journal.known:
            answers[index] = journal.known[key]
        else:
            asked.append((index, key))
            yield job


class _Line:
    """What is being tried, how many are done, and how they did."""

    def __init__(self, answers: dict[int, Any], total: int, what: str, unit: str) -> None:
        self.answers, self.total, self.what, self.unit = answers, total, what, unit
        self.begin, self.doing = perf_counter(), ""

    def __call__(self) -> str:
        """The text of the line."""
        seconds, answers = perf_counter() - self.begin, list(self.answers.values())
        done = len(answers)
        if done == self.total:
            return f"{self.what}: {self.unit} {done} of {self.total} in {seconds:.1f} s{_mean(answers)}"
        text = f"{self.what}: {bar(done, self.total)} {self.unit} {done + 1} of {self.total}"
        if self.doing:
            text += f", trying {self.doing}"
        text += f", {seconds:.0f} s{_mean(answers)}"
        if done:
            text += f", about {seconds / done * (self.total - done):.0f} s left"
        return text


def _mean(answers: list[Any]) -> str:
    if not answers:
        return ""
    return f", mean score {sum(answer.score for answer in answers) / len(answers):.4g}"
