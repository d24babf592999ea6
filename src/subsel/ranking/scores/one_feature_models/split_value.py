"""The separability split value (SSV): the best split of a column, and trees of such splits.

A split separates the pairs of rows that lie on different sides of it. Weights count rows. A missing
value (NaN) is left out of the counts.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from subsel.data.intervals.split_trees import tree_codes, without_missing
from subsel.data.statistics.count_statistics import contingency_tables
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

    with ``l_k`` and ``r_k`` rows of class k left and right of the split, and ``r`` rows on the
    right. It counts the separated pairs of different classes, less a penalty for divided classes. A
    split cuts between two neighbouring values, or separates a subset of the values of a nominal
    column. A constant column has no split and scores 0.

    Parameters
    ----------
    strict : bool
        Whether the penalty decides only between splits that separate equally many pairs.
    nominal : array of bool or list of int, optional
        Mask or list of the nominal features, whose numbers are names. All subsets of up to 10 names
        are tried; more names are cut in the order of their numbers.

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

    scores = [
        best_splits(columns, strict, slack)
        for tables, names in _tables(X, y, sample_weight, nominal)
        for columns, slack in [without_missing(tables, names)]
    ]
    return np.maximum(np.concatenate(scores), 0.0)


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
    r"""Score features by the gain of a pruned tree of separability splits on the majority [1]_.

    The column and its parts are split as in `separability_split` until they are pure. The tree is
    pruned, and each interval (or subset of names) that remains predicts its majority, the larger
    class if several tie. The score is the `bayesian_accuracy` of these intervals, from 0 to 1; it
    is 0 if no split remains.

    Of neighbouring cuts that are equally good the one nearest to their average is used. Of others,
    and of subsets, the book draws one at random; here it is the first, so that answers repeat.

    A split is pruned if no split is left below it and it avoids no more errors than the degree of
    pruning. The degree is the largest whose errors in a cross-validation of ten folds are within
    one standard error of the fewest. The folds are assigned at random with a fixed seed, to the
    rows of a class in the order of their values, so that the order of the rows does not matter.
    Even so a column of noise may score well above 0, because intervals are scored on the rows that
    determined them.

    A row whose value is missing goes down all branches: its prediction is the majority of all rows.

    Parameters
    ----------
    degree : float, optional
        The degree of pruning; by default it is chosen by cross-validation. At 0 the intervals
        predict as well as the values.
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
    scores = []
    for tables, names in _tables(X, y, sample_weight, nominal):
        tables = tables.in_order_of_size()
        codes, right = tree_codes(tables, names, degree, strict)
        missing, every = np.isnan(tables.values), tables.class_totals
        right += _mass_of_class(
            tables.per_column(missing[:, None] * tables.counts), every.argmax(axis=1)
        )
        most = every.max(axis=1)
        # A tree without splits is one leaf of all rows, and gains nothing.
        cut = np.maximum.reduceat(np.where(missing, 0, codes), tables.starts) > 0
        gain = np.where(cut, np.maximum(right - most, 0.0), 0.0)
        scores.append(gain / (every.sum(axis=1) - most))
    return np.concatenate(scores)


def _mass_of_class(masses: Array, classes: Array) -> Array:
    """Give the entry of each row of masses in the column of its class."""
    return np.take_along_axis(masses, classes[:, None], axis=1)[:, 0]


def _tables(
    X: Any, y: Any, sample_weight: Any, nominal: Any
) -> Iterator[tuple[JointCounts, Array]]:
    """Yield the tables of one block of columns after the other, and which columns are nominal."""
    X = as_stored(X, finite="allow-nan")
    names, done = nominal_mask(nominal, X.shape[1]), 0
    for tables in contingency_tables(X, y, None, sample_weight):
        yield tables, names[done : done + len(tables.starts)]
        done += len(tables.starts)
