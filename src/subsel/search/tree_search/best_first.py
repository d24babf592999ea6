"""Best-first search: always expand the best subset that has not been expanded yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Literal

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.moves import ask_start, band, bare, growing, shrinking, within
from subsel.search.registry import Steps, search
from subsel.search.tree_search.open_list import Entry, entries, unseen
from subsel.space.candidates import Candidates, Subset
from subsel.space.space import Space

__all__ = ["BestFirst"]


@search("best-first")
@dataclass(frozen=True)
class BestFirst(Parameters):
    """Best-first search: expand the best open subset until several expansions find no better.

    All subsets ever evaluated wait in one open list, so that the search can go back to any of them.
    Where the empty (full) set has no eligible neighbours, the start is first grown (shrunk)
    greedily to where there are some.

    Parameters
    ----------
    direction : {"forward", "backward", "both"}
        Add features, drop them, or either (from the empty set; around an exact size it goes one
        unit beyond it).
    stale : int
        Stop after so many expansions in a row without a better eligible subset.

    References
    ----------
    .. [1] Kohavi and John, *Wrappers for feature subset selection*, Artificial Intelligence 97,
       1997.
    .. [2] Hall, *Correlation-based feature selection for machine learning*, thesis, University of
       Waikato, 1999: with a merit of correlations.

    Examples
    --------
    The pairs with 0 are no better than 0 alone, so 1 is expanded next.

    >>> space = Space.of(3)
    >>> steps = BestFirst().steps(space, np.random.default_rng(0))
    >>> requests = next(steps), steps.send([0.9, 0.8, 0.1]), steps.send([0.7, 0.6])
    >>> [[space.columns(subset).tolist() for subset in request] for request in requests]
    [[[0], [1], [2]], [[0, 1], [0, 2]], [[1, 2]]]
    """

    direction: Literal["forward", "backward", "both"] = "forward"
    stale: int = 5

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,  # noqa: ARG002
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Expand the first in the queue while that is worth it."""
        if self.direction not in ("forward", "backward", "both"):
            raise ValueError(
                f"direction must be 'forward', 'backward' or 'both', got {self.direction!r}."
            )
        if self.stale < 1:
            raise ValueError(f"stale must be at least 1, got {self.stale}.")
        start, best = yield from self._start(space)
        seen, idle = {start.key}, 0
        queue: _Queue = [(Entry(np.inf, -1, Candidates.of(space, [start]), 0), iter(()))]
        while queue and idle < self.stale:
            idle += 1
            for candidates in self._neighbours(space, _pop(queue)):
                if fresh := unseen(candidates, seen):
                    qualities = yield fresh
                    _push(queue, entries(fresh, qualities, seen))
                    better = _best_eligible(space, fresh, np.asarray(qualities), best)
                    if better > best:
                        best, idle = better, 0

    def _start(self, space: Space) -> Steps:
        """Move greedily to where a neighbour may be eligible; returns that subset and quality."""
        current = bare(space)
        if self.direction == "backward":
            current = space.full()
        current, best = yield from ask_start(space, current)
        widest = int(space.widths.max())
        while (
            current.size + widest < space.low
            or current.size - widest > space.high
            or not space.within_cost(current)
        ):
            if current.size < space.low:
                candidates = growing(space, current)
            else:
                candidates = shrinking(space, current)
            if not candidates:
                break
            qualities = yield candidates
            first = int(np.argmax(qualities))
            current = candidates[first]
            if space.eligible(current):
                best = float(qualities[first])
        return current, best

    def _neighbours(self, space: Space, subset: Subset) -> Iterator[Candidates]:
        if self.direction == "both":
            yield within(space.additions(subset), *band(space))
            yield within(space.removals(subset), *band(space))
        elif self.direction == "forward":
            yield growing(space, subset)
        else:
            yield shrinking(space, subset)


def _best_eligible(space: Space, batch: Candidates, qualities: np.ndarray, best: float) -> float:
    """The quality of the best eligible candidate, or ``best`` where that is no less."""
    better = np.flatnonzero(qualities > best)
    for row in better[np.argsort(-qualities[better], kind="stable")].tolist():
        if space.eligible(batch[row]):
            return float(qualities[row])
    return best


_Queue = list[
    tuple[Entry, Iterator[Entry]]
]  # a heap: of each batch the best row that waits, and the rows behind it


def _pop(queue: _Queue) -> Subset:
    """Take the best of all that wait."""
    entry, behind = heappop(queue)
    _push(queue, behind)
    return entry.subset


def _push(queue: _Queue, rows: Iterator[Entry]) -> None:
    """Let the rows of a batch wait; only the first of them is looked at."""
    if first := next(rows, None):
        heappush(queue, (first, rows))
