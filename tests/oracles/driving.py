"""The plainest driver there is: it answers what a search asks for, and writes everything down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from subsel.search.registry import Search
from subsel.space.candidates import Subset
from subsel.space.space import Space


@dataclass
class Drive:
    """What a search asked for, in order, what it was told, and what it returned."""

    asked: list[Subset] = field(default_factory=list)
    qualities: list[float] = field(default_factory=list)
    answer: Subset | None = None
    ended: bool = False

    @property
    def best(self) -> float:
        """The largest quality told."""
        return max(self.qualities)


def drive(
    search: Search,
    quality: Callable[[Subset], float],
    space: Space,
    seed: int = 0,
    limit: int = 100_000,
    horizon: int | None = None,
) -> Drive:
    """Answer until the search ends, or has asked for more than the limit."""
    record, steps, answer = Drive(), search.steps(space, np.random.default_rng(seed), horizon), None
    while len(record.asked) < limit:
        try:
            request = steps.send(answer)
        except StopIteration as stop:
            record.answer, record.ended = stop.value, True
            break
        batch = [request] if isinstance(request, Subset) else list(request)
        told = [float(quality(subset)) for subset in batch]
        record.asked += batch
        record.qualities += told
        answer = told[0] if isinstance(request, Subset) else np.array(told)
    return record


def random_qualities(seed: int, scale: float = 1.0) -> Callable[[Subset], float]:
    """A fixed random quality for each subset."""
    known: dict[int, float] = {}

    def quality(subset: Subset) -> float:
        if subset.bits not in known:
            known[subset.bits] = scale * float(np.random.default_rng([seed, subset.bits]).random())
        return known[subset.bits]

    return quality
