"""Distances as sums over columns: their scaled terms, units, and bounds on rounding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from subsel._loops.neighbours.arguments import (
    CHUNK,
    GRAIN,
    LANES,
    SMALLEST,
    TIE,
    Base,
    MovedColumns,
    Table,
)
from subsel.criteria.neighbours.queries import Queries

__all__ = ["SINGLE", "Metric"]

LINE = 64  # bytes of a cache line, to which blocks are aligned
SAMPLE = 64  # rows, at least, whose medians centre the columns: exact medians are not needed
SINGLE = np.dtype(np.float32)


@dataclass(frozen=True, eq=False)
class Metric:
    """A distance that is a sum over columns of squared or absolute scaled differences."""

    table: np.ndarray  # (p, n) the columns
    queries: Queries  # the rows that look for neighbours, and the multipliers of their differences
    absolute: bool  # absolute differences are summed, not squared ones

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return self.table.shape[1]

    @property
    def n_filled(self) -> int:
        """Number of rows, padded to whole chunks."""
        return self.n_rows + -self.n_rows % CHUNK

    @property
    def power(self) -> int:
        """Power to which differences are raised: 1 or 2."""
        return 2 - self.absolute

    @cached_property
    def rows(self) -> np.ndarray:
        """The table of shape (n, p) as a writable C-contiguous array, the one type of the loops."""
        return np.require(self.table.T, float, ("C", "W"))

    @cached_property
    def spread(self) -> np.ndarray:
        """Standard deviation of each column times its mean multiplier, of shape (p,)."""
        return self.table.std(axis=1) * self.queries.scale.mean(axis=0)

    @cached_property
    def spans(self) -> np.ndarray:
        """Largest less smallest value of each column, 1 for a constant one, of shape (p,)."""
        width = self.table.max(axis=1) - self.table.min(axis=1)
        return np.where(width > 0, width, 1.0)

    @cached_property
    def rough(self) -> np.ndarray:
        """The table of shape (n, p) in single precision, columns centred and divided by spans.

        The centres are medians of a sample of rows: floating-point numbers are densest about zero,
        so most values keep more digits than about the middle of the span.
        """
        sample = self.table[:, :: max(1, self.n_rows // SAMPLE)]
        return ((self.rows - np.median(sample, axis=1)) / self.spans).astype(SINGLE)

    @cached_property
    def largest_terms(self) -> np.ndarray:
        """Upper bound on the term of each column in any distance, of shape (p,)."""
        width = self.table.max(axis=1) - self.table.min(axis=1)
        return np.asarray((width * self.queries.scale.max(axis=0)) ** self.power)

    @cached_property
    def blocked(self) -> np.ndarray:
        """Shape (parts, n_filled): 0 for rows that may answer in a part, else infinite."""
        blocked = np.full((len(self.queries.train), self.n_filled), np.inf, SINGLE)
        blocked[:, : self.n_rows][self.queries.train] = 0.0
        return blocked

    def unit(self, base: np.ndarray, columns: np.ndarray) -> float:
        """One over the largest possible distance over a base and any one of the columns.

        Distances times this unit lie in [0, 1], where single precision neither overflows nor
        loses small ones.
        """
        widest = float(self.largest_terms[base].sum())
        if len(columns):
            widest += float(self.largest_terms[columns].max())
        return 1.0 / (widest or 1.0)

    def summed_base(self, base: np.ndarray, unit: float, rank: int) -> Base:
        """Describe distances that a scan sums over a base in single precision."""
        # A sum of s non-negative terms in single precision has a relative error of at most about s
        # units of 2^-24 (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed. 2002,
        # section 4.2). GRAIN is sixteen such units, which covers the rounding of the terms; the
        # five are for the candidate's own column, and TIE for rows that count as tied in double
        # precision.
        packed = np.zeros((self.n_filled, len(base)), SINGLE)
        packed[: self.n_rows] = self.rough[:, base]
        chunks = aligned((self.n_filled // CHUNK, len(base), CHUNK))
        chunks[:] = packed.reshape(len(chunks), CHUNK, len(base)).swapaxes(1, 2)
        nothing, share = np.empty((0, self.n_filled)), GRAIN * (len(base) + 5) + 4 * TIE
        root, table, queries = self._root(base, unit), self._exact_table(base), self.queries
        return Base(
            queries.rows, queries.part, queries.scaled, self.blocked, queries.alone, self.absolute,
            table, chunks, root, nothing, unit, share, SMALLEST, rank,
        )  # fmt: skip

    def stored_base(
        self, base: np.ndarray, state: np.ndarray, error: float, unit: float, rank: int
    ) -> Base:
        """Describe distances over a base that a scan reads from ``state``, exact to ``error``.

        ``state`` has shape (queries, n_filled) and is read only.
        """
        empty = self.summed_base(base[:0], unit, rank)
        return empty._replace(
            table=self._exact_table(base),
            state=state,
            share=GRAIN * 5 + 4 * TIE,
            least=SMALLEST + error * unit,
        )

    def move(self, columns: np.ndarray, unit: float, removed: bool) -> MovedColumns:
        """Lay out columns side by side, each added to a base or removed from it by a candidate."""
        n, width = len(columns), len(columns) + -len(columns) % LANES
        block = aligned((self.n_rows, width))
        block[:, :n], block[:, n:] = self.rough[:, columns], 0.0
        root = np.zeros((len(self.queries.scale), width), SINGLE)
        root[:, :n] = self._root(columns, unit)
        return MovedColumns(block, root, columns, removed)

    @cached_property
    def no_move(self) -> MovedColumns:
        """The layout of one candidate that is the base itself."""
        block = np.zeros((self.n_rows, LANES), SINGLE)
        root = np.zeros((len(self.queries.scale), LANES), SINGLE)
        return MovedColumns(block, root, np.array([-1]), False)

    def _exact_table(self, base: np.ndarray) -> Table:
        """Describe from what distances over a base are summed in double precision."""
        return Table(self.rows, self.queries.scale, base)

    def _root(self, columns: np.ndarray, unit: float) -> np.ndarray:
        """Multipliers of the differences of rough columns, of shape (scales, columns).

        They undo the division by spans and apply the unit, whose root they hold for squares.
        """
        root = self.queries.scale[:, columns] * self.spans[columns] * unit ** (1 / self.power)
        return np.ascontiguousarray(root, SINGLE)


def aligned(shape: tuple[int, ...]) -> np.ndarray:
    """Allocate an array in single precision that starts at the boundary of a cache line."""
    size = math.prod(shape) * SINGLE.itemsize
    room = np.empty(size + LINE, np.uint8)
    first = -room.ctypes.data % LINE
    return room[first : first + size].view(SINGLE).reshape(shape)
