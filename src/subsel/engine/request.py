"""What a search asks for in one step, as a value: who answers how much of it, and the answer put together.

Two layers stand before the evaluator. The memory of the restart (:meth:`recalled`) knows qualities seen before, the
restart log of the journal (:meth:`replayed`) the answers to the first candidates; what remains is ``work``.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from subsel.candidates import Candidates, Subset
from subsel.engine.history import History
from subsel.engine.memory import Forgetful
from subsel.engine.restart_log import RestartLog
from subsel.engine.rounding import round_qualities, round_quality
from subsel.space import Space

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
        self.work = Candidates.of(space, (subset,), stream) if known is None else None

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
    known: np.ndarray | None = None  # NaN where a quality must be computed; None: everywhere
    same: np.ndarray | None = None  # the first candidate of the batch that is the same subset
    missing: np.ndarray | None = None  # distinct candidates that are not remembered, None: all
    n_recorded: int = 0

    @property
    def n_evaluations(self) -> int:
        """How many qualities are asked for."""
        return len(self.batch)

    @property
    def keys(self) -> np.ndarray:
        """What the log knows the candidates by."""
        return self.batch.keys

    @property
    def places(self) -> np.ndarray:
        """Which candidates must be computed, each distinct one once."""
        if self.known is None or self.missing is None:
            return np.arange(len(self.batch))
        return self.missing[np.isnan(self.known[self.missing])]

    @property
    def work(self) -> Candidates | None:
        """What must be computed."""
        if self.known is None:
            return _streamed(self.batch, self.stream) if len(self.batch) else None
        places = self.places
        if not len(places):
            return None
        later = self.stream[0], self.stream[1] + int(places[0] if self.n_recorded else 0)
        return _streamed(self.batch.take(places), later)

    @property
    def first_work(self) -> Candidates:
        """Its first candidate."""
        return _streamed(self.batch[:1], self.stream)

    @property
    def first_size(self) -> int:
        """How many columns that has."""
        return int(self.batch.sizes[0])

    @property
    def first_known(self) -> np.ndarray:
        """What is known of the first candidate."""
        return np.empty(0) if self.known is None else self.known[:1]

    def recalled(self, memory: Forgetful) -> BatchRequest:
        """With what the restart remembers; the same subset twice is asked for once."""
        found = memory.recall(self.batch)
        if found is None:
            return self
        known, same = found
        missing = np.flatnonzero(np.isnan(known) & (same == np.arange(len(same))))
        return self._replace(known=known, same=same, missing=missing)

    def replayed(self, log: RestartLog) -> BatchRequest:
        """With what the log holds, which are the first answers of the batch."""
        held = log.replay(self.keys)
        if not len(held):
            return self
        known = np.full(len(self.batch), np.nan) if self.known is None else self.known.copy()
        known[: len(held)] = held
        missing = np.arange(len(self.batch)) if self.missing is None else self.missing
        return self._replace(known=known, missing=missing, n_recorded=len(held))

    def answered(self, computed: np.ndarray) -> tuple[BatchRequest, np.ndarray]:
        """The qualities up to the first candidate without one, rounded once and for all."""
        fresh = round_qualities(computed)
        if self.known is None:
            return self._cut(len(fresh)), fresh
        values, places = self.known.copy(), self.places
        values[places[: len(fresh)]] = fresh
        end = len(values) if len(fresh) == len(places) else int(places[len(fresh)])
        return self._cut(end), values[:end] if self.same is None else values[self.same[:end]]

    def _cut(self, end: int) -> BatchRequest:
        if end == len(self.batch):
            return self
        missing = self.missing if self.missing is None else self.missing[self.missing < end]
        return self._replace(batch=self.batch[:end], missing=missing)

    def settled(self, computed: np.ndarray, memory: Forgetful) -> Settled:
        """With the qualities as far as they go; what was computed is remembered."""
        request, qualities = self.answered(computed)
        keys, values = request.batch.keys, qualities
        if request.missing is not None:
            keys, values = keys[request.missing], values[request.missing]
        memory.learn(keys, values)
        return request, qualities, len(keys)

    def record(self, answer: np.ndarray, history: History, seconds: float) -> None:
        """Write it into the history."""
        history.record_batch(self.batch, answer, seconds)

    def note(self, answer: np.ndarray, log: RestartLog) -> None:
        """Note for the log what that does not hold."""
        log.note(self.keys[self.n_recorded :], answer[self.n_recorded :])


def _streamed(candidates: Candidates, stream: Stream) -> Candidates:
    """Candidates that know which restart asks for them, and as which of its evaluations."""
    candidates.stream = stream
    return candidates
