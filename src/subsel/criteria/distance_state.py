"""Distances kept at one subset, brought to others by adding and taking out columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from subsel._loops.neighbour_arguments import Shift
from subsel.criteria.metric import Metric

__all__ = ["DistanceState", "Part"]

BYTES = 20.0  # held per query and row: two numbers, and lists of up to three eighths of the rows
REBUILT = 256  # moves after which the distances are summed afresh


@dataclass(eq=False)
class Part:
    """The distances of some queries over the columns of a subset.

    ``hi + lo`` is a distance: ``lo`` holds what rounding took from ``hi``, and is empty until a column is taken out.
    """

    at: slice
    columns: np.ndarray
    hi: np.ndarray
    lo: np.ndarray

    def shift_to(self, base: np.ndarray, metric: Metric) -> Shift:
        """The columns by which a base differs from that of the part."""
        added = np.setdiff1d(base, self.columns, assume_unique=True)
        removed = np.setdiff1d(self.columns, base, assume_unique=True)
        columns = np.append(added, removed)
        signs = np.repeat([1.0, -1.0], [len(added), len(removed)])
        return Shift(*metric.columns(columns, self.at), metric.spans[columns], signs)

    def move(self, columns: np.ndarray, sign: int, metric: Metric) -> None:
        """Add columns to the distances, or take them out (-1)."""
        from subsel._loops.nearest_neighbours import accumulate

        if sign > 0:
            self.columns, rest = np.union1d(self.columns, columns), self.columns[:0]
        else:
            self.columns = rest = np.setdiff1d(self.columns, columns)
        X, scale = metric.columns(columns, self.at)
        rows = metric.queries.rows[self.at]
        accumulate(
            self.hi, self.lo, rows, X, scale, sign, *metric.columns(rest, self.at), metric.absolute
        )


class DistanceState:
    """The distances at one subset, all held if they fit into ``memory`` bytes, else summed for some queries at a time.

    Distances are held as unevaluated sums of two numbers once a column has been taken out, so that what remains is as
    exact as if it had been summed afresh; they are summed afresh every 256 moves all the same.
    """

    def __init__(self, metric: Metric, memory: float) -> None:
        self.metric, self.memory = metric, memory
        self.part: Part | None = None
        self._exact, self._moves = False, 0

    @property
    def held(self) -> bool:
        """Whether the distances fit into memory: two numbers per query and row, and the lists."""
        return BYTES * len(self.metric.queries) * self.metric.n_rows <= self.memory

    def apart(self, columns: np.ndarray) -> int:
        """By how many columns a subset differs from the one where the distances stand."""
        return (
            len(columns) + 9 if self.part is None else len(np.setxor1d(self.part.columns, columns))
        )

    def pieces(self) -> Iterator[slice]:
        """All queries at once if their distances fit into memory, some at a time otherwise."""
        n_queries = len(self.metric.queries)
        height = n_queries if self.held else max(1, int(self.memory / (BYTES * self.metric.n_rows)))
        for low in range(0, n_queries, height):
            yield slice(low, min(low + height, n_queries))

    def parts(self, base: np.ndarray) -> Iterator[Part]:
        """The distances at a base: all queries at once if they are held, some at a time otherwise."""
        if self.held:
            yield self.move(base)
            return
        for at in self.pieces():
            yield self._sum(base, at, False)

    def move(self, columns: np.ndarray) -> Part:
        """Bring the distances to these columns."""
        part = self.part
        if part is not None:
            added, removed = (
                np.setdiff1d(columns, part.columns),
                np.setdiff1d(part.columns, columns),
            )
            moves = len(added) + len(removed)
            self._exact |= len(removed) > 0
            missing = self._exact and not len(part.lo)
            if not moves and not missing:
                return part
            if not missing and moves < len(columns) and self._moves + moves <= REBUILT:
                part.move(added, 1, self.metric)
                for column in removed:
                    part.move(np.array([column]), -1, self.metric)
                self._moves += moves
                return part
        self.part, self._moves = None, 0
        self.part = self._sum(columns, slice(0, len(self.metric.queries)), self._exact)
        return self.part

    def _sum(self, columns: np.ndarray, at: slice, exact: bool) -> Part:
        hi = self.metric.start(at)
        part = Part(at, columns[:0], hi, np.zeros_like(hi) if exact else np.empty((0, 0)))
        part.move(columns, 1, self.metric)
        return part
