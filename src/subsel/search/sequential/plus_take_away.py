"""Plus l, take away r: steps forward and some back, by turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.moves import ask_start, bare, growing, shrinking
from subsel.search.registry import Steps, search
from subsel.search.sequential.sequential import Moves, largest
from subsel.space.candidates import Subset
from subsel.space.space import Space

__all__ = ["PlusTakeAway"]


@search("pta")
@search("gpta", l=(2,), r=(1,))
@dataclass(frozen=True)
class PlusTakeAway(Parameters):
    """Plus l, take away r: l steps forward, r steps back, so that a poor choice can be undone.

    With l > r it starts empty, adds first and ends after the round in which the greatest eligible
    size is reached; with l < r it starts full, drops first and ends at the least. A round that
    cannot be completed is the last. Given as sequences, l and r are split into parts that are added
    (dropped) as tuples: one part each is Kudo and Sklansky's generalised version, parts of 1 the
    plain one.

    Parameters
    ----------
    l : int or sequence of int
        How many units are added in a round, or the sizes of the tuples.
    r : int or sequence of int
        How many are taken away.

    References
    ----------
    .. [1] Stearns, *On selecting features for pattern classifiers*, International Conference on
       Pattern Recognition, 1976.
    .. [2] Kudo and Sklansky, *Comparison of algorithms that select features for pattern
       classifiers*, Pattern Recognition 33, 2000.
    .. [3] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 4
       (Reunanen).

    Examples
    --------
    Two steps forward lead to {0, 1}; a step back may leave 1 alone.

    >>> space = Space.of(3)
    >>> steps = PlusTakeAway(2, 1).steps(space, np.random.default_rng(0))
    >>> requests = [next(steps), *map(steps.send, [[0.9, 0.8, 0.1], [0.9, 0.6]])]
    >>> [[space.columns(subset).tolist() for subset in request] for request in requests]
    [[[0], [1], [2]], [[0, 1], [0, 2]], [[1], [0]]]
    """

    l: int | Sequence[int] = 2
    r: int | Sequence[int] = 1

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,  # noqa: ARG002
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Go in rounds of onward and backtracking steps."""
        plus, minus = _parts("l", self.l), _parts("r", self.r)
        if sum(plus) == sum(minus):
            raise ValueError(
                f"l and r must differ or the search stays where it is, got l={self.l}, r={self.r}."
            )
        forward = sum(plus) > sum(minus)
        beyond = int(space.widths.max()) * sum(
            minus if forward else plus
        )  # a round may pass the last size by this
        if forward:
            grow, shrink = (
                partial(growing, space, ceiling=space.high + beyond),
                partial(shrinking, space, floor=1),
            )
            current, open_sizes = bare(space), range(space.high)
        else:
            floor = max(1, space.low - beyond)
            grow, shrink = (
                partial(growing, space, ceiling=space.n_columns),
                partial(shrinking, space, floor=floor),
            )
            current, open_sizes = space.full(), range(max(space.low, 1) + 1, space.n_columns + 1)
        up, down = [(grow, g) for g in plus], [(shrink, g) for g in minus]
        yield from ask_start(space, current)
        while current is not None and current.size in open_sizes:
            current = yield from _round(space, current, up + down if forward else down + up)


def _round(space: Space, current: Subset, moves: Sequence[tuple[Moves, int]]) -> Steps:
    """Make the moves of a round in turn; None where one cannot be made in full."""
    for move, g in moves:
        candidates = largest(move, g, current)
        if not candidates:
            return None
        qualities = yield candidates
        before, current = current, candidates[int(np.argmax(qualities))]
        if abs(len(space.units(current)) - len(space.units(before))) < g:
            return None
    return current


def _parts(name: str, value: int | Sequence[int]) -> tuple[int, ...]:
    parts = (1,) * value if isinstance(value, int) else tuple(value)
    if any(part < 1 for part in parts) or (isinstance(value, int) and value < 0):
        raise ValueError(
            f"{name} must be a number of units or a sequence of positive ones, got {value}."
        )
    return parts
