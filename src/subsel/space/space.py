"""The search space: blocks of columns with what is fixed or forbidden, and size bounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, combinations, pairwise, product
from math import ceil, comb

import numpy as np

from subsel.space.block import Block, check_bounds, reachable, unit_costs
from subsel.space.candidates import Candidates, Subset
from subsel.space.sampling import repair, sample, sample_size

__all__ = ["Block", "Space", "reachable"]

_MANY = 8  # units that are turned over all at once rather than one by one
_KEYS = (
    0x5EED  # the seed of the hash keys: equal in every process, so that journals and workers agree
)


class Space:
    """All subsets that a search may visit, and which of them may be the answer.

    A subset is *visitable* if it respects what is fixed, forbidden, grouped and chosen one at a
    time, and holds at least one column of every block. It is *eligible* if it also respects the
    size bounds (and the cost bound) of every block. Subsets are bit sets over *units*: the groups
    of columns that are free to flip, those of choice blocks last. The first block gives the size
    (in columns) and the cost of a subset. A space is not changed once it is made.

    Parameters
    ----------
    blocks : tuple of Block
        The features first; choices last.

    Attributes
    ----------
    n_units : int
        The number of units, options of choices left out.
    low, high : int
        The size bounds of the first block.
    single : bool
        Whether each unit, choices apart, is one feature.
    block_units : list of range
        The units of each block.
    block_widths : list of ndarray
        What each unit adds to the size, block by block: the number of its columns, unless sizes are
        given.
    choices : list of range
        The units of each choice block.
    widths : ndarray
        By how much each unit changes the size of a subset. One entry more than there are units:
        index -1, used as padding in flips, changes nothing.
    keys : ndarray
        A random word per unit, and 0 for the padding.
    first_columns, lengths : ndarray
        The first column of each unit, and how many it has.

    Examples
    --------
    >>> space = Space.of(5, low=2, high=3, fixed=[4], groups=[(0, 1)])
    >>> subset = space.subset([0])
    >>> space.columns(subset), subset.size, space.eligible(subset)
    (array([0, 1, 4]), 3, True)
    >>> [space.columns(c).tolist() for c in space.additions(subset)]
    [[0, 1, 2, 4], [0, 1, 3, 4]]
    """

    def __init__(self, blocks: tuple[Block, ...]) -> None:
        self.blocks = blocks
        _check_order(blocks)
        units = [block.units() for block in blocks]
        self._lay_out(units)
        for block, widths in zip(blocks, self.block_widths):
            check_bounds(block, widths.tolist())
        self._costs: np.ndarray | None = None
        if blocks[0].costs is not None:
            self._costs = unit_costs(blocks[0], units[0], len(self._units))
        self._check_cost()

    def _lay_out(self, units: list[Sequence[tuple[int, ...]]]) -> None:
        """Number the units of all blocks, and store what every step needs."""
        blocks, ends = self.blocks, np.cumsum([len(block) for block in units])
        self._units = units[0]
        if len(units) > 1:
            self._units = [unit for block in units for unit in block]
        self._block_of = np.repeat(
            np.arange(len(units), dtype=np.int32), [len(block) for block in units]
        )
        self.first_columns = np.concatenate(
            [block.first_columns(its) for block, its in zip(blocks, units)]
        )
        self.lengths = np.concatenate([block.lengths(its) for block, its in zip(blocks, units)])
        self.block_widths = [block.widths(its) for block, its in zip(blocks, units)]
        self.block_units = [
            range(end - len(block), end) for block, end in zip(units, ends.tolist())
        ]
        self.choices = [r for r, block in zip(self.block_units, blocks) if block.choice]
        self.n_units = len(self._units) - sum(map(len, self.choices))
        self.n_fixed = blocks[0].fixed_size
        n_first = len(units[0])
        self.widths = np.zeros(len(self._units) + 1, dtype=np.int64)
        self.widths[:n_first] = self.block_widths[0]
        self.single = bool((self.widths[: self.n_units] == 1).all()) and not any(
            block.groups for block in blocks
        )
        self.keys = _unit_keys(len(self._units))
        self._width_list, self.key_list = self.widths[:-1].tolist(), self.keys[:-1].tolist()
        self._n_bytes = max(1, ceil(len(self._units) / 8))
        self._masks = [((1 << len(r)) - 1) << r.start for r in self.block_units]
        self._plain = len(blocks) == 1 and blocks[0].max_cost is None
        self.low, self.high = blocks[0].size_bounds(sum(self._width_list))

    def __repr__(self) -> str:
        sizes = f"n_units={self.n_units}, low={self.low}, high={self.high}"
        return f"Space(blocks={self.blocks!r}, {sizes})"

    @classmethod
    def of(cls, n_columns: int, **options: object) -> Space:
        """The space of one block of features."""
        return cls((Block(n_columns, **options),))  # type: ignore[arg-type]

    # What may be the answer -----------------------------------------------------------------------

    @property
    def n_columns(self) -> int:
        """Number of columns of the first block."""
        return self.blocks[0].n_columns

    @property
    def has_costs(self) -> bool:
        """Whether the columns of the first block have costs."""
        return self._costs is not None

    def visitable(self, subset: Subset) -> bool:
        """Whether a search may request this subset."""
        if self._plain:
            return subset.size > 0
        on = [(subset.bits & mask).bit_count() for mask in self._masks]
        return all(
            n == 1 if block.choice else n or block.fixed for n, block in zip(on, self.blocks)
        )

    def eligible(self, subset: Subset) -> bool:
        """Whether this subset may be the answer."""
        if self._plain:
            return self.low <= subset.size <= self.high
        if not self.low <= subset.size <= self.high:
            return False
        for block, mask, units in zip(self.blocks[1:], self._masks[1:], self.block_units[1:]):
            if not block.choice:
                size = block.fixed_size + sum(
                    block.width(self._units[u]) for u in units if subset.bits & mask & 1 << u
                )
                high = block.n_columns
                if block.high is not None:
                    high = block.high
                if not block.low <= size <= high:
                    return False
        return self.within_cost(subset)

    def cost(self, subset: Subset) -> float:
        """Compute the total cost of the selected columns of the first block.

        It is their number where no costs are given.
        """
        if self._costs is None:
            return float(subset.size)
        return float(self._costs[self.units(subset)].sum() + self._costs[-1])

    def within_cost(self, subset: Subset) -> bool:
        """Whether the subset is within the limit of cost."""
        limit = self.blocks[0].max_cost
        return limit is None or self.cost(subset) <= limit * (1 + 1e-12)

    @property
    def prices(self) -> np.ndarray:
        """The cost of each unit: 0 where no costs are given, and outside the first block."""
        if self._costs is None:
            return np.zeros(len(self._units))
        return self._costs[:-1]

    def _check_cost(self) -> None:
        """Raise an error if the limit of cost is below that of the cheapest subset."""
        limit = self.blocks[0].max_cost
        if self._costs is None or limit is None:
            return
        free = np.sort(
            np.repeat(self._costs[:-1] / np.maximum(self.widths[:-1], 1), self.widths[:-1])
        )
        least = self._costs[-1] + free[: max(0, self.low - self.n_fixed)].sum()
        if least > limit * (1 + 1e-12):
            raise ValueError(f"max_cost={limit} is under {least:g}, the least any answer costs.")

    # Subsets --------------------------------------------------------------------------------------

    def empty(self) -> Subset:
        """Return the subset of fixed columns only, with each choice at its first option."""
        return self._with_choices(Subset(0, 0, self.n_fixed))

    def full(self) -> Subset:
        """Return the subset of all units, with each choice at its first option."""
        return self.from_mask((np.arange(len(self._units)) < self.n_units).astype(np.uint8))

    def subset(self, units: Iterable[int]) -> Subset:
        """Make the subset of some units and options.

        A choice without an option has its first one.
        """
        units = np.fromiter(units, dtype=np.int64)
        mask = np.zeros(len(self._units), dtype=np.uint8)
        mask[units] = 1
        return self.from_mask(mask)

    def from_mask(self, mask: np.ndarray) -> Subset:
        """Make the subset of the units that are non-zero in a mask, with or without the choices."""
        on = np.flatnonzero(mask)
        bits = int.from_bytes(np.packbits(mask.astype(bool), bitorder="little").tobytes(), "little")
        key = int(np.bitwise_xor.reduce(self.keys[on]))
        return self._with_choices(Subset(bits, key, self.n_fixed + int(self.widths[on].sum())))

    def from_columns(self, columns: Iterable[int]) -> Subset:
        """Make the subset of some columns of the first block.

        Groups must be complete; fixed columns may be left out.
        """
        selected = set(map(int, columns)) | set(self.blocks[0].fixed)
        units = [u for u in self.block_units[0] if selected.issuperset(self._units[u])]
        covered = set(self.blocks[0].fixed).union(*(self._units[u] for u in units))
        if covered != selected:
            raise ValueError(
                f"columns {sorted(selected - covered)} are forbidden, unknown or part of a group."
            )
        return self.subset(units)

    def _with_choices(self, subset: Subset) -> Subset:
        for options in self.choices:
            if not (subset.bits >> options.start) & ((1 << len(options)) - 1):
                subset = Subset(
                    subset.bits | 1 << options.start,
                    subset.key ^ self.key_list[options.start],
                    subset.size,
                )
        return subset

    def mask(self, subset: Subset) -> np.ndarray:
        """Return one byte per unit, 1 where it is on."""
        raw = np.frombuffer(subset.bits.to_bytes(self._n_bytes, "little"), dtype=np.uint8)
        return np.unpackbits(raw, count=len(self._units), bitorder="little")

    def masks(self, subsets: Sequence[Subset]) -> np.ndarray:
        """Return one row per subset with one byte per unit, 1 where it is on."""
        raw = b"".join(subset.bits.to_bytes(self._n_bytes, "little") for subset in subsets)
        bits = np.frombuffer(raw, dtype=np.uint8).reshape(len(subsets), self._n_bytes)
        return np.unpackbits(bits, axis=1, count=len(self._units), bitorder="little")

    def units(self, subset: Subset) -> np.ndarray:
        """Return the units that are on, without options of choices."""
        mask = self.mask(subset)[: self.n_units]
        return mask.view(bool).nonzero()[0]  # of bytes it takes far longer

    def others(self, subset: Subset) -> np.ndarray:
        """Return the units that are off, without options of choices."""
        off: np.ndarray = (self.mask(subset)[: self.n_units] == 0).nonzero()[0]
        return off

    def option(self, subset: Subset, choice: int) -> int:
        """Return the option of a choice, counted from 0 within its block."""
        options = self.choices[choice]
        return ((subset.bits >> options.start) & ((1 << len(options)) - 1)).bit_length() - 1

    def options(self, subset: Subset) -> tuple[int, ...]:
        """Return the options of all choices."""
        return tuple([self.option(subset, choice) for choice in range(len(self.choices))])

    def at(self, subset: Subset, options: Sequence[int]) -> Subset:
        """Return a subset with its choices set to these options."""
        for choice, option in zip(self.choices, options):
            if not subset.bits >> choice.start + option & 1:
                subset = self.flip(subset, choice.start + option)
        return subset

    def columns(self, subset: Subset, block: int = 0) -> np.ndarray:
        """Return the selected columns of a block in order, fixed ones included."""
        return self.columns_on(self.mask(subset), block)

    def columns_on(self, mask: np.ndarray, block: int = 0) -> np.ndarray:
        """Return the selected columns of a block for a mask over all units."""
        units = self.block_units[block]
        on = mask[units.start : units.stop].view(bool).nonzero()[0] + units.start
        fixed = self.blocks[block].fixed
        if not self.blocks[block].groups:
            columns = self.first_columns[on]
            if len(fixed):
                columns = np.sort(np.append(columns, np.array(fixed, dtype=np.int64)))
            return columns
        grouped = [c for u in on.tolist() for c in self._units[u]]
        return np.sort(np.array([*grouped, *fixed], dtype=np.int64))

    def unit_columns(self, unit: int) -> tuple[int, ...]:
        """Return the columns that flip with a unit."""
        return self._units[unit]

    def members(self, units: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the columns that flip with some units, unit by unit, and their numbers."""
        if self.single or not any(block.groups for block in self.blocks):
            return self.first_columns.take(units), self.lengths[: len(units)]  # which are all 1
        parts = [self._units[unit] for unit in units.tolist()]
        return np.array([c for part in parts for c in part], dtype=np.int64), self.lengths[units]

    def width(self, unit: int) -> int:
        """Return by how much a unit changes the size of a subset."""
        width: int = self._width_list[unit]
        return width

    # Moves ----------------------------------------------------------------------------------------

    def flip(self, subset: Subset, *units: int) -> Subset:
        """Flip units; switching an option on switches the others of its choice off."""
        if len(units) > _MANY and max(units) < self.n_units and len(set(units)) == len(units):
            return self.flip_all(subset, np.array(units))
        bits, key, size = subset.bits, subset.key, subset.size
        for unit in units:
            if unit >= self.n_units:
                options = next(r for r in self.choices if unit in r)
                old = options.start + self.option(Subset(bits, 0, 0), self.choices.index(options))
                bits, key = bits ^ 1 << old, key ^ self.key_list[old]
            turned = bits ^ 1 << unit
            if turned < bits:
                size -= self._width_list[unit]
            else:
                size += self._width_list[unit]
            bits, key = turned, key ^ self.key_list[unit]
        return Subset(bits, key, size)

    def flip_all(self, subset: Subset, units: np.ndarray) -> Subset:
        """Flip different units, none of them options, at once where they are many."""
        if len(units) <= _MANY:
            return self.flip(subset, *units.tolist())
        widths = np.where(self.mask(subset)[units], -self.widths[units], self.widths[units])
        turned = np.zeros(len(self._units), dtype=np.uint8)
        turned[units] = 1
        bits = int.from_bytes(np.packbits(turned, bitorder="little").tobytes(), "little")
        key = int(np.bitwise_xor.reduce(self.keys[units]))
        return Subset(subset.bits ^ bits, subset.key ^ key, subset.size + int(widths.sum()))

    def cross(self, first: Subset, second: Subset, mask: int) -> Subset:
        """Take the units of ``mask`` from the first, others from the second, choices undivided."""
        for options in self.choices:
            whole = ((1 << len(options)) - 1) << options.start
            if mask >> options.start & 1:
                mask |= whole
            else:
                mask &= ~whole
        return self.from_bits(first.bits & mask | second.bits & ~mask)

    def from_bits(self, bits: int) -> Subset:
        """Make the subset of a bit string over units."""
        subset = Subset(bits, 0, 0)
        on = np.flatnonzero(self.mask(subset))
        key = int(np.bitwise_xor.reduce(self.keys[on]))
        return Subset(bits, key, self.n_fixed + int(self.widths[on].sum()))

    def additions(self, subset: Subset, n: int = 1) -> Candidates:
        """List all ways to turn ``n`` more units on within cost, with every option of choices."""
        mask, limit = self.mask(subset), self.blocks[0].max_cost
        flips = _combinations((mask[: self.n_units] == 0).nonzero()[0], n)
        if limit is not None and self._costs is not None:
            flips = flips[self.cost(subset) + self._costs[flips].sum(axis=1) <= limit * (1 + 1e-12)]
        return self._flips(subset, flips, 1, mask)

    def removals(self, subset: Subset, n: int = 1) -> Candidates:
        """List all visitable ways to turn ``n`` units off, with every option of every choice."""
        return self._visitable(self._flips(subset, _combinations(self.units(subset), n), -1))

    def swaps(self, subset: Subset) -> Candidates:
        """List all ways to turn one unit off and another of the same block on."""
        inside, outside = self.units(subset), self.others(subset)
        pairs = np.stack(np.meshgrid(inside, outside, indexing="ij"), axis=-1).reshape(-1, 2)
        return self._flips(
            subset, pairs[self._block_of[pairs[:, 0]] == self._block_of[pairs[:, 1]]]
        )

    def flips(self, subset: Subset) -> Candidates:
        """List all visitable subsets that differ in one unit, or in one choice."""
        single = np.arange(self.n_units)[:, None]
        if not self.choices:
            return self._visitable(Candidates(self, subset, single))
        rows = [np.column_stack([single, np.full_like(single, -1)])]
        for number, options in enumerate(self.choices):
            now = options.start + self.option(subset, number)
            rows.append(
                np.array([(now, unit) for unit in options if unit != now], dtype=np.int64).reshape(
                    -1, 2
                )
            )
        return self._visitable(Candidates(self, subset, np.concatenate(rows)))

    def _visitable(self, candidates: Candidates) -> Candidates:
        if self.n_fixed and len(self.blocks) == 1:
            return candidates
        if sum(not block.choice for block in self.blocks) == 1:
            keep = candidates.sizes > 0
        else:
            keep = np.array([self.visitable(subset) for subset in candidates], dtype=bool)
        if keep.all():
            return candidates
        return candidates.take(np.flatnonzero(keep))

    def _flips(
        self, subset: Subset, flips: np.ndarray, turns: int = 0, mask: np.ndarray | None = None
    ) -> Candidates:
        """Repeat flips from a base for every other setting of the choices.

        All flips may go in one direction.
        """
        if not self.choices:
            return Candidates(self, subset, flips, turns if self.single else 0, mask)
        now = [r.start + self.option(subset, number) for number, r in enumerate(self.choices)]
        switches = [
            [(-1, -1) if unit == old else (old, unit) for unit in r]
            for old, r in zip(now, self.choices)
        ]
        settings = np.array([sum(s, ()) for s in product(*switches)], dtype=np.int64)
        rows = np.repeat(flips, len(settings), axis=0)
        return Candidates(self, subset, np.hstack([rows, np.tile(settings, (len(flips), 1))]))

    # Chance ---------------------------------------------------------------------------------------

    def sample(self, rng: np.random.Generator, size: int | None = None) -> Subset:
        """Draw a random subset within the size bounds.

        It is uniform over all of them, or has about ``size`` columns in the first block.
        """
        return sample(self, rng, size)

    def sample_size(
        self, rng: np.random.Generator, low: int | None = None, high: int | None = None
    ) -> int:
        """Draw a size uniformly within the bounds."""
        return sample_size(self, rng, low, high)

    def repair(self, subset: Subset, rng: np.random.Generator) -> Subset:
        """Make a subset eligible: drop or add random units until the bounds hold."""
        return repair(self, subset, rng)


def _check_order(blocks: tuple[Block, ...]) -> None:
    if any(block.choice for block in blocks[:1]):
        raise ValueError("the first block must not be a choice: it gives the size of a subset.")
    if any(a.choice > b.choice for a, b in pairwise(blocks)):
        raise ValueError("choice blocks come last.")


@lru_cache(maxsize=8)
def _unit_keys(n_units: int) -> np.ndarray:
    """Draw one random 64-bit word per unit, and zero for the padding."""
    # The key of a subset is the exclusive or of the words of its units: Zobrist, A new hashing
    # method with application for game playing, technical report, 1970. Two given subsets share a
    # key with a probability of 2^-64.
    keys = np.zeros(n_units + 1, dtype=np.uint64)
    keys[:-1] = np.random.default_rng(_KEYS).integers(2**64, size=n_units, dtype=np.uint64)
    return keys


def _combinations(units: np.ndarray, n: int) -> np.ndarray:
    """List all ``n``-sets of units, one per row, in lexicographic order."""
    if n == 1:
        return units[:, None]
    flat = chain.from_iterable(combinations(units.tolist(), n))
    return np.fromiter(flat, dtype=np.int64, count=n * comb(len(units), n)).reshape(-1, n)
