"""Distances between roots of probabilities: Jeffreys-Matusita, Bhattacharyya.

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
from subsel.ranking.scores.counts.contingency import expected

__all__ = ["bhattacharyya", "freeman_tukey_p_value", "jeffreys_matusita"]


@table_statistic()
def freeman_tukey_p_value(
    tables: JointCounts, n_permutations: int = MOST_PERMUTATIONS, random_state: Any = 0
) -> np.ndarray:
    """Give the p-value of :func:`jeffreys_matusita`, that of Freeman and Tukey's statistic.

    The statistic is 4 n D, which follows chi-square in large samples. The p-value is computed as by
    :func:`chi_square_p_value`, but the chi-square law is used only where all expected counts are at
    least 50: its p-values are far too small where some are small.

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1]
    >>> freeman_tukey_p_value(X, y).round(4)
    array([0.3333, 1.    ])
    """
    return table_p_value(_freeman_tukey, tables, 50, n_permutations, random_state)


def _freeman_tukey(tables: JointCounts) -> np.ndarray:
    return 4 * tables.totals * finish(jeffreys_matusita, tables)


@score(
    "jeffreys-matusita",
    "matusita",
    p_value=freeman_tukey_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@table_statistic()
def jeffreys_matusita(tables: JointCounts) -> np.ndarray:
    r"""Score columns by the distance between roots of probabilities [1]_.

    .. math::

        D_{JM} = \sum_{ij} \bigl(\sqrt{P_{ij}} - \sqrt{P_{i\cdot} P_{\cdot j}}\bigr)^2
        = 2 (1 - B), \qquad B = \sum_{ij} \sqrt{P_{ij} P_{i\cdot} P_{\cdot j}}

    Rare values influence it less than the Kullback-Leibler divergence. It is at most
    :math:`2(1 - e^{-I/2})`.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the Jeffreys-Matusita distance.

    Examples
    --------
    >>> jeffreys_matusita(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1]).round(4)
    array([0.5858, 0.    ])
    """
    roots = (np.sqrt(tables.counts) - np.sqrt(expected(tables))) ** 2
    return tables.per_column(roots.sum(axis=1)) / tables.totals


@score(
    "bhattacharyya",
    p_value=freeman_tukey_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@table_statistic()
def bhattacharyya(tables: JointCounts) -> np.ndarray:
    r"""Score columns by the Bhattacharyya distance from independence [1]_.

    .. math:: -\ln B = -\ln (1 - D_{JM}/2)

    Orders columns as :func:`jeffreys_matusita` does.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the Jeffreys-Matusita distance.

    Examples
    --------
    >>> bhattacharyya(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1]).round(4)
    array([0.3466, 0.    ])
    """
    return -np.log1p(-finish(jeffreys_matusita, tables) / 2)
