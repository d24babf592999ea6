"""What a search asks for in one step, as a value: who answers how much of it, and the answer put together.

Two layers stand before the evaluator. The memory of the restart (:meth:`recalled`) knows qualities seen before, the
restart log of the journal (:meth:`replayed`) the answers to the first candidates; what remains is ``work``.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from subsel.engine.cache import Forgetful
from subsel.engine.history import History
from subsel.engine.journal.restart_log import RestartLog
from subsel.result.rounding import round_qualities, round_quality
from subsel.space.candidates import Candidates, Subset
from subsel.space.space import Space

__all__ = ["BatchRequest", "Settled", "Stream", "SubsetRequest"]

Stream: TypeAlias = tuple[int, int]
"""The restart, and the number of its evaluation."""


Settled: TypeAlias = tuple[Any, Any, int]
"""The request up to the first candidate without an answer, what the search is sent, how much had to be computed."""


class SubsetRequest:
    """One subset, whose quality the search is sent as a number.

    ``work`` is what must be computed, None where the quality is known: remembered, or held by the log.
    """

    __slots__ = ("known", "n_recorded", "remembered", "space", "stream", "subset", "work")

    n_evaluations = 1

    def __init__(self, subset: Subset, space: Space, stream: Stream, known: float | None) -> None:
        self.subset, self.space, self.stream, self.known = subset, space, stream, known
        self.remembered, self.n_recorded = known is not None, 0
        self.work: Candidates | None = None
        if known is None:
            self.work = Candidates.of(space, (subset,), stream)

    @property
    def first_work(self) -> Candidates:
        """What would have to be computed if nothing were known."""
        return Candidates.of(self.space, [self.subset], self.stream)

    @property
    def first_size(self) -> int:
        """How many columns that has."""
        return self.subset.size

    @property
    def first_known(self) -> np.ndarray:
        """What is known of that."""
        return np.array([self.known])

    def replayed(self, log: RestartLog) -> SubsetRequest:
        """With what the log holds."""
        held = log.replay(np.array([self.subset.key], dtype=np.uint64))
        if not len(held):
            return self
        replayed = SubsetRequest(self.subset, self.space, self.stream, float(held[0]))
        replayed.remembered, replayed.n_recorded = self.remembered, 1
        return replayed

    def settled(self, computed: np.ndarray, memory: Forgetful) -> Settled:
        """With the quality, rounded once and for all."""
        quality = self.known
        if self.remembered:
            return self, quality, 0
        if quality is None:
            quality = round_quality(float(computed[0]))
        memory.learn_one(self.subset.key, quality)
        return self, quality, 1

    def record(self, answer: float, history: History, seconds: float) -> None:
        """Write it into the history."""
        history.record(self.subset, answer, seconds)

    def note(self, answer: float, log: RestartLog) -> None:
        """Note it for the log, where that does not hold it."""
        if not self.n_recorded:
            log.note_one(self.subset.key, answer)


class BatchRequest(NamedTuple):
    """Candidates, whose qualities the search is sent as an array."""

    batch: Candidates
    stream: Stream
    known: np.ndarray  # the quality of each candidate, NaN where it must be computed
    same: np.ndarray  # for each candidate the first of the batch that is the same subset
    missing: np.ndarray  # the candidates that are not remembered, each distinct one once
    places: (
        np.ndarray
    )  # those of them that must be computed, since the log does not hold them either
    n_recorded: int = 0

    @classmethod
    def of(cls, batch: Candidates, stream: Stream, memory: Forgetful) -> BatchRequest:
        """A request with what the restart remembers of it."""
        known, same = memory.recall(batch)
        missing = np.flatnonzero(np.isnan(known) & (same == np.arange(len(same))))
        return cls(batch, stream, known, same, missing, places=missing)

    @property
    def n_evaluations(self) -> int:
        """How many qualities are asked for."""
        return len(self.batch)

    @property
    def keys(self) -> np.ndarray:
        """What the log knows the candidates by."""
        return self.batch.keys

    @property
    def work(self) -> Candidates | None:
        """What must be computed."""
        places, (restart, evaluation) = self.places, self.stream
        if not len(places):
            return None
        work = self.batch
        if len(places) < len(work):
            work = work.take(places)
        if self.n_recorded:
            evaluation += int(places[0])
        work.stream = restart, evaluation
        return work

    @property
    def first_work(self) -> Candidates:
        """Its first candidate."""
        first = self.batch.take(np.arange(1))
        first.stream = self.stream
        return first

    @property
    def first_size(self) -> int:
        """How many columns that has."""
        return int(self.batch.sizes[0])

    @property
    def first_known(self) -> np.ndarray:
        """What is known of the first candidate."""
        return self.known[:1]

    def replayed(self, log: RestartLog) -> BatchRequest:
        """With what the log holds, which are the first answers of the batch."""
        held = log.replay(self.keys)
        if not len(held):
            return self
        known = self.known.copy()
        known[: len(held)] = held
        places = self.missing[np.isnan(known[self.missing])]
        return self._replace(known=known, places=places, n_recorded=len(held))

    def answered(self, computed: np.ndarray) -> tuple[BatchRequest, np.ndarray]:
        """The qualities up to the first candidate without one, rounded once and for all."""
        values, places = self.known.copy(), self.places
        done = places[: len(computed)]
        values[done] = round_qualities(computed)
        if len(done) == len(places):
            return self, values[self.same]
        end = int(places[len(done)])
        missing = self.missing[self.missing < end]
        return self._replace(batch=self.batch[:end], missing=missing), values[self.same[:end]]

    def settled(
        self, computed: np.ndarray, memory: Forgetful
    ) -> tuple[BatchRequest, np.ndarray, int]:
        """With the qualities as far as they go; what was computed is remembered."""
        request, qualities = self.answered(computed)
        memory.learn(request.batch.keys[request.missing], qualities[request.missing])
        return request, qualities, len(request.missing)

    def record(self, answer: np.ndarray, history: History, seconds: float) -> None:
        """Write it into the history."""
        history.record_batch(self.batch, answer, seconds)

    def note(self, answer: np.ndarray, log: RestartLog) -> None:
        """Note for the log what that does not hold."""
        log.note(self.keys[self.n_recorded :], answer[self.n_recorded :])
