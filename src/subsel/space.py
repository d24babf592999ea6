"""The bits a search may turn: blocks of columns, what is fixed or forbidden in them, and how large an answer may be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from math import ceil

import numpy as np

from subsel.candidates import Candidates, Subset

__all__ = ["Block", "Space", "reachable"]

_KEYS = 0x5EED  # the seed of the hash keys: equal in every process, so that journals and workers agree


@dataclass(frozen=True)
class Block:
    """A named run of columns that are searched together.

    Parameters
    ----------
    n_columns : number of columns of the table (or rows, or options) the block stands for.
    low, high : how many of them an answer may hold, ``high=None`` meaning all.
    fixed, forbidden : columns that are always on, columns that are never on.
    groups : sets of columns that flip as one; columns in no group stand alone.
    costs, max_cost : price of each column, and the most an answer may cost in all.
    choice : exactly one column is on at any time: a kernel, a learner, a hyper-parameter.
    """

    n_columns: int
    name: str = "features"
    low: int = 1
    high: int | None = None
    fixed: Sequence[int] = ()
    forbidden: Sequence[int] = ()
    groups: Sequence[Sequence[int]] = ()
    costs: Sequence[float] | None = None
    max_cost: float | None = None
    choice: bool = False

    def units(self) -> list[tuple[int, ...]]:
        """The sets of free columns that flip as one, in the order of their first columns."""
        grouped = [tuple(sorted(group)) for group in self.groups]
        taken = {column for group in grouped for column in group}
        if sum(map(len, grouped)) != len(taken):
            raise ValueError("feature_groups overlap: a column may belong to one group only.")
        if outside := [c for c in (*taken, *self.fixed, *self.forbidden) if not 0 <= c < self.n_columns]:
            raise ValueError(f"column {outside[0]} does not exist: the block has {self.n_columns} columns.")
        if both := set(self.fixed) & set(self.forbidden):
            raise ValueError(f"columns {sorted(both)} are both fixed and forbidden.")
        stuck = {*self.fixed, *self.forbidden}
        for group in grouped:
            if stuck.intersection(group) and not (set(group) <= set(self.fixed) or set(group) <= set(self.forbidden)):
                raise ValueError(f"the group of columns {group} flips as one: fix or forbid all of it or none.")
        single = [(column,) for column in range(self.n_columns) if column not in taken]
        return sorted(unit for unit in grouped + single if unit[0] not in stuck)


@dataclass(frozen=True, eq=False)
class Space:
    """All subsets that a search may visit, and which of them may be the answer.

    A subset is *visitable* if it respects what is fixed, forbidden, grouped and chosen one at a time, and holds at
    least one column of every block. It is *eligible* if it also respects the size bounds (and the cost bound) of every block.
    Subsets are bit sets over *units*: the groups of columns that are free to flip, those of choice blocks last.
    The first block gives the size (in columns) and the cost of a subset; ``low`` and ``high`` are its size bounds.
    ``block_units`` are the units of each block; ``single`` says that each unit, choices apart, is one feature.

    Examples
    --------
    >>> space = Space.of(5, low=2, high=3, fixed=[4], groups=[(0, 1)])
    >>> subset = space.subset([0])
    >>> space.columns(subset), subset.size, space.eligible(subset)
    (array([0, 1, 4]), 3, True)
    >>> [space.columns(c).tolist() for c in space.additions(subset)]
    [[0, 1, 2, 4], [0, 1, 3, 4]]
    """

    blocks: tuple[Block, ...]
    n_units: int = field(init=False)
    low: int = field(init=False)
    high: int = field(init=False)
    widths: np.ndarray = field(init=False, repr=False)
    keys: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if any(block.choice for block in self.blocks[:1]):
            raise ValueError("the first block must not be a choice: it gives the size of a subset.")
        if any(a.choice > b.choice for a, b in zip(self.blocks, self.blocks[1:])):
            raise ValueError("choice blocks come last.")
        units = [[(b, unit) for unit in block.units()] for b, block in enumerate(self.blocks)]
        flat = [unit for block in units for unit in block]
        ends = np.cumsum([len(block) for block in units])
        put = lambda name, value: object.__setattr__(self, name, value)
        put("_units", [columns for _, columns in flat])
        put("first_columns", np.array([columns[0] for _, columns in flat], dtype=np.int64))
        put("_block_widths", [np.array([len(columns) for _, columns in block], dtype=np.int64) for block in units])
        put("_block_of", np.array([b for b, _ in flat], dtype=np.int32))
        put("block_units", [range(end - len(block), end) for block, end in zip(units, ends)])
        put("n_units", sum(len(r) for r, block in zip(self.block_units, self.blocks) if not block.choice))
        put("_choices", [r for r, block in zip(self.block_units, self.blocks) if block.choice])
        # One entry more than there are units: index -1, used as padding in flips, changes nothing.
        width = [len(columns) if b == 0 else 0 for b, columns in flat]
        put("widths", np.array([*width, 0], dtype=np.int64))
        put("single", set(width[: self.n_units]) <= {1})
        keys = _unit_keys(len(flat))
        put("keys", keys)
        put("_key_list", keys[:-1].tolist())
        put("_width_list", width)
        put("_n_bytes", max(1, ceil(len(flat) / 8)))
        put("_masks", [((1 << len(r)) - 1) << r.start for r in self.block_units])
        most, first = self.n_fixed + sum(width), self.blocks[0]
        put("low", max(first.low, self.n_fixed))
        put("high", most if first.high is None else min(first.high, most))
        put("_plain", len(self.blocks) == 1 and self.blocks[0].max_cost is None)
        put("_costs", self._unit_costs())
        self._check_bounds()

    first_columns: np.ndarray = field(init=False, repr=False)
    single: bool = field(init=False, repr=False)
    _units: list[tuple[int, ...]] = field(init=False, repr=False)
    _block_widths: list[np.ndarray] = field(init=False, repr=False)
    _block_of: np.ndarray = field(init=False, repr=False)
    block_units: list[range] = field(init=False, repr=False)
    _choices: list[range] = field(init=False, repr=False)
    _key_list: list[int] = field(init=False, repr=False)
    _width_list: list[int] = field(init=False, repr=False)
    _n_bytes: int = field(init=False, repr=False)
    _masks: list[int] = field(init=False, repr=False)
    _plain: bool = field(init=False, repr=False)
    _costs: np.ndarray | None = field(init=False, repr=False)

    @classmethod
    def of(cls, n_columns: int, **options: object) -> Space:
        """The space of one block of features."""
        return cls((Block(n_columns, **options),))  # type: ignore[arg-type]

    # What may be the answer -------------------------------------------------------------------------------------

    @property
    def n_fixed(self) -> int:
        """How many columns of the first block are always on."""
        return len(self.blocks[0].fixed)

    @property
    def n_columns(self) -> int:
        """How many columns the first block stands for."""
        return self.blocks[0].n_columns

    @property
    def has_costs(self) -> bool:
        """Whether the columns of the first block have prices."""
        return self._costs is not None

    @property
    def choices(self) -> list[range]:
        """The units of each choice block."""
        return self._choices

    def visitable(self, subset: Subset) -> bool:
        """Whether a search may ask for this subset."""
        if self._plain:
            return subset.size > 0
        on = [(subset.bits & mask).bit_count() for mask in self._masks]
        return all(n == 1 if block.choice else n or block.fixed for n, block in zip(on, self.blocks))

    def eligible(self, subset: Subset) -> bool:
        """Whether this subset may be the answer."""
        if self._plain:
            return self.low <= subset.size <= self.high
        if not self.low <= subset.size <= self.high:
            return False
        for block, mask, units in zip(self.blocks[1:], self._masks[1:], self.block_units[1:]):
            if not block.choice:
                size = len(block.fixed) + sum(len(self._units[u]) for u in units if subset.bits & mask & 1 << u)
                if not block.low <= size <= (block.n_columns if block.high is None else block.high):
                    return False
        return self.within_cost(subset)

    def cost(self, subset: Subset) -> float:
        """The total price of the columns of the first block that are on (their number, where no prices are given)."""
        if self._costs is None:
            return float(subset.size)
        return float(self._costs[self.units(subset)].sum() + self._costs[-1])

    def _unit_costs(self) -> np.ndarray | None:
        """Price of each unit; the last entry is the price of what is fixed."""
        first = self.blocks[0]
        if first.costs is None:
            return None
        costs = np.asarray(first.costs, dtype=float)
        if costs.shape != (first.n_columns,) or not np.all(costs >= 0):
            raise ValueError(f"feature_costs must be {first.n_columns} non-negative numbers.")
        of_unit = [costs[list(unit)].sum() if b == 0 else 0.0 for b, unit in zip(self._block_of, self._units)]
        return np.array([*of_unit, costs[list(first.fixed)].sum()])

    def _check_bounds(self) -> None:
        for number, block in enumerate(self.blocks):
            if block.choice:
                if not block.units():
                    raise ValueError(f"the choice {block.name!r} has no option.")
                continue
            sizes = [len(self._units[u]) for u in self.block_units[number]]
            most, least = len(block.fixed) + sum(sizes), max(block.low, len(block.fixed))
            high = most if block.high is None else block.high
            if not (0 <= block.low <= most and high >= least and high >= 1):
                bounds = f"n_{block.name} must allow between {max(len(block.fixed), 1)} and {most}"
                raise ValueError(f"{bounds} (fixed {len(block.fixed)}), got bounds ({block.low}, {block.high}).")
            if not reachable(sizes, least - len(block.fixed), min(high, most) - len(block.fixed)):
                raise ValueError(f"no union of whole groups has between {least} and {high} columns.")
        if self._costs is not None and self.blocks[0].max_cost is not None:
            free = np.sort(np.repeat(self._costs[:-1] / np.maximum(self.widths[:-1], 1), self.widths[:-1]))
            least_cost = self._costs[-1] + free[: max(0, self.low - self.n_fixed)].sum()
            if least_cost > self.blocks[0].max_cost * (1 + 1e-12):
                raise ValueError(
                    f"max_cost={self.blocks[0].max_cost} is under {least_cost:g}, the least any answer costs."
                )

    # Subsets ----------------------------------------------------------------------------------------------------

    def empty(self) -> Subset:
        """Only what is fixed, each choice at its first option."""
        return self._with_choices(Subset(0, 0, self.n_fixed))

    def full(self) -> Subset:
        """Every unit on, each choice at its first option."""
        return self.subset(range(self.n_units))

    def subset(self, units: Iterable[int]) -> Subset:
        """The subset of these units (options of choices may be among them; a choice left open takes its first)."""
        units = np.fromiter(units, dtype=np.int64)
        mask = np.zeros(len(self._units), dtype=np.uint8)
        mask[units] = 1
        return self.from_mask(mask)

    def from_mask(self, mask: np.ndarray) -> Subset:
        """The subset of the units that are non-zero in ``mask`` (over all units, or over all but the choices)."""
        on = np.flatnonzero(mask)
        bits = int.from_bytes(np.packbits(mask.astype(bool), bitorder="little").tobytes(), "little")
        key = int(np.bitwise_xor.reduce(self.keys[on])) if len(on) else 0
        return self._with_choices(Subset(bits, key, self.n_fixed + int(self.widths[on].sum())))

    def from_columns(self, columns: Iterable[int]) -> Subset:
        """The subset of the first block that holds these columns; groups must be whole, fixed ones may be left out."""
        wanted = set(map(int, columns)) | set(self.blocks[0].fixed)
        units = [u for u in self.block_units[0] if wanted.issuperset(self._units[u])]
        covered = set(self.blocks[0].fixed).union(*(self._units[u] for u in units))
        if covered != wanted:
            raise ValueError(f"columns {sorted(wanted - covered)} are forbidden, unknown or part of a group.")
        return self.subset(units)

    def _with_choices(self, subset: Subset) -> Subset:
        for options in self._choices:
            if not (subset.bits >> options.start) & ((1 << len(options)) - 1):
                subset = Subset(
                    subset.bits | 1 << options.start, subset.key ^ self._key_list[options.start], subset.size
                )
        return subset

    def mask(self, subset: Subset) -> np.ndarray:
        """One byte per unit, 1 where it is on."""
        raw = np.frombuffer(subset.bits.to_bytes(self._n_bytes, "little"), dtype=np.uint8)
        return np.unpackbits(raw, count=len(self._units), bitorder="little")

    def masks(self, subsets: Sequence[Subset]) -> np.ndarray:
        """One row per subset, one byte per unit."""
        raw = b"".join(subset.bits.to_bytes(self._n_bytes, "little") for subset in subsets)
        bits = np.frombuffer(raw, dtype=np.uint8).reshape(len(subsets), self._n_bytes)
        return np.unpackbits(bits, axis=1, count=len(self._units), bitorder="little")

    def units(self, subset: Subset) -> np.ndarray:
        """The units that are on, options of choices left out."""
        return np.flatnonzero(self.mask(subset)[: self.n_units])

    def others(self, subset: Subset) -> np.ndarray:
        """The units that are off, options of choices left out."""
        return np.flatnonzero(self.mask(subset)[: self.n_units] == 0)

    def option(self, subset: Subset, choice: int) -> int:
        """The option (counted from 0 within its block) at which a choice stands."""
        options = self._choices[choice]
        return ((subset.bits >> options.start) & ((1 << len(options)) - 1)).bit_length() - 1

    def options(self, subset: Subset) -> tuple[int, ...]:
        """The options at which all choices stand."""
        return tuple([self.option(subset, choice) for choice in range(len(self._choices))])

    def at(self, subset: Subset, options: Sequence[int]) -> Subset:
        """A subset with its choices at these options."""
        for choice, option in zip(self._choices, options):
            if not subset.bits >> choice.start + option & 1:
                subset = self.flip(subset, choice.start + option)
        return subset

    def columns(self, subset: Subset, block: int = 0) -> np.ndarray:
        """The columns of a block that are on, in order, fixed ones among them."""
        units = self.block_units[block]
        on = np.flatnonzero(self.mask(subset)[units.start : units.stop]) + units.start
        fixed = self.blocks[block].fixed
        if not self.blocks[block].groups:
            columns = self.first_columns[on]
            return np.sort(np.append(columns, np.array(fixed, dtype=np.int64))) if len(fixed) else columns
        grouped = [c for u in on.tolist() for c in self._units[u]]
        return np.sort(np.array([*grouped, *fixed], dtype=np.int64))

    def unit_columns(self, unit: int) -> tuple[int, ...]:
        """The columns that flip with this unit."""
        return self._units[unit]

    def width(self, unit: int) -> int:
        """By how much this unit changes the size of a subset."""
        return self._width_list[unit]

    # Moves ------------------------------------------------------------------------------------------------------

    def flip(self, subset: Subset, *units: int) -> Subset:
        """Turn units over; turning an option on turns its rivals off."""
        bits, key, size = subset.bits, subset.key, subset.size
        for unit in units:
            if unit >= self.n_units:
                options = next(r for r in self._choices if unit in r)
                old = options.start + self.option(Subset(bits, 0, 0), self._choices.index(options))
                bits, key = bits ^ 1 << old, key ^ self._key_list[old]
            turned = bits ^ 1 << unit
            size += -self._width_list[unit] if turned < bits else self._width_list[unit]
            bits, key = turned, key ^ self._key_list[unit]
        return Subset(bits, key, size)

    def cross(self, first: Subset, second: Subset, mask: int) -> Subset:
        """Take the units of ``mask`` from the first, the others from the second; a choice is taken whole."""
        for options in self._choices:
            whole = ((1 << len(options)) - 1) << options.start
            mask = mask | whole if mask >> options.start & 1 else mask & ~whole
        return self.from_bits(first.bits & mask | second.bits & ~mask)

    def from_bits(self, bits: int) -> Subset:
        """The subset with this bit string over units."""
        subset = Subset(bits, 0, 0)
        on = np.flatnonzero(self.mask(subset))
        key = int(np.bitwise_xor.reduce(self.keys[on])) if len(on) else 0
        return Subset(bits, key, self.n_fixed + int(self.widths[on].sum()))

    def additions(self, subset: Subset, n: int = 1) -> Candidates:
        """All ways to turn ``n`` more units on that can be paid for (with every option of every choice)."""
        flips, limit = _combinations(self.others(subset), n), self.blocks[0].max_cost
        if limit is not None and self._costs is not None:
            flips = flips[self.cost(subset) + self._costs[flips].sum(axis=1) <= limit * (1 + 1e-12)]
        return self._flips(subset, flips)

    def removals(self, subset: Subset, n: int = 1) -> Candidates:
        """All ways to turn ``n`` units off (with every option of every choice) that leave a visitable subset."""
        return self._visitable(self._flips(subset, _combinations(self.units(subset), n)))

    def swaps(self, subset: Subset) -> Candidates:
        """All ways to turn one unit off and another of the same block on."""
        inside, outside = self.units(subset), self.others(subset)
        pairs = np.stack(np.meshgrid(inside, outside, indexing="ij"), axis=-1).reshape(-1, 2)
        return self._flips(subset, pairs[self._block_of[pairs[:, 0]] == self._block_of[pairs[:, 1]]])

    def flips(self, subset: Subset) -> Candidates:
        """All visitable subsets that differ in one unit, or in one choice."""
        single = np.arange(self.n_units)[:, None]
        if not self._choices:
            return self._visitable(Candidates(self, subset, single))
        rows = [np.column_stack([single, np.full_like(single, -1)])]
        for number, options in enumerate(self._choices):
            now = options.start + self.option(subset, number)
            rows.append(np.array([(now, unit) for unit in options if unit != now], dtype=np.int64).reshape(-1, 2))
        return self._visitable(Candidates(self, subset, np.concatenate(rows)))

    def _visitable(self, candidates: Candidates) -> Candidates:
        if self.n_fixed and len(self.blocks) == 1:
            return candidates
        if sum(not block.choice for block in self.blocks) == 1:
            keep = candidates.sizes > 0
        else:
            keep = np.array([self.visitable(subset) for subset in candidates], dtype=bool)
        return candidates if keep.all() else candidates.take(np.flatnonzero(keep))

    def _flips(self, subset: Subset, flips: np.ndarray) -> Candidates:
        """Flips from a base, repeated for every other setting of the choices."""
        if not self._choices:
            return Candidates(self, subset, flips)
        now = [r.start + self.option(subset, number) for number, r in enumerate(self._choices)]
        switches = [[(-1, -1) if unit == old else (old, unit) for unit in r] for old, r in zip(now, self._choices)]
        settings = np.array([sum(s, ()) for s in product(*switches)], dtype=np.int64)
        rows = np.repeat(flips, len(settings), axis=0)
        return Candidates(self, subset, np.hstack([rows, np.tile(settings, (len(flips), 1))]))

    # Chance -----------------------------------------------------------------------------------------------------

    def sample(self, rng: np.random.Generator, size: int | None = None) -> Subset:
        """A random subset within the size bounds: uniform over all of them, or of about ``size`` columns in the first block."""
        mask = np.zeros(len(self._units), dtype=np.uint8)
        for number, (block, units) in enumerate(zip(self.blocks, self.block_units)):
            if not block.choice:
                mask[units.start : units.stop] = self._sample_block(number, rng, size if number == 0 else None)
        return self._open_choices(self.from_mask(mask), rng)

    def sample_size(self, rng: np.random.Generator, low: int | None = None, high: int | None = None) -> int:
        """A size drawn uniformly between the bounds."""
        low = max(self.low if low is None else low, self.n_fixed, 1)
        return int(rng.integers(low, max(low, self.high if high is None else high) + 1))

    def _sample_block(self, number: int, rng: np.random.Generator, size: int | None) -> np.ndarray:
        """The units of one block: uniform by rejection and then (narrow bounds) by size first, or of about ``size`` columns."""
        block, units = self.blocks[number], self.block_units[number]
        widths, fixed = self._block_widths[number], len(block.fixed)
        most = fixed + int(widths.sum())
        low, high = max(block.low, fixed, 1), most if block.high is None else min(block.high, most)
        if size is None and low == high:
            size = low
        for _ in range(20 if size is None else 0):
            mask = rng.integers(0, 2, size=len(units), dtype=np.uint8)
            if low <= fixed + int(widths @ mask) <= high:
                return mask
        size = _likely_size(rng, low - fixed, high - fixed, int(widths.sum())) if size is None else size - fixed
        order = rng.permutation(len(units))
        mask = np.zeros(len(units), dtype=np.uint8)
        mask[order[: int(np.searchsorted(np.cumsum(widths[order]), size, side="left")) + (size > 0)]] = 1
        return mask

    def _open_choices(self, subset: Subset, rng: np.random.Generator) -> Subset:
        for options in self._choices:
            unit = options.start + int(rng.integers(len(options)))
            if not subset.bits >> unit & 1:
                subset = self.flip(subset, unit)
        return subset

    def repair(self, subset: Subset, rng: np.random.Generator) -> Subset:
        """An eligible subset near this one: random units are dropped or added until the bounds hold."""
        if self.eligible(subset):
            return subset
        for _ in range(100):
            subset = self._towards(subset, rng)
            if self.eligible(subset):
                return subset
            subset = self.sample(rng, self.sample_size(rng))
        return self._cheapest(subset)

    def _cheapest(self, subset: Subset) -> Subset:
        """The cheapest units of the first block that make up the least size, the rest of the subset as it is."""
        price = np.zeros(len(self._units)) if self._costs is None else self._costs[:-1]
        first = self.block_units[0]
        order = np.argsort((price / np.maximum(self.widths[:-1], 1))[: len(first)], kind="stable")
        mask = self.mask(subset)
        mask[: len(first)] = 0
        grown = self.n_fixed + np.cumsum(self.widths[order])
        mask[order[: int(np.searchsorted(grown, max(self.low, 1))) + 1]] = 1
        subset = self.from_mask(mask)
        if not self.eligible(subset):
            raise ValueError("no eligible subset was found: the size, group and cost bounds leave too few.")
        return subset

    def _towards(self, subset: Subset, rng: np.random.Generator) -> Subset:
        for unit in rng.permutation(self.units(subset)).tolist():
            if subset.size <= self.high and self.within_cost(subset):
                break
            if subset.size - self._width_list[unit] >= min(self.low, self.high):
                subset = self.flip(subset, unit)
        for unit in rng.permutation(self.others(subset)).tolist():
            if subset.size >= self.low:
                break
            if subset.size + self._width_list[unit] <= self.high and self.within_cost(self.flip(subset, unit)):
                subset = self.flip(subset, unit)
        return subset

    def within_cost(self, subset: Subset) -> bool:
        """Whether the subset can be paid for."""
        limit = self.blocks[0].max_cost
        return limit is None or self.cost(subset) <= limit * (1 + 1e-12)


def _likely_size(rng: np.random.Generator, low: int, high: int, n: int) -> int:
    """A size between the bounds, as likely as it has subsets (exact where every unit is one column)."""
    from scipy.special import gammaln

    sizes = np.arange(low, high + 1)
    log_count = -gammaln(sizes + 1) - gammaln(n - sizes + 1)
    weight = np.exp(log_count - log_count.max())
    return int(rng.choice(sizes, p=weight / weight.sum()))


@lru_cache(maxsize=8)
def _unit_keys(n_units: int) -> np.ndarray:
    """One random word per unit, and zero for the padding."""
    keys = np.zeros(n_units + 1, dtype=np.uint64)
    keys[:-1] = np.random.default_rng(_KEYS).integers(2**64, size=n_units, dtype=np.uint64)
    return keys


def _combinations(units: np.ndarray, n: int) -> np.ndarray:
    """All ``n``-sets of units, one a row, in lexicographic order."""
    if n == 1:
        return units[:, None]
    from itertools import chain, combinations
    from math import comb

    flat = chain.from_iterable(combinations(units.tolist(), n))
    return np.fromiter(flat, dtype=np.int64, count=n * comb(len(units), n)).reshape(-1, n)


def reachable(widths: Sequence[int], low: int, high: int) -> bool:
    """Whether some of these widths add up to between ``low`` and ``high`` (sums as bits of an integer)."""
    if set(widths) <= {1}:
        return low <= len(widths) and high >= 0
    sums = 1
    for width in widths:
        sums |= sums << width
    return bool(sums >> max(0, low) & ((1 << max(0, high - max(0, low) + 1)) - 1))
