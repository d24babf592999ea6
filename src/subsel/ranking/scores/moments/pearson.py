"""Pearson's correlation with a numeric or two-class target.

A function of moments: it takes `CoMoments` in place of ``X`` (and then no ``y``), accumulated from
chunks of any table. A row of weight w counts as w rows, in p-values too. Two classes are taken in
the order of their labels: the second is the positive one. A separation without any spread scores
infinity, no difference 0 (p-value 1), constant columns included. P-values are by permuted labels
where laws do not hold: see :mod:`subsel.ranking.laws.student`.
"""

from typing import Any

import numpy as np

from subsel.data.statistics.co_moments import CoMoments, numeric_target, over_co_moments
from subsel.data.statistics.score_input import as_stored
from subsel.ranking.laws.few_values import Correlation, exact_of_few_classes
from subsel.ranking.laws.sequential import MOST_PERMUTATIONS
from subsel.ranking.laws.student import permuted_unless, student_p_value
from subsel.ranking.laws.sums import Covariance
from subsel.ranking.registry import score

__all__ = ["pearson", "pearson_p_value"]

Array = np.ndarray


def pearson_p_value(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    n_permutations: int = MOST_PERMUTATIONS,
    random_state: Any = 0,
) -> Array:
    """Compute the two-sided p-value of `pearson`, by Student's law where it holds [1]_.

    The statistic of the law is ``r sqrt((m - 2) / (1 - r^2))``. The p-value is exact for columns of
    few values, such as rare bits, if the target has at most 13 values. It is by permuted labels, as
    in `t_test_p_value`, where column and target are both skewed or both heavy-tailed. Moments in
    place of a table do not contain the values of the target and always follow Student's law.

    Parameters
    ----------
    X, y, sample_weight : array-like
        As in `pearson`.
    n_permutations : int
        The most permutations of a column.
    random_state : int, Generator or None
        The seed of the permutations.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, significance of Pearson's correlation.

    Examples
    --------
    >>> pearson_p_value([[0.0], [2.0], [1.0], [3.0]], [0.0, 1.0, 2.0, 3.0]).round(6)
    array([0.2])
    """
    if isinstance(X, CoMoments):
        return _pearson_p_value(X)
    X = as_stored(X, finite=False)
    y = numeric_target(X, y)
    unknown = np.full(X.shape[1], np.nan)
    exact = exact_of_few_classes(unknown, _correlation_with, X, y, sample_weight)
    return permuted_unless(
        exact,
        over_co_moments(_pearson_p_value, X, y, sample_weight),
        lambda rows: Covariance(y[rows]),
        X,
        sample_weight,
        n_permutations=n_permutations,
        random_state=random_state,
    )


def _correlation_with(numbers: Array) -> Correlation:
    """Give the statistic for a target with these distinct numbers."""
    return Correlation(tuple(numbers.tolist()))


def _pearson_p_value(moments: CoMoments) -> Array:
    """Give the p-value of each column by Student's law."""
    return student_p_value(moments.correlation(), moments.mass[0] - 2)


@score(
    "pearson",
    "correlation",
    "point-biserial",
    p_value=pearson_p_value,
    regression=True,
    univariate=True,
    sparse=True,
    weights=True,
)
def pearson(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by the absolute Pearson correlation with a numeric or two-class target [1]_.

    .. math:: s_j = |\sum_i (x_{ij} - \bar x_j)(y_i - \bar y)| \,/\,
              \sqrt{\sum_i (x_{ij} - \bar x_j)^2 \sum_i (y_i - \bar y)^2}

    Numbers are taken as they are, so more than two classes should go to `correlation_ratio`; two
    classes named otherwise are read as 0 and 1. `CoMoments.correlation` keeps the sign.

    References
    ----------
    .. [1] I. Guyon and A. Elisseeff, "An Introduction to Feature Extraction", in Guyon et al.
       (eds.), *Feature Extraction*, 2006, introduction, equation 1.
    .. [2] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       correlation.
    .. [3] A. R. Saffari Azar Alamdari, "Variable Selection Using Correlation and Single Variable
       Classifier Methods: Applications", in Guyon et al. (eds.), *Feature Extraction*, 2006,
       chapter 14, section 14.2, correlation.

    Examples
    --------
    >>> pearson([[0.0, 5.0], [2.0, 5.0], [1.0, 5.0], [3.0, 5.0]], [0, 1, 2, 3])
    array([0.8, 0. ])
    """
    return over_co_moments(lambda moments: np.abs(moments.correlation()), X, y, sample_weight)
