"""P-values of contingency tables: exact for few outcomes, chi-square for large counts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import chi2

from subsel.data.statistics.joint_counts import JointCounts
from subsel.ranking.laws.random_tables import sampled_tails
from subsel.ranking.laws.ties import DEEPEST, tied_log_tails

__all__ = ["degrees_of_freedom", "table_p_value", "tied_masses"]

# The largest p-value of the chi-square law that is checked by random tables: a larger one is no
# evidence whatever the law is worth.
LARGEST_CHECKED = 0.5


def degrees_of_freedom(tables: JointCounts) -> np.ndarray:
    """Give (number of values - 1)(number of classes - 1) per column, counting those that occur."""
    n_values = tables.per_column((tables.value_totals > 0).astype(float))
    return (n_values - 1) * (np.count_nonzero(tables.class_totals, axis=1) - 1)


def table_p_value(
    statistic: Callable[[JointCounts], np.ndarray],
    tables: JointCounts,
    least_expected: float | np.ndarray,
    n_permutations: int,
    random_state: Any,
) -> np.ndarray:
    """Give P(statistic at least as large) under permuted labels.

    The p-value is exact where the margins of a column allow few tables
    (:mod:`subsel.ranking.laws.ties` says how few), as for rare bits and any number of classes.
    Otherwise it is the upper tail of chi-square if the smallest expected count is at least
    `least_expected`. If it is not, and chi-square gives at most one half, the p-value comes from
    random tables of the same margins (:mod:`subsel.ranking.laws.random_tables`). It is 1 where the
    table has no degree of freedom. Tables of fractional weights always follow the chi-square law.

    Parameters
    ----------
    statistic : callable
        Gives one number per column of :class:`JointCounts`; larger is more relevant. Under
        independence it must follow the chi-square law when counts are large.
    tables : JointCounts
        The contingency table of each column.
    least_expected : float or ndarray of shape (n_columns,)
        The smallest expected count from which the chi-square law is used.
    n_permutations : int
        The largest number of random tables that are drawn for a column.
    random_state : int, Generator or None
        The seed of the random tables.

    Returns
    -------
    ndarray of shape (n_columns,)
        The p-values.
    """
    dof = degrees_of_freedom(tables)
    p = np.where(dof > 0, chi2.sf(statistic(tables), np.maximum(dof, 1)), 1.0)
    exact = np.full(len(p), np.nan)
    shallow = np.flatnonzero((tables.sizes <= DEEPEST) & (dof > 0))
    if len(shallow):
        exact[shallow] = np.exp(
            tied_log_tails(tied_masses(tables, shallow)[0], _MassStatistic(statistic))[1]
        )
        p = np.where(np.isnan(exact), p, exact)
    doubtful = np.isnan(exact) & (p <= LARGEST_CHECKED)
    doubtful &= _least_expected(tables) < least_expected
    for part in _parts_of_similar_depth(tables, np.flatnonzero(doubtful & _counts_rows(tables))):
        p[part] = sampled_tails(
            tied_masses(tables, part)[0], _MassStatistic(statistic), n_permutations, random_state
        )
    return p


def _least_expected(tables: JointCounts) -> np.ndarray:
    """Give the smallest expected count of each table, over the values and classes that occur."""
    occurs = tables.value_totals > 0
    values = np.minimum.reduceat(np.where(occurs, tables.value_totals, np.inf), tables.starts)
    classes = np.where(tables.class_totals > 0, tables.class_totals, np.inf).min(axis=1)
    return values * classes / tables.totals


def _counts_rows(tables: JointCounts) -> np.ndarray:
    """Give, for each column, whether all its counts are whole numbers."""
    return np.logical_and.reduceat(
        (tables.counts == np.rint(tables.counts)).all(axis=1), tables.starts
    )


def _parts_of_similar_depth(tables: JointCounts, columns: np.ndarray) -> Iterator[np.ndarray]:
    """Divide column numbers by their number of values, each part within a factor of two.

    Arrays of :func:`tied_masses` are as deep as the deepest column of a part, so that parts of
    similar depth waste little memory on padding.
    """
    octave = np.ceil(np.log2(np.maximum(tables.sizes[columns], 1)))
    return (columns[octave == o] for o in np.unique(octave))


def tied_masses(tables: JointCounts, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give the counts of some columns as dense arrays, padded with zeros.

    Parameters
    ----------
    tables : JointCounts
        The contingency tables.
    columns : ndarray of int
        The columns.

    Returns
    -------
    masses : ndarray of shape (n_classes, n_columns, n_values)
        The counts; ``n_values`` is the largest number of values of the columns.
    values : ndarray of shape (n_columns, n_values)
        The values, ascending, then zeros.
    """
    sizes = tables.sizes[columns]
    line = np.repeat(np.arange(len(columns)), sizes)
    place = np.arange(len(line)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rows = np.repeat(tables.starts[columns], sizes) + place
    masses = np.zeros((tables.counts.shape[1], len(columns), int(sizes.max())))
    values = np.zeros(masses.shape[1:])
    masses[:, line, place], values[line, place] = tables.counts[rows].T, tables.values[rows]
    return masses, values


@dataclass(frozen=True)
class _MassStatistic:
    """A statistic of contingency tables as a function of masses, as :func:`tied_masses` gives them.

    Values that do not occur keep their rows of zeros. Two of the same statistic are equal, so that
    caches find their results.
    """

    statistic: Callable[[JointCounts], np.ndarray]  # one number per column of tables

    def __call__(self, masses: np.ndarray) -> np.ndarray:
        """Give the statistic of each column of masses (n_classes, n_columns, n_values)."""
        n_classes, n_columns, depth = masses.shape
        values = np.tile(np.arange(depth, dtype=float), n_columns)
        return self.statistic(
            JointCounts(values, masses.reshape(n_classes, -1).T, depth * np.arange(n_columns))
        )
