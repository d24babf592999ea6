"""Information relative to entropy: symmetrical uncertainty and two distances.

The parameters ``discretise`` and ``sample_weight``, and tables counted beforehand, are as in
:mod:`subsel.ranking.scores.counts.contingency`.
"""

import numpy as np

from subsel.data.statistics.count_statistics import finish, table_statistic
from subsel.data.statistics.entropy import entropies
from subsel.data.statistics.joint_counts import JointCounts
from subsel.ranking.registry import score
from subsel.ranking.scores.information.mutual_information import (
    mutual_information,
    mutual_information_p_value,
    share_of,
)

__all__ = ["entropy_distance", "mantaras_distance", "symmetrical_uncertainty"]


@score(
    "symmetrical-uncertainty",
    "su",
    p_value=mutual_information_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@table_statistic()
def symmetrical_uncertainty(tables: JointCounts) -> np.ndarray:
    r"""Score columns by information per mean entropy of column and classes, in [0, 1] [1]_.

    .. math:: SU = 2 I / (H(X) + H(Y))

    It is little biased towards many values, but decreases as a number is cut into more bins:
    compare columns with equally many bins.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       entropy distance and symmetrical uncertainty.

    Examples
    --------
    >>> symmetrical_uncertainty(np.array([[0, 0], [0, 1], [1, 2], [1, 3]]), [0, 0, 1, 1]).round(4)
    array([1.    , 0.6667])
    """
    of_values, of_classes, _ = entropies(tables)
    return share_of(2 * finish(mutual_information, tables), of_values + of_classes)


@score(
    "entropy-distance",
    "variation-of-information",
    p_value=mutual_information_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@table_statistic()
def entropy_distance(tables: JointCounts) -> np.ndarray:
    r"""Score columns by minus the entropy distance between column and classes, in nats [1]_.

    .. math:: -D_H = H(X) + H(Y) - 2 H(X, Y)

    The source minimises the distance, a metric also known as variation of information.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       entropy distance and symmetrical uncertainty.

    Examples
    --------
    >>> entropy_distance(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1]).round(4)
    array([ 0.    , -1.3863])
    """
    of_values, of_classes, jointly = entropies(tables)
    return np.minimum(of_values + of_classes - 2 * jointly, 0.0)


@score(
    "mantaras-distance",
    "mantaras",
    p_value=mutual_information_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@table_statistic()
def mantaras_distance(tables: JointCounts) -> np.ndarray:
    r"""Score columns by minus the distance of Lopez de Mantaras, in [-1, 0] [1]_.

    .. math:: -D_M = I / H(X, Y) - 1

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       entropy distance and symmetrical uncertainty.

    Examples
    --------
    >>> mantaras_distance(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1])
    array([ 0., -1.])
    """
    _, _, jointly = entropies(tables)
    return share_of(finish(mutual_information, tables), jointly) - 1
