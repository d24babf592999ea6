"""Floating selection: each step is followed by steps back as long as these are better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.moves import ask_start, bare, growing, shrinking
from subsel.search.registry import Steps, search
from subsel.search.sequential.sequential import Moves
from subsel.space.candidates import Subset
from subsel.space.space import Space

__all__ = [
    "AdaptiveFloatingBackward",
    "AdaptiveFloatingForward",
    "FloatingBackward",
    "FloatingForward",
]

Best = dict[int, tuple[float, Subset]]


@search("sffs")
@dataclass(frozen=True)
class FloatingForward(Parameters):
    """SFFS: a step forward, then steps back while they beat the best known subset of their size.

    The best subset of every size is kept. A step onward that does not beat the best of its size is
    dropped and the search goes on from that best (Somol's correction), so that it never follows a
    branch known to be worse. A step back is taken only if it beats the best of its size, so the
    search ends, at the greatest eligible size. Two units are always left on, for all single ones
    have been tried. Sizes count columns.

    Parameters
    ----------
    margin : int
        Go so many columns beyond the last eligible size, to come back to it better informed.

    References
    ----------
    .. [1] Pudil, Novovicova and Kittler, *Floating search methods in feature selection*, Pattern
       Recognition Letters 15, 1994.
    .. [2] Somol, Pudil, Novovicova and Paclik, *Adaptive floating search methods in feature
       selection*, Pattern Recognition Letters 20, 1999.
    .. [3] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 4
       (Reunanen).

    Examples
    --------
    Feature 0 is best alone; once 1 and 2 have joined it, dropping it again gives the best pair
    known.

    >>> space = Space.of(3)
    >>> steps = FloatingForward().steps(space, np.random.default_rng(0))
    >>> answers = [[0.5, 0.1, 0.1], [0.6, 0.4], [0.6], [0.8, 0.3, 0.6]]
    >>> requests = [next(steps), *map(steps.send, answers)]
    >>> [[space.columns(subset).tolist() for subset in request] for request in requests[3:]]
    [[[1, 2], [0, 2], [0, 1]], [[0, 1, 2]]]
    """

    margin: int = 0

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,  # noqa: ARG002
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Alternate between steps forward and runs of steps back."""
        return _float(space, _forward(space, self.margin), _one)


@search("sbfs")
@dataclass(frozen=True)
class FloatingBackward(Parameters):
    """SBFS: remove a feature, then add features while that beats the best of their size.

    `FloatingForward` turned over: it starts full, ends at the least eligible size, and always
    leaves two units off.

    Parameters
    ----------
    margin : int
        As in `FloatingForward`.

    References
    ----------
    .. [1] Pudil, Novovicova and Kittler, *Floating search methods in feature selection*, Pattern
       Recognition Letters 15, 1994.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 4
       (Reunanen).

    Examples
    --------
    >>> space = Space.of(3)
    >>> steps = FloatingBackward().steps(space, np.random.default_rng(0))
    >>> requests = [next(steps), *map(steps.send, [[0.9], [0.8, 0.3, 0.2]])]
    >>> [[space.columns(subset).tolist() for subset in request] for request in requests]
    [[[0, 1, 2]], [[1, 2], [0, 2], [0, 1]], [[2], [1]]]
    """

    margin: int = 0

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,  # noqa: ARG002
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Alternate between steps down and runs of steps up."""
        return _float(space, _backward(space, self.margin), _one)


@search("asffs")
@dataclass(frozen=True)
class AdaptiveFloatingForward(Parameters):
    """ASFFS: floating forward selection that tries pairs, triples, ... if one unit is no gain.

    Up to ``r_max`` units are moved at once within ``neighbourhood`` columns of the size it ends at,
    one less for each column further away. Sets are a little better than those of `FloatingForward`,
    at a much greater cost.

    Parameters
    ----------
    r_max : int
        The most units moved at once.
    neighbourhood : int
        How near the last size ``r_max`` units are tried.
    margin : int
        As in `FloatingForward`.

    References
    ----------
    .. [1] Somol, Pudil, Novovicova and Paclik, *Adaptive floating search methods in feature
       selection*, Pattern Recognition Letters 20, 1999.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 4
       (Reunanen).

    Examples
    --------
    Once a third feature has joined {0, 1}, every one of the three may leave again.

    >>> space = Space.of(4, high=3)
    >>> steps = AdaptiveFloatingForward(r_max=2).steps(space, np.random.default_rng(0))
    >>> answers = [[0.9, 0.1, 0.1, 0.1], [0.8, 0.1, 0.1], [0.7, 0.1]]
    >>> requests = [next(steps), *map(steps.send, answers)]
    >>> [[space.columns(subset).tolist() for subset in request] for request in requests[2:]]
    [[[0, 1, 2], [0, 1, 3]], [[1, 2], [0, 2], [0, 1]]]
    """

    r_max: int = 3
    neighbourhood: int = 3
    _: KW_ONLY
    margin: int = 0

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,  # noqa: ARG002
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Alternate between steps forward and runs of steps back, of several units near the end."""
        way = _forward(space, self.margin)
        return _float(space, way, _adaptive(self.r_max, self.neighbourhood, way.target))


@search("asbfs")
@dataclass(frozen=True)
class AdaptiveFloatingBackward(Parameters):
    """ASBFS: floating backward selection that tries pairs, triples, ... if one is no gain.

    `AdaptiveFloatingForward` turned over.

    Parameters
    ----------
    r_max : int
        The most units moved at once.
    neighbourhood : int
        How near the last size ``r_max`` units are tried.
    margin : int
        As in `FloatingForward`.

    References
    ----------
    .. [1] Somol, Pudil, Novovicova and Paclik, *Adaptive floating search methods in feature
       selection*, Pattern Recognition Letters 20, 1999.

    Examples
    --------
    >>> space = Space.of(4, low=2)
    >>> steps = AdaptiveFloatingBackward().steps(space, np.random.default_rng(0))
    >>> full, removals = next(steps), steps.send([0.9])
    >>> [space.columns(subset).tolist() for subset in removals]
    [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]
    """

    r_max: int = 3
    neighbourhood: int = 3
    _: KW_ONLY
    margin: int = 0

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,  # noqa: ARG002
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Alternate between steps down and runs of steps up, of several units near the end."""
        way = _backward(space, self.margin)
        return _float(space, way, _adaptive(self.r_max, self.neighbourhood, way.target))


class _Way(NamedTuple):
    """A direction of floating selection: its start, its last size and its moves."""

    start: Subset
    target: int
    onward: Moves
    back: Moves
    moved: Callable[[Subset], np.ndarray]


def _forward(space: Space, margin: int) -> _Way:
    grow = partial(growing, space, ceiling=space.high + margin)
    return _Way(bare(space), space.high, grow, partial(shrinking, space, floor=1), space.units)


def _backward(space: Space, margin: int) -> _Way:
    target = max(space.low, 1)
    shrink = partial(shrinking, space, floor=max(space.low - margin, 1))
    return _Way(
        space.full(), target, shrink, partial(growing, space, ceiling=space.n_columns), space.others
    )


def _one(size: int) -> int:  # noqa: ARG001
    """One unit at a time, whatever the size."""
    return 1


def _adaptive(r_max: int, neighbourhood: int, target: int) -> Callable[[int], int]:
    """How many units may be moved at once, by the distance from the last size."""
    if r_max < 1:
        raise ValueError(f"r_max must be at least 1, got {r_max}.")
    return lambda size: max(1, min(r_max, r_max + neighbourhood - abs(size - target)))


def _float(space: Space, way: _Way, most: Callable[[int], int]) -> Steps:
    """Go onward a step, then back for as long as that finds the best of a size."""
    current = way.start
    _, quality = yield from ask_start(space, current)
    best: Best = {current.size: (quality, current)}
    while True:
        step, improved = yield from _step(current, way.onward, most(current.size), best)
        if step is None:
            return
        current = step
        while improved:
            n_most = min(most(current.size), len(way.moved(current)) - 2)
            step, improved = yield from _step(current, way.back, n_most, best)
            current = step if improved else current


def _step(subset: Subset, moves: Moves, n_most: int, best: Best) -> Steps:
    """Move 1, 2, ... units until that beats the best of its size, else take the best of them."""
    jump = None
    for n in range(1, n_most + 1):
        if not (candidates := moves(subset, n)):
            break
        qualities = yield candidates
        first = int(np.argmax(qualities))
        step, quality = candidates[first], float(qualities[first])
        if step.size not in best or quality > best[step.size][0]:
            best[step.size] = quality, step
            return step, True
        jump = jump or best[step.size][1]
    return jump, False
