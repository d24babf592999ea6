"""The J-measure: the contribution of each value to the mutual information.

The parameters ``discretise`` and ``sample_weight``, and tables counted beforehand, are as in
:mod:`subsel.ranking.scores.counts.contingency`.
"""

from typing import Any

import numpy as np
from scipy.special import xlogy

from subsel.data.statistics.count_statistics import contingency_tables
from subsel.data.statistics.joint_counts import JointCounts
from subsel.ranking.scores.counts.contingency import expected

__all__ = ["j_measure_terms"]


def j_measure_terms(
    X: Any, y: Any, *, discretise: Any = "auto", sample_weight: Any = None
) -> list[np.ndarray]:
    r"""Give the contribution of each value of each column to mutual information, in nats [1]_.

    .. math:: P_{i\cdot} \sum_j P(j \mid i) \ln \frac{P(j \mid i)}{P_{\cdot j}} \ge 0

    It measures the rule "if the column has this value". The answer has an array for each column,
    its values in ascending order.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the J-measure.

    Examples
    --------
    >>> terms = j_measure_terms(np.array([[0], [0], [1], [1]]), [0, 1, 1, 1])
    >>> [column.round(4).tolist() for column in terms]
    [[0.0719, 0.1438]]
    """
    parts = contingency_tables(X, y, discretise, sample_weight)
    return [terms for tables in parts for terms in np.split(_j_terms(tables), tables.starts[1:])]


def _j_terms(tables: JointCounts) -> np.ndarray:
    expectation = expected(tables)
    ratio = np.divide(
        tables.counts, expectation, out=np.ones_like(expectation), where=expectation > 0
    )
    return xlogy(tables.counts, ratio).sum(axis=1) / tables.spread(tables.totals)
