"""Gini's index, or the Bayesian measure, and Goodman and Kruskal's tau.

The parameters ``discretise`` and ``sample_weight``, and tables counted beforehand, are as in
:mod:`subsel.ranking.scores.counts.contingency`.
"""

from typing import Any

import numpy as np

from subsel.data.statistics.count_statistics import finish, table_statistic
from subsel.data.statistics.joint_counts import JointCounts
from subsel.ranking.laws.contingency_table import table_p_value
from subsel.ranking.laws.sequential import MOST_PERMUTATIONS
from subsel.ranking.registry import score
from subsel.ranking.scores.counts.contingency import chance_of_equal_class, ratio

__all__ = ["gini", "goodman_kruskal", "goodman_kruskal_p_value", "value_difference"]


@table_statistic()
def goodman_kruskal_p_value(
    tables: JointCounts, n_permutations: int = MOST_PERMUTATIONS, random_state: Any = 0
) -> np.ndarray:
    """Give the p-value of :func:`goodman_kruskal`.

    It is also that of :func:`gini` and :func:`value_difference`, which order tables of the same
    margins in the same way. (n - 1)(K - 1) tau follows chi-square with (V - 1)(K - 1) degrees of
    freedom (Light and Margolin 1971) if there are two classes, or if all have the same size; for
    other classes it is a weighted sum of chi-squares. So that law is used, as by
    :func:`chi_square_p_value`, for two classes with expected counts of at least 5; otherwise the
    p-value is exact or by random tables.

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1]
    >>> goodman_kruskal_p_value(X, y).round(4)
    array([0.3333, 1.    ])
    """
    least = np.where(np.count_nonzero(tables.class_totals, axis=1) > 2, np.inf, 5.0)
    return table_p_value(_light_margolin, tables, least, n_permutations, random_state)


def _light_margolin(tables: JointCounts) -> np.ndarray:
    n_classes = np.count_nonzero(tables.class_totals, axis=1)
    return (tables.totals - 1) * (n_classes - 1) * finish(goodman_kruskal, tables)


@score(
    "gini",
    "bayesian-measure",
    "vajda",
    p_value=goodman_kruskal_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@table_statistic()
def gini(tables: JointCounts) -> np.ndarray:
    r"""Score columns by how probable it is that two rows of equal value have equal class [1]_.

    .. math:: J = \sum_i P_{i\cdot} \sum_j P(j \mid i)^2

    It is called the Bayesian measure and the Gini index; one minus it is Vajda's entropy, which the
    source minimises. It lies between :math:`\sum_j P_{\cdot j}^2`, for a column without
    information, and 1.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the Bayesian measure.

    Examples
    --------
    >>> gini(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1])
    array([1. , 0.5])
    """
    posterior_square = ratio((tables.counts**2).sum(axis=1), tables.value_totals)
    return tables.per_column(posterior_square) / tables.totals


@score(
    "value-difference",
    "gini-gain",
    p_value=goodman_kruskal_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@table_statistic()
def value_difference(tables: JointCounts) -> np.ndarray:
    r"""Score columns by the squared value difference expected between two rows [1]_ [2]_.

    .. math::

        E \sum_j (P(j \mid a) - P(j \mid b))^2
        = 2\,\bigl(J_\mathrm{Gini} - \sum_j P_{\cdot j}^2\bigr)

    for rows with values a and b drawn independently: the value difference metric, averaged, is the
    Gini gain with the factor 2 of chapter 6.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       equation 3.24, the value difference metric.
    .. [2] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, univariate ranking by information.

    Examples
    --------
    >>> value_difference(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1])
    array([1., 0.])
    """
    return 2 * np.maximum(finish(gini, tables) - chance_of_equal_class(tables), 0.0)


@score(
    "goodman-kruskal-tau",
    "normalised-gini-gain",
    p_value=goodman_kruskal_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@table_statistic()
def goodman_kruskal(tables: JointCounts) -> np.ndarray:
    r"""Score columns by Goodman and Kruskal's tau, the share of Gini impurity removed [1]_.

    .. math:: \tau = \frac{J_\mathrm{Gini} - \sum_j P_{\cdot j}^2}{1 - \sum_j P_{\cdot j}^2}

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the Bayesian measure.

    Examples
    --------
    >>> goodman_kruskal(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1])
    array([1., 0.])
    """
    return finish(value_difference, tables) / (2 * (1 - chance_of_equal_class(tables)))
