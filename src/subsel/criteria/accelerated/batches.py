"""Candidates as arrays on a device: the columns of each, filled up to equal length, in blocks that fit its memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from subsel.candidates import Candidates
from subsel.criteria.accelerated.device import Device
from subsel.space import Space

__all__ = ["Batch", "batches", "weighted_sums"]

_DENSE = 64  # columns per chosen column up to which multiplying by all of them is quicker than picking
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


def batches(candidates: Candidates, device: Device, cost: Callable[[int], float]) -> Iterator[Batch]:
    """Cut candidates into batches of about equal size; ``cost`` is the bytes that one of so many columns takes."""
    sizes, words, room = candidates.sizes, device.array(candidates.packed()), device.recent_room
    place, least, most = _places(candidates.space, device), int(sizes.min(initial=0)), int(sizes.max(initial=0))
    if most <= _SPREAD * least + 8 and len(sizes) * cost(most) <= room:
        yield Batch(slice(None), *_columns(words, place, most, device))
        return
    order, low = np.argsort(sizes, kind="stable"), 0
    ordered = sizes[order]
    while low < len(order):
        high = int(np.searchsorted(ordered, _SPREAD * ordered[low] + 8, side="right"))
        high = min(high, low + max(1, int(room / cost(int(ordered[high - 1])))))
        which = order[low:high]
        yield Batch(which, *_columns(words[device.array(which)], place, int(ordered[high - 1]), device))
        low = high


@lru_cache(maxsize=8)
def _places(space: Space, device: Device) -> Any:
    """Where the bit of each column of the first block stands: its unit, the last but one (never on) or last (always on)."""
    n_bits = -(-(len(space.widths) - 1) // 64) * 64
    place = np.full(space.n_columns, n_bits, dtype=np.int64)
    place[list(space.blocks[0].fixed)] = n_bits + 1
    columns, widths = space.members(np.arange(len(space.block_units[0])))
    place[columns] = np.repeat(np.arange(len(widths)), widths)
    return device.array(place)


def _columns(words: Any, place: Any, s: int, device: Device) -> tuple[Any, Any]:
    """The columns (C, s) of bits in words, in order, and which of them are meant: nothing is asked of the device."""
    torch, n = device.torch, len(words)
    bits = ((words[:, :, None] >> device.shifts) & 1).reshape(n, -1)
    ends = torch.arange(2, device=device.name).expand(n, 2)
    mask = torch.cat([bits, ends], dim=1)[:, place]
    rank = mask.cumsum(dim=1)
    columns = torch.zeros((n, s + 1), dtype=torch.int64, device=device.name)
    columns.scatter_(1, rank * mask, torch.arange(len(place), device=device.name).expand(n, -1))  # others come first
    return columns[:, 1:].contiguous(), torch.arange(s, device=device.name) < rank[:, -1:]


def weighted_sums(weights: Any, batch: Batch, table: Any, device: Device) -> Any:
    """Rows of a table (p, N) summed with weights (C, s, T), zero where not valid: (C, T, N)."""
    torch, (n, s), t = device.torch, batch.shape, weights.shape[2]
    if len(table) <= _DENSE * s:
        full = torch.zeros((n, t, len(table)), dtype=table.dtype, device=device.name)
        full.scatter_add_(2, batch.columns[:, None].expand(n, t, s), weights.transpose(1, 2))
        return (full.reshape(n * t, -1) @ table).reshape(n, t, -1)
    total = torch.zeros((n, t, table.shape[1]), dtype=table.dtype, device=device.name)
    for place in range(s):
        total.addcmul_(weights[:, place, :, None], table[batch.columns[:, place], None])
    return total
