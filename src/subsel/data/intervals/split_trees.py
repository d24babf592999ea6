"""Pruned trees of separability splits of one column each, and the leaf of each value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from subsel.data.statistics.joint_counts import JointCounts

if TYPE_CHECKING:
    from subsel._loops.trees.split_value import Columns

__all__ = ["deal", "tree_codes", "without_missing"]

Array = np.ndarray
FEW_NAMES = 10  # nominal values of which all subsets are tried; more are ordered by their numbers
FOLDS = 10  # folds of the rows, by which the degree of pruning is chosen


def tree_codes(
    tables: JointCounts, nominal: Array, degree: float | None, strict: bool
) -> tuple[Array, Array]:
    """Grow and prune a tree of each column.

    Classes are sorted by size first, so that their names have no effect.

    Parameters
    ----------
    tables : JointCounts
        The contingency tables of the columns.
    nominal : ndarray of bool of shape (n_columns,)
        The columns whose numbers are names.
    degree : float or None
        The degree of pruning; None chooses it by cross-validation.
    strict : bool
        Whether the penalty decides only between splits that separate equally many pairs.

    Returns
    -------
    codes : ndarray of int of shape (n_values,)
        The leaf of every value; one more than the last leaf for a missing value.
    right : ndarray of shape (n_columns,)
        The number of rows of each column that the leaves classify correctly.
    """
    from subsel._loops.trees.split_value import Folds, grow_and_prune

    if degree is not None and not degree >= 0:
        raise ValueError(f"degree must be at least 0, got {degree!r}.")
    if degree is None and (mass := tables.totals.min(initial=2.0)) < 2:
        raise ValueError(
            "sample_weight must sum to at least 2 to divide rows into folds, as counts of rows do, "
            f"got a sum of {mass:g}; scale the weights to sum to the number of rows."
        )
    tables = tables.in_order_of_size()
    columns, slack = without_missing(tables, nominal)
    codes = np.zeros(len(tables.values), dtype=np.intp)
    folds = Folds(*deal(tables.class_totals.max(axis=0)))
    if degree is None:
        degree = -1.0
    right = grow_and_prune(columns, float(degree), folds, strict, slack, codes)
    last = np.maximum.reduceat(codes, tables.starts)
    return np.where(np.isnan(tables.values), tables.spread(last) + 1, codes), right


def deal(class_totals: Array) -> tuple[Array, Array]:
    """Assign the rows of each class to the folds at random, but always in the same way.

    The sizes of folds differ by at most one. Rows with the same value and class are
    interchangeable, so that the rows of a class are numbered in the order of their values.

    Parameters
    ----------
    class_totals : ndarray of shape (n_classes,)
        The number of rows of each class.

    Returns
    -------
    dealt : ndarray of int of shape (FOLDS, sum of (rows of a class + 2))
        For each fold, how many of the first t rows of a class it has, from t = 0 on; the classes
        follow each other.
    firsts : ndarray of int of shape (n_classes,)
        The position at which each class begins.

    Examples
    --------
    >>> dealt, firsts = deal(np.array([12, 3]))
    >>> firsts.tolist(), (dealt[:, 12] - dealt[:, 0]).tolist()
    ([0, 14], [2, 2, 1, 1, 1, 1, 1, 1, 1, 1])
    """
    rng, lines, n_assigned = np.random.default_rng(0), [], 0
    sizes = np.ceil(class_totals).astype(np.intp)
    for size in sizes:
        fold = rng.permutation((n_assigned + np.arange(size)) % FOLDS)
        n_assigned += size
        lines.append(
            np.cumsum(np.arange(FOLDS)[:, None] == np.r_[-1, fold, -1], axis=1, dtype=np.int32)
        )
    return np.concatenate(lines, axis=1), np.cumsum(sizes + 2) - sizes - 2


def without_missing(tables: JointCounts, nominal: Array) -> tuple[Columns, float]:
    """Return the arrays that compiled loops read of the columns, without missing values.

    Parameters
    ----------
    tables : JointCounts
        The contingency tables of the columns.
    nominal : ndarray of bool of shape (n_columns,)
        The columns whose numbers are names.

    Returns
    -------
    columns : Columns
        Counts, values, first and last positions, and the columns of which all subsets are tried.
    slack : float
        The rounding error of sums: 0 if all counts are whole numbers, which add exactly.
    """
    from subsel._loops.trees.split_value import Columns

    ends = tables.starts + tables.sizes
    ends -= np.isnan(tables.values[ends - 1])
    whole = np.array_equal(tables.counts, np.rint(tables.counts))
    slack = 0.0 if whole else 1e-12
    try_subsets = nominal & (ends - tables.starts <= FEW_NAMES)
    values = np.ascontiguousarray(tables.values, dtype=np.float64)
    counts, starts = np.ascontiguousarray(tables.counts), np.ascontiguousarray(tables.starts)
    return Columns(counts, values, starts, ends, try_subsets), slack
