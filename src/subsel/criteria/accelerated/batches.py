"""Candidates as arrays on a device: the columns of each, filled up to equal length, in blocks that fit its memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from subsel._loops.device import Device
from subsel.space.candidates import Candidates
from subsel.space.space import Space

__all__ = ["Batch", "batches", "is_dense", "spread", "weighted_sums"]

_DENSE = (
    64  # columns per chosen column up to which multiplying by all of them is quicker than picking
)
_SPREAD = 1.5  # how much larger than its smallest the largest subset of a batch may be, and eight columns more


class Batch(NamedTuple):
    """Some candidates: which of all they are, and their columns (C, s), filled up with 0 where ``valid`` is false."""

    which: np.ndarray | slice
    columns: Any
    valid: Any

    @property
    def shape(self) -> tuple[int, int]:
        """How many candidates, and the columns of the largest."""
        return tuple(self.columns.shape)


def batches(
    candidates: Candidates, device: Device, cost: Callable[[int], float]
) -> Iterator[Batch]:
    """Cut candidates into batches of about equal size; ``cost`` is the bytes that one of so many columns takes."""
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
    """Where the bit of each column of the first block stands: its unit, the last but one (never on) or last (always on).

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
    """The columns (C, s) of bits in words, in order, and which of them are meant: nothing is asked of the device."""
    torch, n = device.torch, len(words)
    bits = ((words[:, :, None] >> device.shifts) & 1).reshape(n, -1)
    if place is None:
        mask = bits[:, :n_columns]
    else:
        mask = torch.cat([bits, device.numbers(2).expand(n, 2)], dim=1)[:, place]
    rank = mask.cumsum(dim=1)
    columns = torch.zeros((n, s + 1), dtype=torch.int64, device=device.name)
    columns.scatter_(1, rank * mask, device.numbers(n_columns).expand(n, -1))  # others come first
    return columns[:, 1:].contiguous(), device.numbers(s) < rank[:, -1:]


def is_dense(table: Any, batch: Batch) -> bool:
    """Whether multiplying by all rows of a table (p, N) is quicker than picking those of each candidate."""
    return len(table) <= _DENSE * batch.shape[1]


def spread(weights: Any, batch: Batch, n_columns: int, device: Device) -> Any:
    """Weights (..., C, s, T) of the columns of each candidate, zero where not valid, at their places among all: (..., C, T, p)."""
    weights = weights.transpose(-1, -2)
    full = device.torch.zeros(
        (*weights.shape[:-1], n_columns), dtype=weights.dtype, device=device.name
    )
    return full.scatter_add_(-1, batch.columns[:, None].expand(weights.shape), weights)


def weighted_sums(weights: Any, batch: Batch, table: Any, device: Device) -> Any:
    """Rows of a table (p, N) summed with weights (C, s, T), zero where not valid: (C, T, N)."""
    torch, (n, s), t = device.torch, batch.shape, weights.shape[2]
    if is_dense(table, batch):
        return (spread(weights, batch, len(table), device).reshape(n * t, -1) @ table).reshape(
            n, t, -1
        )
    total = torch.zeros((n, t, table.shape[1]), dtype=table.dtype, device=device.name)
    for place in range(s):
        total.addcmul_(weights[:, place, :, None], table[batch.columns[:, place], None])
    return total
