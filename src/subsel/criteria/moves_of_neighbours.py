"""What scans of columns that are added or taken out read: rough columns side by side, and lists of the rows nearest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from subsel._loops.neighbour_arguments import Base, Beside, Lists, Shift, Table
from subsel.criteria.distance_state import DistanceState, Part
from subsel.criteria.metric import CHUNK, LANES, Metric, aligned

__all__ = ["AFRESH", "Moves", "Room"]

WIDE = 4.0  # times the spreads of a base, beyond which a column brings rows near whatever their distance over the base
SINGLE = np.dtype(np.float32)
AFRESH = 24  # columns over which distances are summed in less time than it takes to fetch those that are held


class Room:
    """Memory that is used again: to be given it anew by the system takes longer than to fill it."""

    def __init__(self) -> None:
        self._numbers = np.empty(0, SINGLE)

    def take(self, size: int) -> np.ndarray:
        """Room for so many numbers in single precision, the same each time."""
        if len(self._numbers) < size:
            self._numbers = np.empty(size, SINGLE)
        return self._numbers[:size]


@dataclass(eq=False)
class Moves:
    """Columns that are added to a base or taken out of it, each by a candidate, as scans of them read them."""

    metric: Metric
    base: np.ndarray
    columns: np.ndarray

    def __post_init__(self) -> None:
        """Choose the unit of distances."""
        self.unit = self.metric.unit(self.base)

    @property
    def table(self) -> Table:
        """What distances are summed from where rough ones do not tell."""
        return Table(self.metric.rows, self.metric.queries.scale, self.base)

    def bases(self, state: DistanceState, held: np.ndarray) -> Iterator[tuple[slice, Base]]:
        """Where the distances of some queries at a time come from: few columns, or those held at a base nearby."""
        if len(self.base) <= AFRESH:
            for at in state.pieces():
                yield at, self.summed(at)
        else:
            for part in state.parts(held):
                yield part.at, self._kept(part)

    def summed(self, at: slice) -> Base:
        """Distances that are summed over the columns of the base."""
        metric, queries = self.metric, self.metric.queries
        n = metric.n_rows + -metric.n_rows % CHUNK
        rough = np.zeros((n, len(self.base)), SINGLE)
        rough[: metric.n_rows] = self._rough(self.base, len(self.base))
        packed = np.ascontiguousarray(rough.reshape(-1, CHUNK, len(self.base)).swapaxes(1, 2))
        blocked = np.full((len(queries.train), n), np.inf, SINGLE)
        blocked[:, : metric.n_rows][queries.train] = 0.0
        shift = Shift(np.empty((0, n)), np.empty((0, 0)), np.empty((0, 2)), np.empty(0))
        return self._base(at, packed, self._root(self.base), blocked, np.empty(0), shift)

    def blocks(self, width: int) -> Iterator[tuple[np.ndarray, Beside]]:
        """Some candidates at a time, those side by side that scan equally far."""
        similar = np.argsort(self.metric.spread[self.columns], kind="stable")
        split = self._narrow()
        for which in _chunks(similar[:split], width) + _chunks(similar[split:], width):
            columns, filled = self.columns[which], len(which) + -len(which) % LANES
            root = np.zeros((len(self.metric.queries.scale), filled), SINGLE)
            root[:, : len(which)] = self._root(columns)
            yield which, Beside(self._rough(columns, filled), root, columns)

    def _narrow(self) -> int:
        """How many of the columns are scanned apart from those that outweigh the base, as far as no lanes stay empty for it."""
        terms, n = self.metric.spread**self.metric.power, len(self.columns)
        narrow = np.count_nonzero(terms[self.columns] <= WIDE * terms[self.base].sum())
        return min(
            (p for p in range(n + 1) if -p % LANES <= -n % LANES), key=lambda p: abs(p - narrow)
        )

    def list_near(self, base: Base, rows: np.ndarray, length: float, room: Room) -> Lists:
        """About so many of the rows nearest to each query."""
        from subsel._loops.near_rows import list_near

        n = self.metric.n_rows
        share = min(0.25, length / n)
        height, width = len(rows), min(n, int(1.5 * share * n) + 8) + 3
        taken = room.take(2 * height * width).reshape(2, height, width)
        numbers = np.empty(height, np.int64), np.empty(height, SINGLE), np.empty(height, SINGLE)
        lists = Lists(taken[0].view(np.int32), taken[1], *numbers)
        list_near(base, rows, self.table, self.metric.absolute, share, lists)
        return lists

    def _rough(self, columns: np.ndarray, width: int) -> np.ndarray:
        """Columns (n, width) moved and divided by their spans."""
        from subsel._loops.near_rows import lay

        metric = self.metric
        block = aligned((metric.n_rows, width), SINGLE)
        lay(metric.rows, columns, metric.middles[columns], metric.widths[columns], block)
        return block

    def _root(self, columns: np.ndarray) -> np.ndarray:
        """What differences of rough columns are multiplied with, one row per scale."""
        root = self.unit ** (1 / self.metric.power)
        return (self.metric.queries.scale[:, columns] * self.metric.widths[columns] * root).astype(
            SINGLE
        )

    def _kept(self, part: Part) -> Base:
        """Distances that are held at the base or a column away."""
        packed, root = (
            np.empty((0, 0, CHUNK), SINGLE),
            np.empty((len(self.metric.queries.scale), 0), SINGLE),
        )
        blocked, shift = (
            np.empty((0, part.hi.shape[1]), SINGLE),
            part.shift_to(self.base, self.metric),
        )
        return self._base(part.at, packed, root, blocked, part.hi.ravel(), shift)

    def _base(
        self,
        at: slice,
        packed: np.ndarray,
        root: np.ndarray,
        blocked: np.ndarray,
        state: np.ndarray,
        shift: Shift,
    ) -> Base:
        queries = self.metric.queries
        part, scaled, alone = queries.part[at], queries.scaled[at], queries.alone
        return Base(packed, root, blocked, part, scaled, alone, self.unit, state, shift)


def _chunks(which: np.ndarray, width: int) -> list[np.ndarray]:
    return [which[low : low + width] for low in range(0, len(which), width)]
