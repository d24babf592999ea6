"""Who answers a round: one evaluator per restart, on threads; or workers, where evaluations are heavy."""

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

PIECE = 64  # candidates that a quick evaluator answers before the clock is looked at
CHECKPOINT = 1.0  # seconds after which the beginning of a long batch is handed on
SECONDS = 0.25  # work that is handed out, or done between looks at the clock, at a time
MANY = 64  # workers beyond which pieces grow with their number: one process hands all of them out
READY = 0.1  # seconds that one who is ready keeps from taking the place of another
TRIFLE = 0.001  # seconds of work in a round that no thread is woken for


Work: TypeAlias = Candidates | RelevanceWork
"""What must be computed of a request."""


class _Asker(Protocol):
    number: int
    work: Any  # a Work or None
    computed: np.ndarray

    def checkpoint(self, computed: np.ndarray) -> None: ...


def compute(evaluator: Evaluator, work: Work) -> np.ndarray:
    """Ask an evaluator: the qualities of candidates, or the relevances of one subset."""
    if isinstance(work, RelevanceWork):
        return work.ask(evaluator)
    return evaluator.evaluate(work)


class Evaluators:
    """Answers the requests of a round; how the work is shared out never changes an answer.

    Heavy evaluators (milliseconds a subset) get their candidates spread over the workers of
    joblib's active backend, in pieces of about a quarter of a second. Quick ones run in this
    process; several restarts are then answered on threads, each with a fork of the evaluator that
    keeps its own incremental state, because compiled loops release the interpreter lock.
    """

    def __init__(self, evaluator: Evaluator, restarts: int, n_jobs: int | None) -> None:
        traits = evaluator.traits
        self.heavy, self.refits = traits.heavy, traits.heavy and not traits.exact
        self.watched = False
        self.forks = [evaluator] + [evaluator.fork() for _ in range(restarts - 1)]
        self._n_refits = 0
        self._warned: dict[Any, Any] = {}  # what a process apart has warned about
        self._pace = 0.0  # seconds a candidate has taken lately, 0 while unknown
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
        """See to it that a model whose fit hangs can be stopped: refits are done by processes, one if need be.

        False where that cannot be: a class that cannot be sent to another process, a worker that
        may have none.
        """
        if self._workers.pool is None:
            apart = Workers(_evaluate_apart, _Elsewhere.of(self.forks), apart=True)
            if apart.pool is not None:
                self._workers = apart
        self.watched = self._workers.pool is not None
        if self.watched:
            list(self._workers.run([(0, None)] * self._workers.width))
        return self.watched

    @property
    def n_refits(self) -> int:
        """How many subsets were fitted from scratch."""
        distinct = {id(fork): fork for fork in self.forks}.values()
        return self._n_refits + sum(fork.n_refits for fork in distinct)

    def answer(
        self, restarts: Sequence[_Asker], deadline: float = np.inf, overdue: float = np.inf
    ) -> bool:
        """Do the work of the restarts; past the deadline (of ``perf_counter``) a long batch is left where it is.

        Of each request at least the beginning is answered, however late it is; unless evaluations
        are watched: then those that are overdue are stopped, the round is given up, and False
        returned.
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
            side_by_side = self._here(waiting, deadline, total)
            self._pace = side_by_side * (perf_counter() - begin) / total
        return True

    def _paced(self, fork: Evaluator, work: Work, deadline: float) -> np.ndarray:
        """Answer a large batch in pieces as large as the pace of the last one allows."""
        begin, first = perf_counter(), PIECE
        if self._pace:
            first = max(PIECE, int(SECONDS / self._pace))
        computed = _in_time(fork, work, deadline, first=first)
        self._pace = (perf_counter() - begin) / len(computed)
        return computed

    def _here(self, waiting: list[_Asker], deadline: float, total: int) -> int:
        """Answer in this process, on threads where that pays; gives how many worked at once."""
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
        """Let workers answer pieces of all requests; the first pieces come first, because each request needs one."""
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
        """Cut pieces when they are asked for, as large as the pace seen so far makes sensible."""
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
        """How many candidates a piece has."""
        if not self._pace:
            return 1
        width = self._workers.width
        fair, seconds = -(-total // (2 * width)), SECONDS * max(1.0, width / MANY)
        return max(1, min(int(seconds / self._pace), fair))


class _Piece(NamedTuple):
    """Some of the work of one restart."""

    restart: int
    start: int
    work: Work


def _gathered(
    waiting: list[_Asker], pieces: list[_Piece], answers: dict[int, np.ndarray]
) -> Iterator[tuple[_Asker, np.ndarray]]:
    """What is answered of each request, up to the first gap."""
    parts: dict[int, list[np.ndarray]] = {restart.number: [] for restart in waiting}
    for index in sorted(answers, key=lambda i: pieces[i].start):
        piece = pieces[index]
        if sum(map(len, parts[piece.restart])) == piece.start:
            parts[piece.restart].append(answers[index])
    return ((restart, np.concatenate([*parts[restart.number], np.empty(0)])) for restart in waiting)


def _piece(work: Work, start: int, step: int) -> Work:
    """Some of it, with the random stream of its first evaluation."""
    if not isinstance(work, Candidates):
        return work
    piece = work[start : start + step]
    piece.stream = work.stream[0], work.stream[1] + start
    return piece


class _Answer(NamedTuple):
    """What a worker gives: answers, how many were refits, the time, and what was warned about."""

    computed: np.ndarray
    n_refits: int
    seconds: float
    warned: Sequence[tuple[Any, ...]] = ()


def _evaluate(
    evaluator: Evaluator,
    number: int,  # noqa: ARG001 (of the restart, which all of them are alike to)
    work: Work | None,
) -> _Answer:
    """On a worker; the evaluator stays as it is."""
    return _timed(copy(evaluator.fork()), work)


def _timed(own: Evaluator, work: Work | None) -> _Answer:
    """The answer; nothing is asked of one that must only be ready, while others get ready beside it."""
    if work is None:
        sleep(READY)
        return _Answer(np.empty(0), 0, 0.0)
    begin, refits = perf_counter(), own.n_refits
    computed = compute(own, work)
    return _Answer(computed, own.n_refits - refits, perf_counter() - begin)


class _Elsewhere(NamedTuple):
    """The forks of all restarts, and the settings of the process that they come from."""

    forks: list[Evaluator]
    config: dict[str, Any]
    filters: list[tuple[Any, ...]]

    @classmethod
    def of(cls, forks: list[Evaluator]) -> _Elsewhere:
        return cls(forks, get_config(), list(warnings.filters))


def _evaluate_apart(elsewhere: _Elsewhere, number: int, work: Work | None) -> _Answer:
    """In the one process apart: as it would be done here, and what would be warned about here is told."""
    with config_context(**elsewhere.config), warnings.catch_warnings(record=True) as warned:
        warnings.filters = list(elsewhere.filters)
        answer = _timed(elsewhere.forks[number], work)
    return answer._replace(
        warned=[(str(w.message), _plain(w), w.filename, w.lineno) for w in warned]
    )


def _plain(warning: warnings.WarningMessage) -> type[Warning]:
    """The category, where a warning of it can be made of its text."""
    try:
        return type(warning.category(str(warning.message)))
    except TypeError:
        return UserWarning


def _evaluate_fork(forks: list[Evaluator], number: int, work: Work, deadline: float) -> np.ndarray:
    """On a thread: with the fork of one restart."""
    return _in_time(forks[number], work, deadline)


def _in_time(
    evaluator: Evaluator,
    work: Work,
    deadline: float,
    *,
    first: int = PIECE,
    checkpoint: Callable[[np.ndarray], None] | None = None,
) -> np.ndarray:
    """Do work in pieces of about a quarter of a second, where there is a deadline or it takes long.

    The first piece is of so many candidates: one where each of them may take long.
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
