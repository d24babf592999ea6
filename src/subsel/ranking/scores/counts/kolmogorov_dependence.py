"""Kolmogorov's dependence: the distance of joint probabilities from independence.

The parameters ``discretise`` and ``sample_weight``, and tables counted beforehand, are as in
:mod:`subsel.ranking.scores.counts.contingency`.
"""

import numpy as np

from subsel.data.statistics.count_statistics import table_statistic
from subsel.data.statistics.joint_counts import JointCounts
from subsel.ranking.registry import score
from subsel.ranking.scores.counts.contingency import chance_of_equal_class, expected, ratio

__all__ = ["kolmogorov_dependence"]


@score("kolmogorov-dependence", multiclass=True, univariate=True, sparse=True, weights=True)
@table_statistic()
def kolmogorov_dependence(tables: JointCounts, scaled: bool = False) -> np.ndarray:
    r"""Score columns by the distance of joint probabilities from those of independence [1]_.

    .. math:: D_K = \sum_{ij} |P_{ij} - P_{i\cdot} P_{\cdot j}|
              \le 2 \min(1 - \sum_i P_{i\cdot}^2,\; 1 - \sum_j P_{\cdot j}^2)

    It is twice the total variation distance. With ``scaled`` it is divided by the bound (which
    lacks the factor 2 in the source) and lies in [0, 1].

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       Kolmogorov's dependence.

    Examples
    --------
    >>> kolmogorov_dependence(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1])
    array([1., 0.])
    """
    n = tables.totals
    distance = tables.per_column(np.abs(tables.counts - expected(tables)).sum(axis=1)) / n
    if not scaled:
        return distance
    repeat_value = tables.per_column(tables.value_totals**2) / n**2
    bound = 2 * np.minimum(1 - repeat_value, 1 - chance_of_equal_class(tables))
    return ratio(distance, bound)
