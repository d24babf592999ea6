"""The moments of training parts on a device: the table goes there once, products of columns are taken in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from subsel._loops.device import Device
from subsel.criteria.linear.blocks import PIVOT, Blocks

__all__ = ["DeviceMoments"]

_PIECE = 1 << 26  # weighted numbers at a time
_WHOLE = 0.25  # share of the room that the moments of all pairs of columns may take


class DeviceMoments:
    """What :class:`~subsel.criteria.linear.blocks.Blocks` holds, as arrays of a device.

    Parameters
    ----------
    blocks : Blocks
        The moments on the processor.
    device : Device
        Where to.
    """

    def __init__(self, blocks: Blocks, device: Device) -> None:
        self.device, self.blocks = device, blocks
        array = device.array
        self.table = array(blocks.table)
        in_order = np.array_equal(blocks.positions, np.arange(blocks.table.shape[1]))
        self.held = self.table
        if not in_order:
            self.held = self.table[:, array(blocks.positions)]
        self.targets, self.scale, self.origin = (
            array(blocks.targets),
            array(blocks.scale),
            array(blocks.origin),
        )
        self.diagonal, self.least_pivot = array(blocks.diagonal), PIVOT * array(blocks.moment)
        self.means, self.sums = array(blocks.means), array(blocks.sums)
        self.rest = self.sums - array(blocks.totals) * self.means
        self.spans, self.block_of = blocks.spans.tolist(), array(blocks.block_of)
        self._together = device.torch.cat(
            [self.targets, self.least_pivot[:, :, None], self.origin[:, :, None]], dim=2
        )
        self._whole: Any = None

    @property
    def n_blocks(self) -> int:
        """How many training parts there are."""
        return self.blocks.n_blocks

    @property
    def whole(self) -> Any:
        """The moments of all pairs of columns (B, p, p), or None where the device has no room for them."""
        p = self.blocks.n_columns
        if self._whole is None and 8.0 * self.n_blocks * p * p <= _WHOLE * self.device.room:
            self._whole = self.rows(slice(None))
        return self._whole

    def of_columns(self, columns: Any) -> tuple[Any, Any, Any]:
        """Right-hand sides (B, C, s, T), least pivots and origins (B, C, s) of columns (C, s), in one gathering."""
        picked = self._together.index_select(1, columns.flatten()).reshape(
            self.n_blocks, *columns.shape, -1
        )
        return picked[..., :-2], picked[..., -2], picked[..., -1]

    def rows(self, columns: Any) -> Any:
        """Rows of every block, or all of them (a slice): (B, s, p)."""
        moments, means, sums = (
            self._products(columns),
            self.means[:, :, columns],
            self.sums[:, :, columns],
        )
        for g in range(means.shape[1]):
            moments -= means[:, g, :, None] * self.rest[:, g, None]
            moments -= sums[:, g, :, None] * self.means[:, g, None]
        if self.blocks.scaled:
            moments /= self.scale[:, columns][:, :, None] * self.scale[:, None, :]
        every = self.device.torch.arange(moments.shape[2], device=self.device.name)
        moments[:, every[: moments.shape[1]], every[columns]] += self.blocks.penalty
        return moments

    def _products(self, columns: Any) -> Any:
        """Weighted sums of products of these columns with all columns: (B, s, p)."""
        blocks, X = self.blocks, self.table[columns]
        if blocks.without is None:
            return self.device.torch.stack(
                [self._product(X, weight, slice(None)) for weight in blocks.weights.T]
            )
        assert blocks.base is not None and blocks.factor is not None
        spans = zip(blocks.without.tolist(), blocks.without.tolist()[1:])
        parts = self.device.torch.stack(
            [self._product(X, blocks.base[:, 0], slice(a, b)) for a, b in spans]
        )
        return (parts.sum(dim=0) - parts) * self.device.array(blocks.factor)[:, None, None]

    def _product(self, X: Any, weight: np.ndarray, rows: slice) -> Any:
        """Products over some rows, some at a time where they have weights."""
        if np.all(weight[rows] == 1.0):
            return X[:, rows] @ self.table[:, rows].T
        total: Any = 0.0
        low, high, _ = rows.indices(len(weight))
        step = max(1, _PIECE // max(1, len(X)))
        for a in range(low, high, step):
            here = slice(a, min(high, a + step))
            total = total + (X[:, here] * self.device.array(weight[here])) @ self.table[:, here].T
        return total

    def shifted(self, columns: Any, block: int) -> Any:
        """The held-out part of columns in one block, about the origin, per unit of scale: (s, rows)."""
        start, stop = self.spans[block], self.spans[block + 1]
        held = self.held[columns, start:stop] - self.origin[block, columns][:, None]
        if self.blocks.scaled:
            held = held / self.scale[block, columns][:, None]
        return held
