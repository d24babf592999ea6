"""Exact p-values of means, spread and ranks for columns of few distinct values, where laws of large samples fail.

Given how often each value and each class occurs, t, F and correlations are functions of the table
of values and classes, whose law under permuted labels is known (:mod:`subsel.ranking.laws.ties`).
Only columns that repeat their values are looked at: of a column of numbers without ties some rows
suffice to leave it.
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
Statistic = Callable[[Array, Array], Array]
FEW = 6  # distinct values at most, and at most half as many as rows


def exact_of_few_values(
    p: Array, statistic: Statistic, X: Any, codes: Array, n_classes: int, sample_weight: Any
) -> Array:
    """Put the exact p-value, P(statistic at least as large) under permuted labels, where X has columns of few values.

    A row of whole weight w counts as w rows; with other weights p is handed back as it is.

    Parameters
    ----------
    p : array
        P-values of all columns by another law. It is written into.
    statistic : callable
        Of masses by class, column and value, and of the values from 0 to 1.
    X : ndarray or sparse array
        Array or sparse table, as `subsel.data.statistics.score_input.as_stored` gives it.
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
    """Do the same with the numbers of a target for classes, if they are at most 13; they give the statistic."""
    numbers, codes = np.unique(y, return_inverse=True)
    if not 1 < len(numbers) <= DEEPEST:
        return p
    return exact_of_few_values(p, statistic(numbers), X, codes, len(numbers), sample_weight)


def exact_of_bits(p: Array, statistic: Statistic, moments: ClassMoments) -> Array:
    """Do the same where only moments are known: of columns whose moments in every class are those of zeros and ones."""
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
    exact = np.exp(tied_log_tails(masses, statistic, values)[1])
    p[columns] = np.where(np.isnan(exact), p[columns], exact)


def _from_0_to_1(values: Array, tables: JointCounts) -> Array:
    """Values, ascending and then filled up, moved so that the first becomes 0 and the last 1: no statistic changes."""
    last = tables.values[tables.starts + tables.sizes - 1]
    spread = np.where(tables.sizes > 1, last - values[:, 0], 1.0)
    scaled = (values - values[:, :1]) / spread[:, None]
    return np.where(np.arange(values.shape[1]) < tables.sizes[:, None], scaled, 0.0)


def _dense_tables(
    X: Array, limit: int, codes: Array, n_classes: int, weight: Array | None
) -> Iterator[tuple[Array, JointCounts]]:
    from subsel._loops.statistics.few_values import few_values

    first = np.ascontiguousarray(X[: limit + 1])
    repeats = np.zeros(
        X.shape[1], dtype=bool
    )  # among so many rows, as every column of few values must
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
    from subsel._loops.statistics.few_values import few_stored

    for block, part in parts(X, entry_blocks(X)):
        few = np.flatnonzero(
            few_stored(part.data.astype(np.float64, copy=False), part.indptr, X.shape[0], limit)
        )
        if len(few):
            yield block.start + few, count(part[:, few], codes, n_classes, weight)


def between_classes(masses: Array, values: Array) -> Array:
    """The share of the spread that lies between the classes, times the number of rows: rises with t, F and eta."""
    of_class, sums, spread = _sums(masses, values)
    return _ratio(of_class.sum(axis=0) * _ratio(sums**2, of_class).sum(axis=0), spread)


@dataclass(frozen=True)
class Correlation:
    """The squared correlation with the numbers of the classes, times the number of rows."""

    numbers: tuple[float, ...]

    def __call__(self, masses: Array, values: Array) -> Array:
        """Give it for each column."""
        return _correlation(masses, values, np.array(self.numbers)[:, None])


def rank_correlation(masses: Array, values: Array) -> Array:  # noqa: ARG001
    """The squared correlation of midranks, of the values with those of the classes, times the number of rows."""
    sizes, of_class = masses.sum(axis=0), masses.sum(axis=2)
    return _correlation(
        masses, np.cumsum(sizes, axis=1) - sizes / 2, np.cumsum(of_class, axis=0) - of_class / 2
    )


def concordance(masses: Array, values: Array) -> Array:  # noqa: ARG001
    """How many more pairs of rows are ordered alike by value and class than the other way, or the reverse."""
    lower = np.cumsum(masses, axis=0) - masses  # rows of a lower class, at each value
    upto = np.cumsum(lower, axis=2)
    return np.abs((masses * (upto - lower - (upto[:, :, -1:] - upto))).sum(axis=(0, 2)))


def welch(masses: Array, values: Array) -> Array:
    """``t^2 n / (t^2 + n)`` of Welch's t: rises with it, and is n where the classes are apart without spread."""
    of_class, sums, _ = _sums(masses, values)
    means = _ratio(sums, of_class)
    within = (masses * (_centred(masses, values) - means[:, :, None]) ** 2).sum(axis=2)
    variance = _ratio(within, of_class - 1)
    n, gap = of_class.sum(axis=0), (means[1] - means[0]) ** 2
    return _ratio(n * gap, gap + n * _ratio(variance, of_class).sum(axis=0))


def _correlation(masses: Array, values: Array, numbers: Array) -> Array:
    of_class, sums, spread = _sums(masses, values)
    n = of_class.sum(axis=0)
    centred = numbers - (of_class * numbers).sum(axis=0) / n
    return _ratio(
        n * (centred * sums).sum(axis=0) ** 2, spread * (of_class * centred**2).sum(axis=0)
    )


def _sums(masses: Array, values: Array) -> tuple[Array, Array, Array]:
    """Rows of each class, sums of the centred values in it, and the sum of their squares in all."""
    centred = _centred(masses, values)
    return (
        masses.sum(axis=2),
        (masses * centred).sum(axis=2),
        (masses.sum(axis=0) * centred**2).sum(axis=1),
    )


def _centred(masses: Array, values: Array) -> Array:
    sizes = masses.sum(axis=0)
    return values - ((sizes * values).sum(axis=1) / sizes.sum(axis=1))[:, None]


def _ratio(above: Array, below: Array) -> Array:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
