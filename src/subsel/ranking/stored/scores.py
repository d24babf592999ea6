"""Scores of a stored table: rows accumulated, columns read whole, or values counted, whichever fits in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from subsel.data.probes import probe_origins
from subsel.data.statistics.blocks import BLOCK_CELLS
from subsel.data.statistics.class_counts import PresenceCounts
from subsel.data.statistics.class_moments import ClassMoments
from subsel.data.statistics.co_moments import CoMoments
from subsel.data.statistics.count_statistics import discrete
from subsel.data.statistics.counts import count
from subsel.data.statistics.joint_counts import JointCounts
from subsel.data.stored.problem import Chunk, StoredProblem
from subsel.ranking.stored.histogram_bounds import EDGES, SKETCHED, Coarse
from subsel.runtime.memory import NotEnoughMemory

__all__ = ["ACCUMULATED", "TOGETHER", "StoredMeasure", "StoredScores"]

Array = np.ndarray
Function = Callable[..., Array]

_OF_MEANS = (
    "anova-f",
    "correlation-ratio",
    "t-test",
    "welch-t",
    "fisher",
    "f-score",
    "signal-to-noise",
)
_OF_SPREAD = ("gaussian-information",)
_OF_SUMS = ("unbalanced-score", "lambda-ranking")
_OF_PRESENCE = ("bi-normal-separation", "exp-rate-difference", "hypergeometric", "odds-ratio")
ACCUMULATED: dict[str, Any] = {
    **dict.fromkeys(_OF_MEANS + _OF_SPREAD + _OF_SUMS, ClassMoments),
    **dict.fromkeys(_OF_PRESENCE, PresenceCounts),
    "pearson": CoMoments,
}
"""Scores that take accumulated rows in place of X, and what accumulates them."""

TOGETHER = frozenset(
    [
        "relief",
        "relieff",
        "ratio-relief",
        "rrelieff",
        "surf",
        "surf-star",
        "multisurf",
        "multisurf-star",
    ]
    + [
        "simba",
        "neighbour-information",
        "neighbour-information-regression",
        "column-average-correlation",
    ]
    + ["multiple-correlation", "closest-column"]
)
"""Scores of a column that depend on the other columns, be it by the noise they draw."""

PRESENT = frozenset(
    [
        "presence-divergence",
        "presence-predictive-value",
        "presence-sensitivity",
        "frequency-difference",
    ]
)
"""Scores that ask of a value only whether it is there: two values, however many the column has."""

OF_MOMENTS = (
    "p-values from moments follow Student's, Welch's or Fisher's law unless a column holds zeros and ones: they promise "
    "too much for skewed columns and heavy tails where a class is small; 'auc' does not."
)

ROWS = 1 << 16  # rows of a chunk, where memory allows
LEAST_ROWS = 64  # rows of a chunk below which reading would take too long
FEW_ROWS = 1 << 10  # rows of a chunk below which rather fewer columns are read at a time
ALLOCATION = 1.15  # what allocators take for what is asked of them
STATE = 12  # numbers that an accumulator and its update hold for each class and column
WORK, WORK_PER_CLASS = (
    10,
    3,
)  # copies of a column that a score of whole columns makes, and tables of each class
LEAN_WORK = 8  # copies in all that the lean ones make
LEAN = frozenset(
    ["auc", "kolmogorov-smirnov", "threshold-balanced-accuracy", "t-times-ks", "spearman"]
)


@dataclass(eq=False)
class StoredScores:
    """What functions make of each column, how far the first may be off, and which columns hold one value."""

    values: list[Array]
    bounds: Array
    low: Array
    high: Array
    notes: list[str] = field(default_factory=list)

    @property
    def constant(self) -> Array:
        """Mask of the columns of one value."""
        return self.low == self.high

    @classmethod
    def empty(cls, n_functions: int, p: int) -> StoredScores:
        """Room for p columns."""
        return cls(
            [np.empty(p) for _ in range(n_functions)],
            np.zeros(p),
            np.full(p, np.inf),
            np.full(p, -np.inf),
        )

    def see(self, block: slice, X: Array) -> None:
        """Widen the range of the columns."""
        self.low[block] = np.minimum(self.low[block], X.min(axis=0))
        self.high[block] = np.maximum(self.high[block], X.max(axis=0))


@dataclass(frozen=True, eq=False)
class StoredMeasure:
    """Measures functions of single columns on a stored problem under a limit of bytes.

    The memory of each way, an allocator's 15% apart, for blocks of b columns and chunks of r rows
    of n, K classes (1 for numbers):

    - rows: ``b (reading + 8 * 12 K) + r (17 b + 8 K + 64)``, one pass for each block;
    - columns: ``b reading + 8 n (b + 2) + 8 (10 + 3 K) max(n, min(b n, 200000))`` (8 for 10 + 3 K
      where a score is lean), each column read once;
    - counts of v values a column: ``b (reading + 32 v (K + 2)) + r (17 b + 8 (10 + K) b + 8 K +
      64)``;
    - histograms: ``b (reading + 16384 (2 K + 8)) + 32776 K (10 + 3 K) + r (81 b + 8 K + 64)``,
      after a sample of rows.

    ``reading`` is :meth:`subsel.data.StoredProblem.reading_bytes`, for one column.
    """

    problem: StoredProblem
    key: str
    limit: int
    allow_nan: bool = False

    def __post_init__(self) -> None:
        if self.key in TOGETHER:
            message = f"{self.key!r} looks at several columns at once, a stored table is read a few at a time"
            raise ValueError(f"{message}: rank a sample of the rows (subsel.data.sample_rows).")

    def run(
        self, functions: Sequence[Function], y: Array | None = None, weight: Array | None = None
    ) -> StoredScores:
        """Measure functions of one score; the target (and weights) may be given in place of the stored ones."""
        if self.key in ACCUMULATED:
            return self._by_rows(functions, y, weight)
        if self.columns_bytes(1) <= self.limit:
            return self._by_columns(functions, y, weight)
        if _statistic(functions[0]) is not None:
            return self._by_counts(functions, y, weight)
        if self.key in SKETCHED:
            return self._by_histograms(functions, y, weight)
        raise NotEnoughMemory(
            f"{self.key!r} on one column of {self.problem.n_rows:,} rows",
            self.columns_bytes(1),
            self.limit,
        )

    def target(self) -> tuple[Array, Array | None]:
        """The whole target and the weights."""
        needed = self.problem.reading_bytes(0) + 8 * self.problem.n_rows * (
            2 + (self.problem.weight is not None)
        )
        if needed > self.limit:
            raise NotEnoughMemory(
                "the target in memory, as shuffling it takes,", needed, self.limit
            )
        _, y, weight = self.problem.whole([])
        return y, weight

    # Rows accumulated -------------------------------------------------------------------------------------------------

    def _by_rows(
        self, functions: Sequence[Function], y: Array | None, weight: Array | None
    ) -> StoredScores:
        kind = ACCUMULATED[self.key]
        numeric = kind is CoMoments
        measured = StoredScores.empty(len(functions), self.problem.n_features)
        for block, rows in self._blocks_and_rows(8 * STATE * self.n_classes, "accumulating rows"):
            n = block.stop - block.start
            sums = kind(n) if numeric else kind(self.n_classes, n)
            for chunk in self._chunks(block, rows, y, weight):
                measured.see(block, chunk.X)
                chunk = _weighing(chunk)
                if len(chunk.y):
                    target = chunk.y if numeric else self._codes(chunk.y)
                    sums.accumulate(chunk.X, target, chunk.weight)
            for values, function in zip(measured.values, functions):
                values[block] = function(sums)
        if len(functions) > 1 and kind is not PresenceCounts:
            measured.notes.append(OF_MOMENTS)
        return measured

    # Columns read whole -----------------------------------------------------------------------------------------------

    def columns_bytes(self, n_columns: int) -> int:
        """Memory that so many whole columns take with the work of a score on them."""
        n = self.problem.n_rows
        copies = WORK + WORK_PER_CLASS * self.n_classes
        if self.key in LEAN:
            copies = LEAN_WORK
        work = 8 * copies * max(n, min(n * n_columns, BLOCK_CELLS))
        reading = self.problem.reading_bytes(n_columns)
        return int(ALLOCATION * (reading + 8 * n * (n_columns + 2) + work))

    def _by_columns(
        self, functions: Sequence[Function], y: Array | None, weight: Array | None
    ) -> StoredScores:
        measured = StoredScores.empty(len(functions), self.problem.n_features)
        for block, chunk in self._whole_blocks(range(self.problem.n_features)):
            if y is not None:
                chunk = Chunk(chunk.X, y, weight)
            measured.see(block, chunk.X)
            for values, function in zip(measured.values, functions):
                values[block] = _apply(function, chunk)
            del chunk  # before the next one is read
        return measured

    def _whole_blocks(self, features: Sequence[int]) -> Iterator[tuple[slice, Chunk]]:
        """Blocks of features, each with all rows, as wide as memory allows."""
        if (needed := self.columns_bytes(1)) > self.limit:
            raise NotEnoughMemory(
                f"one whole column of {self.problem.n_rows:,} rows", needed, self.limit
            )
        width = _largest(lambda b: self.columns_bytes(b) <= self.limit, len(features))
        for begin in range(0, len(features), width):
            block = slice(begin, min(begin + width, len(features)))
            yield block, self.problem.whole(features[block], self.allow_nan)

    def probe_scores(
        self, score: Function, n_probes: int, usable: Array, rng: np.random.Generator
    ) -> Array:
        """Scores of shuffled copies of usable columns, the same as when the table is in memory."""
        if not usable.any():
            usable = ~usable
        features, p, found = np.flatnonzero(usable), len(usable), []
        for begin in range(0, n_probes, p):
            chosen = features[probe_origins(len(features), min(p, n_probes - begin), rng)]
            for _, chunk in self._whole_blocks(chosen.tolist()):
                rng.permuted(chunk.X, axis=0, out=chunk.X)
                found.append(_apply(score, chunk))
                del chunk
        return np.concatenate(found)

    # Values counted ---------------------------------------------------------------------------------------------------

    def _by_counts(
        self, functions: Sequence[Function], y: Array | None, weight: Array | None
    ) -> StoredScores:
        n_values = max(64, int(2 * np.sqrt(self.problem.n_rows)))
        if self.key in PRESENT:
            n_values = 2
        measured = StoredScores.empty(len(functions), self.problem.n_features)
        state = 32 * n_values * (self.n_classes + 2)
        for block, rows in self._blocks_and_rows(
            state, "counting values in rows", cells=8 * (WORK + self.n_classes)
        ):
            tables: JointCounts | None = None
            for chunk in self._chunks(block, rows, y, weight):
                measured.see(block, chunk.X)
                chunk = _weighing(chunk)
                if not len(chunk.y):
                    continue
                X = chunk.X
                if self.key in PRESENT:
                    X = np.where(np.isnan(X), np.nan, X != 0)
                part = count(X, self._codes(chunk.y), self.n_classes, chunk.weight)
                tables = part if tables is None else tables.merge(part)
                if tables.sizes.max() > n_values:
                    name = self.problem.names[block.start + int(tables.sizes.argmax())]
                    what = (
                        f"column {name!r} has more than {n_values} values: {self.key!r} on it whole"
                    )
                    raise NotEnoughMemory(what, self.columns_bytes(1), self.limit)
            if tables is None:
                raise ValueError(f"no row of {self.problem.table.source} has any weight.")
            for values, function in zip(measured.values, functions):
                values[block] = _finish(function, tables)
        return measured

    # Histograms -------------------------------------------------------------------------------------------------------

    def _by_histograms(
        self, functions: Sequence[Function], y: Array | None, weight: Array | None
    ) -> StoredScores:
        measured = StoredScores.empty(len(functions), self.problem.n_features)
        state = 8 * EDGES * (2 * self.n_classes + 8)
        bins = (
            8 * (WORK + WORK_PER_CLASS * self.n_classes) * self.n_classes * (2 * EDGES + 1)
        )  # one column's, finished
        for block, rows in self._blocks_and_rows(
            state, "histograms from rows", cells=64, fixed=bins
        ):
            coarse = Coarse.of(self.problem, range(block.start, block.stop), rows, self.n_classes)
            for chunk in self._chunks(block, rows, y, weight):
                measured.see(block, chunk.X)
                coarse.accumulate(chunk.X, self._codes(chunk.y), chunk.weight)
            for values, function in zip(measured.values, functions):
                values[block] = coarse.finish(function)
            measured.bounds[block] = coarse.bounds(functions[0], measured.values[0][block])
        off = float(measured.bounds.max())
        measured.notes.append(
            f"scores from histograms: each is within its bound (at most {off:.2g}) of the exact one."
        )
        return measured

    # Blocks and chunks ------------------------------------------------------------------------------------------------

    @property
    def n_classes(self) -> int:
        """Number of classes, 1 where the target is taken as a number."""
        if self.key == "pearson" or self.problem.many_labels:
            return 1
        return len(self.problem.labels)

    def _codes(self, y: Array) -> Array:
        if self.problem.target_is_text:
            return y.astype(np.intp)
        return np.searchsorted(self.problem.labels, y)

    def _chunks(
        self, block: slice, rows: int, y: Array | None, weight: Array | None
    ) -> Iterator[Chunk]:
        done = 0
        for chunk in self.problem.chunks(range(block.start, block.stop), rows, self.allow_nan):
            end = done + len(chunk.y)
            if y is not None:
                chunk = Chunk(chunk.X, y[done:end], None if weight is None else weight[done:end])
            yield chunk
            done = end

    def _blocks_and_rows(
        self, state: int, what: str, cells: int = 0, fixed: int = 0
    ) -> Iterator[tuple[slice, int]]:
        """Blocks of columns, and rows of a chunk, so that everything held stays under the limit."""
        n, p = self.problem.n_rows, self.problem.n_features
        fixed += 8 * 6 * p  # the results

        def needed(b: int, rows: int) -> int:
            a_row = (17 + cells) * b + 8 * self.n_classes + 64
            held = fixed + self.problem.reading_bytes(b) + b * state + rows * a_row
            return int(ALLOCATION * held)

        rows = min(n, FEW_ROWS)
        width = _largest(lambda b: needed(b, rows) <= self.limit, p)
        rows = _largest(lambda r: needed(width, r) <= self.limit, min(n, ROWS))
        least = min(n, LEAST_ROWS)
        if rows < least or needed(width, rows) > self.limit:
            raise NotEnoughMemory(
                f"{what} of one column, {least} at a time,", needed(1, least), self.limit
            )
        for begin in range(0, p, width):
            yield slice(begin, min(begin + width, p)), rows


def _largest(fits: Callable[[int], bool], most: int) -> int:
    """The largest number from 1 to most that fits, by bisection; 1 if none does."""
    low, high = 1, most
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _weighing(chunk: Chunk) -> Chunk:
    """The rows that have some weight."""
    if chunk.weight is None or chunk.weight.all():
        return chunk
    there = chunk.weight > 0
    return Chunk(chunk.X[there], chunk.y[there], chunk.weight[there])


def _apply(function: Function, chunk: Chunk) -> Array:
    if chunk.weight is None:
        return function(chunk.X, chunk.y)
    return function(chunk.X, chunk.y, sample_weight=chunk.weight)


def _statistic(function: Any) -> Function | None:
    """The statistic of contingency tables behind a score (a partial of one), or None."""
    return getattr(getattr(function, "func", function), "of_counts", None)


def _finish(function: Any, tables: JointCounts) -> Array:
    statistic = _statistic(function)
    assert statistic is not None
    parameters = dict(getattr(function, "keywords", {}))
    discretise = None
    if "discretise" in getattr(function, "func", function).__signature__.parameters:
        discretise = parameters.pop("discretise", "auto")
    return statistic(discrete(tables, discretise), **parameters)
