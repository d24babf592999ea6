"""Moves up and down from which an eligible subset can still be reached.

They move features, and the options of choices with them; any further block (rows, say) stays as it
is.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from subsel.search.registry import Steps
from subsel.space.candidates import Candidates, Subset
from subsel.space.space import Space, reachable

__all__ = [
    "ask_start",
    "band",
    "bare",
    "can_shrink",
    "growing",
    "settings",
    "shrinking",
    "within",
]


def growing(space: Space, subset: Subset, n: int = 1, ceiling: int | None = None) -> Candidates:
    """All ways to turn ``n`` units on up to ``ceiling`` columns (``space.high`` unless told).

    Where groups differ in width, additions from which no eligible size can be reached any more are
    left out.

    Examples
    --------
    >>> space = Space.of(7, low=4, high=4, groups=[(0, 1, 2), (3, 4), (5, 6)])
    >>> [space.columns(s).tolist() for s in growing(space, space.empty())]
    [[3, 4], [5, 6]]
    """
    if ceiling is None:
        ceiling = space.high
    candidates = space.additions(subset, n)
    if space.single and subset.size + n <= ceiling:
        return candidates
    if space.single:
        return candidates[:0]
    candidates = _of_features(space, candidates, n)
    sizes, spare = candidates.sizes, space.widths[space.others(subset)].tolist()
    open_ended = _still_open(
        space, candidates, spare, lambda size: (space.low - size, space.high - size)
    )
    return candidates.take(np.flatnonzero((sizes <= ceiling) & ((sizes > space.high) | open_ended)))


def shrinking(space: Space, subset: Subset, n: int = 1, floor: int | None = None) -> Candidates:
    """List all ways to turn ``n`` units off down to ``floor`` columns, never to none.

    Where groups differ in width, removals from which no eligible size can be reached any more are
    left out.
    """
    if floor is None:
        floor = space.low
    candidates = space.removals(subset, n)
    if space.single and subset.size - n >= floor:
        return candidates
    if space.single:
        return candidates[:0]
    candidates = _of_features(space, candidates, n)
    sizes, spare = candidates.sizes, space.widths[space.units(subset)].tolist()
    open_ended = _still_open(
        space, candidates, spare, lambda size: (size - space.high, size - space.low)
    )
    return candidates.take(np.flatnonzero((sizes >= floor) & ((sizes < space.low) | open_ended)))


def can_shrink(space: Space, subset: Subset) -> bool:
    """Whether the subset has an eligible size, or can come to one by turning units off."""
    if space.single:
        return subset.size >= space.low
    on = space.widths[space.units(subset)].tolist()
    return reachable(on, subset.size - space.high, subset.size - space.low)


def bare(space: Space) -> Subset:
    """Return the start of a forward search: fixed features only, and other blocks full."""
    without_size = np.flatnonzero(space.widths[: space.n_units] == 0)
    if not len(without_size):
        return space.empty()
    return space.subset(without_size)


def settings(space: Space, subset: Subset) -> Candidates:
    """The subset under every setting of the choices: itself alone where there are none."""
    return Candidates.of(
        space, [space.flip(subset, *options) for options in product(*space.choices)]
    )


def ask_start(space: Space, subset: Subset) -> Steps:
    """Request the start of a search, if it is eligible; returns its best setting and quality."""
    starts = settings(space, subset)
    if not (space.visitable(subset) and space.eligible(subset)):
        return subset, -np.inf
    qualities = yield starts
    first = int(np.argmax(qualities))
    return starts[first], float(qualities[first])


def band(space: Space) -> tuple[int, int]:
    """Compute the sizes between which single flips reach every eligible subset.

    They are the bounds, widened where the eligible subsets would not be connected.

    Units of w columns need w - 1 columns more on either side, an exact size needs w.

    Examples
    --------
    >>> band(Space.of(6, low=2, high=4)), band(Space.of(6, low=3, high=3))
    ((2, 4), (2, 4))
    """
    slack = int(space.widths.max()) - (space.low < space.high)
    return max(space.low - slack, 1), space.high + slack


def within(candidates: Candidates, low: int, high: int) -> Candidates:
    """The candidates whose sizes lie between two bounds."""
    sizes = candidates.sizes
    return candidates.take(np.flatnonzero((sizes >= low) & (sizes <= high)))


def _of_features(space: Space, candidates: Candidates, n: int) -> Candidates:
    """The candidates whose ``n`` flipped units are all features."""
    return candidates.take(np.flatnonzero((space.widths[candidates.flips[:, :n]] > 0).all(axis=1)))


def _still_open(
    space: Space, candidates: Candidates, spare: list[int], target: Callable[[int], tuple[int, int]]
) -> np.ndarray:
    """Whether each candidate can still reach its target by flips of its unused widths."""
    patterns, which = np.unique(
        np.sort(space.widths[candidates.flips], axis=1), axis=0, return_inverse=True
    )
    sizes, first = candidates.sizes, np.full(len(patterns), -1)
    first[which[::-1]] = np.arange(len(candidates))[::-1]
    is_open = [
        reachable(_without(spare, pattern), *target(int(sizes[row])))
        for pattern, row in zip(patterns.tolist(), first.tolist())
    ]
    return np.array(is_open, dtype=bool)[which.ravel()]


def _without(widths: list[int], used: list[int]) -> list[int]:
    left = list(widths)
    for width in used:
        if width:
            left.remove(width)
    return left
