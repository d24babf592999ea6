"""Columns as distances see them: scaled differences that add up, and how large they can get."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from subsel._loops.neighbour_arguments import Flipped, Summed
from subsel.criteria.queries import FAR, Queries

__all__ = ["CHUNK", "LANES", "Metric", "aligned"]

CHUNK = 64  # rows to a multiple of which tables are filled up
LINE = 64  # bytes that the processor reads at once
LANES = 16  # columns side by side, to a multiple of which their number is filled up
SOME = 64  # rows of which medians are taken, at least, if there are so many
FAR_OUT = 300.0  # standard deviations beyond which single precision tells rows apart too badly


@dataclass(frozen=True, eq=False)
class Metric:
    """The columns of a table (p, n), the queries that scale them, and whether absolute or squared differences add up."""

    table: np.ndarray
    queries: Queries
    absolute: bool

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return self.table.shape[1]

    @property
    def power(self) -> int:
        """To which power differences are summed."""
        return 1 if self.absolute else 2

    @cached_property
    def rows(self) -> np.ndarray:
        """The table row by row, such that loops are compiled for one kind of it."""
        rows = np.ascontiguousarray(self.table.T)
        return rows if rows.flags.writeable else rows.copy()

    @cached_property
    def spread(self) -> np.ndarray:
        """The standard deviation of each column, scaled."""
        return self.table.std(axis=1) * self.queries.scale.mean(axis=0)

    @cached_property
    def spans(self) -> np.ndarray:
        """The least and the largest value of each column."""
        return np.stack([self.table.min(axis=1), self.table.max(axis=1)], axis=1)

    @cached_property
    def middles(self) -> np.ndarray:
        """About the median of each column, where single precision is finest: that of some rows."""
        return np.asarray(np.median(self.table[:, :: max(1, self.n_rows // SOME)], axis=1))

    @cached_property
    def widths(self) -> np.ndarray:
        """The width of the span of each column, 1 where it has none."""
        width = np.diff(self.spans, axis=1)[:, 0]
        return np.where(width > 0, width, 1.0)

    @cached_property
    def most(self) -> np.ndarray:
        """The largest term that each column can give."""
        widths = np.diff(self.spans, axis=1)[:, 0] * self.queries.scale.max(axis=0)
        return np.asarray(widths**self.power)

    @cached_property
    def far_out(self) -> np.ndarray:
        """Which columns have values so far out that single precision tells rows apart too badly."""
        return (
            np.diff(self.spans, axis=1)[:, 0] * self.queries.scale.mean(axis=0)
            > FAR_OUT * self.spread
        )

    def unit(self, columns: np.ndarray) -> float:
        """One over the largest distance that these columns can give."""
        return 1.0 / (float(self.most[columns].sum()) or 1.0)

    def columns(self, columns: np.ndarray, at: slice) -> tuple[np.ndarray, np.ndarray]:
        """Some columns, one per row of the array, filled up, and their multipliers for some queries."""
        return self.filled(self.table[columns], 0.0), self.queries.scales(columns, at)

    def start(self, at: slice) -> np.ndarray:
        """Distances of some queries over no column, filled up."""
        return self.queries.start(at, self._room(len(self.queries.rows[at]), FAR))

    def filled(self, table: np.ndarray, value: float) -> np.ndarray:
        """A table with one column per row of ours, filled up to whole chunks."""
        filled = self._room(len(table), value)
        filled[:, : self.n_rows] = table
        return filled

    def _room(self, height: int, value: float) -> np.ndarray:
        """An empty table of whole chunks, a value standing where it has no column of ours."""
        room = aligned((height, self.n_rows + -self.n_rows % CHUNK), np.dtype(float))
        room[:, self.n_rows :] = value
        return room

    def summed(self, columns: np.ndarray, at: slice) -> Summed:
        """What distances of some queries are summed from."""
        return Summed(np.ascontiguousarray(self.table[columns].T), self.queries.scales(columns, at))

    def flipped(self, chosen: np.ndarray, base: np.ndarray, at: slice, unit: float) -> Flipped:
        """Columns that are added to a base or taken out of it, in single precision too if that tells rows apart."""
        columns, scale = self.columns(chosen, at)
        middles, widths = (
            self.spans[chosen].sum(axis=1, keepdims=True) / 2,
            self.widths[chosen][:, None],
        )
        rough, grain = (columns - middles) / widths, 2.0**-51
        if not self.far_out[chosen].any():
            rough, grain = rough.astype(np.float32), 2.0**-22  # four times what the precision costs
        return Flipped(
            columns, rough, grain, unit, scale, self.spans[chosen], np.searchsorted(base, chosen)
        )


def aligned(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An empty array that begins where the processor begins to read."""
    size = math.prod(shape) * dtype.itemsize
    room = np.empty(size + LINE, np.uint8)
    first = -room.ctypes.data % LINE
    return room[first : first + size].view(dtype).reshape(shape)
