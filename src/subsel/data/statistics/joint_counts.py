"""The contingency tables of many columns as one object."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

__all__ = ["JointCounts", "lots", "order_of_size", "over_classes"]


@dataclass(frozen=True, slots=True)
class JointCounts:
    """The contingency tables of many columns, one below the other.

    Column j of X has the rows from ``starts[j]`` up to ``starts[j + 1]``. Its values are sorted; a
    missing value (NaN) is a value of its own and comes last.

    Parameters
    ----------
    values : ndarray of shape (n_values,)
        The distinct values of all columns, column by column.
    counts : ndarray of shape (n_values, n_classes)
        The sum of the weights of the rows of each class with each value.
    starts : ndarray of int of shape (n_columns,)
        The position of the first value of each column.
    common_totals : ndarray of shape (n_classes,), optional
        The number of rows of each class, if known to be the same in every column, each row with
        weight 1.

    Examples
    --------
    >>> from subsel.data.statistics.counts import joint_counts
    >>> joint_counts([[5.0], [7.0], [5.0]], ["a", "b", "b"]).counts
    array([[1., 1.], [0., 1.]])
    """

    values: np.ndarray
    counts: np.ndarray
    starts: np.ndarray
    common_totals: np.ndarray | None = None

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
        """The total weight of each value, of shape (n_values,)."""
        return over_classes(self.counts)

    @property
    def class_totals(self) -> np.ndarray:
        """The total weight of each class in each column, of shape (n_columns, n_classes).

        Its rows are equal unless rows of X were counted in some columns only.
        """
        if self.common_totals is None:
            return self.per_column(self.counts)
        return np.full(
            (len(self.starts), len(self.common_totals)), self.common_totals, dtype=np.float64
        )

    @property
    def totals(self) -> np.ndarray:
        """The total weight of the rows counted in each column, of shape (n_columns,)."""
        return over_classes(self.class_totals)

    def per_column(self, terms: np.ndarray) -> np.ndarray:
        """Return the sums of terms, one per value, over the values of each column."""
        return np.add.reduceat(terms, self.starts, axis=0)

    def spread(self, terms: np.ndarray) -> np.ndarray:
        """Repeat terms, one per column, for each of the column's values."""
        return np.repeat(terms, self.sizes, axis=0)

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Iterate over the columns: their values and counts."""
        ends = self.starts + self.sizes
        return ((self.values[a:b], self.counts[a:b]) for a, b in zip(self.starts, ends))

    def merge(self, *others: JointCounts) -> JointCounts:
        """Return the counts of these and of further rows of the same columns and classes."""
        every = (self, *others)
        column, values, counts = (
            np.concatenate([getattr(part, name) for part in every])
            for name in ("column", "values", "counts")
        )
        return gather(column, values, counts, len(self.starts))

    def coded(self, codes: np.ndarray) -> JointCounts:
        """Replace values by codes, and add the counts of values of a column with the same code."""
        return gather(self.column, codes.astype(np.float64), self.counts, len(self.starts))

    def in_order_of_size(self) -> JointCounts:
        """Sort the classes of each column by size, the largest first.

        Classes of equal size are sorted by the values they occur with, so that decisions which
        depend on the number of a class, as in ties, do not depend on the names of the classes.
        """
        rank = np.arange(len(self.values)) - self.spread(self.starts)
        order = order_of_size(self.class_totals, self.per_column(self.counts * lots(rank)[:, None]))
        return JointCounts(
            self.values, np.take_along_axis(self.counts, self.spread(order), axis=1), self.starts
        )

    def equal_frequency(self, n_bins: int | np.ndarray) -> np.ndarray:
        """Return the bin of each value, for bins of equal frequency as far as ties allow.

        A value is in the bin that contains its middle rank; missing values are in a bin of their
        own after the last. `n_bins` is a number, or one number per value.
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
    """Return ``terms.sum(axis=1)`` to the last bit; numpy's sum is slow at short rows."""
    if not 0 < terms.shape[1] < 8:
        return terms.sum(axis=1)
    total = terms[:, 0].copy()
    for k in range(1, terms.shape[1]):
        total += terms[:, k]
    return total


def order_of_size(sizes: np.ndarray, marks: np.ndarray) -> np.ndarray:
    """Return the order of the classes of each column by falling size, then by rising mark.

    All arrays have the shape (n_columns, n_classes).
    """
    return np.lexsort((marks, -sizes), axis=1)


def lots(ranks: np.ndarray) -> np.ndarray:
    """Return a random but fixed number for each rank, so that sums differ for different ranks."""
    return np.random.default_rng(0).random(int(ranks.max(initial=-1)) + 1)[ranks]


def first_of_runs(column: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return a mask of the entries at which a new column or value begins; all NaN are equal."""
    first = np.ones(len(values), dtype=bool)
    differ = (values[1:] != values[:-1]) & ~(np.isnan(values[1:]) & np.isnan(values[:-1]))
    first[1:] = differ | (column[1:] != column[:-1])
    return first


def gather(
    column: np.ndarray, values: np.ndarray, counts: np.ndarray, n_columns: int
) -> JointCounts:
    """Return tables in which rows of counts with the same column and value are added."""
    order = np.lexsort((values, column))
    column, values = column[order], values[order]
    first = np.flatnonzero(first_of_runs(column, values))
    starts = np.searchsorted(column[first], np.arange(n_columns))
    return JointCounts(values[first], np.add.reduceat(counts[order], first, axis=0), starts)
