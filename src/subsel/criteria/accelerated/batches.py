"""Batches of candidates as arrays on a device, each small enough for its memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from subsel._loops.device import Device
from subsel.space.candidates import Candidates
from subsel.space.space import Space

__all__ = ["Batch", "batches", "is_dense", "spread", "weighted_sums"]

# A product with all columns, most weights being zero, was measured to be faster than gathering the
# selected ones up to this number of columns per selected one.
_DENSE = 64
# The largest subset of a batch has at most this many times the columns of the smallest, plus eight:
# smaller subsets are padded, and the padding is computed too.
_SPREAD = 1.5


class Batch(NamedTuple):
    """Candidates of similar size with the columns of each."""

    which: np.ndarray | slice  # positions of these candidates among all
    columns: Any  # (C, s) column numbers, padded with 0 to the size of the largest
    valid: Any  # (C, s) false where ``columns`` is padding

    @property
    def shape(self) -> tuple[int, int]:
        """Number of candidates, and of columns of the largest."""
        return tuple(self.columns.shape)


def batches(
    candidates: Candidates, device: Device, cost: Callable[[int], float]
) -> Iterator[Batch]:
    """Cut candidates into batches of similar sizes.

    ``cost`` returns the bytes that one candidate of a given number of columns takes.
    """
    sizes, words, room = candidates.sizes, device.array(candidates.packed()), device.recent_room
    place, (least, most) = (
        _places(candidates.space, device),
        (sizes.min(), sizes.max()) if len(sizes) else (0, 0),
    )
    if most <= _SPREAD * least + 8 and len(sizes) * cost(int(most)) <= room:
        yield Batch(
            slice(None), *_columns(words, place, candidates.space.n_columns, int(most), device)
        )
        return
    order, low = np.argsort(sizes, kind="stable"), 0
    ordered = sizes[order]
    while low < len(order):
        high = int(np.searchsorted(ordered, _SPREAD * ordered[low] + 8, side="right"))
        high = min(high, low + max(1, int(room / cost(int(ordered[high - 1])))))
        which = order[low:high]
        some, most = words[device.array(which)], int(ordered[high - 1])
        yield Batch(which, *_columns(some, place, candidates.space.n_columns, most, device))
        low = high


@lru_cache(maxsize=8)
def _places(space: Space, device: Device) -> Any:
    """Find which bit switches each column of the first block on.

    The bit is that of the column's unit, the last but one (never on), or the last (always on). None
    where column j is unit j.

    None where column j is unit j.
    """
    n_bits = -(-(len(space.widths) - 1) // 64) * 64
    place = np.full(space.n_columns, n_bits, dtype=np.int64)
    place[list(space.blocks[0].fixed)] = n_bits + 1
    columns, widths = space.members(np.arange(len(space.block_units[0])))
    place[columns] = np.repeat(np.arange(len(widths)), widths)
    if np.array_equal(place, np.arange(space.n_columns)):
        return None
    return device.array(place)


def _columns(words: Any, place: Any, n_columns: int, s: int, device: Device) -> tuple[Any, Any]:
    """Unpack bits into columns of shape (C, s) in ascending order, and a mask of the valid ones.

    The host never waits for the device here.
    """
    torch, n = device.torch, len(words)
    bits = ((words[:, :, None] >> device.shifts) & 1).reshape(n, -1)
    if place is None:
        mask = bits[:, :n_columns]
    else:
        mask = torch.cat([bits, device.numbers(2).expand(n, 2)], dim=1)[:, place]
    # The rank of a selected column among those of its candidate is its place in the answer: a
    # cumulative sum and a scatter, in place of a `nonzero`, whose size the host would wait for.
    rank = mask.cumsum(dim=1)
    columns = torch.zeros((n, s + 1), dtype=torch.int64, device=device.name)
    columns.scatter_(
        1, rank * mask, device.numbers(n_columns).expand(n, -1)
    )  # all others go to place 0
    return columns[:, 1:].contiguous(), device.numbers(s) < rank[:, -1:]


def is_dense(table: Any, batch: Batch) -> bool:
    """Whether a product with all rows of a table (p, N) is faster than gathering some of them."""
    return len(table) <= _DENSE * batch.shape[1]


def spread(weights: Any, batch: Batch, n_columns: int, device: Device) -> Any:
    """Scatter weights of the selected columns to all columns.

    ``weights`` has shape (..., C, s, T) and is zero where a column is not valid; the answer has
    shape (..., C, T, n_columns).
    """
    weights = weights.transpose(-1, -2)
    full = device.torch.zeros(
        (*weights.shape[:-1], n_columns), dtype=weights.dtype, device=device.name
    )
    return full.scatter_add_(-1, batch.columns[:, None].expand(weights.shape), weights)


def weighted_sums(weights: Any, batch: Batch, table: Any, device: Device) -> Any:
    """Sum rows of a table, for each candidate with its own weights.

    ``weights`` has shape (C, s, T) and is zero where a column is not valid, ``table`` has shape (p,
    N), and the answer (C, T, N).
    """
    torch, (n, s), t = device.torch, batch.shape, weights.shape[2]
    if is_dense(table, batch):
        return (spread(weights, batch, len(table), device).reshape(n * t, -1) @ table).reshape(
            n, t, -1
        )
    total = torch.zeros((n, t, table.shape[1]), dtype=table.dtype, device=device.name)
    for place in range(s):
        total.addcmul_(weights[:, place, :, None], table[batch.columns[:, place], None])
    return total
