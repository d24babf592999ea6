"""Requests of a search and their answers, checked where they enter the engine."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from subsel.criteria.base import Evaluator
from subsel.engine.cache import EmptyCache
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
    "WrongRequest",
    "read_request",
    "read_return",
]

_NONE = np.empty(0)
KIND = 0x9E3779B97F4A7C15  # makes the key of relevances differ from that of the subset's quality


class WrongRequest(TypeError):
    """The error for a search that yields or returns something that the engine cannot answer."""


class RelevanceWork:
    """What a worker needs to compute relevances.

    Parameters
    ----------
    columns : ndarray of shape (s,)
        The columns of the subset, ascending.
    members : ndarray of shape (s,)
        The same columns unit by unit, fixed ones last.
    sizes : ndarray
        Number of columns of each unit, 1 for each fixed column.
    options : tuple of int
        The options of the choices.
    stream : tuple of int
        The random stream: the restart, and the number of its evaluation.
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
        """Return 1: it counts as one evaluation and is never divided."""
        return 1

    def ask(self, evaluator: Evaluator) -> np.ndarray:
        """Compute one value per unit, then one per fixed column, rounded to ten digits."""
        weights = np.asarray(
            evaluator.at(self.options).relevances(self.columns, self.stream), dtype=float
        )
        if weights.shape != self.columns.shape:
            raise ValueError(
                f"relevances of {evaluator.traits.name} must be one value for each of "
                f"{len(self.columns)} columns, got shape {weights.shape}."
            )
        return round_qualities(unit_relevances(weights, self.columns, self.members, self.sizes))


class RelevanceRequest(NamedTuple):
    """A request for the relevances of the units of one subset."""

    subset: Subset  # the subset
    space: Space  # the space that it is of
    stream: Stream  # the random stream of the evaluation
    units: np.ndarray  # the units of the first block that the subset has
    known: np.ndarray | None = None  # relevances from cache or log, None if to be computed
    remembered: bool = False  # ``known`` is from the cache
    n_recorded: int = 0  # 1 if the log has the answer

    @classmethod
    def of(cls, subset: Subset, space: Space, stream: Stream) -> RelevanceRequest:
        """Make a request for the units of the first block that a subset has."""
        units = space.units(subset)
        return cls(subset, space, stream, units[units < space.block_units[0].stop])

    @property
    def n_evaluations(self) -> int:
        """Number of evaluations, 1."""
        return 1

    @property
    def key(self) -> int:
        """The key in cache and log, of the subset and the kind of request."""
        return self.subset.key ^ KIND

    @property
    def keys(self) -> np.ndarray:
        """The key as an array of shape (1,)."""
        return np.array([self.key], dtype=np.uint64)

    @property
    def work(self) -> RelevanceWork | None:
        """What must be computed, None if the relevances are known."""
        if self.known is not None:
            return None
        return self.first_work

    @property
    def first_work(self) -> RelevanceWork:
        """What would be computed if the relevances were not known."""
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
        """Number of columns of `first_work`."""
        return self.subset.size

    @property
    def first_known(self) -> np.ndarray:
        """The known answer to `first_work`, empty if there is none."""
        return _NONE if self.known is None else self.known

    def recalled(self, memory: EmptyCache) -> RelevanceRequest:
        """Return the request with relevances from the cache, if they are there."""
        values = memory.relevances(self.key)
        if values is None:
            return self
        return self._replace(known=values, remembered=True)

    def replayed(self, log: RestartLog) -> RelevanceRequest:
        """Return the request with relevances from the log, if they are there."""
        if self.remembered:
            return self._replace(n_recorded=len(log.replay(self.keys)))
        values = log.replay_vector(self.key, self.stream[1])
        if values is None:
            return self
        return self._replace(known=values, n_recorded=1)

    def settled(self, computed: np.ndarray, memory: EmptyCache) -> Settled:
        """Return the request, its answer and the number of evaluations that were not cached."""
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
        """Count the evaluation; relevances are not a quality and cannot be the best."""
        history.record_relevance(self.subset)

    def note(self, answer: Relevances, log: RestartLog) -> None:
        """Note the request for the log and write its values, unless the log has them."""
        if self.n_recorded:
            return
        if not self.remembered:
            log.write_vector(self.stream[1], np.concatenate([answer.values, answer.fixed]))
        log.note_one(self.key, -np.inf)


Stream: TypeAlias = tuple[int, int]
"""The number of the restart, and that of its evaluation."""


Settled: TypeAlias = tuple[Any, Any, int]
"""The request up to the first candidate without an answer, the answer, and its cost.

The answer is what the search is sent; the cost is the number of evaluations that were not cached.
"""


class SubsetRequest:
    """A request for the quality of one subset.

    ``work`` is what must be computed, None where the quality is known, from the cache or the log.
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
        """What would be computed if the quality were not known."""
        return Candidates.of(self.space, [self.subset], self.stream)

    @property
    def first_size(self) -> int:
        """Number of columns of `first_work`."""
        return self.subset.size

    @property
    def first_known(self) -> np.ndarray:
        """The known answer to `first_work`."""
        return np.array([self.known])

    def replayed(self, log: RestartLog) -> SubsetRequest:
        """Return the request with its quality from the log, if it is there."""
        qualities = log.replay(np.array([self.subset.key], dtype=np.uint64))
        if not len(qualities):
            return self
        replayed = SubsetRequest(self.subset, self.space, self.stream, float(qualities[0]))
        replayed.remembered, replayed.n_recorded = self.remembered, 1
        return replayed

    def settled(self, computed: np.ndarray, memory: EmptyCache) -> Settled:
        """Return the request, its quality and 1, or 0 if that was cached.

        The quality is rounded here, before anything sees it: cache, log and search get the same
        number.
        """
        quality = self.known
        if self.remembered:
            return self, quality, 0
        if quality is None:
            quality = round_quality(float(computed[0]))
        memory.learn_one(self.subset.key, quality)
        return self, quality, 1

    def record(self, answer: float, history: History, seconds: float) -> None:
        """Record the quality in the history."""
        history.record(self.subset, answer, seconds)

    def note(self, answer: float, log: RestartLog) -> None:
        """Note the quality for the log, unless the log has it."""
        if not self.n_recorded:
            log.note_one(self.subset.key, answer)


class BatchRequest(NamedTuple):
    """A request for the qualities of candidates."""

    batch: Candidates  # the candidates
    stream: Stream  # the random stream of the first of them
    known: np.ndarray  # (candidates,) qualities from cache and log, NaN if to be computed
    same: np.ndarray  # (candidates,) the first of the batch that is the same subset
    missing: np.ndarray  # positions of those not cached, each distinct subset once
    places: np.ndarray  # those of them that must be computed, since the log lacks them too
    n_recorded: int = 0  # number of candidates whose qualities the log has, the first ones

    @classmethod
    def of(cls, batch: Candidates, stream: Stream, memory: EmptyCache) -> BatchRequest:
        """Make a request with the qualities that are cached."""
        known, same = memory.recall(batch)
        missing = np.flatnonzero(np.isnan(known) & (same == np.arange(len(same))))
        return cls(batch, stream, known, same, missing, places=missing)

    @property
    def n_evaluations(self) -> int:
        """Number of qualities that are requested."""
        return len(self.batch)

    @property
    def keys(self) -> np.ndarray:
        """The keys of the candidates in cache and log."""
        return self.batch.keys

    @property
    def work(self) -> Candidates | None:
        """The candidates that must be computed, None if there are none."""
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
        """The first candidate of the batch."""
        first = self.batch.take(np.arange(1))
        first.stream = self.stream
        return first

    @property
    def first_size(self) -> int:
        """Number of columns of `first_work`."""
        return int(self.batch.sizes[0])

    @property
    def first_known(self) -> np.ndarray:
        """The known quality of the first candidate."""
        return self.known[:1]

    def replayed(self, log: RestartLog) -> BatchRequest:
        """Return the request with qualities from the log, which has the first ones of the batch."""
        qualities = log.replay(self.keys)
        if not len(qualities):
            return self
        known = self.known.copy()
        known[: len(qualities)] = qualities
        places = self.missing[np.isnan(known[self.missing])]
        return self._replace(known=known, places=places, n_recorded=len(qualities))

    def answered(self, computed: np.ndarray) -> tuple[BatchRequest, np.ndarray]:
        """Return the request and its rounded qualities up to the first candidate without one.

        ``computed`` holds the qualities of the first of ``places``.
        """
        values, places = self.known.copy(), self.places
        done = places[: len(computed)]
        values[done] = round_qualities(computed)
        if len(done) == len(places):
            return self, values[self.same]
        end = int(places[len(done)])
        missing = self.missing[self.missing < end]
        return self._replace(batch=self.batch[:end], missing=missing), values[self.same[:end]]

    def settled(
        self, computed: np.ndarray, memory: EmptyCache
    ) -> tuple[BatchRequest, np.ndarray, int]:
        """Return the request, its qualities and the number of those that were not cached.

        The qualities end before the first candidate without one; new ones are stored in ``memory``.
        """
        request, qualities = self.answered(computed)
        memory.learn(request.batch.keys[request.missing], qualities[request.missing])
        return request, qualities, len(request.missing)

    def record(self, answer: np.ndarray, history: History, seconds: float) -> None:
        """Record the qualities in the history."""
        history.record_batch(self.batch, answer, seconds)

    def note(self, answer: np.ndarray, log: RestartLog) -> None:
        """Note for the log the qualities that it lacks."""
        log.note(self.keys[self.n_recorded :], answer[self.n_recorded :])


Request: TypeAlias = SubsetRequest | BatchRequest | RelevanceRequest
"""What a search requests in one step; it is never changed in place, except for ``work.stream``."""


def read_request(
    question: object,
    space: Space,
    memory: EmptyCache,
    stream: Stream,
    *,
    left: float,
    search: str,
) -> Request:
    """Read what a search yielded, cut to the evaluations left, and look it up in the cache."""
    if type(question) is Subset:
        return SubsetRequest(question, space, stream, memory.quality(question.key))
    if isinstance(question, Relevance):
        return RelevanceRequest.of(question.subset, space, stream).recalled(memory)
    if not isinstance(question, Candidates):
        if not isinstance(question, (list, tuple)) or not all(
            isinstance(subset, Subset) for subset in question
        ):
            raise WrongRequest(
                f"a search must yield a Subset (it is sent its quality), Candidates or a list of "
                f"subsets (it is sent their qualities), or Relevance(subset); {search} yielded "
                f"{question!r}."
            )
        question = Candidates.of(space, question)
    if len(question) > left:
        question = question.take(np.arange(int(left)))
    return BatchRequest.of(question, stream, memory)


def read_return(value: object, search: str) -> Subset | None:
    """Read what a search returned as its own answer, a subset or None."""
    if value is not None and not isinstance(value, Subset):
        raise WrongRequest(
            f"a search must return a Subset as its answer, or nothing; {search} returned {value!r}."
        )
    return value
