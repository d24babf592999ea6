"""Who answers a round: one evaluator per restart, on threads; or workers, where evaluations are heavy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from time import perf_counter
from typing import Any, NamedTuple, Protocol

import numpy as np

from subsel.candidates import Candidates
from subsel.criteria.base import Evaluator
from subsel.engine.workers import Workers

__all__ = ["Judges"]

PIECE = 64  # candidates that a quick judge evaluates before the clock is looked at
HEARING = 1.0  # seconds after which the beginning of a long batch is handed on
SECONDS = 0.25  # work that is handed out, or done between looks at the clock, at a time
MANY = 64  # workers beyond which pieces grow with their number: one process hands all of them out
TRIFLE = 0.001  # seconds of work in a round that no thread is woken for


class _Asker(Protocol):
    number: int
    pending: Candidates | None

    def hear(self, qualities: np.ndarray) -> None: ...
    def deliver(self, qualities: np.ndarray) -> None: ...


class Judges:
    """Answers the pending requests of a round; how the work is shared out never changes an answer.

    Heavy evaluators (milliseconds a subset) get their candidates spread over the workers of joblib's active backend, in
    pieces of about a quarter of a second. Quick ones run in this process; several restarts are then answered on
    threads, each with a fork of the evaluator that keeps its own incremental state, because compiled loops release the
    interpreter lock.
    """

    def __init__(self, evaluator: Evaluator, restarts: int, n_jobs: int | None) -> None:
        self.evaluator = evaluator
        self.forks = [evaluator] + [evaluator.fork() for _ in range(restarts - 1)]
        self._n_refits = 0
        self._pace = 0.0  # seconds a candidate has taken lately, 0 while unknown
        alone = evaluator.traits.shares_state or (restarts == 1 and not evaluator.traits.heavy)
        n_jobs = 1 if alone else n_jobs
        if evaluator.traits.heavy:
            self._workers = Workers(_evaluate, evaluator, n_jobs)
        else:
            self._workers = Workers(_evaluate_fork, self.forks, n_jobs, sharedmem=True)

    def __enter__(self) -> Judges:
        return self

    def __exit__(self, *error: Any) -> None:
        self._workers.__exit__(*error)

    @property
    def n_refits(self) -> int:
        """How many subsets were fitted from scratch."""
        distinct = {id(fork): fork for fork in self.forks}.values()
        return self._n_refits + sum(fork.n_refits for fork in distinct)

    def answer(self, walks: Sequence[_Asker], deadline: float = np.inf) -> None:
        """Answer what is pending; past the deadline (of ``perf_counter``) a long batch is left where it is.

        Of each request at least the beginning is answered, however late it is.
        """
        if len(walks) == 1 and not self.evaluator.traits.heavy:
            walk = walks[0]
            if walk.pending is not None:
                walk.deliver(_in_time(self.forks[walk.number], walk.pending, deadline))
            return
        waiting = [walk for walk in walks if walk.pending is not None]
        total = sum(len(_pending(walk)) for walk in waiting)
        begin = perf_counter()
        if self.evaluator.traits.heavy and total > 1 and self._workers.pool is not None:
            self._spread(waiting, deadline)
            return
        threads = not self.evaluator.traits.heavy and len(waiting) > 1 and total * self._pace > TRIFLE
        if threads and self._workers.pool is not None:
            tasks = [(walk.number, walk.pending, deadline) for walk in waiting]
            answers = dict(self._workers.run(tasks))
            side_by_side = min(self._workers.width, len(waiting))
            for i, walk in enumerate(waiting):
                walk.deliver(answers[i])
        else:
            side_by_side = 1
            for walk in waiting:
                walk.deliver(_in_time(self.forks[walk.number], _pending(walk), deadline, walk.hear))
        if total:
            self._pace = side_by_side * (perf_counter() - begin) / total

    def _spread(self, waiting: list[_Asker], deadline: float) -> None:
        """Let workers answer pieces of all requests; the first pieces come first, because each request needs one."""
        pieces: list[_Piece] = []
        answers: dict[int, np.ndarray] = {}
        tasks = ((piece.candidates,) for piece in self._cut(waiting, pieces))
        hearing = perf_counter() + HEARING
        for index, (qualities, n_refits, seconds) in self._workers.run(tasks, deadline, at_least=len(waiting)):
            answers[index] = qualities
            self._n_refits += n_refits
            self._pace = seconds / len(qualities)
            if perf_counter() >= hearing:
                hearing = perf_counter() + HEARING
                for walk, begun in _gathered(waiting, pieces, answers):
                    walk.hear(begun)
        for walk, whole in _gathered(waiting, pieces, answers):
            walk.deliver(whole)

    def _cut(self, waiting: list[_Asker], pieces: list[_Piece]) -> Iterator[_Piece]:
        """Cut pieces when they are asked for, as large as the pace seen so far makes sensible."""
        total = sum(len(_pending(walk)) for walk in waiting)
        starts = {walk.number: 0 for walk in waiting}
        for rest in (False, True):
            for walk in waiting:
                candidates = _pending(walk)
                while (start := starts[walk.number]) < len(candidates):
                    width = self._workers.width
                    fair, seconds = -(-total // (2 * width)), SECONDS * max(1.0, width / MANY)
                    step = max(1, min(int(seconds / self._pace), fair)) if self._pace else 1
                    pieces.append(_Piece(walk.number, start, _piece(candidates, start, step)))
                    starts[walk.number] += len(pieces[-1].candidates)
                    yield pieces[-1]
                    if not rest:
                        break


class _Piece(NamedTuple):
    """Some candidates of the request of one restart."""

    walk: int
    start: int
    candidates: Candidates


def _gathered(
    waiting: list[_Asker], pieces: list[_Piece], answers: dict[int, np.ndarray]
) -> Iterator[tuple[_Asker, np.ndarray]]:
    """What is answered of each request, up to the first gap."""
    parts: dict[int, list[np.ndarray]] = {walk.number: [] for walk in waiting}
    for index in sorted(answers, key=lambda i: pieces[i].start):
        piece = pieces[index]
        if sum(map(len, parts[piece.walk])) == piece.start:
            parts[piece.walk].append(answers[index])
    return ((walk, np.concatenate([*parts[walk.number], np.empty(0)])) for walk in waiting)


def _pending(walk: _Asker) -> Candidates:
    assert walk.pending is not None
    return walk.pending


def _piece(candidates: Candidates, start: int, step: int) -> Candidates:
    piece = candidates[start : start + step]
    piece.stream = candidates.stream[0], candidates.stream[1] + start
    return piece


def _evaluate(evaluator: Evaluator, candidates: Candidates) -> tuple[np.ndarray, int, float]:
    """On a worker: the qualities, how many were refits, and the time; the evaluator stays as it is."""
    own, begin = copy(evaluator.fork()), perf_counter()
    refits = own.n_refits
    qualities = own.evaluate(candidates)
    return qualities, own.n_refits - refits, perf_counter() - begin


def _evaluate_fork(forks: list[Evaluator], number: int, candidates: Candidates, deadline: float) -> np.ndarray:
    """On a thread: with the fork of one restart."""
    return _in_time(forks[number], candidates, deadline)


def _in_time(
    evaluator: Evaluator,
    candidates: Candidates,
    deadline: float,
    hear: Callable[[np.ndarray], None] | None = None,
) -> np.ndarray:
    """Evaluate a batch, in pieces of about a quarter of a second where there is a deadline or it takes long."""
    if deadline == np.inf and not evaluator.traits.heavy:
        return evaluator.evaluate(candidates)
    size = 1 if evaluator.traits.heavy else PIECE
    if len(candidates) <= size:
        return evaluator.evaluate(candidates)
    parts, done, begin = [], 0, perf_counter()
    hearing = begin + HEARING
    while done < len(candidates):
        parts.append(evaluator.evaluate(_piece(candidates, done, size)))
        done += len(parts[-1])
        now = perf_counter()
        if now >= deadline:
            break
        if hear is not None and now >= hearing:
            hearing = now + HEARING
            hear(np.concatenate(parts))
        size = max(size, int(SECONDS * done / max(now - begin, 1e-6)))
    return np.concatenate(parts)
