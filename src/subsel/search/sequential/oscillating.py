"""Oscillating search: swing down and up around a size, ever wider, until no swing helps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.moves import ask_start, bare, growing, shrinking, within
from subsel.search.registry import Steps, search
from subsel.search.sequential.sequential import greedy
from subsel.space.candidates import Candidates, Subset
from subsel.space.space import Space

__all__ = ["Oscillating"]


@search("oscillating")
@dataclass(frozen=True)
class Oscillating(Parameters):
    """Oscillating search: drop o features and add o others, or the reverse, if that is better.

    It starts from forward selection (from the best eligible subset on its path, which fixes the
    size where that is free), then swings down and up in turn. A better subset sets o back to 1; two
    failures in a row raise it. It ends once o passes ``depth`` or leaves nothing to exchange. A
    pair of swings asks for about 4 o n subsets; the subset only ever gets better.

    Parameters
    ----------
    depth : int
        The most units exchanged in one swing; 1 is a greedy search by swaps.

    References
    ----------
    .. [1] Somol and Pudil, *Oscillating search algorithms for feature selection*, International
       Conference on Pattern Recognition, 2000.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 4
       (Reunanen).

    Examples
    --------
    From {0, 1} the first swing drops 0, without which least is lost, and looks for a better partner
    for 1.

    >>> space = Space.of(3, low=2, high=2)
    >>> steps = Oscillating().steps(space, np.random.default_rng(0))
    >>> requests = [next(steps), *map(steps.send, [[0.9, 0.8, 0.1], [0.9, 0.6], [0.8, 0.7]])]
    >>> [[space.columns(subset).tolist() for subset in request] for request in requests[2:]]
    [[[1], [0]], [[0, 1], [1, 2]]]
    """

    depth: int = 5

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,  # noqa: ARG002
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Swing around the subset that forward selection ends with."""
        if self.depth < 1:
            raise ValueError(f"depth must be at least 1, got {self.depth}.")
        start, quality = yield from ask_start(space, bare(space))
        current, quality = yield from greedy(space, start, partial(growing, space), quality)
        n_on = len(space.units(current))
        depth, o, failures = min(self.depth, n_on, space.n_units - n_on), 1, 0
        grow, shrink = (
            partial(growing, space, ceiling=space.n_columns),
            partial(shrinking, space, floor=1),
        )
        swings = cycle([(shrink, grow), (grow, shrink)])
        while o <= depth:
            there, back = next(swings)
            found, reached = yield from _swing(space, current, [there] * o + [back] * o)
            if reached > quality and space.eligible(found):
                current, quality, o, failures = found, reached, 1, 0
            else:
                o, failures = (o, 1) if failures == 0 else (o + 1, 0)


def _swing(space: Space, current: Subset, moves: Sequence[Callable[[Subset], Candidates]]) -> Steps:
    """Take the best of each move in turn, finally an eligible one; returns it and its quality."""
    quality = -np.inf
    for number, move in enumerate(moves, start=1):
        candidates = move(current)
        if number == len(moves):
            candidates = within(candidates, space.low, space.high)
        if not candidates:
            return current, -np.inf
        qualities = yield candidates
        first = int(np.argmax(qualities))
        current, quality = candidates[first], float(qualities[first])
    return current, quality
