"""P-values of statistics of contingency tables: the exact law where the tables are small, else chi-square's."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from subsel.ranking.laws.tied import DEEPEST, tied_log_tails
from subsel.tables.joint_counts import JointCounts

__all__ = ["degrees_of_freedom", "table_p_value", "tied_masses"]


def degrees_of_freedom(tables: JointCounts) -> np.ndarray:
    """Give (number of values - 1) times (number of classes - 1), of those that occur."""
    n_values = tables.per_column((tables.value_totals > 0).astype(float))
    return (n_values - 1) * (np.count_nonzero(tables.class_totals, axis=1) - 1)


def table_p_value(statistic: Callable[[JointCounts], np.ndarray], tables: JointCounts) -> np.ndarray:
    """Give P(statistic at least as large) under permuted labels.

    Exact where the values of a column leave few outcomes (:mod:`subsel.ranking.laws.tied` says how few), so for rare bits
    and any number of classes; otherwise the upper tail of chi-square, which supposes that no count is expected to be
    small. One where nothing is free to vary.
    """
    dof = degrees_of_freedom(tables)
    p = np.where(dof > 0, chi2.sf(statistic(tables), np.maximum(dof, 1)), 1.0)
    shallow = np.flatnonzero((tables.sizes <= DEEPEST) & (dof > 0))
    if len(shallow):
        exact = np.exp(tied_log_tails(tied_masses(tables, shallow)[0], _OfMasses(statistic))[1])
        p[shallow] = np.where(np.isnan(exact), p[shallow], exact)
    return p


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
        return self.statistic(JointCounts(values, masses.reshape(n_classes, -1).T, depth * np.arange(n_columns)))
