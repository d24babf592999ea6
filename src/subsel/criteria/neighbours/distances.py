"""The nearest rows of many subsets, from distances that add over columns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial

import numpy as np

from subsel._loops.neighbours.arguments import (
    LANES,
    TOGETHER,
    Asked,
    Base,
    Close,
    Columns,
    Found,
    Listed,
    Moved,
    Near,
    Request,
    Room,
    Seen,
    Sorted,
    Voting,
)
from subsel.criteria.neighbours.distance_state import DistanceState
from subsel.criteria.neighbours.metric import SINGLE, Metric
from subsel.criteria.neighbours.queries import Queries

Block = tuple[np.ndarray, Found]  # candidates, and what was found for them, room after

__all__ = ["Block", "Nearest"]

WIDTH = 32  # candidates whose votes are kept at a time
WIDE = 1024  # candidates at a time where only hits are counted
FEW = 4  # changes of a base of many columns that are looked at one subset at a time
MOST = 150  # rows looked at first beyond the nearest
OUTWEIGH = 1e30  # times the largest distance that a column may give, beyond which single precision cannot hold it
AFRESH = 24  # columns over which distances are summed in less time than it takes to fetch those that are held


class Nearest:
    """Finds the k nearest rows of every query for many subsets.

    Distances over a base are summed for all candidates that change it by a column. Those of single
    subsets of many columns, such as a walk asks for, come from distances that are kept at a subset
    nearby.

    Parameters
    ----------
    metric : Metric
        The columns, and the queries that scale them.
    voting : Voting
        How rows vote: for classes, or 0 and their target.
    n_channels : int
        Number of classes; 1 for a target, 0 where only the k-th distances are asked for.
    memory : float
        Bytes that distances may take. Beyond, nothing is kept.
    fold : ndarray of shape (queries,)
        The folds in which queries are held out, where only those are asked for that have most votes
        for their own class; empty where votes are.
    """

    def __init__(
        self, metric: Metric, voting: Voting, n_channels: int, memory: float, fold: np.ndarray
    ) -> None:
        self.metric, self.voting, self.n_channels = metric, voting, n_channels
        self.memory, self.fold = memory, fold
        self.state = DistanceState(metric, memory)
        self.n_ties = 0  # how many queries had to choose among tied rows
        self._last = np.empty(0, dtype=np.int64)

    def fork(self) -> Nearest:
        """The same search from a state of its own."""
        return Nearest(self.metric, self.voting, self.n_channels, self.memory, self.fold)

    @property
    def queries(self) -> Queries:
        """The rows that look for their nearest rows."""
        return self.metric.queries

    def subset(self, columns: np.ndarray, votes: bool = False) -> Found:
        """What is found for one subset; with votes, also where only hits are asked for.

        Distances over few columns are summed afresh. A subset of more columns within two of the
        state, or of the subset asked for before, moves the state there; any other leaves the state
        alone.
        """
        base = self._base(columns, self.metric.unit(columns, columns[:0]), self.voting.k)
        return self._scan(base, self.metric.nothing, votes)

    def additions(self, base: np.ndarray, columns: np.ndarray) -> Iterator[Block]:
        """What is found with each column added, block by block."""
        if not len(base):
            yield from self._lines(columns)
            return
        outweigh = self.metric.most[columns] * self.metric.unit(base, base[:0]) > OUTWEIGH
        for some in (np.flatnonzero(~outweigh), np.flatnonzero(outweigh)):
            if len(some):
                unit = self.metric.unit(base, columns[some])
                source = self._base(base, unit, self._rank(len(base)))
                yield from self._moves(source, columns, some, False)

    def removals(self, base: np.ndarray, columns: np.ndarray) -> Iterator[Block]:
        """The same with each column taken out."""
        if len(columns) < FEW and len(base) > AFRESH:
            for i, column in enumerate(columns):
                yield np.array([i]), self.subset(base[base != column])
            return
        source = self.metric.summed(base, self.metric.unit(base, base[:0]), self.voting.k)
        yield from self._moves(source, columns, np.arange(len(columns)), True)

    def swaps(self, base: np.ndarray, removed: int, columns: np.ndarray) -> Iterator[Block]:
        """The same with one column taken out and each of the others added."""
        yield from self.additions(base[base != removed], columns)

    def _rank(self, s: int) -> int:
        """How many rows to look at first over s columns: about those nearer than the k-th neighbour with one column more.

        If rows are spread evenly, a cube of s + 1 dimensions that holds k of n rows has sides of (k
        / n)^(1 / (s + 1)), and n times the s-th power of that many rows are as near over s columns.
        More than half as many again were quickest.
        """
        k, n = self.voting.k, self.metric.n_rows
        return k + min(MOST, int(1.6 * n * (k / n) ** (s / (s + 1))))

    def _base(self, columns: np.ndarray, unit: float, rank: int) -> Base:
        """Where the distances over some columns come from."""
        last, self._last = self._last, columns
        far = len(columns) <= AFRESH or not self.state.held
        if far or (self.state.apart(columns) > 2 and len(np.setxor1d(last, columns)) > 2):
            return self.metric.summed(columns, unit, rank)
        self.state.move(columns)
        kept = self.metric.kept(columns, self.state.distances, self.state.lost, unit)
        return kept._replace(rank=rank)

    def _moves(
        self, base: Base, columns: np.ndarray, some: np.ndarray, removed: bool
    ) -> Iterator[Block]:
        """What is found for some of the candidates, those side by side that look equally far."""
        similar = some[np.argsort(self.metric.spread[columns[some]], kind="stable")]
        width = WIDTH
        if len(self.fold):
            width = WIDE
        for low in range(0, len(similar), width):
            which = similar[low : low + width]
            moved = self.metric.moved(columns[which], base.unit, removed)
            yield which, self._scan(base, moved, False)

    def _scan(self, base: Base, moved: Moved, votes: bool) -> Found:
        from subsel._loops.neighbours.distances import scan

        found, room = self._found(moved.block.shape[1], votes), self._room
        if not moved.removed:
            room = room._replace(near=room.near._replace(rest=room.near.whole))
        self.n_ties += scan(Request(base, moved, self.voting, found), room)
        return found

    def _lines(self, columns: np.ndarray) -> Iterator[Block]:
        """What is found for single columns: sorted, then two pointers."""
        from subsel._loops.neighbours.neighbours_on_a_line import scan_lines

        queries, n_rows = self.queries, self.metric.n_rows
        query = np.full((len(queries.train), n_rows), -1, dtype=np.int64)
        query[queries.part, queries.rows] = np.arange(len(queries))
        asked = Asked(query, queries.train, queries.alone)
        for low in range(0, len(columns), LANES):
            chosen = columns[low : low + LANES]
            X, scale = self.metric.table[chosen], queries.scales(chosen)
            found = self._found(len(chosen) + -len(chosen) % LANES, True)
            order = np.argsort(X, axis=1)
            values = np.take_along_axis(X, order, axis=1)
            line = Columns(values, order, scale, self.metric.absolute)
            self.n_ties += scan_lines(line, asked, self.voting, found, self._sorted)
            yield np.arange(low, low + len(chosen)), found

    def _found(self, width: int, votes: bool) -> Found:
        """Room for what is found."""
        n, own, fold = len(self.queries), self.voting.codes[self.queries.rows], self.fold
        pages, n_folds = n, 0
        if len(fold):
            n_folds = fold[-1] + 1
            if not votes:
                pages = 1
        page = (self.n_channels + 1, width)
        hits = np.zeros((n_folds, width))
        return Found(np.empty((pages, *page)), np.empty((n, width)), hits, own, fold)

    @cached_property
    def _room(self) -> Room:
        """Memory that scans use again and again: to be given it anew takes longer than to fill it."""
        k, n, n_filled = self.voting.k, self.metric.n_rows, self.metric.n_filled
        single = partial(np.empty, dtype=SINGLE)
        few, listed = (TOGETHER, n_filled), n + 8
        near = Near(
            single((TOGETHER, len(self.metric.table))), single(TOGETHER), single(few), single(few),
            single(few), single(n_filled // 4),
        )  # fmt: skip
        seen = Seen(
            single((k, LANES)), np.empty(listed, np.int32), single((listed, LANES)), single(LANES),
            single((self.n_channels, LANES)), np.empty((LANES, n), np.int32), np.empty(LANES, np.int64),
        )  # fmt: skip
        rows = Listed(np.empty(listed, np.int32), single(listed), single(listed))
        return Room(near, rows, seen, self._close)

    @cached_property
    def _close(self) -> Close:
        k, n = self.voting.k, self.metric.n_rows
        return Close(
            np.empty(n), np.empty(k), np.empty(n, bool), np.empty(n, np.int64), np.empty(n)
        )

    @cached_property
    def _sorted(self) -> Sorted:
        n = self.metric.n_rows + 1
        values, rows = np.empty((2, n)), np.empty((4, n), np.int32)
        return Sorted(values[0], rows[0], values[1], rows[1], rows[2], rows[3], self._close)
