"""Scores of a stored table, by the way of reading that fits in memory."""

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
from subsel.ranking.stored.histogram_bounds import BOUNDED, EDGES, Histograms
from subsel.runtime.memory import NotEnoughMemory

__all__ = ["ACCUMULATED", "SEVERAL_COLUMNS", "StoredMeasure", "StoredScores"]

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
"""Scores that take accumulated rows in place of X, and the classes that accumulate them."""

SEVERAL_COLUMNS = frozenset(
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
"""Scores of a column that depend on the other columns, if only by the noise that is drawn."""

PRESENT = frozenset(
    [
        "presence-divergence",
        "presence-predictive-value",
        "presence-sensitivity",
        "frequency-difference",
    ]
)
"""Scores that depend only on whether a value is present: two values, however many there are."""

OF_MOMENTS = (
    "p-values from moments follow Student's, Welch's or Fisher's law unless a column holds zeros "
    "and ones: they are too small for skewed columns and heavy tails where a class is small; 'auc' "
    "is not affected."
)

# The numbers below are upper bounds for estimates of memory; tests compare them with peaks.
ROWS = 1 << 16  # the most rows of a chunk
LEAST_ROWS = 64  # the fewest rows of a chunk: reading fewer at a time would take too long
FEW_ROWS = 1 << 10  # rows of a chunk below which fewer columns are read at a time instead
ALLOCATION = 1.15  # memory that allocators take over memory that is requested
STATE = 12  # floats in memory for each class and column while moments are accumulated
# Copies of a column, and for each class, in memory while a score of whole columns is computed.
WORK, WORK_PER_CLASS = 10, 3
LEAN_WORK = 8  # the same for the scores of `LEAN`, whatever the number of classes
LEAN = frozenset(
    ["auc", "kolmogorov-smirnov", "threshold-balanced-accuracy", "t-times-ks", "spearman"]
)


@dataclass(eq=False)
class StoredScores:
    """The values of some functions for each column, with the range of the columns."""

    values: list[Array]  # for each function, (n_columns,)
    bounds: Array  # (n_columns,) largest errors of the first function's values
    low: Array  # (n_columns,) smallest values seen
    high: Array  # (n_columns,) largest values seen
    notes: list[str] = field(default_factory=list)  # sentences for the user

    @property
    def constant(self) -> Array:
        """The mask of the columns of one value."""
        return self.low == self.high

    @classmethod
    def empty(cls, n_functions: int, p: int) -> StoredScores:
        """Make an object for p columns, whose values are not yet set."""
        return cls(
            [np.empty(p) for _ in range(n_functions)],
            np.zeros(p),
            np.full(p, np.inf),
            np.full(p, -np.inf),
        )

    def see(self, block: slice, X: Array) -> None:
        """Widen the range of the columns of a block by rows X, in place."""
        self.low[block] = np.minimum(self.low[block], X.min(axis=0))
        self.high[block] = np.maximum(self.high[block], X.max(axis=0))


@dataclass(frozen=True, eq=False)
class StoredMeasure:
    """Computes functions of single columns of a stored problem under a limit of bytes.

    There are four ways to read. The memory of each, without 15 % for the allocator, for blocks of b
    columns, chunks of r of n rows, and K classes (1 for numbers), is

    - rows: ``b (reading + 8 * 12 K) + r (17 b + 8 K + 64)``, with one pass for each block;
    - columns: ``b reading + 8 n (b + 2) + 8 (10 + 3 K) max(n, min(b n, 200000))`` (with 8 for 10 +
      3 K if a score is lean), where each column is read once;
    - counts of v values a column: ``b (reading + 32 v (K + 2)) + r (17 b + 8 (10 + K) b + 8 K +
      64)``;
    - histograms: ``b (reading + 16384 (2 K + 8)) + 32776 K (10 + 3 K) + r (81 b + 8 K + 64)``,
      after a sample of rows.

    ``reading`` is :meth:`subsel.data.StoredProblem.reading_bytes`, for one column.
    """

    problem: StoredProblem
    key: str  # the key of the score
    limit: int  # bytes
    allow_nan: bool = False  # whether values may be missing

    def __post_init__(self) -> None:
        if self.key in SEVERAL_COLUMNS:
            raise ValueError(
                f"{self.key!r} looks at several columns at once, a stored table is read a few at a "
                "time: rank a sample of the rows (subsel.data.sample_rows)."
            )

    def run(
        self, functions: Sequence[Function], y: Array | None = None, weight: Array | None = None
    ) -> StoredScores:
        """Compute functions of one score, its own and that of its p-values.

        A target and weights, one per row, may replace the stored ones.
        """
        if self.key in ACCUMULATED:
            return self._by_rows(functions, y, weight)
        if self.columns_bytes(1) <= self.limit:
            return self._by_columns(functions, y, weight)
        if _statistic(functions[0]) is not None:
            return self._by_counts(functions, y, weight)
        if self.key in BOUNDED:
            return self._by_histograms(functions, y, weight)
        raise NotEnoughMemory(
            f"{self.key!r} on one column of {self.problem.n_rows:,} rows",
            self.columns_bytes(1),
            self.limit,
        )

    def target(self) -> tuple[Array, Array | None]:
        """Give the target and the weights of all rows."""
        needed = self.problem.reading_bytes(0) + 8 * self.problem.n_rows * (
            2 + (self.problem.weight is not None)
        )
        if needed > self.limit:
            raise NotEnoughMemory(
                "the target in memory, as shuffling it takes,", needed, self.limit
            )
        _, y, weight = self.problem.whole([])
        return y, weight

    # Accumulated rows

    def _by_rows(
        self, functions: Sequence[Function], y: Array | None, weight: Array | None
    ) -> StoredScores:
        """Run functions of moments or of presence counts, which chunks of rows accumulate."""
        # Mass, mean and scatter of a chunk are merged with those of earlier ones by the pairwise
        # update of Chan, Golub and LeVeque ("Algorithms for computing the sample variance", The
        # American Statistician 37, 1983): no squares of large means cancel.
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

    # Whole columns

    def columns_bytes(self, n_columns: int) -> int:
        """Estimate the memory of so many whole columns and of a score on them, in bytes."""
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
        """Run functions of whole columns, in blocks of columns with all rows."""
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
        """Yield blocks of features, each with all rows, as wide as memory allows."""
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
        """Give the scores of shuffled copies of usable columns, as for a table in memory."""
        if not usable.any():
            usable = ~usable
        features, p, scores = np.flatnonzero(usable), len(usable), []
        for begin in range(0, n_probes, p):
            originals = features[probe_origins(len(features), min(p, n_probes - begin), rng)]
            for _, chunk in self._whole_blocks(originals.tolist()):
                rng.permuted(chunk.X, axis=0, out=chunk.X)
                scores.append(_apply(score, chunk))
                del chunk
        return np.concatenate(scores)

    # Counted values

    def _by_counts(
        self, functions: Sequence[Function], y: Array | None, weight: Array | None
    ) -> StoredScores:
        """Run functions of contingency tables, which chunks of rows add up to."""
        # Columns of up to 2 sqrt(n) values: more would need tables of the size of whole columns.
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
                    raise NotEnoughMemory(
                        f"column {name!r} has more than {n_values} values: {self.key!r} on all of "
                        "it at once",
                        self.columns_bytes(1),
                        self.limit,
                    )
            if tables is None:
                raise ValueError(f"no row of {self.problem.table.source} has any weight.")
            for values, function in zip(measured.values, functions):
                values[block] = _finish(function, tables)
        return measured

    # Histograms

    def _by_histograms(
        self, functions: Sequence[Function], y: Array | None, weight: Array | None
    ) -> StoredScores:
        """Run rank scores of two classes on histograms, with bounds of their errors."""
        measured = StoredScores.empty(len(functions), self.problem.n_features)
        state = 8 * EDGES * (2 * self.n_classes + 8)
        # the memory of a score on the bins of one column
        bins = 8 * (WORK + WORK_PER_CLASS * self.n_classes) * self.n_classes * (2 * EDGES + 1)
        for block, rows in self._blocks_and_rows(
            state, "histograms from rows", cells=64, fixed=bins
        ):
            coarse = Histograms.of(
                self.problem, range(block.start, block.stop), rows, self.n_classes
            )
            for chunk in self._chunks(block, rows, y, weight):
                measured.see(block, chunk.X)
                coarse.accumulate(chunk.X, self._codes(chunk.y), chunk.weight)
            for values, function in zip(measured.values, functions):
                values[block] = coarse.finish(function)
            measured.bounds[block] = coarse.bounds(functions[0], measured.values[0][block])
        largest = float(measured.bounds.max())
        measured.notes.append(
            f"scores from histograms: each is within its bound (at most {largest:.2g}) of the "
            "exact one."
        )
        return measured

    # Blocks and chunks

    @property
    def n_classes(self) -> int:
        """The number of classes, 1 if the target is read as a number."""
        if self.key == "pearson" or self.problem.many_labels:
            return 1
        return len(self.problem.labels)

    def _codes(self, y: Array) -> Array:
        """Give the class of each row, from 0."""
        if self.problem.target_is_text:
            return y.astype(np.intp)
        return np.searchsorted(self.problem.labels, y)

    def _chunks(
        self, block: slice, rows: int, y: Array | None, weight: Array | None
    ) -> Iterator[Chunk]:
        """Yield a block of columns in chunks of rows, with the replaced target if there is one."""
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
        """Yield blocks of columns and the rows of a chunk that keep memory under the limit.

        `state` is the number of bytes for each column of a block, `cells` for each entry of a
        chunk, `fixed` in any case; `what` names the task in an error.
        """
        n, p = self.problem.n_rows, self.problem.n_features
        fixed += 8 * 6 * p  # the results

        def needed(b: int, rows: int) -> int:
            row = (17 + cells) * b + 8 * self.n_classes + 64
            total = fixed + self.problem.reading_bytes(b) + b * state + rows * row
            return int(ALLOCATION * total)

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
    """Give the largest number from 1 to most that fits, by bisection; 1 if none does."""
    low, high = 1, most
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _weighing(chunk: Chunk) -> Chunk:
    """Give the rows of positive weight."""
    if chunk.weight is None or chunk.weight.all():
        return chunk
    positive = chunk.weight > 0
    return Chunk(chunk.X[positive], chunk.y[positive], chunk.weight[positive])


def _apply(function: Function, chunk: Chunk) -> Array:
    """Apply a function to a chunk, with its weights if there are any."""
    if chunk.weight is None:
        return function(chunk.X, chunk.y)
    return function(chunk.X, chunk.y, sample_weight=chunk.weight)


def _statistic(function: Any) -> Function | None:
    """Give the statistic of contingency tables of a score (or a partial of one), or None."""
    return getattr(getattr(function, "func", function), "of_counts", None)


def _finish(function: Any, tables: JointCounts) -> Array:
    """Apply a score of contingency tables, or a partial of one, to counted tables."""
    statistic = _statistic(function)
    assert statistic is not None
    parameters = dict(getattr(function, "keywords", {}))
    discretise = None
    if "discretise" in getattr(function, "func", function).__signature__.parameters:
        discretise = parameters.pop("discretise", "auto")
    return statistic(discrete(tables, discretise), **parameters)
