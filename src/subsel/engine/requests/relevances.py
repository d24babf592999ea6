"""The request for relevances: trained once, answered whole or not at all."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from subsel.criteria.base import Evaluator
from subsel.engine.cache import Forgetful
from subsel.engine.history import History
from subsel.engine.journal.restart_log import RestartLog
from subsel.engine.requests.subsets import Settled, Stream
from subsel.result.rounding import round_qualities
from subsel.search.relevance_request import Relevances, unit_relevances
from subsel.space.candidates import Subset
from subsel.space.space import Space

__all__ = ["RelevanceRequest", "RelevanceWork"]

_NONE = np.empty(0)
KIND = 0x9E3779B97F4A7C15  # tells the key of a relevance from that of a quality of the same subset


class RelevanceWork:
    """What a worker needs to answer.

    The columns; the same by unit, fixed ones last, with the size of each unit; the setting of the choices; the random
    stream.
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

    def recalled(self, memory: Forgetful) -> RelevanceRequest:
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

    def settled(self, computed: np.ndarray, memory: Forgetful) -> Settled:
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
