"""Who answers a round: one evaluator per restart, on threads; or a pool of processes, where evaluations are heavy."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from subsel.candidates import Candidates
from subsel.criteria.base import Evaluator

__all__ = ["Judges"]

PIECE = 64  # candidates that a quick judge evaluates before the clock is looked at


class _Asker(Protocol):
    number: int
    pending: Candidates | None

    def deliver(self, qualities: np.ndarray) -> None: ...


class Judges:
    """Answers the pending requests of a round; how the work is shared out never changes an answer.

    Heavy evaluators (milliseconds a subset) get their candidates spread over joblib workers. Quick ones run in this
    process; several restarts are then answered on threads, each with a fork of the evaluator that keeps its own
    incremental state, because compiled loops release the interpreter lock.
    """

    def __init__(self, evaluator: Evaluator, restarts: int, n_jobs: int | None) -> None:
        self.evaluator = evaluator
        self.forks = [evaluator] + [evaluator.fork() for _ in range(restarts - 1)]
        self.n_jobs = effective_n_jobs(n_jobs)
        self._n_refits = 0
        self._pool: Any = None

    def __enter__(self) -> Judges:
        threads = len(self.forks) > 1 and not self.evaluator.shares_state
        if self.n_jobs > 1 and (self.evaluator.heavy or threads):
            prefer = "processes" if self.evaluator.heavy else "threads"
            self._pool = Parallel(n_jobs=self.n_jobs, prefer=prefer).__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._pool is not None:
            self._pool.__exit__(*error)

    @property
    def n_refits(self) -> int:
        """How many subsets were fitted from scratch."""
        distinct = {id(fork): fork for fork in self.forks}.values()
        return self._n_refits + sum(fork.n_refits for fork in distinct)

    def answer(self, walks: Sequence[_Asker], deadline: float = np.inf) -> None:
        """Answer what is pending; past the deadline (of ``perf_counter``) a long batch is left where it is."""
        if self._pool is None:
            for walk in walks:
                if walk.pending is not None:
                    walk.deliver(self._in_time(self.forks[walk.number], walk.pending, deadline))
            return
        waiting = [walk for walk in walks if walk.pending is not None]
        if self.evaluator.heavy:
            self._spread(waiting)
        else:
            tasks = (delayed(self.forks[walk.number].evaluate)(walk.pending) for walk in waiting)
            for walk, qualities in zip(waiting, self._pool(tasks)):
                walk.deliver(qualities)

    def _in_time(self, evaluator: Evaluator, candidates: Candidates, deadline: float) -> np.ndarray:
        """Evaluate a batch, in pieces of about a quarter of a second where there is a deadline."""
        size = 1 if evaluator.heavy else PIECE
        if deadline == np.inf or len(candidates) <= size:
            return evaluator.evaluate(candidates)
        parts, done, begin = [], 0, perf_counter()
        while done < len(candidates):
            parts.append(evaluator.evaluate(_piece(candidates, done, size)))
            done += len(parts[-1])
            now = perf_counter()
            if now >= deadline:
                break
            size = max(size, int(0.25 * done / max(now - begin, 1e-6)))
        return np.concatenate(parts)

    def _spread(self, waiting: list[_Asker]) -> None:
        """Cut all requests of the round into pieces, a few per worker."""
        total = sum(len(walk.pending) for walk in waiting if walk.pending is not None)
        step = max(1, -(-total // (4 * self.n_jobs)))
        pieces = [
            (walk, _piece(walk.pending, start, step))
            for walk in waiting
            if walk.pending is not None
            for start in range(0, len(walk.pending), step)
        ]
        answers = self._pool(delayed(_evaluate)(self.evaluator, piece) for _, piece in pieces)
        gathered: dict[int, list[np.ndarray]] = {walk.number: [] for walk in waiting}
        for (walk, _), (qualities, n_refits) in zip(pieces, answers):
            gathered[walk.number].append(qualities)
            self._n_refits += n_refits
        for walk in waiting:
            walk.deliver(np.concatenate(gathered[walk.number]))


def _piece(candidates: Candidates, start: int, step: int) -> Candidates:
    piece = candidates[start : start + step]
    piece.stream = candidates.stream[0], candidates.stream[1] + start
    return piece


def _evaluate(evaluator: Evaluator, candidates: Candidates) -> tuple[np.ndarray, int]:
    before = evaluator.n_refits
    qualities = evaluator.evaluate(candidates)
    return qualities, evaluator.n_refits - before
