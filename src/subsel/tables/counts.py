"""How often each class meets each value, for every column: accumulate, merge, finish."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from sklearn.utils import check_consistent_length

from subsel.tables.blocks import entry_blocks, parts, without_duplicates
from subsel.tables.checked import as_stored, classes_and_codes, weights

__all__ = [
    "Coding",
    "JointCounts",
    "column_blocks",
    "count",
    "discrete",
    "joint_counts",
    "of_tables",
    "tables_of",
]

# Whole numbers from 0 to below this are counted without sorting.
SMALL_CODES = 64


class Coding(Protocol):
    """What turns the values of columns into fewer: the discretisers of :mod:`subsel.construct` do."""

    def recode(self, tables: JointCounts) -> np.ndarray:
        """Give a code for every value of every column."""


@dataclass(frozen=True, slots=True)
class JointCounts:
    """The contingency tables of many columns, one below the other: a row per value, a column per class.

    Column j of X owns the rows from ``starts[j]`` up to ``starts[j + 1]``. Its values are sorted; a missing
    value (NaN) is a value of its own and comes last. Counts are sums of weights.
    """

    values: np.ndarray
    counts: np.ndarray
    starts: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """The number of distinct values of each column."""
        return np.diff(self.starts, append=len(self.values))

    @property
    def column(self) -> np.ndarray:
        """The column of X that each row belongs to."""
        return self.spread(np.arange(len(self.starts)))

    @property
    def value_totals(self) -> np.ndarray:
        """How often each value occurs."""
        return self.counts.sum(axis=1)

    @property
    def class_totals(self) -> np.ndarray:
        """How often each class occurs: a row per column of X, all alike unless rows were counted unevenly."""
        return self.per_column(self.counts)

    @property
    def totals(self) -> np.ndarray:
        """How many rows were counted in each column."""
        return self.class_totals.sum(axis=1)

    def per_column(self, terms: np.ndarray) -> np.ndarray:
        """Add up terms, one per value, over the values of each column."""
        return np.add.reduceat(terms, self.starts, axis=0)

    def spread(self, terms: np.ndarray) -> np.ndarray:
        """Repeat terms, one per column, for each of the column's values."""
        return np.repeat(terms, self.sizes, axis=0)

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Give the values and the table of each column in turn."""
        ends = self.starts + self.sizes
        return ((self.values[a:b], self.counts[a:b]) for a, b in zip(self.starts, ends))

    def merge(self, *others: JointCounts) -> JointCounts:
        """Add the counts of further rows of the same columns and classes."""
        every = (self, *others)
        column, values, counts = (
            np.concatenate([getattr(part, name) for part in every]) for name in ("column", "values", "counts")
        )
        return _gather(column, values, counts, len(self.starts))

    def coded(self, codes: np.ndarray) -> JointCounts:
        """Add up the values of a column that share a code; the codes become the values."""
        return _gather(self.column, codes.astype(np.float64), self.counts, len(self.starts))

    def equal_frequency(self, n_bins: int | np.ndarray) -> np.ndarray:
        """Give each value the bin that holds its middle rank, in bins as equal as ties allow.

        Missing values stand aside, in a bin of their own after the last.
        """
        missing = np.isnan(self.values)
        weight = np.where(missing, 0.0, self.value_totals)
        below = np.cumsum(weight)
        below -= self.spread(below[self.starts] - weight[self.starts]) + weight / 2
        total = np.maximum(self.per_column(weight), np.finfo(float).tiny)
        return np.where(missing, n_bins, np.floor(n_bins * below / self.spread(total))).astype(np.intp)


def count(X: Any, codes: np.ndarray, n_classes: int, weight: np.ndarray | None = None) -> JointCounts:
    """Count, in each column of X, dense or in compressed columns, how often each class meets each value.

    Zeros that a sparse X does not store are counted without being visited.

    Examples
    --------
    >>> tables = count(np.array([[0.0, 5.0], [0.0, 5.0], [1.0, 5.0]]), np.array([0, 1, 1]), n_classes=2)
    >>> tables.values.tolist(), tables.counts.tolist()
    ([0.0, 1.0, 5.0], [[1.0, 1.0], [0.0, 1.0], [1.0, 2.0]])
    """
    if sparse.issparse(X):
        return _count_sparse(X, codes, n_classes, weight)
    n, p = X.shape
    if X.min() >= 0 and X.max() < SMALL_CODES and np.array_equal(whole := X.astype(np.intp), X):
        return _count_small_codes(whole, X.dtype, codes, n_classes, weight)
    by_column = np.ascontiguousarray(X.T)
    rows = np.argsort(by_column, axis=1)
    values = np.take_along_axis(by_column, rows, axis=1)
    return _count_entries(np.repeat(np.arange(p), n), values.ravel(), rows.ravel(), codes, n_classes, weight, p)


def _count_small_codes(
    X: np.ndarray, dtype: np.dtype, codes: np.ndarray, n_classes: int, weight: np.ndarray | None
) -> JointCounts:
    """Count small whole numbers without sorting: each has its place in a full table, whose empty rows go.

    X becomes the numbers of the cells.
    """
    p, n_values = X.shape[1], int(X.max()) + 1
    X *= n_classes
    X += codes[:, None]
    X += n_classes * n_values * np.arange(p)
    counts = _cells(X.ravel(), None if weight is None else np.repeat(weight, p), p * n_values, n_classes)
    occurs = np.flatnonzero(counts.any(axis=1))
    starts = np.searchsorted(occurs, n_values * np.arange(p))
    return JointCounts((occurs % n_values).astype(dtype), counts[occurs].astype(np.float64), starts)


def _count_sparse(X: Any, codes: np.ndarray, n_classes: int, weight: np.ndarray | None) -> JointCounts:
    """Count the stored entries; what they leave of each class is the count of zeros."""
    X = without_duplicates(X)
    p = X.shape[1]
    column = np.repeat(np.arange(p), np.diff(X.indptr))
    stored = np.flatnonzero(X.data)
    stored = stored[np.lexsort((X.data[stored], column[stored]))]
    column, values, rows = column[stored], X.data[stored], X.indices[stored]
    cells = column * n_classes + codes[rows]
    n_zeros = np.bincount(codes, minlength=n_classes) - _cells(cells, None, p, n_classes)
    zeros = n_zeros
    if weight is not None:
        zeros = np.bincount(codes, weight, n_classes) - _cells(cells, weight[rows], p, n_classes)
        zeros = np.where(n_zeros > 0, np.maximum(zeros, 0.0), 0.0)
    open_columns = np.flatnonzero(n_zeros.any(axis=1))
    entries = _count_entries(column, values, rows, codes, n_classes, weight, p)
    # Some columns store nothing, so the starts of these tables alone are not usable: gather by column number.
    first = _first_of_runs(column, values)
    return _gather(
        np.concatenate([column[first], open_columns]),
        np.concatenate([entries.values, np.zeros(len(open_columns), dtype=values.dtype)]),
        np.concatenate([entries.counts, zeros[open_columns].astype(np.float64)]),
        p,
    )


def _cells(cells: np.ndarray, weight: np.ndarray | None, n_rows: int, n_classes: int) -> np.ndarray:
    """Count cell numbers into a table."""
    return np.bincount(cells, weight, n_rows * n_classes).reshape(n_rows, n_classes)


def _count_entries(
    column: np.ndarray,
    values: np.ndarray,
    rows: np.ndarray,
    codes: np.ndarray,
    n_classes: int,
    weight: np.ndarray | None,
    n_columns: int,
) -> JointCounts:
    """Count entries that come sorted by column and value."""
    first = _first_of_runs(column, values)
    run = np.cumsum(first) - 1
    kept = np.flatnonzero(first)
    cells = run * n_classes + codes[rows]
    counts = _cells(cells, None if weight is None else weight[rows], len(kept), n_classes)
    starts = np.searchsorted(column[kept], np.arange(n_columns))
    return JointCounts(values[kept], counts.astype(np.float64), starts)


def _first_of_runs(column: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Tell where a new column or a new value begins; missing values are all one."""
    first = np.ones(len(values), dtype=bool)
    differ = (values[1:] != values[:-1]) & ~(np.isnan(values[1:]) & np.isnan(values[:-1]))
    first[1:] = differ | (column[1:] != column[:-1])
    return first


def _gather(column: np.ndarray, values: np.ndarray, counts: np.ndarray, n_columns: int) -> JointCounts:
    """Add up rows of counts that share a column and a value."""
    order = np.lexsort((values, column))
    column, values = column[order], values[order]
    kept = np.flatnonzero(_first_of_runs(column, values))
    starts = np.searchsorted(column[kept], np.arange(n_columns))
    return JointCounts(values[kept], np.add.reduceat(counts[order], kept, axis=0), starts)


def column_blocks(X: Any) -> Iterator[Any]:
    """Give X in blocks of columns, each of a bounded number of entries to visit."""
    return (part for _, part in parts(X, entry_blocks(X)))


def joint_counts(X: Any, y: Any, *, classes: Any = None, sample_weight: Any = None) -> JointCounts:
    """Count the classes of y against the values of every column of X: where every score of tables begins.

    Tables of several chunks of rows merge to those of all rows; ``classes`` names all labels in order, for
    chunks that lack some. A score finishes them: ``finish(chi_square, first.merge(second))``.

    Examples
    --------
    >>> X, y = np.array([[0], [0], [1], [1]]), np.array(["a", "b", "b", "b"])
    >>> first = joint_counts(X[:2], y[:2])
    >>> both = first.merge(joint_counts(X[2:], y[2:], classes=["a", "b"]))
    >>> both.counts.tolist()
    [[1.0, 1.0], [0.0, 2.0]]
    """
    X = as_stored(X, finite="allow-nan")
    if classes is None:
        classes, codes = classes_and_codes(X, y)
    else:
        check_consistent_length(X, y)
        codes = np.searchsorted(classes, y)
        if not np.array_equal(np.take(classes, codes, mode="clip"), y):
            raise ValueError(f"classes must hold every label of y in sorted order, got {list(classes)}.")
    weight = None if sample_weight is None else weights(X, sample_weight)
    tables = [count(block, codes, len(classes), weight) for block in column_blocks(X)]
    starts = np.concatenate([[0], np.cumsum([len(table.values) for table in tables])])
    return JointCounts(
        np.concatenate([table.values for table in tables]),
        np.concatenate([table.counts for table in tables]),
        np.concatenate([table.starts + start for table, start in zip(tables, starts)]),
    )


def finish(score: Callable[..., np.ndarray], tables: JointCounts, **parameters: Any) -> np.ndarray:
    """Give a score of tables counted before: ``finish(chi_square, tables)``.

    The values are taken as they are; ``discrete`` makes them fewer.
    """
    return score.of_counts(tables, **parameters)  # type: ignore[attr-defined]


def of_tables(bins: bool = True) -> Callable[[Callable[..., np.ndarray]], Callable[..., np.ndarray]]:
    """Turn a statistic of contingency tables into a score ``f(X, y, *, discretise, sample_weight, ...)``.

    The statistic itself stays within reach for :func:`finish`. Memory is bounded by blocks of columns. With
    ``bins=False`` the statistic wants the values as they are and no ``discretise`` is offered.
    """

    def face(statistic: Callable[..., np.ndarray]) -> Any:
        @functools.wraps(statistic)
        def plain(X: Any, y: Any, *, sample_weight: Any = None, **parameters: Any) -> np.ndarray:
            discretise = parameters.pop("discretise", "auto") if bins else None
            blocks = tables_of(X, y, discretise, sample_weight)
            return np.concatenate([statistic(tables, **parameters) for tables in blocks])

        plain.__signature__ = _signature(statistic, bins)  # type: ignore[attr-defined]
        plain.of_counts = statistic  # type: ignore[attr-defined]
        return plain

    return face


def _signature(statistic: Callable[..., np.ndarray], bins: bool) -> inspect.Signature:
    """The signature of the face: the table gives way to X and y, the parameters stay."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    own = [p.replace(kind=keyword) for p in list(inspect.signature(statistic).parameters.values())[1:]]
    shared = [inspect.Parameter("discretise", keyword, default="auto")] if bins else []
    shared.append(inspect.Parameter("sample_weight", keyword, default=None))
    data = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in ("X", "y")]
    return inspect.Signature([*data, *own, *shared], return_annotation=np.ndarray)


def tables_of(X: Any, y: Any, discretise: str | Coding | None, sample_weight: Any) -> Iterator[JointCounts]:
    """Count block by block and make numbers discrete. Rows of no weight are not rows."""
    X = as_stored(X, finite="allow-nan")
    y = np.asarray(y)
    check_consistent_length(X, y)
    weight = None if sample_weight is None else weights(X, sample_weight)
    rows = slice(None) if weight is None or weight.all() else np.flatnonzero(weight)
    labels, codes = classes_and_codes(y[rows], y[rows])
    weight = None if weight is None else weight[rows]
    for block in column_blocks(X):
        yield discrete(count(block[rows], codes, len(labels), weight), discretise)


def discrete(tables: JointCounts, discretise: str | Coding | None) -> JointCounts:
    r"""Make the values of each column few.

    None leaves every value to itself. ``"auto"`` leaves a column alone that has at most :math:`\max(10, \sqrt
    n)` values, and cuts any other into :math:`\sqrt{n/5}` bins of equal frequency, at least 2 and at most 10,
    missing values aside; n is the sum of weights. A discretiser (:class:`subsel.construct.MDL`, ...) decides by itself.
    """
    if discretise is None:
        return tables
    if not isinstance(discretise, str):
        return tables.coded(discretise.recode(tables))
    if discretise != "auto":
        raise ValueError(f"discretise must be 'auto', None or a discretiser, got {discretise!r}.")
    many = tables.sizes > np.maximum(10, np.sqrt(tables.totals))
    if not many.any():
        return tables
    rank = np.arange(len(tables.values)) - tables.spread(tables.starts)
    n_bins = tables.spread(np.clip(np.sqrt(tables.totals / 5), 2, 10).astype(int))
    return tables.coded(np.where(tables.spread(many), tables.equal_frequency(n_bins), rank))
