"""Columns as distances see them: scaled differences that add up, and how large they can get."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from subsel._loops.neighbours.arguments import CHUNK, GRAIN, LANES, LEAST, TIE, Base, Moved, Table
from subsel.criteria.neighbours.queries import Queries

__all__ = ["SINGLE", "Metric"]

LINE = 64  # bytes that the processor reads at once
SOME = 64  # rows of which medians are taken, at least, if there are so many
SINGLE = np.dtype(np.float32)


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
    def n_filled(self) -> int:
        """Number of rows, filled up to whole chunks."""
        return self.n_rows + -self.n_rows % CHUNK

    @property
    def power(self) -> int:
        """To which power differences are summed."""
        return 2 - self.absolute

    @cached_property
    def rows(self) -> np.ndarray:
        """The table row by row, such that loops are compiled for one kind of it."""
        return np.require(self.table.T, float, ("C", "W"))

    @cached_property
    def spread(self) -> np.ndarray:
        """The standard deviation of each column, scaled."""
        return self.table.std(axis=1) * self.queries.scale.mean(axis=0)

    @cached_property
    def widths(self) -> np.ndarray:
        """The width of the span of each column, 1 where it has none."""
        width = self.table.max(axis=1) - self.table.min(axis=1)
        return np.where(width > 0, width, 1.0)

    @cached_property
    def rough(self) -> np.ndarray:
        """The table row by row in single precision, columns divided by their spans.

        Their middles are about their medians, of some rows: there single precision is finest.
        """
        some = self.table[:, :: max(1, self.n_rows // SOME)]
        return ((self.rows - np.median(some, axis=1)) / self.widths).astype(SINGLE)

    @cached_property
    def most(self) -> np.ndarray:
        """The largest term that each column can give."""
        width = self.table.max(axis=1) - self.table.min(axis=1)
        return np.asarray((width * self.queries.scale.max(axis=0)) ** self.power)

    @cached_property
    def blocked(self) -> np.ndarray:
        """0 for the rows that may answer in each part, infinite for the others."""
        blocked = np.full((len(self.queries.train), self.n_filled), np.inf, SINGLE)
        blocked[:, : self.n_rows][self.queries.train] = 0.0
        return blocked

    def unit(self, base: np.ndarray, columns: np.ndarray) -> float:
        """One over the largest distance over a base and any one of some columns."""
        widest = float(self.most[base].sum())
        if len(columns):
            widest += float(self.most[columns].max())
        return 1.0 / (widest or 1.0)

    def summed(self, base: np.ndarray, unit: float, rank: int) -> Base:
        """Distances that are summed over a base."""
        packed = np.zeros((self.n_filled, len(base)), SINGLE)
        packed[: self.n_rows] = self.rough[:, base]
        chunks = aligned((self.n_filled // CHUNK, len(base), CHUNK))
        chunks[:] = packed.reshape(len(chunks), CHUNK, len(base)).swapaxes(1, 2)
        nothing, share = np.empty((0, self.n_filled)), GRAIN * (len(base) + 5) + 4 * TIE
        root, table, queries = self._root(base, unit), self._exact(base), self.queries
        return Base(
            queries.rows, queries.part, queries.scaled, self.blocked, queries.alone, self.absolute,
            table, chunks, root, nothing, unit, share, LEAST, rank,
        )  # fmt: skip

    def kept(self, base: np.ndarray, state: np.ndarray, lost: float, unit: float) -> Base:
        """Distances that are kept over a base, of which rounding may have taken ``lost``."""
        nothing = self.summed(base[:0], unit, 0)
        return nothing._replace(
            table=self._exact(base),
            state=state,
            share=GRAIN * 5 + 4 * TIE,
            least=LEAST + lost * unit,
        )

    def moved(self, columns: np.ndarray, unit: float, removed: bool) -> Moved:
        """Columns that are added to a base, each by a candidate, or taken out of it."""
        n, width = len(columns), len(columns) + -len(columns) % LANES
        block = aligned((self.n_rows, width))
        block[:, :n], block[:, n:] = self.rough[:, columns], 0.0
        root = np.zeros((len(self.queries.scale), width), SINGLE)
        root[:, :n] = self._root(columns, unit)
        return Moved(block, root, columns, removed)

    @cached_property
    def nothing(self) -> Moved:
        """One candidate that is the base itself."""
        block = np.zeros((self.n_rows, LANES), SINGLE)
        root = np.zeros((len(self.queries.scale), LANES), SINGLE)
        return Moved(block, root, np.array([-1]), False)

    def _exact(self, base: np.ndarray) -> Table:
        return Table(self.rows, self.queries.scale, base)

    def _root(self, columns: np.ndarray, unit: float) -> np.ndarray:
        """What differences of rough columns are multiplied with, one row per scale."""
        root = self.queries.scale[:, columns] * self.widths[columns] * unit ** (1 / self.power)
        return np.ascontiguousarray(root, SINGLE)


def aligned(shape: tuple[int, ...]) -> np.ndarray:
    """An empty array in single precision that begins where the processor begins to read."""
    size = math.prod(shape) * SINGLE.itemsize
    room = np.empty(size + LINE, np.uint8)
    first = -room.ctypes.data % LINE
    return room[first : first + size].view(SINGLE).reshape(shape)
