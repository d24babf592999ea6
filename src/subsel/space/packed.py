"""Batches of subsets without a common base, with bits packed into words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, overload

import numpy as np

from subsel.space.candidates import Candidates, Subset

if TYPE_CHECKING:
    from subsel.space.space import Space

__all__ = ["WORD", "PackedCandidates", "bit_counts", "pack"]

WORD = np.dtype("<u8")  # 64 units to a word, the first in the lowest bit
_ONES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(
    axis=1, dtype=np.uint8
)  # of each byte


class PackedCandidates(Candidates):
    """Subsets as rows of 64-bit words, with their keys and sizes.

    Parameters
    ----------
    space : Space
        What they are subsets of.
    words : ndarray of shape (n, words)
        Their bits, unit u in bit ``u % 64`` of word ``u // 64``.
    keys : ndarray of uint64
        The hash key of each.
    sizes : ndarray of int
        The size of each.

    Examples
    --------
    >>> from subsel.space.space import Space
    >>> space = Space.of(70)
    >>> mask = np.zeros((2, 70), dtype=bool)
    >>> mask[0, [3, 69]] = mask[1, 5] = True
    >>> batch = PackedCandidates.of_masks(space, mask)
    >>> same_key = batch[1].key == space.subset([5]).key
    >>> batch[0] == space.subset([3, 69]), same_key, batch.sizes.tolist()
    (True, True, [2, 1])
    """

    __slots__ = ("words",)

    def __init__(
        self, space: Space, words: np.ndarray, keys: np.ndarray, sizes: np.ndarray
    ) -> None:
        self.space, self.words, self._keys, self._sizes = space, words, keys, sizes
        self.base, self.flips = None, None  # type: ignore[assignment]
        self.turns, self.stream = 0, (0, 0)
        self._subsets = self._on = None

    @classmethod
    def of_masks(cls, space: Space, masks: np.ndarray) -> PackedCandidates:
        """The subsets of the units that are on in each row of a mask."""
        words, widths = pack(masks), space.widths[:-1]
        sizes = bit_counts(words) if (widths == 1).all() else masks @ widths
        return cls(space, words, _keys_of(space, words), space.n_fixed + sizes)

    def __len__(self) -> int:
        return len(self.words)

    @overload
    def __getitem__(self, index: int) -> Subset: ...
    @overload
    def __getitem__(self, index: slice) -> Candidates: ...
    def __getitem__(self, index: int | slice) -> Subset | Candidates:
        if isinstance(index, slice):
            return self.take(np.arange(len(self))[index])
        bits = int.from_bytes(self.words[index].tobytes(), "little")
        return Subset(bits, int(self.keys[index]), int(self.sizes[index]))

    def __iter__(self) -> Iterator[Subset]:
        return (self[i] for i in range(len(self)))

    def subsets(self, indices: np.ndarray) -> list[Subset]:
        """Some of the candidates, as plain subsets."""
        return [self[i] for i in indices.tolist()]

    def take(self, indices: np.ndarray) -> PackedCandidates:
        """Some of the candidates, in the given order."""
        return PackedCandidates(
            self.space, self.words[indices], self.keys[indices], self.sizes[indices]
        )

    def packed(self) -> np.ndarray:
        """The bits of each candidate, 64 units to a word."""
        return self.words

    def _masks(self) -> np.ndarray:
        n_units = len(self.space.widths) - 1
        return np.unpackbits(self.words.view(np.uint8), axis=1, count=n_units, bitorder="little")


def _keys_of(space: Space, words: np.ndarray) -> np.ndarray:
    """Compute the hash keys of bits, from tables of the keys of all 256 sets of eight units."""
    keys, found = space.keys[:-1], np.zeros(len(words), dtype=np.uint64)
    for place, column in enumerate(
        np.ascontiguousarray(words.view(np.uint8).T)[: -(-len(keys) // 8)]
    ):
        table = np.zeros(1, dtype=np.uint64)
        for key in keys[8 * place : 8 * place + 8]:
            table = np.concatenate([table, table ^ key])
        found ^= table[column]
    return found


def pack(masks: np.ndarray) -> np.ndarray:
    """Pack rows of zeros and ones into words.

    >>> pack(np.array([[1, 0, 1]]))
    array([[5]], dtype=uint64)
    """
    n, n_units = masks.shape
    padded = np.zeros((n, -(-n_units // 64) * 8), dtype=np.uint8)
    padded[:, : -(-n_units // 8)] = np.packbits(masks != 0, axis=1, bitorder="little")
    return padded.view(WORD)


def bit_counts(words: np.ndarray) -> np.ndarray:
    """Count the bits that are on in each row of words or bytes.

    >>> bit_counts(np.array([[5, 1], [0, 8]], dtype="<u8"))
    array([3, 1])
    """
    counts: np.ndarray = _ONES[words.view(np.uint8)].sum(axis=1, dtype=np.int64)
    return counts
