"""Candidates as arrays on a device: the columns of each, filled up to equal length, in blocks that fit its memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from subsel.candidates import Candidates
from subsel.criteria.accelerated.device import Device
from subsel.space import Space

__all__ = ["Batch", "batches", "weighted_sums"]

_DENSE = 64  # columns per chosen column up to which multiplying by all of them is quicker than picking
_SPREAD = 1.5  # how much larger than its smallest the largest subset of a batch may be, and eight columns more
_SHIFTS = np.arange(64)


class Batch(NamedTuple):
    """Some candidates: which of all they are, and their columns (C, s), filled up with 0 where ``valid`` is false."""

    which: np.ndarray
    columns: Any
    valid: Any

    @property
    def shape(self) -> tuple[int, int]:
        """How many candidates, and the columns of the largest."""
        return tuple(self.columns.shape)


def batches(candidates: Candidates, device: Device, cost: Callable[[int], float]) -> Iterator[Batch]:
    """Cut candidates into batches of about equal size; ``cost`` is the bytes that one of so many columns takes."""
    sizes = candidates.sizes
    order = np.argsort(sizes, kind="stable")
    ordered, words, room, low = sizes[order], device.array(candidates.packed()), device.room, 0
    place = _places(candidates.space)
    while low < len(order):
        high = int(np.searchsorted(ordered, _SPREAD * ordered[low] + 8, side="right"))
        high = min(high, low + max(1, int(room / cost(int(ordered[high - 1])))))
        which = order[low:high]
        yield _batch(which, words[device.array(which)], place, int(ordered[high - 1]), device)
        low = high


def _places(space: Space) -> np.ndarray:
    """Where the bit of each column of the first block stands: its unit, or -1 (always on) or -2 (never on)."""
    place = np.full(space.n_columns, -2, dtype=np.int64)
    place[list(space.blocks[0].fixed)] = -1
    columns, widths = space.members(np.arange(len(space.block_units[0])))
    place[columns] = np.repeat(np.arange(len(widths)), widths)
    return place


def _batch(which: np.ndarray, words: Any, place: np.ndarray, s: int, device: Device) -> Batch:
    torch = device.torch
    bits = ((words[:, :, None] >> device.array(_SHIFTS)) & 1).reshape(len(which), -1)
    ends = torch.tensor([[0, 1]], device=device.name).expand(len(which), 2)
    mask = torch.cat([bits, ends], dim=1)[:, device.array(place % (bits.shape[1] + 2))]
    row, column = mask.nonzero(as_tuple=True)
    n_columns = mask.sum(dim=1)
    nth = torch.arange(len(row), device=device.name) - (n_columns.cumsum(0) - n_columns)[row]
    columns = torch.zeros((len(which), s), dtype=torch.int64, device=device.name)
    columns[row, nth] = column
    return Batch(which, columns, torch.arange(s, device=device.name) < n_columns[:, None])


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
