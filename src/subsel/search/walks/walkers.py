"""Many walks at once: where each stands, in arrays, so that a random move of all of them is a few array operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from scipy.special import gammaln

from subsel.search.walks.membership import Walker
from subsel.space.candidates import Candidates
from subsel.space.packed import PackedCandidates, pack
from subsel.space.space import Space

__all__ = [
    "ArrayWalkers",
    "SeparateWalkers",
    "Walkers",
    "check_walkers",
    "moves_in_arrays",
    "random_masks",
    "start_walkers",
]


Proposal: TypeAlias = Any
"""Units to turn over, as the walkers that made it keep them."""


class Walkers(Protocol):
    """Several walks through one space; a proposal is what :meth:`after` and :meth:`move` take."""

    def here(self) -> Candidates:
        """Where they stand."""

    def step(self, rng: np.random.Generator) -> Proposal:
        """Propose a swap, an addition or a removal for each, as `Walker.step`; None where none can move."""

    def flip(self, rng: np.random.Generator) -> Proposal:
        """Propose a flip for each, as `Walker.flip`; None where none can move."""

    def leap(self, n_flips: int, rng: np.random.Generator) -> Proposal:
        """Make several different flips at once, as `Walker.leap`; moving by what is returned undoes them."""

    def after(self, proposal: Proposal) -> Candidates:
        """Where a proposal would lead."""

    def move(self, proposal: Proposal, which: np.ndarray) -> None:
        """Follow it, or undo it, for some of them (a mask)."""

    def restart(self, which: np.ndarray, rng: np.random.Generator) -> None:
        """Take some of them to brand-new random subsets."""


def start_walkers(space: Space, rng: np.random.Generator, n: int) -> Walkers:
    """Walkers at uniformly random subsets: in arrays where every unit is one column and nothing else binds.

    Examples
    --------
    >>> walkers = start_walkers(Space.of(6, low=2, high=4), np.random.default_rng(0), 3)
    >>> proposal = walkers.step(np.random.default_rng(1))
    >>> here, there = walkers.here(), walkers.after(proposal)
    >>> [(a.bits ^ b.bits).bit_count() in (1, 2) for a, b in zip(here, there)]
    [True, True, True]
    """
    if moves_in_arrays(space):
        return ArrayWalkers(space, rng, n)
    return SeparateWalkers(space, rng, n)


def moves_in_arrays(space: Space) -> bool:
    """Whether a space is one block of single columns without a limit of cost."""
    return len(space.blocks) == 1 and space.single and space.blocks[0].max_cost is None


def check_walkers(n: int) -> None:
    """Refuse anything but a number of walkers."""
    if not isinstance(n, (int, np.integer)) or n < 1:
        raise ValueError(f"walkers must be a whole number from 1 on, got {n!r}.")


class ArrayWalkers:
    """Walks through a space of single columns: the units of each in one row of a matrix, those that are on first.

    Drawing a unit and turning it over takes constant time for each walk; 8 bytes are held per walk
    and unit.

    Parameters
    ----------
    space : Space
        One block of single columns, without a limit of cost.
    rng : Generator
        For the random starts.
    n : int
        Number of walks.
    """

    def __init__(self, space: Space, rng: np.random.Generator, n: int) -> None:
        from subsel._loops.walks import Walks

        self.space, self.n_units, self._rows = space, space.n_units, np.arange(n) * space.n_units
        self._floor = int(not space.n_fixed)
        shape = n, self.n_units
        self._walks = Walks(
            order=np.empty(shape, dtype=np.int32),
            place=np.empty(shape, dtype=np.int32),
            n_on=np.empty(n, dtype=np.int64),
            sizes=np.empty(n, dtype=np.int64),
            words=pack(np.zeros(shape, dtype=np.uint8)),
            keys=np.zeros(n, dtype=np.uint64),
        )
        self.restart(np.ones(n, dtype=bool), rng)

    def restart(self, which: np.ndarray, rng: np.random.Generator) -> None:
        """Uniform over all subsets within the bounds."""
        walks, rows = self._walks, np.flatnonzero(which)
        masks = random_masks(self.space, rng, len(rows))
        ranks = np.cumsum(masks, axis=1, dtype=np.int32)
        units, n_on = np.arange(self.n_units, dtype=np.int32), ranks[:, -1:]
        place = np.where(masks, ranks - np.int32(1), n_on + units - ranks)
        order = np.empty(masks.shape, dtype=np.int32)
        np.put_along_axis(order, place, units[None], axis=1)
        walks.order[rows], walks.place[rows], walks.n_on[rows] = order, place, n_on[:, 0]
        started = PackedCandidates.of_masks(self.space, masks)
        walks.words[rows] = started.words
        walks.keys[rows] = started.keys
        walks.sizes[rows] = started.sizes

    def here(self) -> PackedCandidates:
        """Where they stand: a copy."""
        words, keys, sizes = self._walks.words, self._walks.keys, self._walks.sizes
        return PackedCandidates(self.space, words.copy(), keys.copy(), sizes.copy())

    # Proposals: a row of units to turn on and one of units to turn off, a walk each, -1 where there

    def step(self, rng: np.random.Generator) -> np.ndarray | None:
        """A fair coin decides among swap, addition and removal where they are available."""
        from subsel._loops.walks import propose_steps

        n, bounds = len(self._rows), (self.space.low, self.space.high, self._floor)
        flips = np.empty((2, n), dtype=np.int64)
        possible = propose_steps(self._walks, bounds, rng.random((3, n)), flips)
        return flips if possible else None

    def flip(self, rng: np.random.Generator) -> np.ndarray | None:
        """A random unit whose flip stays within the bounds; a random swap where none does."""
        n_on, sizes = self._walks.n_on, self._walks.sizes
        add = (sizes < self.space.high) & (n_on < self.n_units)
        drop = (sizes > self.space.low) & (n_on > self._floor)
        stuck = ~(add | drop)
        if np.any(stuck & ((n_on == 0) | (n_on == self.n_units))):
            return None
        either = add & drop
        if not either.any():
            return self._units(add | stuck, drop | stuck, rng)
        place = (rng.random(len(add)) * self.n_units).astype(np.int64)
        units = self._walks.order.ravel()[self._rows + place]
        off = place >= n_on
        flips = np.stack([np.where(either & side, units, np.int64(-1)) for side in (off, ~off)])
        if not either.all():
            others = self._units((add | stuck) & ~either, (drop | stuck) & ~either, rng)
            flips[:, ~either] = others[:, ~either]
        return flips

    def leap(self, n_flips: int, rng: np.random.Generator) -> np.ndarray | None:
        """Flip after flip; one that meets a unit flipped before is left out for that walk."""
        made = np.full((2 * n_flips, len(self._rows)), -1, dtype=np.int64)
        everywhere = np.ones(len(self._rows), dtype=bool)
        for number in range(n_flips):
            flips = self.flip(rng)
            if flips is None:
                break
            if number:
                before = made[: 2 * number]
                met = [((before == units) & (units >= 0)).any(axis=0) for units in flips]
                flips[:, met[0] | met[1]] = -1
            self.move(flips, everywhere)
            made[2 * number : 2 * number + 2] = flips
        return made if (made >= 0).any() else None

    def _units(self, adds: np.ndarray, drops: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A random unit that is off where one is added, a random one that is on where one is dropped."""
        n_on, order = self._walks.n_on, self._walks.order.ravel()
        chance = rng.random((2, len(adds)))
        added = self._rows + n_on + (chance[0] * (self.n_units - n_on)).astype(np.int64)
        dropped = self._rows + (chance[1] * n_on).astype(np.int64)
        flips = np.empty((2, len(adds)), dtype=np.int64)
        flips[0] = np.where(adds, order.take(added, mode="clip"), -1)
        flips[1] = np.where(drops, order.take(dropped), -1)
        return flips

    # Moves ----------------------------------------------------------------------------------------

    def after(self, proposal: np.ndarray) -> PackedCandidates:
        """Where a proposal would lead."""
        from subsel._loops.walks import subsets_after

        there = self.here()
        subsets_after(proposal, self.space.keys, there.words, there.keys, there.sizes)
        return there

    def move(self, proposal: np.ndarray, which: np.ndarray) -> None:
        """Follow it, or undo it, for some of them."""
        from subsel._loops.walks import turn_over

        turn_over(self._walks, self.space.keys, proposal, which)


def random_masks(space: Space, rng: np.random.Generator, n: int) -> np.ndarray:
    """Which units are on in n random subsets, uniform over all within the bounds (n, units).

    Coins first; where they fall outside the bounds, a size as likely as it has subsets, and that
    many units.
    """
    low, high, p = max(space.low, 1) - space.n_fixed, space.high - space.n_fixed, space.n_units
    coins = np.frombuffer(rng.bytes(n * -(-p // 8)), dtype=np.uint8).reshape(n, -1)
    masks = np.unpackbits(coins, axis=1, count=p).view(bool)
    n_on = masks.sum(axis=1)
    outside = np.flatnonzero((n_on < low) | (n_on > high))
    if len(outside):
        sizes = np.arange(max(low, 0), high + 1)
        log_count = -gammaln(sizes + 1) - gammaln(p - sizes + 1)
        weight = np.exp(log_count - log_count.max())
        masks[outside] = _masks_of_sizes(
            rng.choice(sizes, size=len(outside), p=weight / weight.sum()), p, rng
        )
    return masks


def _masks_of_sizes(n_on: np.ndarray, p: int, rng: np.random.Generator) -> np.ndarray:
    """Random masks with so many of p units on: the fewer of on and off are drawn one by one, again where taken."""
    few, n = np.minimum(n_on, p - n_on), len(n_on)
    if 4 * few.max(initial=0) > p:
        return rng.permuted(np.arange(p) < n_on[:, None], axis=1)
    masks = np.zeros((n, p), dtype=bool)
    for number in range(few.max(initial=0)):
        rows = np.flatnonzero(few > number)
        while len(rows):
            units = rng.integers(p, size=len(rows))
            taken = masks[rows, units]
            masks[rows, units] = True
            rows = rows[taken]
    return masks ^ (2 * n_on > p)[:, None]


class SeparateWalkers:
    """Walkers one by one, for spaces with groups, choices, prices or several blocks.

    Parameters
    ----------
    space : Space
        Any.
    rng : Generator
        For the random starts.
    n : int
        Number of walks.
    """

    def __init__(self, space: Space, rng: np.random.Generator, n: int) -> None:
        self.space = space
        self.walkers = [Walker.start(space, rng) for _ in range(n)]

    def restart(self, which: np.ndarray, rng: np.random.Generator) -> None:
        """Start some of them anew."""
        for number in np.flatnonzero(which).tolist():
            self.walkers[number] = Walker.start(self.space, rng)

    def here(self) -> Candidates:
        """Where they stand."""
        return Candidates.of(self.space, [walker.subset for walker in self.walkers])

    def step(self, rng: np.random.Generator) -> list[Sequence[int]] | None:
        """One proposal each."""
        return self._each(lambda walker: walker.step(rng))

    def flip(self, rng: np.random.Generator) -> list[Sequence[int]] | None:
        """One proposal each."""
        return self._each(lambda walker: walker.flip(rng))

    def leap(self, n_flips: int, rng: np.random.Generator) -> list[Sequence[int]] | None:
        """Several flips each."""
        return self._each(lambda walker: walker.leap(n_flips, rng))

    def _each(self, draw: Callable[[Walker], Sequence[int]]) -> list[Sequence[int]] | None:
        drawn = [draw(walker) for walker in self.walkers]
        return drawn if any(drawn) else None

    def after(self, proposal: list[Sequence[int]]) -> Candidates:
        """Where a proposal would lead."""
        pairs = zip(self.walkers, proposal)
        return Candidates.of(
            self.space, [self.space.flip(walker.subset, *units) for walker, units in pairs]
        )

    def move(self, proposal: list[Sequence[int]], which: np.ndarray) -> None:
        """Follow it, or undo it, for some of them."""
        for walker, units, moves in zip(self.walkers, proposal, which.tolist()):
            if moves:
                walker.move(units)
