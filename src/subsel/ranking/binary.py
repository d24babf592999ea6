"""Scores of binary features: a column is present (not zero) or absent; two classes, the second one positive.

Each is a function of four counts and takes `PresenceCounts` in place of ``X`` (and then no ``y``). Below,
tpr and fpr are the shares of the positive and of the negative rows in which a column is present. To
binarise at another value, pass ``X > value``.
"""

from typing import Any

import numpy as np
from scipy import special

from subsel.ranking.laws.exact_tails import hypergeometric_log_tails
from subsel.ranking.registry import score
from subsel.tables.class_counts import PresenceCounts, over_presence

__all__ = [
    "bi_normal_separation",
    "exp_rate_difference",
    "hypergeometric",
    "hypergeometric_p_value",
    "odds_ratio",
    "odds_ratio_p_value",
]

Array = np.ndarray


@score("bi-normal-separation", "bns", univariate=True, sparse=True, weights=True)
def bi_normal_separation(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by the distance of the two rates on the normal scale [1]_.

    .. math:: s_j = |\Phi^{-1}(tpr_j) - \Phi^{-1}(fpr_j)|

    with the rates kept within [0.0005, 0.9995]. A constant column scores 0.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, indices of the
       confusion matrix (Forman's limits).

    Examples
    --------
    >>> bi_normal_separation([[0, 1], [1, 1], [1, 1], [1, 1]], [0, 0, 1, 1]).round(4)
    array([3.2905, 0.    ])
    """
    return over_presence(_bi_normal, X, y, sample_weight)


def _bi_normal(counts: PresenceCounts) -> Array:
    rates = np.clip(_rates(counts), 0.0005, 0.9995)
    return np.abs(special.ndtri(rates[1]) - special.ndtri(rates[0]))


def odds_ratio_p_value(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    """Two-sided p-value of `odds_ratio`: its logarithm is normal of variance ``sum 1 / count`` [1]_.

    The counts of the four cells stand in the variance (the fractions printed in the book lack the number of
    rows).

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       2, the odds ratio.

    Examples
    --------
    >>> odds_ratio_p_value([[1], [0], [1], [0]], [0, 0, 1, 1])
    array([1.])
    """
    return over_presence(_odds_p_value, X, y, sample_weight)


def _odds_p_value(counts: PresenceCounts) -> Array:
    cells, constant = _cells(counts)
    z = np.abs(_log_odds(cells)) / np.sqrt((1 / cells).sum(axis=0))
    return np.where(constant, 1.0, np.minimum(2 * special.ndtr(-z), 1.0))


@score("odds-ratio", "odds", p_value=odds_ratio_p_value, univariate=True, sparse=True, weights=True)
def odds_ratio(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by the absolute logarithm of the odds ratio [1]_.

    .. math:: s_j = \left| \ln \frac{tpr_j (1 - fpr_j)}{(1 - tpr_j) fpr_j} \right|

    Where one of the four counts is zero, a half is added to each (Haldane). A constant column scores 0.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, indices of the
       confusion matrix (its second form mended).
    .. [2] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       2, the odds ratio.

    Examples
    --------
    >>> odds_ratio([[0, 1], [1, 1], [1, 1], [1, 1]], [0, 0, 1, 1]).round(4)
    array([1.6094, 0.    ])
    """
    return over_presence(_odds, X, y, sample_weight)


def _odds(counts: PresenceCounts) -> Array:
    cells, constant = _cells(counts)
    return np.where(constant, 0.0, np.abs(_log_odds(cells)))


@score("exp-rate-difference", "exp-tpr-fpr", univariate=True, sparse=True, weights=True)
def exp_rate_difference(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by ``exp(tpr - fpr)``, which favours marks of the positive class [1]_.

    One-sided: exchanging the classes turns the order round. A constant column scores 1.

    References
    ----------
    .. [1] Z. Wu and C. Li, "Feature Selection with Transductive Support Vector Machines", in Guyon et al. (eds.),
       *Feature Extraction*, 2006, chapter 13, section 13.3.1.

    Examples
    --------
    >>> exp_rate_difference([[0, 1], [1, 1], [1, 1], [1, 1]], [0, 0, 1, 1]).round(4)
    array([1.6487, 1.    ])
    """
    return over_presence(_exp_difference, X, y, sample_weight)


def _exp_difference(counts: PresenceCounts) -> Array:
    rates = _rates(counts)
    return np.exp(rates[1] - rates[0])


def hypergeometric_p_value(X: Any, y: Any = None) -> Array:
    """Exact p-value of how many positive rows hold a column: twice the smaller tail, at most 1.

    Not the two-sided test of Fisher, which adds up the less likely tables [1]_.

    References
    ----------
    .. [1] R. M. Neal and J. Zhang, "High Dimensional Classification with Bayesian Neural Networks and Dirichlet
       Diffusion Trees", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 10, section 10.2, exact test of
       binary features.

    Examples
    --------
    >>> hypergeometric_p_value([[0, 1], [0, 1], [1, 1], [1, 1]], [0, 0, 1, 1]).round(4)
    array([0.3333, 1.    ])
    """
    return np.exp(-hypergeometric(X, y))


@score("hypergeometric", "exact-binary", p_value=hypergeometric_p_value, univariate=True, sparse=True)
def hypergeometric(X: Any, y: Any = None) -> Array:
    r"""Score features by how unlikely their overlap with the positive class is under permuted labels [1]_.

    .. math:: s_j = -\ln \min(1, 2 \min(P[K \ge k_j], P[K \le k_j]))

    with K hypergeometric. A constant column scores 0.

    References
    ----------
    .. [1] R. M. Neal and J. Zhang, "High Dimensional Classification with Bayesian Neural Networks and Dirichlet
       Diffusion Trees", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 10, section 10.2, exact test of
       binary features.

    Examples
    --------
    >>> hypergeometric([[0, 1], [0, 1], [1, 1], [1, 1]], [0, 0, 1, 1]).round(4) + 0.0
    array([1.0986, 0.    ])
    """
    return over_presence(_hypergeometric, X, y, None)


def _hypergeometric(counts: PresenceCounts) -> Array:
    present = np.rint(counts.present).astype(int)
    negative, positive = np.rint(counts.mass).astype(int)
    lower, upper = hypergeometric_log_tails(present.sum(axis=0), negative + positive, positive, present[1])
    return np.maximum(-np.log(2) - np.minimum(lower, upper), 0.0)


def _rates(counts: PresenceCounts) -> Array:
    return counts.present / counts.mass[:, None]


def _cells(counts: PresenceCounts) -> tuple[Array, Array]:
    """Present and absent counts (4, n_features) with Haldane's halves, and which columns are constant."""
    cells = np.concatenate([counts.present, np.maximum(counts.mass[:, None] - counts.present, 0.0)])
    total = counts.present.sum(axis=0)
    constant = (total == 0) | (cells[2:].sum(axis=0) == 0)
    return cells + 0.5 * (cells == 0).any(axis=0), constant


def _log_odds(cells: Array) -> Array:
    present_negative, present_positive, absent_negative, absent_positive = np.log(cells)
    return present_positive + absent_negative - present_negative - absent_positive
