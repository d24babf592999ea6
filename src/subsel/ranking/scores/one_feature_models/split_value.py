"""The separability split value (SSV): the best split of a column, and trees of such splits.

A split separates the pairs of rows that lie on different sides of it. Weights count rows. A missing
value (NaN) is left out of the counts.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from subsel.data.intervals.split_trees import tree_codes, without_missing
from subsel.data.statistics.count_statistics import tables_of
from subsel.data.statistics.differences import nominal_mask
from subsel.data.statistics.joint_counts import JointCounts
from subsel.data.statistics.score_input import as_stored
from subsel.ranking.registry import score

__all__ = ["separability_split", "separability_tree"]

Array = np.ndarray


@score(
    "separability-split",
    "ssv",
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
    missing=True,
)
def separability_split(
    X: Any, y: Any, sample_weight: Any = None, *, strict: bool = False, nominal: Any = None
) -> Array:
    r"""Score features by the separability split value of their best split [1]_.

    .. math:: s_j = \max_t\; 2 \sum_k l_k (r - r_k) - \sum_k \min(l_k, r_k)

    with ``l_k`` and ``r_k`` rows of class k left and right of the split, ``r`` all on the right:
    pairs of different classes separated, less a penalty for classes divided. A split cuts between
    two neighbouring values, or takes a subset of the values of a nominal column. A constant column
    has none and scores 0.

    Parameters
    ----------
    strict : bool
        Let the penalty decide only between splits that separate equally many pairs.
    nominal : array of bool or list of int, optional
        Mask or list of the nominal features. Their numbers are names. Of up to 10 names all subsets
        are tried, more are taken in the order of the numbers.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the separability split value.
    .. [2] K. Grabczewski and N. Jankowski, "Mining for Complex Models Comprising Feature Selection
       and Classification", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 23, the SSV
       criterion.
    .. [3] N. Jankowski and K. Grabczewski, "Learning Machines", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 1, split criteria of decision trees.

    Examples
    --------
    >>> separability_split([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0]], [0, 0, 1, 1])
    array([8., 0.])
    >>> separability_split([[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 0], nominal=[0])
    array([8.])
    """
    from subsel._loops.trees.split_value import best_splits

    found = [
        best_splits(columns, strict, slack)
        for tables, names in _tables(X, y, sample_weight, nominal)
        for columns, slack in [without_missing(tables, names)]
    ]
    return np.maximum(np.concatenate(found), 0.0)


@score(
    "separability-tree",
    "j-ssv",
    "ssv-tree",
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
    missing=True,
)
def separability_tree(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    degree: float | None = None,
    strict: bool = False,
    nominal: Any = None,
) -> Array:
    r"""Score features by what a pruned tree of their separability splits gains on the majority [1]_.

    The column is split as in `separability_split`, its parts alike, until they are pure, the tree
    is pruned, and each interval (or subset of names) that remains guesses its majority, of equal
    ones the larger class. The score is the `bayesian_accuracy` of these intervals, from 0 to 1; 0
    where nothing is left of the tree.

    Of neighbouring cuts that are equally good the one nearest to their average is taken. Of others,
    and of subsets, the book draws one by lot; here it is the first, so that answers repeat.

    A split is pruned when those below it are gone and it saves no more rows from error than the
    degree of pruning. This is the largest whose errors in a cross-validation of ten folds are
    within one standard error of the fewest. The folds are dealt by lot, always the same, to the
    rows of a class in the order of their values, so that the order in which the rows come does not
    matter. Even so a column of noise may score well above 0: intervals are scored on the rows they
    were found on.

    A row whose value is missing goes down all branches, which is to guess the majority of all rows.

    Parameters
    ----------
    degree : float
        The degree of pruning, if it is not to be chosen. At 0 the intervals tell as much as the
        values do.
    strict, nominal : object
        As in `separability_split`.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the separability split value.
    .. [2] K. Grabczewski and N. Jankowski, "Mining for Complex Models Comprising Feature Selection
       and Classification", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 23, the SSV
       criterion; SSV trees.
    .. [3] N. Jankowski and K. Grabczewski, "Learning Machines", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 1, split criteria of decision trees.

    Examples
    --------
    >>> separability_tree([[0.0, 1.0], [1.0, 2.0], [2.0, 1.0], [3.0, 2.0]], [0, 0, 1, 1])
    array([1., 0.])
    """
    found = []
    for tables, names in _tables(X, y, sample_weight, nominal):
        tables = tables.in_order_of_size()
        codes, right = tree_codes(tables, names, degree, strict)
        missing, every = np.isnan(tables.values), tables.class_totals
        right += _of_class(
            tables.per_column(missing[:, None] * tables.counts), every.argmax(axis=1)
        )
        most = every.max(axis=1)
        cut = (
            np.maximum.reduceat(np.where(missing, 0, codes), tables.starts) > 0
        )  # a lone leaf takes all rows
        found.append(np.where(cut, np.maximum(right - most, 0.0), 0.0) / (every.sum(axis=1) - most))
    return np.concatenate(found)


def _of_class(masses: Array, classes: Array) -> Array:
    return np.take_along_axis(masses, classes[:, None], axis=1)[:, 0]


def _tables(
    X: Any, y: Any, sample_weight: Any, nominal: Any
) -> Iterator[tuple[JointCounts, Array]]:
    """Count a block of columns after the other; beside each, which of its columns are nominal."""
    X = as_stored(X, finite="allow-nan")
    names, done = nominal_mask(nominal, X.shape[1]), 0
    for tables in tables_of(X, y, None, sample_weight):
        yield tables, names[done : done + len(tables.starts)]
        done += len(tables.starts)
