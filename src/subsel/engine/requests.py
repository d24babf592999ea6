"""What crosses between search and engine, checked where it crosses."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from subsel.criteria.base import Evaluator
from subsel.engine.cache import BoundedCache
from subsel.engine.history import History
from subsel.engine.journal.restart_log import RestartLog
from subsel.result.rounding import round_qualities, round_quality
from subsel.search.relevance_request import Relevance, Relevances, unit_relevances
from subsel.space.candidates import Candidates, Subset
from subsel.space.space import Space

__all__ = [
    "BatchRequest",
    "RelevanceRequest",
    "RelevanceWork",
    "Request",
    "Settled",
    "Stream",
    "SubsetRequest",
    "read_question",
    "read_return",
]

_NONE = np.empty(0)
KIND = 0x9E3779B97F4A7C15  # tells the key of a relevance from that of a quality of the same subset


class RelevanceWork:
    """What a worker needs to answer.

    The columns; the same by unit, fixed ones last, with the size of each unit; the setting of the
    choices; the random stream.
    """

    __slots__ = ("columns", "members", "options", "sizes", "stream")

    def __init__(
        self,
        columns: np.ndarray,
        members: np.ndarray,
        sizes: np.ndarray,
        options: tuple[int, ...],
        stream: Stream,
    ) -> None:
        self.columns, self.members, self.sizes, self.options, self.stream = (
            columns,
            members,
            sizes,
            options,
            stream,
        )

    def __len__(self) -> int:
        """It counts as one evaluation and is never divided."""
        return 1

    def ask(self, evaluator: Evaluator) -> np.ndarray:
        """One value per unit, then one per fixed column, to ten digits."""
        weights = np.asarray(
            evaluator.at(self.options).relevances(self.columns, self.stream), dtype=float
        )
        if weights.shape != self.columns.shape:
            raise ValueError(
                f"relevances of {evaluator.traits.name} must be one value for each of {len(self.columns)} columns, "
                f"got shape {weights.shape}."
            )
        return round_qualities(unit_relevances(weights, self.columns, self.members, self.sizes))


class RelevanceRequest(NamedTuple):
    """One subset, of whose units the search is sent the relevances."""

    subset: Subset
    space: Space
    stream: Stream
    units: np.ndarray
    known: np.ndarray | None = None
    remembered: bool = False
    n_recorded: int = 0

    @classmethod
    def of(cls, subset: Subset, space: Space, stream: Stream) -> RelevanceRequest:
        """Of the units of the first block that are on."""
        units = space.units(subset)
        return cls(subset, space, stream, units[units < space.block_units[0].stop])

    @property
    def n_evaluations(self) -> int:
        """It counts as one."""
        return 1

    @property
    def key(self) -> int:
        """Of the kind of question and the subset."""
        return self.subset.key ^ KIND

    @property
    def keys(self) -> np.ndarray:
        """What the log knows the request by."""
        return np.array([self.key], dtype=np.uint64)

    @property
    def work(self) -> RelevanceWork | None:
        """What must be computed."""
        if self.known is not None:
            return None
        return self.first_work

    @property
    def first_work(self) -> RelevanceWork:
        """What would have to be computed if nothing were known."""
        space = self.space
        members, sizes = space.members(self.units)
        if fixed := space.blocks[0].fixed:
            members = np.append(members, fixed)
            sizes = np.append(sizes, np.ones(len(fixed), dtype=np.int64))
        columns = members
        if fixed or space.blocks[0].groups:
            columns = np.sort(members)
        return RelevanceWork(columns, members, sizes, space.options(self.subset), self.stream)

    @property
    def first_size(self) -> int:
        """How many columns that has."""
        return self.subset.size

    @property
    def first_known(self) -> np.ndarray:
        """What is known of that."""
        return _NONE if self.known is None else self.known

    def recalled(self, memory: BoundedCache) -> RelevanceRequest:
        """With what the restart remembers."""
        values = memory.relevances(self.key)
        if values is None:
            return self
        return self._replace(known=values, remembered=True)

    def replayed(self, log: RestartLog) -> RelevanceRequest:
        """With what the log holds."""
        if self.remembered:
            return self._replace(n_recorded=len(log.replay(self.keys)))
        held = log.replay_vector(self.key, self.stream[1])
        if held is None:
            return self
        return self._replace(known=held, n_recorded=1)

    def settled(self, computed: np.ndarray, memory: BoundedCache) -> Settled:
        """With the relevances of the units, and those of the fixed columns apart."""
        values, n = self.known, len(self.units)
        if values is None:
            values = computed
        if not self.remembered:
            memory.learn_relevances(self.key, values)
        answer = Relevances(self.units, values[:n], values[n:])
        return self, answer, int(not self.remembered)

    def record(
        self,
        answer: Relevances,  # noqa: ARG002 (of every request)
        history: History,
        seconds: float,  # noqa: ARG002
    ) -> None:
        """Count it; a relevance is no quality, so that it can be no best."""
        history.record_relevance(self.subset)

    def note(self, answer: Relevances, log: RestartLog) -> None:
        """Note it for the log, and have the values written, where that does not hold them."""
        if self.n_recorded:
            return
        if not self.remembered:
            log.write_vector(self.stream[1], np.concatenate([answer.values, answer.fixed]))
        log.note_one(self.key, -np.inf)


Stream: TypeAlias = tuple[int, int]
"""The restart, and the number of its evaluation."""


Settled: TypeAlias = tuple[Any, Any, int]
"""The request up to the first candidate without an answer, what the search is sent, how much had to be computed."""


class SubsetRequest:
    """One subset, whose quality the search is sent as a number.

    ``work`` is what must be computed, None where the quality is known: remembered, or held by the
    log.
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

    def settled(self, computed: np.ndarray, memory: BoundedCache) -> Settled:
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
    def of(cls, batch: Candidates, stream: Stream, memory: BoundedCache) -> BatchRequest:
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
        self, computed: np.ndarray, memory: BoundedCache
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


Request: TypeAlias = SubsetRequest | BatchRequest | RelevanceRequest
"""What a search asks for in one step; none of them ever changes."""


def read_question(
    question: object,
    space: Space,
    memory: BoundedCache,
    stream: Stream,
    *,
    left: float,
    search: str,
) -> Request:
    """Read what a search yielded, cut to the evaluations that are left, with what is remembered of it."""
    if type(question) is Subset:
        return SubsetRequest(question, space, stream, memory.quality(question.key))
    if isinstance(question, Relevance):
        return RelevanceRequest.of(question.subset, space, stream).recalled(memory)
    if not isinstance(question, Candidates):
        if not isinstance(question, (list, tuple)) or not all(
            isinstance(subset, Subset) for subset in question
        ):
            raise TypeError(
                f"{search} yielded {question!r}. It may yield a Subset (and is sent its quality), Candidates or a list "
                "of subsets (and is sent their qualities), or Relevance(subset)."
            )
        question = Candidates.of(space, question)
    if len(question) > left:
        question = question.take(np.arange(int(left)))
    return BatchRequest.of(question, stream, memory)


def read_return(value: object, search: str) -> Subset | None:
    """Read what a search returned as its own answer."""
    if value is not None and not isinstance(value, Subset):
        raise TypeError(
            f"{search} returned {value!r}. It may return a Subset as its answer, or nothing."
        )
    return value
