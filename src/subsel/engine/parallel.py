"""Evaluates the requests of a round, on threads or by workers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from time import perf_counter, sleep
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from sklearn import config_context, get_config

from subsel._loops.compiler import seconds_compiling
from subsel.criteria.base import Evaluator
from subsel.engine.requests import RelevanceWork
from subsel.runtime.workers import Workers
from subsel.space.candidates import Candidates

__all__ = ["Evaluators", "compute"]

PIECE = 64  # candidates that a fast evaluator evaluates before the clock is read
CHECKPOINT = 1.0  # seconds after which the first qualities of a long batch are recorded
SECONDS = 0.25  # work, in seconds, that a worker gets at a time or that runs between clock readings
MANY = 64  # workers beyond which pieces grow with their number: one process distributes them all
READY = 0.1  # seconds that a worker waits when it starts, so that each of them gets one such task
TRIFLE = 0.001  # seconds of work in a round below which waking threads takes longer than the work


Work: TypeAlias = Candidates | RelevanceWork
"""What must be computed of a request."""


class _Asker(Protocol):
    number: int
    work: Any  # a Work or None
    computed: np.ndarray

    def checkpoint(self, computed: np.ndarray) -> None: ...


def compute(evaluator: Evaluator, work: Work) -> np.ndarray:
    """Compute the qualities of candidates, or the relevances of one subset."""
    if isinstance(work, RelevanceWork):
        return work.ask(evaluator)
    return evaluator.evaluate(work)


class Evaluators:
    """Evaluates the requests of a round; the distribution of work never changes an answer.

    The candidates of heavy evaluators (milliseconds per subset) are distributed over the workers of
    joblib's active backend, in pieces of about a quarter of a second. Fast evaluators run in this
    process. Several restarts then run on threads, since compiled loops release the interpreter
    lock, each with a fork of the evaluator that has an incremental state of its own.
    """

    def __init__(self, evaluator: Evaluator, restarts: int, n_jobs: int | None) -> None:
        traits = evaluator.traits
        self.heavy, self.refits = traits.heavy, traits.heavy and not traits.exact
        self.watched = False
        self.forks = [evaluator] + [evaluator.fork() for _ in range(restarts - 1)]
        self._n_refits = 0
        self._warned: dict[Any, Any] = {}  # warnings of another process that were repeated here
        self._pace = 0.0  # seconds per candidate in the last batch, 0 while unknown
        if traits.shares_state or (restarts == 1 and not traits.heavy):
            n_jobs = 1
        if traits.heavy:
            self._workers = Workers(_evaluate, evaluator, n_jobs)
        else:
            self._workers = Workers(_evaluate_fork, self.forks, n_jobs, sharedmem=True)

    def __enter__(self) -> Evaluators:
        return self

    def __exit__(self, *error: object) -> None:
        self._workers.__exit__(*error)

    def watch(self) -> bool:
        """Move refits to other processes, at least one, so that a fit that hangs can be stopped.

        Returns False where this is impossible: a class cannot be sent to another process, or this
        process is a worker that may not start one.
        """
        if self._workers.pool is None:
            workers = Workers(_evaluate_apart, _Elsewhere.of(self.forks), apart=True)
            if workers.pool is not None:
                self._workers = workers
        self.watched = self._workers.pool is not None
        if self.watched:
            list(self._workers.run([(0, None)] * self._workers.width))
        return self.watched

    @property
    def n_refits(self) -> int:
        """Number of subsets that were refitted."""
        distinct = {id(fork): fork for fork in self.forks}.values()
        return self._n_refits + sum(fork.n_refits for fork in distinct)

    def answer(
        self, restarts: Sequence[_Asker], deadline: float = np.inf, overdue: float = np.inf
    ) -> bool:
        """Do the work of the restarts, in place; past the deadline a long batch is cut short.

        Sets ``computed`` of each restart that has ``work``. At least the first piece of each
        request is evaluated, however late it is. Where evaluations are watched, those still running
        at ``overdue`` are stopped instead, and False is returned. Both times are of
        ``perf_counter``.
        """
        if len(restarts) == 1 and not self.heavy:
            restart, work = restarts[0], restarts[0].work
            fork = self.forks[restart.number]
            if isinstance(work, RelevanceWork):
                restart.computed = work.ask(fork)
            elif work is not None and (deadline == np.inf or len(work) <= PIECE):
                restart.computed = fork.evaluate(work)
            elif work is not None:
                restart.computed = self._paced(fork, work, deadline)
            return True
        waiting = [restart for restart in restarts if restart.work is not None]
        total = sum(len(restart.work) for restart in waiting)
        if not self.watched:
            overdue = np.inf
        if self.heavy and total > (not self.watched) and self._workers.pool is not None:
            return self._spread(waiting, deadline, overdue)
        if total:
            begin = perf_counter()
            n_parallel = self._evaluate_here(waiting, deadline, total)
            self._pace = n_parallel * (perf_counter() - begin) / total
        return True

    def _paced(self, fork: Evaluator, work: Work, deadline: float) -> np.ndarray:
        """Evaluate a large batch in pieces whose size follows the pace of the last batch."""
        begin, first = perf_counter(), PIECE
        if self._pace:
            first = max(PIECE, int(SECONDS / self._pace))
        computed = _in_time(fork, work, deadline, first=first)
        self._pace = (perf_counter() - begin) / len(computed)
        return computed

    def _evaluate_here(self, waiting: list[_Asker], deadline: float, total: int) -> int:
        """Evaluate in this process, on threads where that pays; returns how many ran at once."""
        pays = not self.heavy and len(waiting) > 1 and total * self._pace > TRIFLE
        if pays and self._workers.pool is not None:
            answers = dict(
                self._workers.run([(restart.number, restart.work, deadline) for restart in waiting])
            )
            for i, restart in enumerate(waiting):
                restart.computed = answers[i]
            return min(self._workers.width, len(waiting))
        for restart in waiting:
            fork = self.forks[restart.number]
            first = PIECE
            if self.heavy:
                first = 1
            restart.computed = _in_time(
                fork, restart.work, deadline, first=first, checkpoint=restart.checkpoint
            )
        return 1

    def _spread(self, waiting: list[_Asker], deadline: float, overdue: float) -> bool:
        """Let workers evaluate pieces of all requests, at first one piece of each."""
        pieces: list[_Piece] = []
        answers: dict[int, np.ndarray] = {}
        tasks = ((piece.restart, piece.work) for piece in self._cut(waiting, pieces))
        due = perf_counter() + CHECKPOINT
        for index, (computed, n_refits, seconds, warned) in self._workers.run(
            tasks, deadline, len(waiting), overdue
        ):
            for text, category, file, line in warned:
                warnings.warn_explicit(text, category, file, line, registry=self._warned)
            answers[index] = computed
            self._n_refits += n_refits
            self._pace = seconds / len(pieces[index].work)
            if perf_counter() >= due:
                due = perf_counter() + CHECKPOINT
                for restart, begun in _gathered(waiting, pieces, answers):
                    restart.checkpoint(begun)
        first = {pieces[index].restart for index in answers if pieces[index].start == 0}
        if len(first) < len(waiting):
            return False
        for restart, whole in _gathered(waiting, pieces, answers):
            restart.computed = whole
        return True

    def _cut(self, waiting: list[_Asker], pieces: list[_Piece]) -> Iterator[_Piece]:
        """Cut a piece whenever a worker needs one, of a size that follows the pace so far.

        The pieces are also appended to ``pieces``.
        """
        total = sum(len(restart.work) for restart in waiting)
        starts = {restart.number: 0 for restart in waiting}
        for rest in (False, True):
            for restart in waiting:
                while (start := starts[restart.number]) < len(restart.work):
                    step = self._step(total)
                    pieces.append(_Piece(restart.number, start, _piece(restart.work, start, step)))
                    starts[restart.number] += len(pieces[-1].work)
                    yield pieces[-1]
                    if not rest:
                        break

    def _step(self, total: int) -> int:
        """Compute the number of candidates of a piece."""
        if not self._pace:
            return 1
        width = self._workers.width
        fair, seconds = -(-total // (2 * width)), SECONDS * max(1.0, width / MANY)
        return max(1, min(int(seconds / self._pace), fair))


class _Piece(NamedTuple):
    """Some of the work of one restart."""

    restart: int  # its number
    start: int  # position of the first candidate in the work of the restart
    work: Work  # the candidates


def _gathered(
    waiting: list[_Asker], pieces: list[_Piece], answers: dict[int, np.ndarray]
) -> Iterator[tuple[_Asker, np.ndarray]]:
    """Join the answers of each request, up to the first gap."""
    parts: dict[int, list[np.ndarray]] = {restart.number: [] for restart in waiting}
    for index in sorted(answers, key=lambda i: pieces[i].start):
        piece = pieces[index]
        if sum(map(len, parts[piece.restart])) == piece.start:
            parts[piece.restart].append(answers[index])
    return ((restart, np.concatenate([*parts[restart.number], np.empty(0)])) for restart in waiting)


def _piece(work: Work, start: int, step: int) -> Work:
    """Cut a piece of the work, with the random stream of its first evaluation."""
    if not isinstance(work, Candidates):
        return work
    piece = work[start : start + step]
    piece.stream = work.stream[0], work.stream[1] + start
    return piece


class _Answer(NamedTuple):
    """What a worker returns."""

    computed: np.ndarray  # qualities or relevances
    n_refits: int  # number of refits among them
    seconds: float  # time that they took
    warned: Sequence[tuple[Any, ...]] = ()  # text, category, file and line of each warning


def _evaluate(
    evaluator: Evaluator,
    number: int,  # noqa: ARG001 (of the restart: all of them are evaluated alike)
    work: Work | None,
) -> _Answer:
    """Evaluate on a worker, by a copy of the evaluator."""
    return _timed(copy(evaluator.fork()), work)


def _timed(own: Evaluator, work: Work | None) -> _Answer:
    """Evaluate and measure the time; without work, wait a moment while other workers start."""
    if work is None:
        sleep(READY)
        return _Answer(np.empty(0), 0, 0.0)
    begin, refits = perf_counter(), own.n_refits
    computed = compute(own, work)
    return _Answer(computed, own.n_refits - refits, perf_counter() - begin)


class _Elsewhere(NamedTuple):
    """What the other process needs to evaluate as this one would."""

    forks: list[Evaluator]  # one per restart
    config: dict[str, Any]  # scikit-learn's configuration here
    filters: list[tuple[Any, ...]]  # the filters of warnings here

    @classmethod
    def of(cls, forks: list[Evaluator]) -> _Elsewhere:
        return cls(forks, get_config(), list(warnings.filters))


def _evaluate_apart(elsewhere: _Elsewhere, number: int, work: Work | None) -> _Answer:
    """Evaluate in the other process as in this one, and return the warnings."""
    with config_context(**elsewhere.config), warnings.catch_warnings(record=True) as warned:
        warnings.filters = list(elsewhere.filters)
        answer = _timed(elsewhere.forks[number], work)
    return answer._replace(
        warned=[(str(w.message), _plain(w), w.filename, w.lineno) for w in warned]
    )


def _plain(warning: warnings.WarningMessage) -> type[Warning]:
    """Return the category if a text alone makes a warning of it, else UserWarning."""
    try:
        return type(warning.category(str(warning.message)))
    except TypeError:
        return UserWarning


def _evaluate_fork(forks: list[Evaluator], number: int, work: Work, deadline: float) -> np.ndarray:
    """Evaluate on a thread, by the fork of one restart."""
    return _in_time(forks[number], work, deadline)


def _in_time(
    evaluator: Evaluator,
    work: Work,
    deadline: float,
    *,
    first: int = PIECE,
    checkpoint: Callable[[np.ndarray], None] | None = None,
) -> np.ndarray:
    """Do work in pieces of about a quarter of a second, until the deadline.

    ``first`` is the number of candidates of the first piece: 1 where each may take long. Work is
    not cut if there is no deadline and its candidates are fast.
    """
    size = first
    if (deadline == np.inf and size >= PIECE) or len(work) <= size:
        return compute(evaluator, work)
    parts, done, begin, compiling = [], 0, perf_counter(), seconds_compiling()
    due = begin + CHECKPOINT
    while done < len(work):
        parts.append(compute(evaluator, _piece(work, done, size)))
        done += len(parts[-1])
        now = perf_counter()
        if now >= deadline + seconds_compiling() - compiling:
            break
        if checkpoint is not None and now >= due:
            due = now + CHECKPOINT
            checkpoint(np.concatenate(parts))
        size = max(size, int(SECONDS * done / max(now - begin, 1e-6)))
    return np.concatenate(parts)
