"""Many walks at once, whose subsets are arrays: a move of all takes a few array operations."""

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
"""Units to flip for each walk, in the form of the walkers that proposed them."""


class Walkers(Protocol):
    """Several walks through one space.

    A proposal is made by :meth:`step`, :meth:`flip` or :meth:`leap`, and passed to :meth:`after`
    and :meth:`move`.
    """

    def here(self) -> Candidates:
        """Return the current subsets."""

    def step(self, rng: np.random.Generator) -> Proposal:
        """Propose a swap, addition or removal for each, as `Walker.step`; None if none can move."""

    def flip(self, rng: np.random.Generator) -> Proposal:
        """Propose a flip for each, as `Walker.flip`; None if none can move."""

    def leap(self, n_flips: int, rng: np.random.Generator) -> Proposal:
        """Make several different flips, as `Walker.leap`; moving by the result undoes them."""

    def after(self, proposal: Proposal) -> Candidates:
        """Return the subsets to which a proposal would lead."""

    def move(self, proposal: Proposal, which: np.ndarray) -> None:
        """Flip the proposed units in place for the walks of a mask; twice is not at all."""

    def restart(self, which: np.ndarray, rng: np.random.Generator) -> None:
        """Restart the walks of a mask, in place, at new random subsets."""


def start_walkers(space: Space, rng: np.random.Generator, n: int) -> Walkers:
    """Start walkers at uniformly random subsets.

    They are arrays where every unit is one column and only sizes are bounded.

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
    """Raise an error unless ``n`` is a number of walkers."""
    if not isinstance(n, (int, np.integer)) or n < 1:
        raise ValueError(f"walkers must be a positive integer, got {n!r}.")


class ArrayWalkers:
    """Walks through a space of single columns, in arrays.

    Each walk has a row with all units, those that are on first. Drawing a random unit and flipping
    it, by an exchange at the boundary of on and off, takes constant time; the rows and the
    positions of units in them take 8 bytes per walk and unit.

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
        """Restart the walks of a mask, in place, uniformly over all subsets within the bounds."""
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
        """Return a copy of the current subsets."""
        words, keys, sizes = self._walks.words, self._walks.keys, self._walks.sizes
        return PackedCandidates(self.space, words.copy(), keys.copy(), sizes.copy())

    # Proposals: a row of units to turn on and one of units to turn off, a walk each, -1 where there

    def step(self, rng: np.random.Generator) -> np.ndarray | None:
        """Propose a swap, an addition or a removal, each as likely where it is available.

        The flips have shape (2, walks): a unit to add and one to remove, -1 for none.
        """
        from subsel._loops.walks import propose_steps

        n, bounds = len(self._rows), (self.space.low, self.space.high, self._floor)
        flips = np.empty((2, n), dtype=np.int64)
        possible = propose_steps(self._walks, bounds, rng.random((3, n)), flips)
        return flips if possible else None

    def flip(self, rng: np.random.Generator) -> np.ndarray | None:
        """Propose to flip a random unit within the bounds; a random swap where there is none."""
        # where both kinds of flip are possible, one uniform draw among all units decides both the
        # kind and the unit: position i of the row holds a unit that is off if i >= n_on
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
        """Make flips one after another; a flip of a unit that was flipped before is left out."""
        leaps = np.full((2 * n_flips, len(self._rows)), -1, dtype=np.int64)
        everywhere = np.ones(len(self._rows), dtype=bool)
        for number in range(n_flips):
            flips = self.flip(rng)
            if flips is None:
                break
            if number:
                before = leaps[: 2 * number]
                repeated = [((before == units) & (units >= 0)).any(axis=0) for units in flips]
                flips[:, repeated[0] | repeated[1]] = -1
            self.move(flips, everywhere)
            leaps[2 * number : 2 * number + 2] = flips
        return leaps if (leaps >= 0).any() else None

    def _units(self, adds: np.ndarray, drops: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw a unit that is off for each walk of ``adds``, one that is on for those of ``drops``.

        Both are masks (walks,); the answer has shape (2, walks), -1 for none.
        """
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
        """Return the subsets to which a proposal of shape (2 n, walks) would lead."""
        from subsel._loops.walks import subsets_after

        there = self.here()
        subsets_after(proposal, self.space.keys, there.words, there.keys, there.sizes)
        return there

    def move(self, proposal: np.ndarray, which: np.ndarray) -> None:
        """Flip the proposed units in place for the walks of a mask."""
        from subsel._loops.walks import turn_over

        turn_over(self._walks, self.space.keys, proposal, which)


def random_masks(space: Space, rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw n random subsets, uniform over all within the bounds, as masks of shape (n, units)."""
    # A fair coin per unit is uniform over all subsets, hence also over those within the bounds. A
    # rejected subset is replaced by one that is uniform within the bounds by construction: a size k
    # with a probability proportional to the binomial coefficient of p and k, then a uniform
    # k-subset. The mixture of the two is uniform.
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
    """Draw uniform masks (n, p) with ``n_on`` (n,) of p units on."""
    # the smaller of the sets on and off is drawn unit by unit, with repeated draws rejected; if it
    # is large, whole rows are permuted instead
    few, n = np.minimum(n_on, p - n_on), len(n_on)
    if 4 * few.max(initial=0) > p:
        return rng.permuted(np.arange(p) < n_on[:, None], axis=1)
    masks = np.zeros((n, p), dtype=bool)
    for number in range(few.max(initial=0)):
        rows = np.flatnonzero(few > number)
        while len(rows):
            units = rng.integers(p, size=len(rows))
            repeated = masks[rows, units]
            masks[rows, units] = True
            rows = rows[repeated]
    return masks ^ (2 * n_on > p)[:, None]


class SeparateWalkers:
    """Walks one by one, for spaces with groups, choices, costs or several blocks.

    Parameters
    ----------
    space : Space
        Any space.
    rng : Generator
        For the random starts.
    n : int
        Number of walks.
    """

    def __init__(self, space: Space, rng: np.random.Generator, n: int) -> None:
        self.space = space
        self.walkers = [Walker.start(space, rng) for _ in range(n)]

    def restart(self, which: np.ndarray, rng: np.random.Generator) -> None:
        """Restart the walks of a mask, in place, at new random subsets."""
        for number in np.flatnonzero(which).tolist():
            self.walkers[number] = Walker.start(self.space, rng)

    def here(self) -> Candidates:
        """Return the current subsets."""
        return Candidates.of(self.space, [walker.subset for walker in self.walkers])

    def step(self, rng: np.random.Generator) -> list[Sequence[int]] | None:
        """Propose a step of each walk."""
        return self._each(lambda walker: walker.step(rng))

    def flip(self, rng: np.random.Generator) -> list[Sequence[int]] | None:
        """Propose a flip of each walk."""
        return self._each(lambda walker: walker.flip(rng))

    def leap(self, n_flips: int, rng: np.random.Generator) -> list[Sequence[int]] | None:
        """Make several flips of each walk, in place."""
        return self._each(lambda walker: walker.leap(n_flips, rng))

    def _each(self, draw: Callable[[Walker], Sequence[int]]) -> list[Sequence[int]] | None:
        drawn = [draw(walker) for walker in self.walkers]
        return drawn if any(drawn) else None

    def after(self, proposal: list[Sequence[int]]) -> Candidates:
        """Return the subsets to which a proposal would lead."""
        pairs = zip(self.walkers, proposal)
        return Candidates.of(
            self.space, [self.space.flip(walker.subset, *units) for walker, units in pairs]
        )

    def move(self, proposal: list[Sequence[int]], which: np.ndarray) -> None:
        """Flip the proposed units in place for the walks of a mask."""
        for walker, units, moves in zip(self.walkers, proposal, which.tolist()):
            if moves:
                walker.move(units)
