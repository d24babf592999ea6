"""The nearest rows of many subsets, from distances that add over columns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial

import numpy as np

from subsel._loops.neighbours.arguments import (
    LANES,
    QUERIES_AT_ONCE,
    Base,
    Columns,
    ExactDistances,
    LaneDistances,
    MovedColumns,
    Parts,
    QueryDistances,
    Request,
    Room,
    RowList,
    SortedRows,
    Votes,
    Voting,
)
from subsel.criteria.neighbours.distance_state import DistanceState
from subsel.criteria.neighbours.metric import SINGLE, Metric
from subsel.criteria.neighbours.queries import Queries

Block = tuple[np.ndarray, Votes]  # positions of candidates; their results, padded to whole lanes

__all__ = ["Block", "Nearest"]

WIDTH = 32  # candidates whose votes are stored at a time
WIDE = 1024  # candidates at a time where only hits are counted
FEW = 4  # removals from a base of many columns below which each subset is evaluated by itself
MAX_RANK = 150  # rows listed first in addition to the k nearest
# A column whose largest term exceeds the largest distance over the base by this factor is scanned
# apart from the others: in one common unit, single precision (up to 3e38) would not hold both.
OUTWEIGH = 1e30
FEW_COLUMNS = 24  # up to so many columns, summing distances is faster than reading stored ones


class Nearest:
    """Finds the k nearest rows of every query for many subsets.

    Distances over a base are summed once for all candidates that change it by one column. Those of
    single subsets of many columns, which a walk requests, are updated from a subset nearby.

    Parameters
    ----------
    metric : Metric
        The columns, and the queries that scale them.
    voting : Voting
        How rows vote: for classes, or in channel 0 with their target.
    n_channels : int
        Number of classes; 1 for a target, 0 where only the k-th distances are needed.
    memory : float
        Bytes that distances may take. If they need more, none are stored.
    fold : ndarray of shape (queries,)
        The folds in which queries are held out, where only the hits of each fold are counted: the
        queries with most votes for their own class. Empty where the votes themselves are needed.
    """

    def __init__(
        self, metric: Metric, voting: Voting, n_channels: int, memory: float, fold: np.ndarray
    ) -> None:
        self.metric, self.voting, self.n_channels = metric, voting, n_channels
        self.memory, self.fold = memory, fold
        self.state = DistanceState(metric, memory)
        self.n_ties = 0  # queries, over all scans, that had to choose among tied rows
        self._last = np.empty(0, dtype=np.int64)

    def fork(self) -> Nearest:
        """Return a search of the same data with a distance state of its own."""
        return Nearest(self.metric, self.voting, self.n_channels, self.memory, self.fold)

    @property
    def queries(self) -> Queries:
        """The rows that look for their nearest rows."""
        return self.metric.queries

    def subset(self, columns: np.ndarray, votes: bool = False) -> Votes:
        """Find the nearest rows over one subset; with ``votes``, store them instead of the hits.

        Distances over few columns are summed from zero. A subset of more columns that differs by at
        most two from that of the state, or from the subset before, moves the state; any other
        leaves it as it is.
        """
        base = self._base(columns, self.metric.unit(columns, columns[:0]), self.voting.k)
        return self._scan(base, self.metric.no_move, votes)

    def additions(self, base: np.ndarray, columns: np.ndarray) -> Iterator[Block]:
        """Find the nearest rows with each column added to the base, block by block."""
        if not len(base):
            yield from self._single_columns(columns)
            return
        outweigh = self.metric.largest_terms[columns] * self.metric.unit(base, base[:0]) > OUTWEIGH
        for some in (np.flatnonzero(~outweigh), np.flatnonzero(outweigh)):
            if len(some):
                unit = self.metric.unit(base, columns[some])
                source = self._base(base, unit, self._rank(len(base)))
                yield from self._moves(source, columns, some, False)

    def removals(self, base: np.ndarray, columns: np.ndarray) -> Iterator[Block]:
        """Find the nearest rows with each column removed from the base, block by block."""
        if len(columns) < FEW and len(base) > FEW_COLUMNS:
            for i, column in enumerate(columns):
                yield np.array([i]), self.subset(base[base != column])
            return
        source = self.metric.summed_base(base, self.metric.unit(base, base[:0]), self.voting.k)
        yield from self._moves(source, columns, np.arange(len(columns)), True)

    def swaps(self, base: np.ndarray, removed: int, columns: np.ndarray) -> Iterator[Block]:
        """Find the nearest rows with one column removed from the base and each column added."""
        yield from self.additions(base[base != removed], columns)

    def _rank(self, s: int) -> int:
        """Estimate how many rows over s columns are nearer than the k-th neighbour over s + 1."""
        # For rows spread evenly over the unit cube, a cube of s + 1 dimensions that holds k of n
        # rows has sides (k / n)^(1 / (s + 1)), and its projection on s dimensions holds n times the
        # s-th power of that. The factor 1.6 gave the shortest times in our measurements; the answer
        # does not depend on it, since a second pass lists every row that is within reach.
        k, n = self.voting.k, self.metric.n_rows
        return k + min(MAX_RANK, int(1.6 * n * (k / n) ** (s / (s + 1))))

    def _base(self, columns: np.ndarray, unit: float, rank: int) -> Base:
        """Choose the source of distances over columns: sums from zero, or the state moved there."""
        state, last, self._last = self.state, self._last, columns
        sum_again = len(columns) <= FEW_COLUMNS or not state.fits
        if sum_again or (state.n_differing(columns) > 2 and len(np.setxor1d(last, columns)) > 2):
            return self.metric.summed_base(columns, unit, rank)
        state.move(columns)
        return self.metric.stored_base(columns, state.distances, state.error, unit, rank)

    def _moves(
        self, base: Base, columns: np.ndarray, some: np.ndarray, removed: bool
    ) -> Iterator[Block]:
        """Scan the candidates at the positions ``some``, columns of similar spread side by side."""
        similar = some[np.argsort(self.metric.spread[columns[some]], kind="stable")]
        width = WIDTH
        if len(self.fold):
            width = WIDE
        for low in range(0, len(similar), width):
            which = similar[low : low + width]
            moved = self.metric.move(columns[which], base.unit, removed)
            yield which, self._scan(base, moved, False)

    def _scan(self, base: Base, moved: MovedColumns, votes: bool) -> Votes:
        """Run the compiled scan of one block of candidates and return what it has written."""
        from subsel._loops.neighbours.distances import scan

        found, room = self._empty_found(moved.block.shape[1], votes), self._room
        if not moved.removed:
            room = room._replace(near=room.near._replace(rest=room.near.whole))
        self.n_ties += scan(Request(base, moved, self.voting, found), room)
        return found

    def _single_columns(self, columns: np.ndarray) -> Iterator[Block]:
        """Find the nearest rows over single columns, each sorted and scanned by two pointers."""
        from subsel._loops.neighbours.neighbours_on_a_line import scan_lines

        queries, n_rows = self.queries, self.metric.n_rows
        query = np.full((len(queries.train), n_rows), -1, dtype=np.int64)
        query[queries.part, queries.rows] = np.arange(len(queries))
        asked = Parts(query, queries.train, queries.alone)
        for low in range(0, len(columns), LANES):
            chosen = columns[low : low + LANES]
            X, scale = self.metric.table[chosen], queries.scales(chosen)
            found = self._empty_found(len(chosen) + -len(chosen) % LANES, True)
            order = np.argsort(X, axis=1)
            values = np.take_along_axis(X, order, axis=1)
            line = Columns(values, order, scale, self.metric.absolute)
            self.n_ties += scan_lines(line, asked, self.voting, found, self._sorted)
            yield np.arange(low, low + len(chosen)), found

    def _empty_found(self, width: int, votes: bool) -> Votes:
        """Allocate the arrays that a scan of ``width`` candidates writes into."""
        n, own, fold = len(self.queries), self.voting.codes[self.queries.rows], self.fold
        pages, n_folds = n, 0
        if len(fold):
            n_folds = fold[-1] + 1
            if not votes:
                pages = 1
        page = (self.n_channels + 1, width)
        hits = np.zeros((n_folds, width))
        return Votes(np.empty((pages, *page)), np.empty((n, width)), hits, own, fold)

    @cached_property
    def _room(self) -> Room:
        """Work space shared by all scans: allocating it takes longer than filling it."""
        k, n, n_filled = self.voting.k, self.metric.n_rows, self.metric.n_filled
        single = partial(np.empty, dtype=SINGLE)
        few, listed = (QUERIES_AT_ONCE, n_filled), n + 8
        near = QueryDistances(
            single((QUERIES_AT_ONCE, len(self.metric.table))), single(QUERIES_AT_ONCE),
            single(few), single(few), single(few), single(n_filled // 4),
        )  # fmt: skip
        seen = LaneDistances(
            single((k, LANES)), np.empty(listed, np.int32), single((listed, LANES)), single(LANES),
            single((self.n_channels, LANES)), np.empty((LANES, n), np.int32),
            np.empty(LANES, np.int64),
        )  # fmt: skip
        rows = RowList(np.empty(listed, np.int32), single(listed), single(listed))
        return Room(near, rows, seen, self._close)

    @cached_property
    def _close(self) -> ExactDistances:
        """Work space for distances of a few rows in double precision."""
        k, n = self.voting.k, self.metric.n_rows
        return ExactDistances(
            np.empty(n), np.empty(k), np.empty(n, bool), np.empty(n, np.int64), np.empty(n)
        )

    @cached_property
    def _sorted(self) -> SortedRows:
        """Work space for rows sorted by a column."""
        n = self.metric.n_rows + 1
        values, rows = np.empty((2, n)), np.empty((4, n), np.int32)
        return SortedRows(values[0], rows[0], values[1], rows[1], rows[2], rows[3], self._close)
