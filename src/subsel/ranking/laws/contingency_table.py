"""P-values of statistics of contingency tables: exact where outcomes are few, chi-square's law where counts are large."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import chi2

from subsel.data.statistics.joint_counts import JointCounts
from subsel.ranking.laws.random_tables import sampled_tails
from subsel.ranking.laws.ties import DEEPEST, tied_log_tails

__all__ = ["degrees_of_freedom", "table_p_value", "tied_masses"]

ASKED = 0.5  # p-values of chi-square's law up to which it is asked whether the law holds


def degrees_of_freedom(tables: JointCounts) -> np.ndarray:
    """Give (number of values - 1) times (number of classes - 1), of those that occur."""
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

    Exact where the values of a column leave few outcomes (:mod:`subsel.ranking.laws.ties` says how
    few), so for rare bits and any number of classes. Otherwise the upper tail of chi-square where
    the smallest count to be expected is large enough for the statistic to follow it; and where it
    is not, by random tables of the same margins (:mod:`subsel.ranking.laws.random_tables`), unless
    chi-square gives more than one half. One where nothing is free to vary. Tables of fractional
    weights have chi-square's law always.
    """
    dof = degrees_of_freedom(tables)
    p = np.where(dof > 0, chi2.sf(statistic(tables), np.maximum(dof, 1)), 1.0)
    exact = np.full(len(p), np.nan)
    shallow = np.flatnonzero((tables.sizes <= DEEPEST) & (dof > 0))
    if len(shallow):
        exact[shallow] = np.exp(
            tied_log_tails(tied_masses(tables, shallow)[0], _OfMasses(statistic))[1]
        )
        p = np.where(np.isnan(exact), p, exact)
    doubtful = np.isnan(exact) & (p <= ASKED) & (_least_expected(tables) < least_expected)
    for part in _of_like_depth(tables, np.flatnonzero(doubtful & _whole(tables))):
        p[part] = sampled_tails(
            tied_masses(tables, part)[0], _OfMasses(statistic), n_permutations, random_state
        )
    return p


def _least_expected(tables: JointCounts) -> np.ndarray:
    """The smallest count to be expected in each table, of the values and classes that occur."""
    occurs = tables.value_totals > 0
    values = np.minimum.reduceat(np.where(occurs, tables.value_totals, np.inf), tables.starts)
    classes = np.where(tables.class_totals > 0, tables.class_totals, np.inf).min(axis=1)
    return values * classes / tables.totals


def _whole(tables: JointCounts) -> np.ndarray:
    return np.logical_and.reduceat(
        (tables.counts == np.rint(tables.counts)).all(axis=1), tables.starts
    )


def _of_like_depth(tables: JointCounts, chosen: np.ndarray) -> Iterator[np.ndarray]:
    """Parts of the columns whose numbers of values are within a factor of two, so that little is filled up."""
    octave = np.ceil(np.log2(np.maximum(tables.sizes[chosen], 1)))
    return (chosen[octave == o] for o in np.unique(octave))


def tied_masses(tables: JointCounts, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give the counts of some columns, by class, column and value, and the values, both filled up with zeros."""
    sizes = tables.sizes[chosen]
    line = np.repeat(np.arange(len(chosen)), sizes)
    place = np.arange(len(line)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rows = np.repeat(tables.starts[chosen], sizes) + place
    masses = np.zeros((tables.counts.shape[1], len(chosen), int(sizes.max())))
    values = np.zeros(masses.shape[1:])
    masses[:, line, place], values[line, place] = tables.counts[rows].T, tables.values[rows]
    return masses, values


@dataclass(frozen=True)
class _OfMasses:
    """A statistic of tables as one of masses; values that do not occur keep their rows."""

    statistic: Callable[[JointCounts], np.ndarray]

    def __call__(self, masses: np.ndarray) -> np.ndarray:
        n_classes, n_columns, depth = masses.shape
        values = np.tile(np.arange(depth, dtype=float), n_columns)
        return self.statistic(
            JointCounts(values, masses.reshape(n_classes, -1).T, depth * np.arange(n_columns))
        )
