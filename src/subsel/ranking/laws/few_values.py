"""Exact p-values of t, F and correlations for columns of few distinct values.

Large-sample laws fail there. Given how often each value and each class occurs, t, F and
correlations are functions of the contingency table of values and classes, whose distribution under
permuted labels is known (:mod:`subsel.ranking.laws.ties`). Only columns that repeat values are
examined: a few rows show that a column of numbers without ties is none of them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.statistics.blocks import BLOCK_CELLS, entry_blocks, parts
from subsel.data.statistics.class_moments import ClassMoments
from subsel.data.statistics.counts import count
from subsel.data.statistics.joint_counts import JointCounts
from subsel.data.statistics.score_input import weights
from subsel.ranking.laws.contingency_table import tied_masses
from subsel.ranking.laws.ties import DEEPEST, tied_log_tails

__all__ = [
    "Correlation",
    "between_classes",
    "concordance",
    "exact_of_bits",
    "exact_of_few_classes",
    "exact_of_few_values",
    "rank_correlation",
    "welch",
]

Array = np.ndarray
# A statistic of masses (n_classes, n_columns, n_values) and values (n_columns, n_values), the
# values from 0 to 1: one number per column, larger being more relevant.
Statistic = Callable[[Array, Array], Array]
FEW = 6  # the most distinct values of a column that is enumerated; at most half as many as rows


def exact_of_few_values(
    p: Array, statistic: Statistic, X: Any, codes: Array, n_classes: int, sample_weight: Any
) -> Array:
    """Overwrite p with exact p-values for the columns of few values.

    They are P(statistic at least as large) under permuted labels. A row of whole weight w counts as
    w rows; with other weights p is returned unchanged.

    Parameters
    ----------
    p : ndarray of shape (n_columns,)
        P-values of all columns by another law, overwritten.
    statistic : callable
        A function of masses (n_classes, n_columns, n_values) and values (n_columns, n_values), the
        values shifted and scaled to [0, 1].
    X : ndarray or sparse array
        The table, as `subsel.data.statistics.score_input.as_stored` gives it.
    codes : ndarray of int, shape (n_rows,)
        The class of each row, from 0 to ``n_classes - 1``.
    n_classes : int
        The number of classes.
    sample_weight : array-like or None
        The weights of the rows.

    Returns
    -------
    ndarray of shape (n_columns,)
        The same array p.
    """
    n_rows, weight = X.shape[0], None
    if sample_weight is not None:
        weight = weights(X, sample_weight)
        if (weight != np.rint(weight)).any():
            return p
        rows = np.flatnonzero(weight)
        X, codes, weight = X[rows], codes[rows], weight[rows]
        n_rows = weight.sum()
    limit = min(FEW, int(n_rows // 2))
    if limit < 2:
        return p
    tables_of = _sparse_tables if sparse.issparse(X) else _dense_tables
    for columns, tables in tables_of(X, limit, codes, n_classes, weight):
        masses, values = tied_masses(tables, np.arange(len(columns)))
        _put(p, columns, statistic, masses, _from_0_to_1(values, tables))
    return p


def exact_of_few_classes(
    p: Array, statistic: Callable[[Array], Statistic], X: Any, y: Array, sample_weight: Any = None
) -> Array:
    """Overwrite p as :func:`exact_of_few_values` does, the distinct numbers of y being the classes.

    `statistic` makes the statistic from these numbers, ascending. With one number or with more than
    13, p is returned unchanged.
    """
    numbers, codes = np.unique(y, return_inverse=True)
    if not 1 < len(numbers) <= DEEPEST:
        return p
    return exact_of_few_values(p, statistic(numbers), X, codes, len(numbers), sample_weight)


def exact_of_bits(p: Array, statistic: Statistic, moments: ClassMoments) -> Array:
    """Overwrite p as :func:`exact_of_few_values` does, where only class moments are known.

    These identify the columns of zeros and ones; p of all other columns is unchanged.
    """
    # In a class of m rows with k ones the mean is k / m and the scatter k (1 - k / m). Whole
    # masses and both equations, to the rounding of accumulated sums, are taken as proof of bits.
    mass = moments.mass[:, None]
    ones = np.rint(mass * moments.mean)
    share = np.divide(ones, mass, out=np.zeros_like(ones), where=mass > 0)
    near = np.abs(moments.mean - share) <= 1e-9 * share
    near &= np.abs(moments.scatter - ones * (1 - share)) <= 1e-9 * ones
    near &= (ones >= 0) & (ones <= mass) & (mass == np.rint(mass))
    bits = np.flatnonzero(near.all(axis=0) & (mass.sum() >= 4))
    masses = np.stack([mass - ones[:, bits], ones[:, bits]], axis=2)
    _put(p, bits, statistic, masses, np.tile([0.0, 1.0], (len(bits), 1)))
    return p


def _put(p: Array, columns: Array, statistic: Statistic, masses: Array, values: Array) -> None:
    """Overwrite p of some columns with the exact p-value, where it can be enumerated."""
    exact = np.exp(tied_log_tails(masses, statistic, values)[1])
    p[columns] = np.where(np.isnan(exact), p[columns], exact)


def _from_0_to_1(values: Array, tables: JointCounts) -> Array:
    """Shift and scale the values of each column to [0, 1], which changes no statistic.

    `values`, of shape (n_columns, n_values), are ascending and padded with zeros, which stay.
    Columns that differ by scale and location then share their law in the cache.
    """
    last = tables.values[tables.starts + tables.sizes - 1]
    spread = np.where(tables.sizes > 1, last - values[:, 0], 1.0)
    scaled = (values - values[:, :1]) / spread[:, None]
    return np.where(np.arange(values.shape[1]) < tables.sizes[:, None], scaled, 0.0)


def _dense_tables(
    X: Array, limit: int, codes: Array, n_classes: int, weight: Array | None
) -> Iterator[tuple[Array, JointCounts]]:
    """Yield the column numbers and the tables of the columns of at most `limit` values, dense X.

    `weight`, of whole numbers, and `codes` are one per row.
    """
    from subsel._loops.statistics.few_values import few_values

    # Of limit + 1 rows two must be equal in a column of at most limit values: those without such a
    # pair are left out before any whole column is read.
    first = np.ascontiguousarray(X[: limit + 1])
    repeats = np.zeros(X.shape[1], dtype=bool)
    for a, b in combinations(range(len(first)), 2):
        repeats |= first[a] == first[b]
    repeating = np.flatnonzero(repeats)
    width = max(1, BLOCK_CELLS // (2 * len(X)))
    for start in range(0, len(repeating), width):
        columns = repeating[start : start + width]
        lines = np.ascontiguousarray(X[:, columns].T, dtype=np.float64)
        few = few_values(lines, limit)
        if few.any():
            yield columns[few], count(lines[few].T, codes, n_classes, weight)


def _sparse_tables(
    X: Any, limit: int, codes: Array, n_classes: int, weight: Array | None
) -> Iterator[tuple[Array, JointCounts]]:
    """Yield what :func:`_dense_tables` does, for sparse X."""
    from subsel._loops.statistics.few_values import few_stored

    for block, part in parts(X, entry_blocks(X)):
        few = np.flatnonzero(
            few_stored(part.data.astype(np.float64, copy=False), part.indptr, X.shape[0], limit)
        )
        if len(few):
            yield block.start + few, count(part[:, few], codes, n_classes, weight)


def between_classes(masses: Array, values: Array) -> Array:
    """Give n times the share of the scatter between classes, which increases with t, F and eta.

    `masses` and `values` are as of :func:`exact_of_few_values`, here and in the statistics below.
    """
    of_class, sums, spread = _sums(masses, values)
    return _ratio(of_class.sum(axis=0) * _ratio(sums**2, of_class).sum(axis=0), spread)


@dataclass(frozen=True)
class Correlation:
    """The squared correlation with the numbers of the classes, times the number of rows."""

    numbers: tuple[float, ...]  # the target in each class

    def __call__(self, masses: Array, values: Array) -> Array:
        """Give the statistic of each column."""
        return _correlation(masses, values, np.array(self.numbers)[:, None])


def rank_correlation(masses: Array, values: Array) -> Array:  # noqa: ARG001
    """Give n times the squared correlation of the midranks of values and classes (Spearman)."""
    # The midrank of a value is the number of rows below it plus half its own, and one half more,
    # which drops out of a correlation.
    sizes, of_class = masses.sum(axis=0), masses.sum(axis=2)
    return _correlation(
        masses, np.cumsum(sizes, axis=1) - sizes / 2, np.cumsum(of_class, axis=0) - of_class / 2
    )


def concordance(masses: Array, values: Array) -> Array:  # noqa: ARG001
    """Give the absolute difference of the numbers of concordant and discordant pairs (Kendall)."""
    # For each cell, upto - lower counts the rows of lower class and lower value, and the last of
    # upto less upto those of lower class and higher value: concordant and discordant pairs, each
    # counted once (Kendall, Rank Correlation Methods, 1948, chapter 1).
    lower = np.cumsum(masses, axis=0) - masses  # rows of a lower class, at each value
    upto = np.cumsum(lower, axis=2)
    return np.abs((masses * (upto - lower - (upto[:, :, -1:] - upto))).sum(axis=(0, 2)))


def welch(masses: Array, values: Array) -> Array:
    """Give ``t^2 n / (t^2 + n)`` of Welch's t, which increases with ``|t|``.

    It is n where the means differ and both classes have no spread.
    """
    of_class, sums, _ = _sums(masses, values)
    means = _ratio(sums, of_class)
    within = (masses * (_centred(masses, values) - means[:, :, None]) ** 2).sum(axis=2)
    variance = _ratio(within, of_class - 1)
    n, gap = of_class.sum(axis=0), (means[1] - means[0]) ** 2
    return _ratio(n * gap, gap + n * _ratio(variance, of_class).sum(axis=0))


def _correlation(masses: Array, values: Array, numbers: Array) -> Array:
    """Give n times the squared correlation of values with numbers of shape (n_classes, 1 or p)."""
    of_class, sums, spread = _sums(masses, values)
    n = of_class.sum(axis=0)
    centred = numbers - (of_class * numbers).sum(axis=0) / n
    return _ratio(
        n * (centred * sums).sum(axis=0) ** 2, spread * (of_class * centred**2).sum(axis=0)
    )


def _sums(masses: Array, values: Array) -> tuple[Array, Array, Array]:
    """Give the rows of each class, the sums of the centred values in it, and their sum of squares.

    The first two have shape (n_classes, n_columns), the third (n_columns,).
    """
    centred = _centred(masses, values)
    return (
        masses.sum(axis=2),
        (masses * centred).sum(axis=2),
        (masses.sum(axis=0) * centred**2).sum(axis=1),
    )


def _centred(masses: Array, values: Array) -> Array:
    """Give the values less the mean of their column, over all classes."""
    sizes = masses.sum(axis=0)
    return values - ((sizes * values).sum(axis=1) / sizes.sum(axis=1))[:, None]


def _ratio(above: Array, below: Array) -> Array:
    """Divide, with 0 where the divisor is not positive."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
