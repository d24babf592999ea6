"""Signal to noise: the distance of two class means in standard deviations.

A function of moments: it takes `ClassMoments` in place of ``X`` (and then no ``y``), accumulated
from chunks of any table. A row of weight w counts as w rows. Two classes are taken in the order of
their labels: the second is the positive one. A separation without any spread scores infinity, no
difference 0, constant columns included.
"""

from typing import Any

import numpy as np

from subsel.data.statistics.class_moments import ClassMoments, over_moments, quotient
from subsel.ranking.registry import score

__all__ = ["signal_to_noise"]

Array = np.ndarray


@score("signal-to-noise", "golub", "means-separation", univariate=True, sparse=True, weights=True)
def signal_to_noise(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by the distance of the class means over the sum of their deviations [1]_.

    .. math:: s_j = |\mu_j^+ - \mu_j^-| \,/\, (\sigma_j^+ + \sigma_j^-)

    Golub's ratio divides by half the sum, which is twice this score and gives the same order. The
    standard deviations are those of the population, not corrected for the mean.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       separation of means ("variance" read as standard deviation).
    .. [2] I. Guyon, S. Gunn, A. Ben Hur and G. Dror, "Design and Analysis of the NIPS2003
       Challenge", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 9, baseline rankings.
    .. [3] I. Guyon, "Feature Selection Challenge", in Guyon et al. (eds.), *Feature Extraction*,
       2006, appendix B, the lambda method.

    Examples
    --------
    >>> signal_to_noise([[0.0, 5.0], [2.0, 5.0], [8.0, 5.0], [10.0, 5.0]], [0, 0, 1, 1])
    array([4., 0.])
    """
    return over_moments(_signal_to_noise, X, y, sample_weight, 2)


def _signal_to_noise(moments: ClassMoments) -> Array:
    return quotient(gap(moments), np.sqrt(moments.variance(correction=0)).sum(axis=0))


def gap(moments: ClassMoments) -> Array:
    """Give the absolute difference of the two class means of each column."""
    return np.abs(moments.mean[1] - moments.mean[0])
