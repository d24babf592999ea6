"""The nearest rows of many subsets, from distances that add over columns and are kept at one of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from subsel._loops.neighbour_arguments import Found, Voting
from subsel._loops.path import may_compile
from subsel.criteria.distance_state import DistanceState, Part
from subsel.criteria.metric import Metric
from subsel.criteria.moves_of_neighbours import AFRESH, Moves, Room
from subsel.criteria.plain_neighbours import PlainNeighbours
from subsel.criteria.queries import Queries

Block = tuple[
    np.ndarray, slice, np.ndarray, np.ndarray
]  # candidates, queries, their votes and k-th distances, room after

__all__ = ["Block", "Nearest"]

PLAIN = 20_000_000  # pairs of rows looked at with numpy before the compiled loops are worth loading
LOOPS = "subsel._loops.nearest_neighbours"
_PAIR = 3e-8  # seconds for which numpy is at work on one of them
WIDTH = 32  # candidates scanned in one go
FEW = 8  # additions for which listing the nearest rows takes longer than looking at all of them
OUTWEIGH = 1e30  # times the largest distance that a column may give, beyond which single precision cannot hold it
APART = 8  # columns a removal over which distances are summed in less time than it takes to look at those that are held


class Nearest:
    """Finds the k nearest rows of every query for many subsets, from distances kept at one of them.

    Three ways lead to the nearest rows: lists of the nearest rows without a column that is added, the rows that any of
    many columns which are taken out can bring near, and all rows; the spreads of the columns and their number say which
    is quickest.

    Parameters
    ----------
    metric : Metric
        The columns, and the queries that scale them.
    voting : Voting
        How rows vote: for classes, or 0 and their target.
    n_channels : int
        Number of classes; 1 for a target, 0 where only the k-th distances are asked for.
    memory : float
        Bytes that distances may take. Beyond, nothing is kept: the distances of some queries at a time are summed for
        each batch.
    """

    def __init__(self, metric: Metric, voting: Voting, n_channels: int, memory: float) -> None:
        self.metric, self.voting, self.n_channels = metric, voting, n_channels
        self.state = DistanceState(metric, memory)
        self.work = self._n_ties = 0
        self._plainer = PlainNeighbours(metric, voting, n_channels)
        self._last: np.ndarray | None = None
        self._lists = Room()

    def fork(self) -> Nearest:
        """The same search from a state of its own."""
        return Nearest(self.metric, self.voting, self.n_channels, self.state.memory)

    @property
    def queries(self) -> Queries:
        """The rows that look for their nearest rows."""
        return self.metric.queries

    @property
    def n_ties(self) -> int:
        """How many queries had to choose among tied rows."""
        return self._n_ties + self._plainer.n_ties

    def plain(self, n_subsets: int) -> bool:
        """Whether so little has been asked for that loading the compiled loops would take longer."""
        pairs = len(self.queries) * self.metric.n_rows
        self.work += n_subsets * pairs
        loaded = LOOPS in sys.modules
        if self.work <= PLAIN and not loaded:
            return True
        return not may_compile(_PAIR * self.work if pairs <= PLAIN else np.inf, loaded)

    @property
    def plain_seconds(self) -> float:
        """How long numpy takes for one subset, about; infinitely long where it would hold too many distances."""
        pairs = len(self.queries) * self.metric.n_rows
        return _PAIR * pairs if pairs <= PLAIN else np.inf

    # One subset ---------------------------------------------------------------------------------------------------

    def plain_subset(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Votes and k-th distances of one subset with numpy alone."""
        return self._plainer.subset(columns)

    def subset(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Votes (queries, channels, 1) and k-th distances (queries, 1) of one subset.

        Distances over few columns are summed afresh. A subset of more columns within two of the state is reached from
        it; one within two of the subset asked for before moves the state there; any other leaves the state alone.
        """
        if len(columns) <= AFRESH or not self.state.held:
            return self._afresh(columns)
        last, self._last = self._last, columns
        if (
            last is not None
            and self.state.apart(columns) > 2
            and len(np.setxor1d(last, columns)) <= 2
        ):
            self.state.move(last)
        return self._afresh(columns) if self.state.apart(columns) > 2 else self._varied(columns)

    def _varied(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Votes and k-th distances of one subset, from the state."""
        part = self.state.part
        assert part is not None
        added, removed = np.setdiff1d(columns, part.columns), np.setdiff1d(part.columns, columns)
        if len(removed):
            scan = self._whole(part, np.union1d(columns, removed[:1]), -1, removed[:1])
        elif len(added):
            scan = self._whole(part, np.setdiff1d(columns, added[:1]), 1, added[:1])
        else:
            return self._afresh(columns)
        _, _, votes, kth = next(scan)
        return votes, kth

    def _afresh(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        from subsel._loops.subset_scan import scan_subset

        moves, queries, found = (
            Moves(self.metric, columns, columns[:0]),
            self.queries,
            self._room(len(self.queries), 1),
        )
        source = moves.summed(slice(0, len(queries)))
        self._n_ties += scan_subset(source, queries.rows, moves.table, self.voting, found)
        return found.votes, found.kth

    # Many subsets near the state ----------------------------------------------------------------------------------

    def additions(self, base: np.ndarray, columns: np.ndarray) -> Iterator[Block]:
        """Votes and k-th distances with each column added: (candidates, queries, votes, distances) block by block."""
        if not len(base):
            yield from self._lines(columns)
            return
        yield from self._added(base, base, columns)

    def removals(self, base: np.ndarray, columns: np.ndarray) -> Iterator[Block]:
        """The same with each column taken out; many of them share one look at the rows that any can bring near."""
        if len(base) <= APART * len(columns) or not self.state.held:
            yield from self._removed(base, columns)
            return
        near = self.state.part if self.state.apart(base) <= 2 else None
        for part in self.state.parts(base) if near is None else [near]:
            yield from self._whole(part, base, -1, columns)

    def swaps(self, base: np.ndarray, removed: int, columns: np.ndarray) -> Iterator[Block]:
        """The same with one column taken out and each of the others added."""
        if len(base) == 1:
            yield from self._lines(columns)
            return
        yield from self._added(base, base[base != removed], columns)

    def _added(self, held: np.ndarray, base: np.ndarray, columns: np.ndarray) -> Iterator[Block]:
        """Many columns are scanned in the order of the base; all rows for those that outweigh it by far, or for a few."""
        outweigh = self.metric.most[columns] * self.metric.unit(base) > OUTWEIGH
        if len(held) == len(base) and len(columns) - outweigh.sum() < FEW:
            outweigh[:] = True
        yield from _some(np.flatnonzero(~outweigh), columns, partial(self._listed, held, base))
        if outweigh.any():
            for part in self.state.parts(base):
                yield from _some(
                    np.flatnonzero(outweigh), columns, partial(self._whole, part, base, 1)
                )

    def _whole(
        self, part: Part, base: np.ndarray, sign: int, columns: np.ndarray
    ) -> Iterator[Block]:
        """Votes with each column added to a base near that of the part, or taken out, looking at all rows."""
        from subsel._loops.whole_scan import scan_whole

        metric, rows, shift = (
            self.metric,
            self.queries.rows[part.at],
            part.shift_to(base, self.metric),
        )
        summed = metric.summed(base if sign < 0 else base[:0], part.at)
        for low in range(0, len(columns), WIDTH):
            chosen = columns[low : low + WIDTH]
            unit = metric.unit(np.unique(np.concatenate([part.columns, base, chosen])))
            flipped = metric.flipped(chosen, base, part.at, unit)
            flipped, found = (
                flipped._replace(rough=flipped.rough.ravel()),
                self._room(len(rows), len(chosen)),
            )
            self._n_ties += scan_whole(
                part.hi.ravel(), rows, shift, flipped, float(sign), summed, self.voting, found
            )
            yield np.arange(low, low + len(chosen)), part.at, *found

    def _removed(self, base: np.ndarray, columns: np.ndarray) -> Iterator[Block]:
        """Votes with each column taken out of a base, over which distances are summed."""
        from subsel._loops.removal_scan import scan_removed

        moves, queries = Moves(self.metric, base, columns), self.queries
        every = slice(0, len(queries))
        source = moves.summed(every)
        for which, removed in moves.blocks(2 * WIDTH):
            found = self._room(len(queries), removed.block.shape[1])
            self._n_ties += scan_removed(
                source, queries.rows, removed, moves.table, self.voting, found
            )
            yield which, every, *found

    def _listed(self, held: np.ndarray, base: np.ndarray, columns: np.ndarray) -> Iterator[Block]:
        """Votes with each column added to a base, looking at rows in the order of lists; a base nearby may be held."""
        from subsel._loops.listed_scan import scan_listed

        moves = Moves(self.metric, base, columns)
        for at, source in moves.bases(self.state, held):
            rows = self.queries.rows[at]
            lists = moves.list_near(source, rows, self._length(len(base)), self._lists)
            for which, added in moves.blocks(2 * WIDTH):
                found = self._room(len(rows), added.block.shape[1])
                self._n_ties += scan_listed(
                    source, lists, rows, added, moves.table, self.voting, found
                )
                yield which, at, *found

    def _length(self, s: int) -> float:
        """How many rows to list at s columns: a few times those nearer than the k-th neighbour with one column more."""
        k = self.voting.k
        return 5 * self.metric.n_rows ** (1 / (s + 1)) * k ** (s / (s + 1)) + 3 * k + 30

    def _lines(self, columns: np.ndarray) -> Iterator[Block]:
        """Single columns: sorted, then two pointers."""
        from subsel._loops.nearest_neighbours import scan_lines

        queries, n_rows = self.queries, self.metric.n_rows
        query = np.full((len(queries.train), n_rows), -1, dtype=np.int64)
        query[queries.part, queries.rows] = np.arange(len(queries))
        for low in range(0, len(columns), WIDTH):
            chosen = columns[low : low + WIDTH]
            X, scale = self.metric.table[chosen], queries.scales(chosen, slice(None))
            found = self._room(len(queries), len(X))
            order = np.argsort(X, axis=1)
            self._n_ties += scan_lines(
                X, order, scale, queries.train, query, queries.alone, self.voting, found
            )
            yield np.arange(low, low + len(X)), slice(0, len(queries)), *found

    def _room(self, n_queries: int, width: int) -> Found:
        return Found(
            np.empty((n_queries, self.n_channels + 1, width)), np.empty((n_queries, width))
        )


def _some(
    which: np.ndarray, columns: np.ndarray, scan: Callable[[np.ndarray], Iterator[Block]]
) -> Iterator[Block]:
    """The blocks of a scan of some of the columns, numbered among all of them."""
    if len(which):
        for block, at, votes, kth in scan(columns[which]):
            yield which[block], at, votes, kth
