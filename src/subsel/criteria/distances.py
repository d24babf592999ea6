"""Distances between rows that add over columns, kept at one subset and searched for the nearest rows of many."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from subsel.folds import Folds

Block = tuple[np.ndarray, slice, np.ndarray, np.ndarray]  # candidates, queries, votes, k-th distances

__all__ = ["Nearest", "Queries"]

FAR = 1e300  # the distance of rows that must not answer
TIE = 1e-12  # distances that agree to this share are tied
PLAIN = 20_000_000  # pairs of rows judged with numpy before the compiled loops are worth loading
BYTES = 36.0  # held per query and row: two numbers, a third one for swaps, lists of up to three eighths of the rows
REBUILT = 256  # moves after which the distances are summed afresh
LOOPS = "subsel._loops.nearest_neighbours"
WIDTH = 32  # candidates scanned in one go
LANES = 16  # candidates side by side, to a multiple of which blocks are filled up
CHUNK = 64  # rows to a multiple of which tables are filled up
FAR_OUT = 300.0  # standard deviations beyond which single precision tells rows apart too badly
FEW = 8  # additions for which listing the nearest rows takes longer than looking at all of them


@dataclass(frozen=True, eq=False)
class Queries:
    """Rows to be answered, and by which rows.

    ``train[part[q]]`` says which rows may answer query q; if ``alone`` it does not count its own row.
    ``scale[scaled[q]]`` multiplies its differences, column by column.
    """

    rows: np.ndarray
    part: np.ndarray
    train: np.ndarray
    alone: bool
    scale: np.ndarray
    scaled: np.ndarray

    @classmethod
    def of(cls, folds: Folds, scale: np.ndarray) -> Queries:
        """The held-out rows of all folds, one after another."""
        rows = np.concatenate(folds.test)
        fold = np.repeat(np.arange(len(folds)), [len(t) for t in folds.test])
        scaled = fold if len(scale) > 1 else np.zeros_like(fold)
        if folds.leave_one_out:
            return cls(rows, np.zeros_like(rows), np.ones((1, folds.n_rows), bool), True, scale, scaled)
        train = np.zeros((len(folds), folds.n_rows), bool)
        for f, members in enumerate(folds.train):
            train[f, members] = True
        return cls(rows, fold, train, False, scale, scaled)

    def __len__(self) -> int:
        return len(self.rows)

    def scales(self, columns: np.ndarray, at: slice) -> np.ndarray:
        """The multipliers of these columns for each query."""
        return np.ascontiguousarray(self.scale[:, columns][self.scaled[at]])

    def start(self, at: slice) -> np.ndarray:
        """Distances over no column: 0 to the rows that may answer, FAR to the others."""
        hi = np.where(self.train[self.part[at]], 0.0, FAR)
        if self.alone:
            hi[np.arange(len(hi)), self.rows[at]] = FAR
        return hi

    @property
    def fewest(self) -> int:
        """The fewest rows that answer any query."""
        return int(self.train.sum(axis=1).min()) - self.alone


@dataclass(eq=False)
class _Part:
    """The distances of some queries over the columns of a subset, and lists of the rows nearest by them."""

    at: slice
    columns: np.ndarray
    hi: np.ndarray
    lo: np.ndarray
    lists: tuple[np.ndarray, ...] | None = None


@dataclass(eq=False)
class Nearest:
    """Finds the k nearest rows of every query for many subsets, from distances kept at one of them.

    ``codes`` and ``values`` are what a row votes for: its class and 1, or 0 and its target. Distances are held
    as unevaluated sums of two numbers once a column has been taken out, so that what remains is as exact as if
    it had been summed afresh; they are summed afresh every 256 moves all the same. Beyond ``memory`` bytes
    nothing is kept: the distances of some queries at a time are summed for each batch.
    """

    columns_first: np.ndarray
    queries: Queries
    k: int
    codes: np.ndarray
    values: np.ndarray
    n_channels: int
    by_distance: int
    absolute: bool
    memory: float
    n_ties: int = 0
    work: int = 0
    spread: np.ndarray = field(default_factory=lambda: np.empty(0))
    spans: np.ndarray = field(default_factory=lambda: np.empty((0, 2)))
    _state: _Part | None = None
    _exact: bool = False
    _moves: int = 0
    _last: np.ndarray | None = None
    _plain_base: tuple[Any, Any] = field(default=(None, None))

    def fork(self) -> Nearest:
        """The same search from a state of its own."""
        return Nearest(
            self.columns_first, self.queries, self.k, self.codes, self.values, self.n_channels, self.by_distance, self.absolute,
            self.memory, spread=self.spread, spans=self.spans,
        )  # fmt: skip

    def __post_init__(self) -> None:
        if not len(self.spread):
            self.spread = self.columns_first.std(axis=1) * self.queries.scale.mean(axis=0)
            self.spans = np.stack([self.columns_first.min(axis=1), self.columns_first.max(axis=1)], axis=1)

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return self.columns_first.shape[1]

    @property
    def held(self) -> bool:
        """Whether the distances fit into memory: two numbers per query and row, one more for swaps, and the lists."""
        return BYTES * len(self.queries) * self.n_rows <= self.memory

    def plain(self, n_subsets: int) -> bool:
        """Whether so little has been asked for that loading the compiled loops would take longer."""
        self.work += n_subsets * len(self.queries) * self.n_rows
        return self.work <= PLAIN and LOOPS not in sys.modules

    # One subset ---------------------------------------------------------------------------------------------------

    def subset(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Votes (queries, channels, 1) and k-th distances (queries, 1) of one subset.

        A subset within two columns of the state is reached from it; one within two of the subset asked for
        before moves the state there; any other is summed afresh and leaves the state alone.
        """
        last, self._last = self._last, columns
        if not self.held:
            return self._afresh(columns)
        if last is not None and self._apart(columns) > 2 and len(np.setxor1d(last, columns)) <= 2:
            self._move(last)
        if self._apart(columns) > 2:
            return self._afresh(columns)
        return self.varied(columns)

    def _apart(self, columns: np.ndarray) -> int:
        return len(columns) + 9 if self._state is None else len(np.setxor1d(self._state.columns, columns))

    def varied(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Votes and k-th distances of one subset, from the state."""
        state = self._state
        assert state is not None
        added, removed = np.setdiff1d(columns, state.columns), np.setdiff1d(state.columns, columns)
        if len(removed):
            scan = self._whole(state, np.union1d(columns, removed[:1]), -1, removed[:1])
        elif len(added):
            scan = self._whole(state, np.setdiff1d(columns, added[:1]), 1, added[:1])
        else:
            return self._afresh(columns)
        _, _, votes, kth = next(scan)
        return votes, kth

    def _afresh(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        from subsel._loops.whole_scan import scan_subset

        queries, (votes, kth) = self.queries, self._room(len(self.queries), 1)
        blocked = self._filled(np.where(queries.train, 0.0, np.inf), np.inf).astype(np.float32)
        X, power = self.columns_first[columns], 1.0 if self.absolute else 0.5
        centred = (X - X.mean(axis=1, keepdims=True)) * self._unit(columns) ** power
        for number, scale in enumerate(queries.scale):
            which = np.flatnonzero(queries.scaled == number)
            at = slice(which[0], which[-1] + 1)
            rough = self._filled(centred * scale[columns, None], 0.0).astype(np.float32)
            packed = np.ascontiguousarray(rough.reshape(len(columns), -1, CHUNK).swapaxes(0, 1))
            S, S_scale = self._summed(columns, at)
            rows = queries.rows[at]
            self.n_ties += scan_subset(
                blocked, queries.part[at], queries.alone, rows, packed, rough.T[rows], S, S_scale, *self._voting,
                votes[at], kth[at],
            )  # fmt: skip
        return votes, kth

    def _unit(self, columns: np.ndarray) -> float:
        """One over the largest distance that these columns can give."""
        widths = np.diff(self.spans[columns], axis=1)[:, 0] * self.queries.scale[:, columns].max(axis=0)
        return 1.0 / (float((widths if self.absolute else widths**2).sum()) or 1.0)

    # Many subsets near the state ----------------------------------------------------------------------------------

    def additions(self, base: np.ndarray, columns: np.ndarray) -> Iterator[Block]:
        """Votes and k-th distances with each column added: (candidates, queries, votes, distances) block by block."""
        if not len(base):
            yield from self._lines(columns)
            return
        for part in self._parts(base):
            yield from self._added(part, columns)

    def removals(self, base: np.ndarray, columns: np.ndarray) -> Iterator[Block]:
        """The same with each column taken out, looking at few rows where the other columns outweigh it by far."""
        power, widths = 1 if self.absolute else 2, np.diff(self.spans[columns], axis=1)[:, 0]
        share = widths * self.queries.scale[:, columns].mean(axis=0)
        wide = share**power > (0.5 if self.absolute else 1.0) * (self.spread[base] ** power).sum()
        order = np.argsort(share, kind="stable")  # side by side they list equally many rows
        near = self.held and self._state is not None and self._apart(base) <= 2
        for part in [self._state] if near else self._parts(base):
            assert part is not None
            yield from _some(order[~wide[order]], columns, partial(self._removed, part, base))
            yield from _some(order[wide[order]], columns, partial(self._whole, part, base, -1))

    def swaps(self, base: np.ndarray, removed: int, columns: np.ndarray) -> Iterator[Block]:
        """The same with one column taken out and each of the others added."""
        from subsel._loops.nearest_neighbours import take_out

        for part in self._parts(base):
            less = _Part(part.at, np.setdiff1d(part.columns, [removed]), np.empty_like(part.hi), part.lo[:0])
            X, scale = self._columns(np.array([removed]), part.at)
            rows, rest = self.queries.rows[part.at], self._columns(less.columns, part.at)
            take_out(part.hi, part.lo, rows, X[0], scale[:, 0], *rest, self.absolute, less.hi)
            yield from self._added(less, columns)

    def _added(self, part: _Part, columns: np.ndarray) -> Iterator[Block]:
        """Columns are scanned in the order of the state; all rows for those that far outweigh it, or for too few."""
        power = 1 if self.absolute else 2
        wide = self.spread[columns] ** power > 3 * (self.spread[part.columns] ** power).sum()
        if len(wide) - wide.sum() < FEW:
            wide[:] = True
        yield from _some(np.flatnonzero(~wide), columns, partial(self._listed, part))
        yield from _some(np.flatnonzero(wide), columns, partial(self._whole, part, part.columns, 1))

    def _whole(self, part: _Part, base: np.ndarray, sign: int, columns: np.ndarray) -> Iterator[Block]:
        """Votes with each column added to a base near that of the part, or taken out, looking at all rows."""
        from subsel._loops.whole_scan import scan_whole

        rows, shift = self.queries.rows[part.at], self._shift_to(part, base)
        S, S_scale = self._summed(base if sign < 0 else base[:0], part.at)
        for low in range(0, len(columns), WIDTH):
            chosen = columns[low : low + WIDTH]
            X, scale = self._columns(chosen, part.at)
            votes, kth = self._room(len(rows), len(chosen))
            unit = self._unit(np.unique(np.concatenate([part.columns, base, chosen])))
            rough, grain = self._rough(X, chosen)
            self.n_ties += scan_whole(
                part.hi.ravel(), rows, *shift, X, rough.ravel(), grain, unit, scale, self.spans[chosen], float(sign),
                S, S_scale, np.searchsorted(base, chosen), *self._voting, votes, kth,
            )  # fmt: skip
            yield np.arange(low, low + len(chosen)), part.at, votes, kth

    def _removed(self, part: _Part, base: np.ndarray, columns: np.ndarray) -> Iterator[Block]:
        """Votes with each column taken out of a base near that of the part."""
        from subsel._loops.removal_scan import scan_removed

        rows, shift = self.queries.rows[part.at], self._shift_to(part, base)
        S, S_scale = self._summed(base, part.at)
        for low in range(0, len(columns), 2 * WIDTH):
            chosen = columns[low : low + 2 * WIDTH]
            X, scale = self._columns(chosen, part.at)
            votes, kth = self._room(len(rows), len(chosen))
            unit = self._unit(np.union1d(part.columns, base))
            rough, grain = self._rough(X, chosen)
            block = np.zeros((self.n_rows, len(chosen) + -len(chosen) % LANES), rough.dtype)
            block[:, : len(chosen)] = rough[:, : self.n_rows].T
            self.n_ties += scan_removed(
                part.hi.ravel(), rows, *shift, X, block, grain, unit, scale, self.spans[chosen], S, S_scale,
                np.searchsorted(base, chosen), *self._voting, votes, kth,
            )  # fmt: skip
            yield np.arange(low, low + len(chosen)), part.at, votes, kth

    def _shift_to(self, part: _Part, base: np.ndarray) -> tuple[np.ndarray, ...]:
        """The columns by which a base differs from that of a part: values, multipliers, spans, signs."""
        added, removed = np.setdiff1d(base, part.columns), np.setdiff1d(part.columns, base)
        columns = np.append(added, removed)
        return *self._columns(columns, part.at), self.spans[columns], np.repeat([1.0, -1.0], [len(added), len(removed)])

    def _rough(self, X: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, float]:
        """Columns moved and divided by their spans, in single precision if that does, and four times what it costs."""
        low, high = self.spans[columns].T
        width, scale = np.where(high > low, high - low, 1.0), self.queries.scale[:, columns].mean(axis=0)
        rough = (X - (low + high)[:, None] / 2) / width[:, None]
        if np.all((high - low) * scale <= FAR_OUT * self.spread[columns]):
            return rough.astype(np.float32), 2.0**-22
        return rough, 2.0**-51

    def _listed(self, part: _Part, columns: np.ndarray) -> Iterator[Block]:
        """Votes with each column added to those of the part, looking at rows in the order of the lists."""
        from subsel._loops.listed_scan import scan_listed

        lists, rows = self._lists(part), self.queries.rows[part.at]
        similar = np.argsort(self.spread[columns], kind="stable")  # side by side they scan equally far
        for low in range(0, len(columns), WIDTH):
            which = similar[low : low + WIDTH]
            padded = columns[np.append(which, np.full(WIDTH - len(which), which[0]))]
            block = np.ascontiguousarray(self.columns_first[padded].T)
            votes, kth = self._room(len(rows), WIDTH)
            self.n_ties += scan_listed(
                part.hi,
                *lists,
                rows,
                block,
                self.queries.scales(padded, part.at),
                len(which),
                *self._voting,
                votes,
                kth,
            )
            yield which, part.at, votes[:, :, : len(which)], kth[:, : len(which)]

    def _summed(self, columns: np.ndarray, at: slice) -> tuple[np.ndarray, np.ndarray]:
        """What distances are summed from: columns (n, s) and their multipliers."""
        return np.ascontiguousarray(self.columns_first[columns].T), self.queries.scales(columns, at)

    def _lists(self, part: _Part) -> tuple[np.ndarray, ...]:
        """The rows nearest to each query."""
        from subsel._loops.nearest_neighbours import list_nearest

        if part.lists is None:
            share, queries = min(0.25, self._length(len(part.columns)) / self.n_rows), len(part.hi)
            cap = min(self.n_rows, int(1.5 * share * self.n_rows) + 8) + 3
            order, base = np.empty((queries, cap), np.int32), np.empty((queries, cap))
            part.lists = order, base, np.empty(queries, np.int64), np.empty(queries), np.empty(queries)
            list_nearest(part.hi, share, *part.lists)
        return part.lists

    def _length(self, s: int) -> float:
        """How many rows to list at s columns: a few times those nearer than the k-th neighbour with one column more."""
        return 8 * self.n_rows ** (1 / (s + 1)) * self.k ** (s / (s + 1)) + 3 * self.k + 10

    def _lines(self, columns: np.ndarray) -> Iterator[Block]:
        """Single columns: sorted, then two pointers."""
        from subsel._loops.nearest_neighbours import scan_lines

        queries = self.queries
        query = np.full((len(queries.train), self.n_rows), -1, dtype=np.int64)
        query[queries.part, queries.rows] = np.arange(len(queries))
        for low in range(0, len(columns), WIDTH):
            chosen = columns[low : low + WIDTH]
            X, scale = self.columns_first[chosen], queries.scales(chosen, slice(None))
            votes, kth = self._room(len(queries), len(X))
            self.n_ties += scan_lines(
                X, np.argsort(X, axis=1), scale, queries.train, query, queries.alone, *self._voting, votes, kth
            )
            yield np.arange(low, low + len(X)), slice(0, len(queries)), votes, kth

    # The state ----------------------------------------------------------------------------------------------------

    def _parts(self, base: np.ndarray) -> Iterator[_Part]:
        """The distances at a base: all queries at once if they are held, some at a time otherwise."""
        if self.held:
            yield self._move(base)
            return
        height = max(1, int(self.memory / (BYTES * self.n_rows)))
        for low in range(0, len(self.queries), height):
            yield self._sum(base, slice(low, min(low + height, len(self.queries))), False)

    def _move(self, columns: np.ndarray) -> _Part:
        """Bring the state to these columns."""
        state = self._state
        if state is not None:
            added, removed = np.setdiff1d(columns, state.columns), np.setdiff1d(state.columns, columns)
            moves = len(added) + len(removed)
            self._exact |= len(removed) > 0
            missing = self._exact and not len(state.lo)
            if not moves and not missing:
                return state
            if not missing and moves < len(columns) and self._moves + moves <= REBUILT:
                self._shift(state, added, 1)
                for column in removed:
                    self._shift(state, np.array([column]), -1)
                self._moves += moves
                return state
        self._state, self._moves = None, 0
        self._state = self._sum(columns, slice(0, len(self.queries)), self._exact)
        return self._state

    def _sum(self, columns: np.ndarray, at: slice, exact: bool) -> _Part:
        hi = self._filled(self.queries.start(at), FAR)
        part = _Part(at, columns[:0], hi, np.zeros_like(hi) if exact else np.empty((0, 0)))
        self._shift(part, columns, 1)
        return part

    def _shift(self, part: _Part, columns: np.ndarray, sign: int) -> None:
        """Add columns to the distances of a part, or take them out."""
        from subsel._loops.nearest_neighbours import accumulate

        if sign > 0:
            part.columns, rest = np.union1d(part.columns, columns), part.columns[:0]
        else:
            part.columns = rest = np.setdiff1d(part.columns, columns)
        part.lists = None
        X, scale = self._columns(columns, part.at)
        accumulate(
            part.hi, part.lo, self.queries.rows[part.at], X, scale, sign, *self._columns(rest, part.at), self.absolute
        )

    def _columns(self, columns: np.ndarray, at: slice) -> tuple[np.ndarray, np.ndarray]:
        """Some columns, one per row of the array, filled up, and their multipliers."""
        return self._filled(self.columns_first[columns], 0.0), self.queries.scales(columns, at)

    def _filled(self, table: np.ndarray, value: float) -> np.ndarray:
        """A table with one column per row of ours, filled up to whole chunks."""
        filled = np.empty((len(table), self.n_rows + -self.n_rows % CHUNK))
        filled[:, : self.n_rows] = table
        filled[:, self.n_rows :] = value
        return filled

    @property
    def _voting(self) -> tuple[Any, ...]:
        return self.k, self.codes, self.values, self.by_distance, self.absolute

    def _room(self, n_queries: int, width: int) -> tuple[np.ndarray, np.ndarray]:
        return np.empty((n_queries, self.n_channels + 1, width)), np.empty((n_queries, width))

    # The plain way --------------------------------------------------------------------------------------------------

    def plain_subset(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Votes and k-th distances of one subset with numpy alone; the same up to rounding."""
        distance = self._plain_distance(columns)
        kth = np.partition(distance, self.k - 1, axis=1)[:, self.k - 1 : self.k]
        near = distance <= kth * (1 + TIE)
        for q in np.flatnonzero(near.sum(axis=1) > self.k):
            tied = np.flatnonzero(near[q] & (distance[q] >= kth[q] * (1 - TIE)))
            surplus = int(near[q].sum()) - self.k
            near[q, tied[len(tied) - surplus :]] = False
            self.n_ties += 1
        weights = near.astype(float)
        if self.by_distance:
            root = np.sqrt(distance) if self.by_distance == 1 else distance
            with np.errstate(divide="ignore"):
                weights = np.where(near, 1.0 / root, 0.0)
            zero = np.isinf(weights)
            weights = np.where(zero.any(axis=1, keepdims=True), zero, weights)
        ballots = np.ones((self.n_rows, self.n_channels + 1))
        ballots[:, :-1] = (self.codes[:, None] == np.arange(self.n_channels)) * self.values[:, None]
        return (weights @ ballots)[:, :, None], kth

    def _plain_distance(self, columns: np.ndarray) -> np.ndarray:
        """Distances over a subset; those over all of its columns but the last one found to differ are kept."""
        base, kept = self._plain_base
        if base is None or len(np.setdiff1d(base, columns)) or len(columns) - len(base) > 1:
            base = np.intersect1d(columns, self._last) if self._last is not None else columns[:0]
            kept = self.queries.start(slice(None)) + self._plain_sum(base)
            self._plain_base = base, kept
        self._last = columns
        return kept + self._plain_sum(np.setdiff1d(columns, base))

    def _plain_sum(self, columns: np.ndarray) -> np.ndarray | float:
        if not len(columns):
            return 0.0
        if np.all(self.queries.scale[:, columns] == 1.0):
            X = self.columns_first[columns].T
            return cdist(X[self.queries.rows], X, "cityblock" if self.absolute else "sqeuclidean")
        total: np.ndarray | float = 0.0
        for column in columns:
            x, scale = self.columns_first[column], self.queries.scale[self.queries.scaled, column]
            gap = (x[self.queries.rows][:, None] - x[None, :]) * scale[:, None]
            total = total + (np.abs(gap) if self.absolute else gap * gap)
        return total


def _some(which: np.ndarray, columns: np.ndarray, scan: Callable[[np.ndarray], Iterator[Block]]) -> Iterator[Block]:
    """The blocks of a scan of some of the columns, numbered among all of them."""
    if len(which):
        for block, at, votes, kth in scan(columns[which]):
            yield which[block], at, votes, kth
