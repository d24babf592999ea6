"""Pruned trees of separability splits, one column each: which leaf a value falls into."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from subsel.data.statistics.joint_counts import JointCounts

if TYPE_CHECKING:
    from subsel._loops.trees.split_value import Columns

__all__ = ["deal", "tree_codes", "without_missing"]

Array = np.ndarray
FEW_NAMES = 10  # of a nominal column, all subsets of so many values are tried; more are taken in their order
FOLDS = 10  # of the rows, to choose how much of a tree is pruned


def tree_codes(
    tables: JointCounts, names: Array, degree: float | None, strict: bool
) -> tuple[Array, Array]:
    """Give the leaf of every value in its column's pruned tree, and the rows of each column that leaves get right.

    A missing value gets the number after the last leaf's. The names of the classes decide nothing.
    """
    from subsel._loops.trees.split_value import Folds, grow_and_prune

    if degree is not None and not degree >= 0:
        raise ValueError(f"degree must be at least 0, got {degree!r}.")
    if degree is None and (mass := tables.totals.min(initial=2.0)) < 2:
        remedy = "scale them to sum to the number of rows"
        raise ValueError(
            f"sample_weight must count rows to deal them to folds, these sum to {mass:g}: {remedy}."
        )
    tables = tables.in_order_of_size()
    columns, slack = without_missing(tables, names)
    codes = np.zeros(len(tables.values), dtype=np.intp)
    folds = Folds(*deal(tables.class_totals.max(axis=0)))
    if degree is None:
        degree = -1.0
    right = grow_and_prune(columns, float(degree), folds, strict, slack, codes)
    last = np.maximum.reduceat(codes, tables.starts)
    return np.where(np.isnan(tables.values), tables.spread(last) + 1, codes), right


def deal(class_totals: Array) -> tuple[Array, Array]:
    """Deal the rows of each class to the folds by lot, always the same, as equally as can be.

    Rows that share a value and a class are alike, so that it is enough to say which fold the first, the second, ... of a
    class in the order of values goes to. Gives how many of the first t rows each fold has got, a line for each fold, the
    classes one after the other from t = 0 on, and where each class begins.

    Examples
    --------
    >>> dealt, firsts = deal(np.array([12, 3]))
    >>> firsts.tolist(), (dealt[:, 12] - dealt[:, 0]).tolist()
    ([0, 14], [2, 2, 1, 1, 1, 1, 1, 1, 1, 1])
    """
    rng, lines, done = np.random.default_rng(0), [], 0
    sizes = np.ceil(class_totals).astype(np.intp)
    for size in sizes:
        fold = rng.permutation((done + np.arange(size)) % FOLDS)
        done += size
        lines.append(
            np.cumsum(np.arange(FOLDS)[:, None] == np.r_[-1, fold, -1], axis=1, dtype=np.int32)
        )
    return np.concatenate(lines, axis=1), np.cumsum(sizes + 2) - sizes - 2


def without_missing(tables: JointCounts, names: Array) -> tuple[Columns, float]:
    """Give what loops read of columns of which some hold names, without missing values, and the slack of sums."""
    from subsel._loops.trees.split_value import Columns

    ends = tables.starts + tables.sizes
    ends -= np.isnan(tables.values[ends - 1])
    whole = np.array_equal(tables.counts, np.rint(tables.counts))
    slack = 0.0 if whole else 1e-12
    nominal = names & (ends - tables.starts <= FEW_NAMES)
    values = np.ascontiguousarray(tables.values, dtype=np.float64)
    counts, starts = np.ascontiguousarray(tables.counts), np.ascontiguousarray(tables.starts)
    return Columns(counts, values, starts, ends, nominal), slack
