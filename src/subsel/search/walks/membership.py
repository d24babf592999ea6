"""The current subset of a walk, as lists of units: a random move takes constant time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

import numpy as np

from subsel.search.walks.uniforms import Chances
from subsel.space.candidates import Subset
from subsel.space.space import Space

__all__ = ["Membership", "Walker", "settle"]

_SWAP, _ADD, _DROP, _SWITCH = range(4)
_SIDES = [tuple(side for side in (_SWAP, _ADD, _DROP) if code >> side & 1) for code in range(8)]


class Membership:
    """The units of one block in one list, those that are on first.

    Drawing a random unit and flipping it, by an exchange at the boundary, takes constant
    time.

    A block stays within its size bounds. Where units are wider than one column the walk may leave
    the bounds by less than the widest unit, or it could not get from one eligible subset to the
    next.

    Examples
    --------
    >>> space = Space.of(4)
    >>> members = Membership(space, 0, space.subset([2]))
    >>> members.flip(0), sorted(members.on()), members.size
    (0, [0, 2], 2)
    """

    __slots__ = (
        "_floor",
        "_least",
        "_most",
        "_order",
        "_place",
        "_slack",
        "_start",
        "_widths",
        "high",
        "low",
        "n_on",
        "size",
    )

    def __init__(self, space: Space, block: int, subset: Subset) -> None:
        units = space.block_units[block]
        mask = space.mask(subset)[units.start : units.stop]
        on, off = np.flatnonzero(mask), np.flatnonzero(mask == 0)
        self._start, self.n_on = units.start, len(on)
        self._order = (np.concatenate([on, off]) + units.start).tolist()
        self._place = np.argsort(np.concatenate([on, off])).tolist()
        self._widths = space.block_widths[block].tolist()
        self._slack = max(self._widths, default=1) - 1
        fixed = space.blocks[block].fixed_size
        self.size = fixed + sum(self._widths[unit] for unit in on.tolist())
        self.low, self.high = _bounds(space, block, fixed + sum(self._widths))
        self._floor = int(block == 0 and not any(b.fixed for b in space.blocks))
        # numbers of units between which any flip stays within the bounds; an empty range if widths
        # differ
        self._least, self._most = 1, 0
        if set(self._widths) == {1}:
            self._least, self._most = (
                max(self.low - fixed, self._floor),
                min(self.high - fixed, len(self._order)),
            )

    def __len__(self) -> int:
        return len(self._order)

    def on(self) -> list[int]:
        """Return the units that are on."""
        units: list[int] = self._order[: self.n_on]
        return units

    def draw_on(self, rng: Chances) -> int:
        """Draw a random unit that is on."""
        unit: int = self._order[int(rng.random() * self.n_on)]
        return unit

    def draw_off(self, rng: Chances) -> int:
        """Draw a random unit that is off."""
        unit: int = self._order[self.n_on + int(rng.random() * (len(self._order) - self.n_on))]
        return unit

    def flip(self, unit: int) -> int:
        """Flip a unit in place; flipping what is returned undoes it."""
        # a partition by exchange: the unit swaps places with the one at the boundary of on
        # and off, which then moves past it
        start, order, place = self._start, self._order, self._place
        position = place[unit - start]
        if position < self.n_on:
            self.n_on = edge = self.n_on - 1
            self.size -= self._widths[unit - start]
        else:
            edge = self.n_on
            self.n_on += 1
            self.size += self._widths[unit - start]
        other = order[edge]
        order[position], order[edge] = other, unit
        place[other - start], place[unit - start] = position, edge
        return unit

    def leap(self, n_flips: int, rng: Chances) -> list[int]:
        """Flip several different random units in place; returns them, the last first."""
        n_on, flipped = self.n_on, []
        if not self._least + n_flips <= n_on <= self._most - n_flips:
            return self._leap_within_bounds(n_flips, rng)
        start, order, place, draw = self._start, self._order, self._place, rng.random
        n = len(order)
        for _ in range(n_flips):  # as below, where no bound is met, in one loop
            position = int(draw() * n)
            unit = order[position]
            if unit in flipped:
                continue
            flipped.append(unit)
            if position < n_on:
                n_on = edge = n_on - 1
            else:
                edge = n_on
                n_on += 1
            other = order[edge]
            order[position], order[edge] = other, unit
            place[other - start], place[unit - start] = position, edge
        self.size += n_on - self.n_on
        self.n_on = n_on
        flipped.reverse()
        return flipped

    def _leap_within_bounds(self, n_flips: int, rng: Chances) -> list[int]:
        flipped: list[int] = []
        for _ in range(n_flips):
            units = self.propose_flip(rng)
            if len(units) == 1:
                if units[0] not in flipped:
                    flipped.append(self.flip(units[0]))
            elif units and units[0] not in flipped and units[1] not in flipped:
                flipped += [self.flip(unit) for unit in units]
        return flipped[::-1]

    def undo(self, units: Sequence[int]) -> None:
        """Undo flips in place, the last first: that unit is at the boundary of on and off."""
        start, order, place, n_on, widths = (
            self._start,
            self._order,
            self._place,
            self.n_on,
            self._widths,
        )
        for unit in units:
            position, width = place[unit - start], widths[unit - start]
            if position < n_on:
                n_on = edge = n_on - 1
                self.size -= width
            else:
                edge = n_on
                n_on += 1
                self.size += width
            if position != edge:
                other = order[edge]
                order[position], order[edge] = other, unit
                place[other - start], place[unit - start] = position, edge
        self.n_on = n_on

    def sides(self) -> tuple[int, ...]:
        """The moves that are available: swap, add, drop."""
        return _SIDES[
            (0 < self.n_on < len(self._order)) + 2 * self._can_add() + 4 * self._can_drop()
        ]

    def propose(self, side: int, rng: Chances) -> tuple[int, ...]:
        """The units that a random move of this kind would turn over."""
        if side == _ADD:
            return (self.draw_off(rng),)
        if side == _DROP:
            return (self.draw_on(rng),)
        return self._swap(rng)

    def propose_flip(self, rng: Chances) -> tuple[int, ...]:
        """A random unit whose flip stays within the bounds; a random swap where none does."""
        add, drop = self._can_add(), self._can_drop()
        if add and drop:
            return (self._order[int(rng.random() * len(self._order))],)
        if add:
            return (self.draw_off(rng),)
        if drop:
            return (self.draw_on(rng),)
        if 0 < self.n_on < len(self._order):
            return self._swap(rng)
        return ()

    def string_bits(self) -> int:
        """Number of bits that the block takes in a string.

        One per unit, or, where the size is fixed, as many numbers of units.
        """
        if self._can_add() or self._can_drop():
            return len(self._order)
        return self.n_on * max(1, (len(self._order) - 1).bit_length())

    def enter_bounds(self, rng: np.random.Generator) -> None:
        """Add or drop random units, in place, until the size bounds hold.

        With unequal widths, this stops after a number of attempts.
        """
        for _ in range(1000 + 2 * len(self._order)):
            if self.size < self.low or self.n_on < self._floor:
                self.flip(self.draw_off(rng))
            elif self.size > self.high:
                self.flip(self.draw_on(rng))
            else:
                return

    def _can_add(self) -> bool:
        return self.size < self.high and self.n_on < len(self._order)

    def _can_drop(self) -> bool:
        return self.size > self.low and self.n_on > self._floor

    def _swap(self, rng: Chances) -> tuple[int, ...]:
        """Flip one unit on and another one off, or only one where widths are too unequal."""
        added, dropped = self.draw_off(rng), self.draw_on(rng)
        if self._slack:
            growth = self._widths[added - self._start] - self._widths[dropped - self._start]
            within = self.low - self._slack <= self.size + growth <= self.high + self._slack
            if not within and self.size < self.low:
                return (added,)
            if not within:
                return (dropped,)
        return (added, dropped)


class _Choice:
    """The current option of a choice."""

    __slots__ = ("_now", "_options")

    def __init__(self, options: range, now: int) -> None:
        self._options, self._now = options, options.start + now

    def __len__(self) -> int:
        return len(self._options)

    def string_bits(self) -> int:
        return max(1, (len(self._options) - 1).bit_length())

    def sides(self) -> tuple[int, ...]:
        return (_SWITCH,) if len(self._options) > 1 else ()

    def propose_flip(self, rng: Chances) -> tuple[int, ...]:
        """Another option."""
        unit = self._options.start + int(rng.random() * (len(self._options) - 1))
        return (unit + (unit >= self._now),)

    def propose(self, side: int, rng: Chances) -> tuple[int, ...]:  # noqa: ARG002 (of every block)
        return self.propose_flip(rng)

    def flip(self, unit: int) -> int:
        old, self._now = self._now, unit
        return old


class Walker:
    """A subset and the random moves from it, each in constant time besides the bits themselves.

    Every block of units has three kinds of move (swap, add, drop), every choice has one (switch).
    Where the space limits the cost of an answer, a move that would exceed it is drawn again.
    """

    __slots__ = ("_axes", "_limit", "_only", "_starts", "space", "subset")

    def __init__(self, space: Space, subset: Subset) -> None:
        self.space, self.subset, self._limit = space, subset, space.blocks[0].max_cost
        blocks = [Membership(space, number, subset) for number in _free(space)]
        choices = [
            _Choice(options, space.option(subset, n)) for n, options in enumerate(space.choices)
        ]
        self._axes: list[Membership | _Choice] = [*blocks, *choices]
        self._starts = [units.start for units in space.block_units]
        self._only: Membership | None = None  # the block, where there is nothing else to move
        if len(blocks) == len(self._axes) == 1 and self._limit is None:
            self._only = blocks[0]

    @classmethod
    def start(cls, space: Space, rng: np.random.Generator) -> Walker:
        """A walker at a uniformly random subset."""
        return cls(space, settle(space, space.sample(rng), rng))

    def step(self, rng: Chances) -> tuple[int, ...]:
        """Propose units to flip.

        Each available kind of move is equally likely, and so is each move of a kind.
        """
        if self._limit is None:
            return self._coin(rng)
        return self._affordable(self._coin, rng)

    def flip(self, rng: Chances) -> tuple[int, ...]:
        """Propose a random unit to flip (a swap where sizes are fixed), or a switch of a choice."""
        if self._limit is None:
            return self._any(rng)
        return self._affordable(self._any, rng)

    def mutate(self, rng: Chances) -> tuple[int, ...]:
        """Propose as :meth:`flip`, but draw the block by its share of the bits of a string."""
        movable = [axis for axis in self._axes if axis.sides()]
        place = int(rng.random() * sum(axis.string_bits() for axis in movable))
        for axis in movable:
            if place < axis.string_bits():
                return axis.propose_flip(rng)
            place -= axis.string_bits()
        return ()

    def leap(self, n_flips: int, rng: Chances) -> list[int]:
        """Make several different flips at once; moving by what is returned undoes them."""
        only, bits, key = self._only, self.subset.bits, self.subset.key
        if (
            only is not None
        ):  # its flips undo themselves: the subset is flipped once, as by Space.flip
            flipped, keys = only.leap(n_flips, rng), self.space.key_list
            for unit in flipped:
                bits ^= 1 << unit
                key ^= keys[unit]
            self.subset = Subset(bits, key, only.size)
            return flipped
        undo: list[int] = []
        for _ in range(n_flips):
            units = self.flip(rng)
            if set(units).isdisjoint(undo):
                undo = self.move(units) + undo
        return undo

    def undo(self, units: Sequence[int], subset: Subset) -> None:
        """Move back by what a move or a leap has returned, to the subset it began at."""
        self.subset = subset
        if self._only is not None:
            self._only.undo(units)
            return
        for unit in units:
            self._axis(unit).flip(unit)

    def move(self, units: Sequence[int], subset: Subset | None = None) -> list[int]:
        """Flip units in place; moving by what is returned undoes it.

        ``subset`` is the result, where it is known.
        """
        if subset is None:
            subset = self.space.flip(self.subset, *units)
        self.subset = subset
        return [self._axis(unit).flip(unit) for unit in units][::-1]

    def _axis(self, unit: int) -> Membership | _Choice:
        """The block or the choice that a unit belongs to."""
        if len(self._axes) == 1:
            return self._axes[0]
        return self._axes[bisect_right(self._starts, unit) - 1]

    def _coin(self, rng: Chances) -> tuple[int, ...]:
        if len(self._axes) == 1:
            axis = self._axes[0]
            sides = axis.sides()
            if not sides:
                return ()
            return axis.propose(sides[int(rng.random() * len(sides))], rng)
        options = [(axis, side) for axis in self._axes for side in axis.sides()]
        if not options:
            return ()
        axis, side = options[int(rng.random() * len(options))]
        return axis.propose(side, rng)

    def _any(self, rng: Chances) -> tuple[int, ...]:
        if len(self._axes) == 1:
            return self._axes[0].propose_flip(rng)
        movable = [axis for axis in self._axes if axis.sides()]
        place = int(rng.random() * sum(map(len, movable)))
        for axis in movable:
            if place < len(axis):
                return axis.propose_flip(rng)
            place -= len(axis)
        return ()

    def _affordable(
        self, draw: Callable[[Chances], tuple[int, ...]], rng: Chances
    ) -> tuple[int, ...]:
        units, limit = draw(rng), self.space.blocks[0].max_cost or 0.0
        for _ in range(100):
            if self.space.cost(self.space.flip(self.subset, *units)) <= limit * (1 + 1e-12):
                break
            units = draw(rng)
        return units


def settle(space: Space, subset: Subset, rng: np.random.Generator) -> Subset:
    """Repair a subset: add or drop random units until the bounds of every block hold."""
    if space.eligible(subset) and space.visitable(subset):
        return subset
    blocks = [Membership(space, number, subset) for number in _free(space)]
    for block in blocks:
        block.enter_bounds(rng)
    options = [r.start + space.option(subset, number) for number, r in enumerate(space.choices)]
    settled = space.subset([unit for block in blocks for unit in block.on()] + options)
    if space.blocks[0].max_cost is None:
        return settled
    return space.repair(settled, rng)


def _free(space: Space) -> list[int]:
    return [number for number, block in enumerate(space.blocks) if not block.choice]


def _bounds(space: Space, block: int, most: int) -> tuple[int, int]:
    if block == 0:
        return space.low, space.high
    this = space.blocks[block]
    if this.high is not None:
        most = min(this.high, most)
    return max(this.low, this.fixed_size), most
