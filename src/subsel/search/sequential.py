"""Sequential searches: units are added or dropped, a few at a time, and the best step is taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from subsel.candidates import Candidates, Subset
from subsel.search.reach import ask_start, bare, growing, is_forward, shrinking
from subsel.search.registry import Steps, search
from subsel.space import Space

__all__ = ["ExhaustiveForward", "PlusTakeAway", "Sequential", "greedy", "largest"]

Move = Callable[[Subset], Candidates]


@search("sfs")
@search("sbs", direction="backward")
@search("gsfs", g=2)
@search("gsbs", g=2, direction="backward")
@dataclass(frozen=True)
class Sequential:
    r"""Sequential selection: add (or drop) the best feature, or the best g-tuple of features, at every step.

    Forward it starts empty and ends at the greatest eligible size; backward it starts full and ends at the least.
    Every subset on the way is nested in the next, so what it took it never gives back. To size d it asks for
    :math:`d(2n-d+1)/2` subsets forward; a whole backward run asks for :math:`n(n+1)/2 - 1` beside the full set,
    which it asks for where that may be the answer. A step with tuples asks for :math:`\binom{n-k}{g}` subsets and
    holds 8g bytes for each; it finds groups of up to g features that are of no use singly. Where fewer than g units
    fit, the last step takes as many as do. Methods: book-01 S03, S04, S05; book-06 30D (with ``patience=1``).

    Parameters
    ----------
    g : units per step.
    direction : "forward" or "backward".
    patience : stop after so many steps in a row, among eligible sizes, without a new best; None runs all the way.

    Examples
    --------
    >>> steps = Sequential().steps(Space.of(3), np.random.default_rng(0))
    >>> [sorted(np.flatnonzero(Space.of(3).mask(s)).tolist()) for s in next(steps)]
    [[0], [1], [2]]
    >>> [sorted(np.flatnonzero(Space.of(3).mask(s)).tolist()) for s in steps.send([0.1, 0.7, 0.7])]
    [[0, 1], [1, 2]]
    """

    g: int = 1
    direction: Literal["forward", "backward"] = "forward"
    patience: int | None = None

    def steps(self, space: Space, rng: np.random.Generator, horizon: int | None = None) -> Steps:
        """Ask for all steps from where it stands, take the best, go on."""
        if self.g < 1:
            raise ValueError(f"g must be at least 1, got {self.g}.")
        forward = is_forward(self.direction)
        start = bare(space) if forward else space.full()
        move = partial(largest, partial(growing if forward else shrinking, space), self.g)
        _, best = yield from ask_start(space, start)
        yield from greedy(space, start, move, best, self.patience)


@search("sfs-k")
@dataclass(frozen=True)
class ExhaustiveForward:
    """SFS-k: all subsets of k features first, then greedy forward selection from the best of them.

    k features that matter only together are found whatever they are worth singly. Method: papers SFS-k.

    Parameters
    ----------
    k : units of the exhaustive first step.
    patience : as in :class:`Sequential`.
    """

    k: int = 2
    patience: int | None = None

    def steps(self, space: Space, rng: np.random.Generator, horizon: int | None = None) -> Steps:
        """Ask for all k-subsets, then for single additions."""
        if self.k < 1:
            raise ValueError(f"k must be at least 1, got {self.k}.")
        yield from ask_start(space, bare(space))
        candidates = largest(partial(growing, space), self.k, bare(space))
        if candidates:
            qualities = yield candidates
            first = int(np.argmax(qualities))
            known = float(qualities[first]) if space.eligible(candidates[first]) else -np.inf
            yield from greedy(space, candidates[first], partial(growing, space), known, self.patience)


@search("pta")
@search("gpta", l=(2,), r=(1,))
@dataclass(frozen=True)
class PlusTakeAway:
    """Plus l, take away r: l steps forward, r steps back, so that a poor choice can be undone.

    With l > r it starts empty, adds first and ends after the round in which the greatest eligible size is reached;
    with l < r it starts full, drops first and ends at the least. A round that cannot be completed is the last. Given
    as sequences, l and r are split into parts that are added (dropped) as tuples: one part each is Kudo and
    Sklansky's generalised version, parts of 1 the plain one.
    Methods: book-01 S06, S07.

    Parameters
    ----------
    l, r : how many units are added and taken away in a round, or the sizes of the tuples.
    """

    l: int | Sequence[int] = 2
    r: int | Sequence[int] = 1

    def steps(self, space: Space, rng: np.random.Generator, horizon: int | None = None) -> Steps:
        """Go in rounds of onward and backtracking steps."""
        plus, minus = _parts("l", self.l), _parts("r", self.r)
        if sum(plus) == sum(minus):
            raise ValueError(f"l and r must differ or the search stays where it is, got l={self.l}, r={self.r}.")
        forward, widest = sum(plus) > sum(minus), int(space.widths.max())
        grow = partial(growing, space, ceiling=space.high + widest * sum(minus) if forward else space.n_columns)
        shrink = partial(shrinking, space, floor=1 if forward else max(1, space.low - widest * sum(plus)))
        up, down = [(grow, g) for g in plus], [(shrink, g) for g in minus]
        current = bare(space) if forward else space.full()
        yield from ask_start(space, current)
        while current.size < space.high if forward else current.size > max(space.low, 1):
            for move, g in up + down if forward else down + up:
                candidates = largest(move, g, current)
                if not candidates:
                    return
                qualities = yield candidates
                before, current = current, candidates[int(np.argmax(qualities))]
                if abs(len(space.units(current)) - len(space.units(before))) < g:
                    return


def greedy(space: Space, current: Subset, move: Move, best: float = -np.inf, patience: int | None = None) -> Steps:
    """Take the best of the moves until none is left; give the best eligible subset on the way and its quality.

    ``best`` is the quality of the start where that is known. The first of equals is taken.
    """
    answer, idle = current, 0
    while candidates := move(current):
        qualities = yield candidates
        first = int(np.argmax(qualities))
        current = candidates[first]
        if space.eligible(current):
            idle = 0 if qualities[first] > best else idle + 1
            answer, best = (answer, best) if idle else (current, float(qualities[first]))
        if idle and idle == patience:
            break
    return answer, best


def largest(move: Callable[[Subset, int], Candidates], g: int, subset: Subset) -> Candidates:
    """The moves of ``g`` units, or of as many fewer as there are moves for."""
    for n in range(g, 1, -1):
        if candidates := move(subset, n):
            return candidates
    return move(subset, 1)


def _parts(name: str, value: int | Sequence[int]) -> tuple[int, ...]:
    parts = (1,) * value if isinstance(value, int) else tuple(value)
    if any(part < 1 for part in parts) or (isinstance(value, int) and value < 0):
        raise ValueError(f"{name} must be a number of units or a sequence of positive ones, got {value}.")
    return parts
