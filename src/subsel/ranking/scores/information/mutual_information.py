"""Scores by the information of a column's values on the classes.

The parameters ``discretise`` and ``sample_weight``, and tables counted beforehand, are as in
:mod:`subsel.ranking.scores.counts.contingency`. All logarithms are natural unless a docstring says
otherwise.
"""

import numpy as np

from subsel.data.statistics.count_statistics import finish, table_statistic
from subsel.data.statistics.entropy import entropies
from subsel.data.statistics.joint_counts import JointCounts
from subsel.ranking.registry import score
from subsel.ranking.scores.counts.contingency import g_statistic_p_value

__all__ = [
    "gain_ratio",
    "miller_madow_information",
    "mutual_information",
    "mutual_information_p_value",
]

# 2 n I is the G statistic. Permuting labels leaves the entropies of column and classes as they are,
# and then the ratios and distances of this room increase with I: they have the same p-value.
mutual_information_p_value = g_statistic_p_value


@score(
    "mutual-information",
    "information-gain",
    "infogain",
    "j-measure",
    "maximum-marginal-diversity",
    p_value=mutual_information_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@table_statistic()
def mutual_information(tables: JointCounts) -> np.ndarray:
    r"""Score columns by the information they share with the classes, in nats [1]_ [2]_ [3]_.

    .. math:: I = H(X) + H(Y) - H(X, Y) = \sum_{ij} P_{ij} \ln \frac{P_{ij}}{P_{i\cdot} P_{\cdot j}}

    Information gain, the J-measure and maximum marginal diversity are the same number. Frequencies
    overstate it by about (V - 1)(K - 1)/(2n): see :func:`miller_madow_information`. With
    ``discretise=MDL()`` this is the score of chapter 22, zero for columns that are nowhere worth a
    cut.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       Kullback-Leibler divergence and mutual information; the J-measure.
    .. [2] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, entropy and mutual information; univariate ranking by
       information; MIFS and its kin.
    .. [3] D. Roobaert, G. Karakoulas and N. V. Chawla, "Information Gain, Correlation and Support
       Vector Machines", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 22, information
       gain.

    Examples
    --------
    >>> mutual_information(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1]).round(4)
    array([0.6931, 0.    ])
    """
    of_values, of_classes, jointly = entropies(tables)
    return np.maximum(of_values + of_classes - jointly, 0.0)


@score(
    "miller-madow",
    p_value=mutual_information_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@table_statistic()
def miller_madow_information(tables: JointCounts) -> np.ndarray:
    r"""Score columns by mutual information less its first-order bias, in nats [1]_.

    Each entropy gains (c - 1)/(2n), with c its occupied cells; where all cells are occupied,
    information loses (V - 1)(K - 1)/(2n). Negative values are kept: a column may tell less than
    chance would.

    References
    ----------
    .. [1] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, estimators of entropy.

    Examples
    --------
    >>> miller_madow_information(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1]).round(4)
    array([ 0.8181, -0.125 ])
    """
    n_values = tables.per_column((tables.value_totals > 0).astype(float))
    n_classes = np.count_nonzero(tables.class_totals, axis=1)
    n_cells = tables.per_column(np.count_nonzero(tables.counts, axis=1).astype(float))
    of_values, of_classes, jointly = entropies(tables)
    correction = (n_values + n_classes - n_cells - 1) / (2 * tables.totals)
    return of_values + of_classes - jointly + correction


@score(
    "gain-ratio",
    "information-gain-ratio",
    p_value=mutual_information_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@table_statistic()
def gain_ratio(tables: JointCounts) -> np.ndarray:
    r"""Score columns by information per entropy of the column, in [0, 1] [1]_ [2]_.

    .. math:: I / H(X)

    It is zero for a constant column. It corrects for many values, but favours columns that are
    nearly constant.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the gain ratio.
    .. [2] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, univariate ranking by information.

    Examples
    --------
    >>> gain_ratio(np.array([[0, 0], [0, 1], [1, 2], [1, 3]]), [0, 0, 1, 1])
    array([1. , 0.5])
    """
    of_values, _, _ = entropies(tables)
    return share_of(finish(mutual_information, tables), of_values)


def share_of(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Divide, with 0 where the divisor is not positive."""
    return np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)
