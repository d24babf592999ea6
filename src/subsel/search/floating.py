"""Floating searches: after every step onward, steps back for as long as they find something better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from subsel.candidates import Candidates, Subset
from subsel.search.reach import ask_start, bare, growing, is_forward, shrinking
from subsel.search.registry import Steps, search
from subsel.space import Space

__all__ = ["Floating"]

Best = dict[int, tuple[float, Subset]]


@search("sffs")
@search("sbfs", direction="backward")
@search("asffs", r_max=3)
@search("asbfs", direction="backward", r_max=3)
@dataclass(frozen=True)
class Floating:
    """Floating selection: a step onward, then steps back while they beat the best known subset of their size.

    The best subset of every size is kept. A step onward that does not beat the best of its size is dropped and the
    search goes on from that best (Somol's correction), so that it never follows a branch known to be worse. A step
    back is taken only if it beats the best of its size, so the search ends: at the greatest eligible size forward,
    at the least backward. Two units are always left on (off), for all single ones have been tried. Sizes count
    columns. Method: book-01 S09.

    The adaptive version (``r_max`` above 1) tries pairs, triples, ... of units where a single one brings nothing:
    up to ``r_max`` at once within ``neighbourhood`` columns of the size it ends at, one less for each column
    further away. Sets are a little better, at a much greater cost.
    Method: book-01 S10.

    Parameters
    ----------
    direction : "forward" (SFFS) or "backward" (SBFS).
    r_max : the most units moved at once.
    neighbourhood : how near the last size ``r_max`` units are tried.
    margin : go so many columns beyond the last eligible size, to come back to it better informed.

    Examples
    --------
    Feature 0 is best alone; once 1 and 2 have joined it, dropping it again gives the best pair known.

    >>> space = Space.of(3)
    >>> steps = Floating().steps(space, np.random.default_rng(0))
    >>> answers = [[0.5, 0.1, 0.1], [0.6, 0.4], [0.6], [0.8, 0.3, 0.6]]
    >>> requests = [next(steps), *map(steps.send, answers)]
    >>> [[space.columns(subset).tolist() for subset in request] for request in requests[3:]]
    [[[1, 2], [0, 2], [0, 1]], [[0, 1, 2]]]
    """

    direction: Literal["forward", "backward"] = "forward"
    r_max: int = 1
    neighbourhood: int = 3
    margin: int = 0

    def steps(self, space: Space, rng: np.random.Generator, horizon: int | None = None) -> Steps:
        """Alternate between steps onward and runs of steps back."""
        if self.r_max < 1:
            raise ValueError(f"r_max must be at least 1, got {self.r_max}.")
        forward = is_forward(self.direction)
        grow = partial(growing, space, ceiling=space.high + self.margin if forward else space.n_columns)
        shrink = partial(shrinking, space, floor=1 if forward else max(space.low - self.margin, 1))
        onward, back = (grow, shrink) if forward else (shrink, grow)
        current, target = (bare(space), space.high) if forward else (space.full(), max(space.low, 1))
        _, quality = yield from ask_start(space, current)
        best: Best = {current.size: (quality, current)}
        while True:
            step, improved = yield from _step(current, onward, self._reach(current, target), best)
            if step is None:
                return
            current = step
            while improved:
                reach = min(self._reach(current, target), _gone(space, current, forward) - 2)
                step, improved = yield from _step(current, back, reach, best)
                current = step if improved else current

    def _reach(self, subset: Subset, target: int) -> int:
        """How many units may be moved at once, so far from the last size."""
        return max(1, min(self.r_max, self.r_max + self.neighbourhood - abs(subset.size - target)))


def _step(subset: Subset, move: Callable[[Subset, int], Candidates], reach: int, best: Best) -> Steps:
    """Move 1, 2, ... ``reach`` units until that beats the best of its size; else give the best next to this size."""
    jump = None
    for n in range(1, reach + 1):
        if not (candidates := move(subset, n)):
            break
        qualities = yield candidates
        first = int(np.argmax(qualities))
        step, quality = candidates[first], float(qualities[first])
        if step.size not in best or quality > best[step.size][0]:
            best[step.size] = quality, step
            return step, True
        jump = jump or best[step.size][1]
    return jump, False


def _gone(space: Space, subset: Subset, forward: bool) -> int:
    """How many units the search has moved from where it started."""
    return len(space.units(subset) if forward else space.others(subset))
