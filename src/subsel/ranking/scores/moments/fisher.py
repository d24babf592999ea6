"""Fisher's criterion and the F-score: class means against the spread within.

A function of moments: it takes `ClassMoments` in place of ``X`` (and then no ``y``), accumulated
from chunks of any table. A row of weight w counts as w rows. Two classes are taken in the order of
their labels: the second is the positive one. A separation without any spread scores infinity, no
difference 0, constant columns included.
"""

from typing import Any

import numpy as np

from subsel.data.statistics.class_moments import ClassMoments, over_moments, quotient
from subsel.ranking.registry import score
from subsel.ranking.scores.moments.signal_to_noise import gap

__all__ = ["f_score", "fisher"]

Array = np.ndarray


@score("fisher", "fisher-criterion", multiclass=True, univariate=True, sparse=True, weights=True)
def fisher(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by Fisher's criterion: squared distance of the means over the variances [1]_.

    .. math:: s_j = \frac{(\mu_j^+ - \mu_j^-)^2}{v_j^+ + v_j^-} \text{ for two classes, else }
              \frac{\sum_k m_k (\mu_{kj} - \mu_j)^2}{\sum_k \sum_{i \in k} (x_{ij} - \mu_{kj})^2}

    The variances of two classes are unbiased, so that with ``m^+ = m^-`` the square of `welch_t` is
    ``m^+`` times this; the form for more classes ranks as `anova_f` does.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       separation of means.
    .. [2] Z. Wu and C. Li, "Feature Selection with Transductive Support Vector Machines", in Guyon
       et al. (eds.), *Feature Extraction*, 2006, chapter 13, section 13.3.1.

    Examples
    --------
    >>> fisher([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1])
    array([16.])
    """
    return over_moments(_fisher, X, y, sample_weight)


def _fisher(moments: ClassMoments) -> Array:
    if moments.n_classes > 2:
        return quotient(*moments.between_and_within())
    return quotient(gap(moments) ** 2, moments.variance().sum(axis=0))


@score("f-score", "chen-lin", univariate=True, sparse=True, weights=True)
def f_score(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by the F-score of Chen and Lin [1]_.

    .. math:: s_j = \frac{(\mu_j^+ - \mu_j)^2 + (\mu_j^- - \mu_j)^2}{v_j^+ + v_j^-}

    It is `fisher` times ``((m^+)^2 + (m^-)^2) / m^2``: the same order, other thresholds.

    References
    ----------
    .. [1] Y.-W. Chen and C.-J. Lin, "Combining SVMs with Various Feature Selection Strategies", in
       Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 12, section 12.3.2, the F-score.

    Examples
    --------
    >>> f_score([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1])
    array([8.])
    """
    return over_moments(_f_score, X, y, sample_weight, 2)


def _f_score(moments: ClassMoments) -> Array:
    return _fisher(moments) * (moments.mass**2).sum() / moments.mass.sum() ** 2
