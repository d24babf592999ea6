"""Scores by small decision trees of one feature.

A tree is grown best first on the order of the values, as :class:`subsel.data.TreeCuts` does: the
leaf whose best cut gains most is cut next, until there are ``max_leaves`` or no cut gains; of
equally good cuts the first is made. Missing values (NaN) are ignored while growing and have a leaf
of their own.
"""

from numbers import Integral
from typing import Any

import numpy as np

from subsel.data.intervals.split_trees import FOLDS, deal
from subsel.data.statistics.blocks import column_blocks, parts
from subsel.data.statistics.count_statistics import contingency_tables, finish
from subsel.data.statistics.joint_counts import JointCounts
from subsel.data.statistics.score_input import as_stored, target, weights
from subsel.data.storage import dense
from subsel.ranking.registry import score
from subsel.ranking.scores.counts.gini import gini
from subsel.ranking.scores.information.mutual_information import mutual_information

__all__ = ["one_feature_tree", "one_feature_tree_regression"]

Array = np.ndarray

COPIES = 5  # copies of a block of columns that sorting and numbering it need, for the block size
SLACK = 1e-12  # sums that differ by less than this share of the whole differ by rounding only


@score(
    "one-feature-tree", multiclass=True, univariate=True, sparse=True, weights=True, missing=True
)
def one_feature_tree(
    X: Any, y: Any, sample_weight: Any = None, *, measure: str = "accuracy", max_leaves: int = 4
) -> Array:
    r"""Score features by the leaves of a decision tree on each of them alone, for classes [1]_.

    Weights count rows. Sparse tables stay sparse. The cost of a column of n rows, V values, K
    classes and L leaves is O(n log n + V K L), ten times the second term for ``"accuracy"``.

    Parameters
    ----------
    measure : {"accuracy", "gini", "information"}
        ``"accuracy"`` is the gain of the cross-validated tree on the majority,

        .. math:: s_j = (A_j - A_0)/(1 - A_0)

        with A the accuracy on ten folds of trees grown by Gini's index on the others, :math:`A_0`
        that of trees without cuts. It is at most 1, 0 for a constant column, and below 0 where the
        tree is worse than the majority. The folds are those of `separability_tree`, assigned to the
        rows of a class in the order of their values, the larger class first, so that neither the
        order of the rows nor the names of the classes matter.

        ``"gini"`` is the `gini` of the leaves of a tree grown by Gini's index (CART),
        ``"information"`` their `mutual_information` in nats with the class, by entropy (C4.5). Both
        are read off the rows that the tree was grown on and grow with the leaves.
    max_leaves : int
        The number of leaves at most, the one of missing values aside.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       decision trees of one feature.

    Examples
    --------
    >>> X = np.column_stack([np.repeat([0, 1, 2], 10), np.tile([0, 1], 15)])
    >>> y = np.repeat(["a", "b", "a"], 10)
    >>> one_feature_tree(X, y)
    array([1., 0.])
    >>> one_feature_tree(X, y, measure="gini").round(4)
    array([1.    , 0.5556])
    """
    if measure not in _MEASURES:
        raise ValueError(
            f"measure must be one of {', '.join(map(repr, _MEASURES))}, got {measure!r}."
        )
    _check_leaves(max_leaves)
    blocks = contingency_tables(X, y, None, sample_weight)
    return np.concatenate([_MEASURES[measure](tables, max_leaves) for tables in blocks])


@score(
    "one-feature-tree-regression",
    classification=False,
    regression=True,
    univariate=True,
    sparse=True,
    weights=True,
    missing=True,
)
def one_feature_tree_regression(
    X: Any, y: Any, sample_weight: Any = None, *, max_leaves: int = 4
) -> Array:
    r"""Score features by the held-out variance that a regression tree on one feature explains [1]_.

    .. math:: s_j = 1 - \frac{\sum_i w_i (y_i - \hat y_i)^2}{\sum_i w_i (y_i - \bar y_i)^2}

    with the prediction :math:`\hat y_i` of a tree grown by least squares without the fold of row i,
    and :math:`\bar y_i` the mean of the rows it was grown on. It is at most 1, 0 for a constant
    column or target, and below 0 where the tree is worse than the mean. Ten folds are assigned at
    random with a fixed seed, in the order of y (rows of equal y in the order of the table); a row
    belongs to one fold, whatever its weight.

    Sparse tables are made dense a few columns at a time. The cost of a column of n rows, V values
    and L leaves is O(n log n + 10 (n + V L)).

    Parameters
    ----------
    max_leaves : int
        The number of leaves at most, the one of missing values aside.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       decision trees of one feature.

    Examples
    --------
    >>> x = np.repeat([0.0, 1.0, 2.0], 10)
    >>> one_feature_tree_regression(np.column_stack([x, np.ones(30)]), (x - 1) ** 2)
    array([1., 0.])
    """
    from subsel._loops.trees.one_feature_tree import Rows, held_out_errors

    _check_leaves(max_leaves)
    X = as_stored(X, finite="allow-nan")
    y, weight = target(X, y), weights(X, sample_weight)
    rows = np.flatnonzero(weight)
    if len(rows) < 2:
        raise ValueError(
            f"cross-validation needs at least two rows of positive weight, got {len(rows)}."
        )
    fold, scores = _folds(y[rows]), np.empty(X.shape[1])
    rows = rows[np.argsort(fold, kind="stable")]
    y, weight = y[rows] - np.average(y[rows], weights=weight[rows]), weight[rows]
    bounds = np.append(0, np.cumsum(np.bincount(fold, minlength=FOLDS)))
    folds = Rows(y, weight, bounds)
    for block, part in parts(X, column_blocks(X, copies=COPIES, depth=X.shape[0])):
        values = np.asfortranarray(dense(part)[rows], dtype=np.float64)
        order = np.argsort(values.T, axis=1, kind="stable")
        errors, spread = held_out_errors(values, order, folds, int(max_leaves), SLACK)
        scores[block] = 1 - np.divide(errors, spread, out=np.ones_like(errors), where=spread > 0)
    return scores


def _folds(y: Array) -> Array:
    """Give the fold of each row: every ten rows in the order of y go to ten folds at random.

    The seed is fixed, so that scores repeat.
    """
    lots = np.random.default_rng(0).permuted(
        np.tile(np.arange(FOLDS), (-(-len(y) // FOLDS), 1)), axis=1
    )
    fold = np.empty(len(y), dtype=np.intp)
    fold[np.argsort(y, kind="stable")] = lots.ravel()[: len(y)]
    return fold


def _check_leaves(max_leaves: Any) -> None:
    """Raise an error unless max_leaves is a whole number of at least 2."""
    if not isinstance(max_leaves, Integral) or max_leaves < 2:
        raise ValueError(f"max_leaves must be a whole number of at least 2, got {max_leaves!r}.")


def _accuracy(tables: JointCounts, max_leaves: int) -> Array:
    """Give the cross-validated gain on the majority of each column."""
    from subsel._loops.trees.one_feature_tree import Spans, held_out_hits
    from subsel._loops.trees.split_value import Folds

    tables = tables.in_order_of_size()
    of_classes = tables.class_totals.max(axis=0)  # the same in all columns
    n = of_classes.sum()
    if n < 2:
        remedy = "scale them to sum to the number of rows"
        raise ValueError(
            f"sample_weight must count rows to deal them to folds, these sum to {n:g}: {remedy}."
        )
    folds = Folds(*deal(of_classes))
    right = held_out_hits(_spans(tables), folds, int(max_leaves), SLACK)
    first, last = np.array([0]), np.array([1])
    uncut = held_out_hits(Spans(of_classes[None], first, last, last), folds, 2, SLACK)
    return (right - uncut) / (n - uncut)


def _gini(tables: JointCounts, max_leaves: int) -> Array:
    """Give Gini's index of the leaves of each column's tree."""
    return finish(gini, _leaves(tables, max_leaves, entropy=False))


def _information(tables: JointCounts, max_leaves: int) -> Array:
    """Give the mutual information of the leaves of each column's tree."""
    return finish(mutual_information, _leaves(tables, max_leaves, entropy=True))


_MEASURES = {"accuracy": _accuracy, "gini": _gini, "information": _information}


def _leaves(tables: JointCounts, max_leaves: int, entropy: bool) -> JointCounts:
    """Count the classes in the leaves of each column's tree."""
    from subsel._loops.trees.one_feature_tree import write_leaves

    codes = np.empty(len(tables.values), dtype=np.intp)
    write_leaves(_spans(tables), int(max_leaves), entropy, SLACK, codes)
    return tables.coded(codes)


def _spans(tables: JointCounts) -> Any:
    """Give the counts, and where each column begins, its known values end, and its rows end."""
    from subsel._loops.trees.one_feature_tree import Spans

    stops = tables.starts + tables.sizes
    ends = stops - np.isnan(tables.values[stops - 1])
    return Spans(tables.counts, tables.starts, ends, stops)
