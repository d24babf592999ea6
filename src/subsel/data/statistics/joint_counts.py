"""How often each class meets each value, for every column, as one value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

__all__ = ["JointCounts", "lots", "order_of_size", "over_classes"]


@dataclass(frozen=True, slots=True)
class JointCounts:
    """The contingency tables of many columns, one below the other: a row per value, a column per class.

    Column j of X owns the rows from ``starts[j]`` up to ``starts[j + 1]``. Its values are sorted; a missing
    value (NaN) is a value of its own and comes last. Counts are sums of weights. ``even`` is how often each class occurs,
    where whoever counted knows that every row counts as one in every column.

    Examples
    --------
    >>> from subsel.data.statistics.counts import joint_counts
    >>> joint_counts([[5.0], [7.0], [5.0]], ["a", "b", "b"]).counts
    array([[1., 1.], [0., 1.]])
    """

    values: np.ndarray
    counts: np.ndarray
    starts: np.ndarray
    even: np.ndarray | None = None

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
        return over_classes(self.counts)

    @property
    def class_totals(self) -> np.ndarray:
        """How often each class occurs: a row per column of X, all alike unless rows were counted unevenly."""
        if self.even is None:
            return self.per_column(self.counts)
        return np.full((len(self.starts), len(self.even)), self.even, dtype=np.float64)

    @property
    def totals(self) -> np.ndarray:
        """How many rows were counted in each column."""
        return over_classes(self.class_totals)

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
            np.concatenate([getattr(part, name) for part in every])
            for name in ("column", "values", "counts")
        )
        return gather(column, values, counts, len(self.starts))

    def coded(self, codes: np.ndarray) -> JointCounts:
        """Add up the values of a column that share a code; the codes become the values."""
        return gather(self.column, codes.astype(np.float64), self.counts, len(self.starts))

    def in_order_of_size(self) -> JointCounts:
        """Number the classes anew in each column: the largest first, of equal ones by which values they meet.

        So what is decided by the number of a class, a tie or a lot, does not change with the names of the classes.
        """
        rank = np.arange(len(self.values)) - self.spread(self.starts)
        order = order_of_size(self.class_totals, self.per_column(self.counts * lots(rank)[:, None]))
        return JointCounts(
            self.values, np.take_along_axis(self.counts, self.spread(order), axis=1), self.starts
        )

    def equal_frequency(self, n_bins: int | np.ndarray) -> np.ndarray:
        """Give each value the bin that holds its middle rank, in bins as equal as ties allow.

        Missing values stand aside, in a bin of their own after the last.
        """
        missing = np.isnan(self.values)
        weight = np.where(missing, 0.0, self.value_totals)
        below = np.cumsum(weight)
        below -= self.spread(below[self.starts] - weight[self.starts]) + weight / 2
        total = np.maximum(self.per_column(weight), np.finfo(float).tiny)
        return np.where(missing, n_bins, np.floor(n_bins * below / self.spread(total))).astype(
            np.intp
        )


def over_classes(terms: np.ndarray) -> np.ndarray:
    """Add up terms over the classes, which are the columns: the same sums as numpy's, which is slow at short rows."""
    if not 0 < terms.shape[1] < 8:
        return terms.sum(axis=1)
    total = terms[:, 0].copy()
    for k in range(1, terms.shape[1]):
        total += terms[:, k]
    return total


def order_of_size(sizes: np.ndarray, marks: np.ndarray) -> np.ndarray:
    """Classes from the largest to the smallest, one line a column; of equal ones that of the lower mark first."""
    return np.lexsort((marks, -sizes), axis=1)


def lots(ranks: np.ndarray) -> np.ndarray:
    """A number for each rank, always the same, whose sums tell almost all sets of ranks apart."""
    return np.random.default_rng(0).random(int(ranks.max(initial=-1)) + 1)[ranks]


def first_of_runs(column: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Tell where a new column or a new value begins; missing values are all one."""
    first = np.ones(len(values), dtype=bool)
    differ = (values[1:] != values[:-1]) & ~(np.isnan(values[1:]) & np.isnan(values[:-1]))
    first[1:] = differ | (column[1:] != column[:-1])
    return first


def gather(
    column: np.ndarray, values: np.ndarray, counts: np.ndarray, n_columns: int
) -> JointCounts:
    """Add up rows of counts that share a column and a value."""
    order = np.lexsort((values, column))
    column, values = column[order], values[order]
    kept = np.flatnonzero(first_of_runs(column, values))
    starts = np.searchsorted(column[kept], np.arange(n_columns))
    return JointCounts(values[kept], np.add.reduceat(counts[order], kept, axis=0), starts)
