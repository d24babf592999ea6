"""Information on the classes from one cut of a column: the best one, or the one at the median.

The parameters ``discretise`` and ``sample_weight``, and tables counted beforehand, are as in
:mod:`subsel.ranking.scores.counts.contingency`.
"""

from typing import Any

import numpy as np
from scipy.special import xlogy

from subsel.data.statistics.count_statistics import finish, table_statistic
from subsel.data.statistics.joint_counts import JointCounts
from subsel.ranking.laws.sequential import MOST_PERMUTATIONS
from subsel.ranking.registry import score
from subsel.ranking.scores.information.mutual_information import (
    mutual_information,
    mutual_information_p_value,
)

__all__ = ["median_information", "median_information_p_value", "threshold_gain"]


@score("threshold-gain", multiclass=True, univariate=True, sparse=True, weights=True)
@table_statistic(bins=False)
def threshold_gain(tables: JointCounts) -> np.ndarray:
    r"""Score columns by the information of their best two-way cut, in nats [1]_.

    It is the largest mutual information of the classes with :math:`x > t` over all thresholds t,
    which puts numbers and two-valued columns on one scale. Only the order of the values matters, a
    missing one being the largest. As a maximum over many tables it does not follow chi-square.

    References
    ----------
    .. [1] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, univariate ranking by information.

    Examples
    --------
    >>> threshold_gain(np.array([[1, 4], [2, 2], [3, 3], [4, 1]]), [0, 0, 1, 1]).round(4)
    array([0.6931, 0.2158])
    """
    # n I(Y; x > t) = n H(Y) - n_below H(Y | below) - n_above H(Y | above), from class counts below
    # each threshold, which are cumulative sums of the table.
    below = np.cumsum(tables.counts, axis=0)
    below -= tables.spread(below[tables.starts] - tables.counts[tables.starts])
    total = tables.class_totals
    above = np.maximum(tables.spread(total) - below, 0.0)
    gain = _length(tables.spread(total)) - _length(below) - _length(above)
    return np.maximum(np.maximum.reduceat(gain, tables.starts) / tables.totals, 0.0)


def _length(counts: np.ndarray) -> np.ndarray:
    """Give entropy times number of rows, in nats, for each row of class counts."""
    n = counts.sum(axis=1)
    return xlogy(n, n) - xlogy(counts, counts).sum(axis=1)


@table_statistic(bins=False)
def median_information_p_value(
    tables: JointCounts, n_permutations: int = MOST_PERMUTATIONS, random_state: Any = 0
) -> np.ndarray:
    """Give the p-value of :func:`median_information`, that of the G statistic.

    The cut does not depend on the labels, so that the law of G applies.

    Examples
    --------
    >>> X = np.array([[1, 0], [2, 0], [3, 0], [9, 1]])
    >>> median_information_p_value(X, [0, 0, 1, 1]).round(4)
    array([0.3333, 1.    ])
    """
    return finish(
        mutual_information_p_value,
        _halves(tables),
        n_permutations=n_permutations,
        random_state=random_state,
    )


@score(
    "median-information",
    "infogain1",
    p_value=median_information_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@table_statistic(bins=False)
def median_information(tables: JointCounts) -> np.ndarray:
    """Score columns by the information of being above their median, in nats [1]_.

    A column of two values is used as it is. Values must be strictly above the median, so that a
    sparse column whose median is zero becomes presence; missing values are above all others.

    References
    ----------
    .. [1] R. Gilad-Bachrach and A. Navot, "Margin Based Feature Selection and Infogain with
       Standard Classifiers", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 17,
       Infogain1.

    Examples
    --------
    >>> median_information(np.array([[1, 0], [2, 0], [3, 0], [9, 1]]), [0, 0, 1, 1]).round(4)
    array([0.6931, 0.2158])
    """
    return finish(mutual_information, _halves(tables))


def _halves(tables: JointCounts) -> JointCounts:
    """Cut columns of more than two values at the median."""
    weight = tables.value_totals
    below = np.cumsum(weight)
    below -= tables.spread(below[tables.starts] - weight[tables.starts])
    half = tables.spread(tables.totals) / 2
    # The median is the mean of the values where the cumulative weight reaches and where it passes
    # one half: a value is above it if half of the weight is below that value, without its own.
    above = below - weight >= half
    two_valued = tables.spread(tables.sizes) <= 2
    rank = np.arange(len(weight)) - tables.spread(tables.starts)
    return tables.coded(np.where(two_valued, rank, above))
