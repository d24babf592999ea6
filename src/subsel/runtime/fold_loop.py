"""Running the folds of a job, in order or in parallel, with a status line and a journal."""

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
    """Answers of jobs that outlive the run, such as a journal of folds."""

    @property
    def known(self) -> Mapping[str, Any]:
        """The stored answers by the key of their job."""

    def keep(self, key: str, answer: Any) -> None:
        """Store the answer of a job."""


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
    """Call ``function(shared, *job)`` for each job, and return the answers.

    An interruption within a job ends the run, and that job has no answer; if the run is itself part
    of a larger job, the interruption is raised again.

    Parameters
    ----------
    function : callable
        Its answers have an attribute ``score``, and may have one ``interrupted``.
    shared : object
        The data that all jobs read.
    jobs : iterable of tuple
        The further arguments of `function` for each job.
    total : int
        The number of jobs.
    n_jobs : int or None
        The number of parallel jobs, as in joblib.
    what, unit : str
        The name of the run and of a job, for the status line.
    verbose : int
        Whether the status line is shown.
    journal : Records, optional
        It stores answers as jobs finish; a job that it knows is not run again. The key of a job are
        the whole numbers among its arguments.
    named : callable
        ``named(job)`` returns what a job tries, for the status line.
    deadline : float
        The time of ``perf_counter`` after which only the first `at_least` jobs are run.
    at_least : int
        The number of jobs that are run in any case.

    Returns
    -------
    answers : list
        The answers of the first jobs, up to the first without an answer.
    interrupted : bool
        Whether the user ended the run.
    """
    if total <= 1:
        n_jobs = 1
    answers: dict[int, Any] = {}
    pending: list[tuple[int, str]] = []
    line, interrupted = _Line(answers, total, what, unit), False
    to_do = _announced(_unanswered(jobs, answers, pending, journal), line, named)
    try:
        with (
            StatusLine(line, verbose > 0, final=True),
            Workers(partial(_do, function), shared, n_jobs) as workers,
        ):
            for place, answer in workers.run(to_do, deadline, at_least):
                if getattr(answer, "interrupted", False):
                    raise KeyboardInterrupt
                index, key = pending[place]
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
    n_complete = next((i for i in range(total) if i not in answers), total)
    return [answers[i] for i in range(n_complete)], interrupted


def why_ended(interrupted: bool) -> str:
    """Return why a run ended before its last job, as a phrase."""
    return "interrupted" if interrupted else "the budget ended"


def _do(function: Callable, shared: Any, *job: Any) -> Any:
    """Run one job, in which an interrupted search must not return its best result so far."""
    with part_of_a_job():
        return function(shared, *job)


def _announced(
    jobs: Iterable[tuple], line: _Line, named: Callable[[tuple], str]
) -> Iterator[tuple]:
    """Yield the jobs, and name each on the status line when it is started."""
    for job in jobs:
        line.doing = named(job)
        yield job


def _unanswered(
    jobs: Iterable[tuple],
    answers: dict[int, Any],
    pending: list[tuple[int, str]],
    journal: Records | None,
) -> Iterator[tuple]:
    """Yield the jobs that the journal does not know; updates `answers` and `pending`.

    The answers of the journal are written to `answers`; the index and the key of each job that is
    yielded are appended to `pending`.
    """
    for index, job in enumerate(jobs):
        key = "/".join(str(part) for part in job if isinstance(part, int))
        if journal is not None and key in journal.known:
            answers[index] = journal.known[key]
        else:
            pending.append((index, key))
            yield job


class _Line:
    """The text of the status line: what is tried, the jobs that are done, and their mean score."""

    def __init__(self, answers: dict[int, Any], total: int, what: str, unit: str) -> None:
        self.answers, self.total, self.what, self.unit = answers, total, what, unit
        self.begin, self.doing = perf_counter(), ""

    def __call__(self) -> str:
        """Return the text of the line."""
        seconds, answers = perf_counter() - self.begin, list(self.answers.values())
        done = len(answers)
        if done == self.total:
            text = f"{self.what}: {self.unit} {done} of {self.total} in {seconds:.1f} s"
            return text + _mean(answers)
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
