"""Subsets, and batches of them that remember how they differ from a common base."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np

if TYPE_CHECKING:
    from subsel.space.space import Space

__all__ = ["Candidates", "Changes", "Subset"]

MASK = 1 << 24  # bytes up to which the columns of a batch are found all at once


class Subset:
    """A set of units of a space: a bit string, its hash key and its size.

    The key is the exclusive or of one random word per unit (Zobrist).

    Two subsets are equal if their bits are. The key identifies a subset in memory: among a million
    of them two different ones share a key with a chance of about 3e-8.
    """

    __slots__ = ("bits", "key", "size")

    def __init__(self, bits: int, key: int, size: int) -> None:
        self.bits, self.key, self.size = bits, key, size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Subset) and self.bits == other.bits

    def __hash__(self) -> int:
        return self.key

    def __contains__(self, unit: int) -> bool:
        return bool(self.bits >> unit & 1)

    def __repr__(self) -> str:
        on = [u for u in range(self.bits.bit_length()) if self.bits >> u & 1]
        return f"Subset({on}, size={self.size})"


class Changes(NamedTuple):
    """The differences of candidates from their base in columns, one row per candidate."""

    base: np.ndarray
    added: np.ndarray
    removed: np.ndarray


class Candidates(Sequence[Subset]):
    """A batch of subsets: flips of a common base, or a plain list.

    Flips are one row of units per candidate, with -1 as padding.

    ``turns`` says that every flip turns a single column on (1) or off (-1); 0 says nothing.
    ``stream`` is set by the engine: the restart and the number of the first request, so that a
    criterion that draws afresh for each evaluation can key its random numbers by them.
    """

    __slots__ = ("_keys", "_on", "_sizes", "_subsets", "base", "flips", "space", "stream", "turns")

    def __init__(
        self,
        space: Space,
        base: Subset,
        flips: np.ndarray,
        turns: int = 0,
        mask: np.ndarray | None = None,
    ) -> None:
        self.space, self.base, self.flips, self.turns = space, base, flips, turns
        self.stream = (0, 0)
        self._subsets: list[Subset] | None = None
        self._keys: np.ndarray | None = None
        self._sizes: np.ndarray | None = None
        self._on = None if mask is None else mask.view(bool)

    @classmethod
    def of(
        cls, space: Space, subsets: Sequence[Subset], stream: tuple[int, int] = (0, 0)
    ) -> Candidates:
        """A batch without structure: a population, or one subset."""
        self = cls.__new__(cls)
        self.base, self.flips = None, None  # type: ignore[assignment]
        self.space, self.stream = space, stream
        self.turns = 0
        self._subsets = list(subsets)
        self._keys = self._sizes = self._on = None
        return self

    @property
    def structured(self) -> bool:
        """Whether the candidates are flips of a base."""
        return self.flips is not None

    def __len__(self) -> int:
        if self._subsets is not None:
            return len(self._subsets)
        return len(self.flips)

    @overload
    def __getitem__(self, index: int) -> Subset: ...
    @overload
    def __getitem__(self, index: slice) -> Candidates: ...
    def __getitem__(self, index: int | slice) -> Subset | Candidates:
        if isinstance(index, slice):
            return self.take(np.arange(len(self))[index])
        if self._subsets is not None:
            return self._subsets[index]
        bits, size = self.base.bits, self.one_size
        for unit in self.flips[index].tolist():
            if unit >= 0:
                bits ^= 1 << unit
        return Subset(bits, self.keys.item(index), self.sizes.item(index) if size is None else size)

    def __iter__(self) -> Iterator[Subset]:
        if self._subsets is not None:
            return iter(self._subsets)
        return (self[i] for i in range(len(self)))

    def subsets(self, indices: np.ndarray) -> list[Subset]:
        """Some of the candidates, as plain subsets."""
        if self._subsets is not None or len(indices) == 1:
            return [self[i] for i in indices.tolist()]
        keys, sizes, subsets = self.keys[indices].tolist(), self.sizes[indices].tolist(), []
        for row, key, size in zip(self.flips[indices].tolist(), keys, sizes):
            bits = self.base.bits
            for unit in row:
                if unit >= 0:
                    bits ^= 1 << unit
            subsets.append(Subset(bits, key, size))
        return subsets

    def take(self, indices: np.ndarray) -> Candidates:
        """Some of the candidates, in the given order."""
        if self._subsets is not None:
            return Candidates.of(self.space, [self._subsets[i] for i in indices])
        return Candidates(self.space, self.base, self.flips[indices], self.turns)

    @property
    def keys(self) -> np.ndarray:
        """The hash key of each candidate."""
        if self._keys is None:
            if self._subsets is not None:
                self._keys = np.array([s.key for s in self._subsets], dtype=np.uint64)
            else:
                # a key is the exclusive or of a random word per unit that is on (Zobrist hashing,
                # see `_unit_keys`), so that a flip changes it by one word
                flipped = np.bitwise_xor.reduce(self.space.keys[self.flips], axis=1)
                self._keys = np.uint64(self.base.key) ^ flipped
        return self._keys

    @property
    def sizes(self) -> np.ndarray:
        """The size of each candidate."""
        if self._sizes is None:
            if self._subsets is not None:
                self._sizes = np.array([s.size for s in self._subsets], dtype=np.int64)
            elif (size := self.one_size) is not None:
                self._sizes = np.full(len(self.flips), size)
            else:
                signed = self.space.widths.copy()
                np.negative(signed[:-1], out=signed[:-1], where=self.on)
                self._sizes = self.base.size + np.add.reduce(signed[self.flips], axis=1)
        return self._sizes

    @property
    def one_size(self) -> int | None:
        """The size of all candidates, where that is plain to see."""
        if not self.turns:
            return None
        size: int = self.base.size + self.turns * self.flips.shape[1]
        return size

    @property
    def on(self) -> np.ndarray:
        """Which units are on in the base."""
        if self._on is None:
            self._on = self.space.mask(self.base).view(bool)
        return self._on

    def columns(self) -> list[np.ndarray]:
        """The columns (of the first block) of each candidate."""
        block, n_units = self.space.blocks[0], len(self.space.block_units[0])
        if block.groups or block.fixed or len(self) == 1 or len(self) * n_units > MASK:
            return [self.space.columns(subset) for subset in self]
        row, unit = np.divmod(
            np.flatnonzero(self._masks()[:, :n_units].ravel().view(bool)), n_units
        )
        columns = self.space.first_columns[unit]
        ends = np.cumsum(np.bincount(row, minlength=len(self))).tolist()
        return [columns[start:end] for start, end in zip([0, *ends], ends)]

    def packed(self) -> np.ndarray:
        """The bits of each candidate, 64 units to a word."""
        from subsel.space.packed import pack

        return pack(self._masks())

    def _masks(self) -> np.ndarray:
        """One byte per candidate and unit."""
        if self._subsets is not None:
            return self.space.masks(self._subsets)
        mask = np.append(self.on.view(np.uint8), np.uint8(0))
        masks = np.tile(mask, (len(self), 1))
        rows = np.arange(len(self))[:, None]
        masks[rows, self.flips] ^= 1
        return masks[:, :-1]

    def changes(self) -> Changes | None:
        """Return the differences from the base if all candidates add and drop equally many columns.

        None for a population, for groups of unequal width and where a choice changes too.
        """
        space, flips = self.space, self.flips
        if flips is None or not len(flips):
            return None
        if self.turns:
            columns, base = space.first_columns[flips], space.columns_on(self.on)
            none = columns[:, :0]
            if self.turns > 0:
                return Changes(base, columns, none)
            return Changes(base, none, columns)
        if np.minimum.reduce(flips, axis=None) < 0:
            return None
        if np.maximum.reduce(flips, axis=None) >= space.n_units:
            return None
        on = self.on[flips]
        if np.count_nonzero(on == on[0]) < on.size:
            return None
        if not space.single:
            long = space.lengths[self.flips]
            if not ((long == long[0]).all() and space.widths[self.flips].all()):
                return None
        added, removed = flips[:, ~on[0]], flips[:, on[0]]
        base = space.columns(self.base)
        return Changes(base, self._unit_columns(added), self._unit_columns(removed))

    def _unit_columns(self, units: np.ndarray) -> np.ndarray:
        if self.space.single or (self.space.lengths[units] == 1).all():
            firsts: np.ndarray = self.space.first_columns[units]
            return firsts
        columns = [[c for u in row for c in self.space.unit_columns(u)] for row in units.tolist()]
        return np.array(columns, dtype=np.int64).reshape(len(units), -1)
