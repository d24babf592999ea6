"""Scores of binary features and two classes from the rates of presence in each class.

A column is present where it is not zero; the second class is the positive one. Each score is a
function of four counts and takes `PresenceCounts` in place of ``X`` (and then no ``y``). Below, tpr
and fpr are the shares of the positive and of the negative rows in which a column is present. To
binarise at another value, pass ``X > value``.
"""

from typing import Any

import numpy as np
from scipy import special

from subsel.data.statistics.class_counts import PresenceCounts, over_presence
from subsel.ranking.registry import score

__all__ = ["bi_normal_separation", "exp_rate_difference"]

Array = np.ndarray


@score("bi-normal-separation", "bns", univariate=True, sparse=True, weights=True)
def bi_normal_separation(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by the distance of the two rates on the normal scale [1]_.

    .. math:: s_j = |\Phi^{-1}(tpr_j) - \Phi^{-1}(fpr_j)|

    with the rates kept within [0.0005, 0.9995]. A constant column scores 0.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       indices of the confusion matrix (Forman's limits).

    Examples
    --------
    >>> bi_normal_separation([[0, 1], [1, 1], [1, 1], [1, 1]], [0, 0, 1, 1]).round(4)
    array([3.2905, 0.    ])
    """
    return over_presence(_bi_normal, X, y, sample_weight)


def _bi_normal(counts: PresenceCounts) -> Array:
    """Give the score of each column."""
    rates = np.clip(class_rates(counts), 0.0005, 0.9995)
    return np.abs(special.ndtri(rates[1]) - special.ndtri(rates[0]))


@score("exp-rate-difference", "exp-tpr-fpr", univariate=True, sparse=True, weights=True)
def exp_rate_difference(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by ``exp(tpr - fpr)``, which favours marks of the positive class [1]_.

    It is one-sided: exchanging the classes reverses the order. A constant column scores 1.

    References
    ----------
    .. [1] Z. Wu and C. Li, "Feature Selection with Transductive Support Vector Machines", in Guyon
       et al. (eds.), *Feature Extraction*, 2006, chapter 13, section 13.3.1.

    Examples
    --------
    >>> exp_rate_difference([[0, 1], [1, 1], [1, 1], [1, 1]], [0, 0, 1, 1]).round(4)
    array([1.6487, 1.    ])
    """
    return over_presence(_exp_difference, X, y, sample_weight)


def _exp_difference(counts: PresenceCounts) -> Array:
    """Give the score of each column."""
    rates = class_rates(counts)
    return np.exp(rates[1] - rates[0])


def class_rates(counts: PresenceCounts) -> Array:
    """Give fpr and tpr of each column, shape (2, n_columns)."""
    return counts.present / counts.mass[:, None]
