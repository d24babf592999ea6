"""Information between a column and the classes if the column is normal in each class.

A function of moments: it takes `ClassMoments` in place of ``X`` (and then no ``y``), accumulated
from chunks of any table. A row of weight w counts as w rows. Two classes are taken in the order of
their labels: the second is the positive one. A separation without any spread scores infinity, no
difference 0, constant columns included.
"""

from functools import partial
from typing import Any

import numpy as np

from subsel.data.statistics.class_moments import ClassMoments, over_moments
from subsel.ranking.registry import score

__all__ = ["gaussian_information"]

Array = np.ndarray


@score("gaussian-information", multiclass=True, univariate=True, sparse=True, weights=True)
def gaussian_information(
    X: Any, y: Any = None, sample_weight: Any = None, *, smoothing: float = 1.0
) -> Array:
    r"""Score features by information shared with the classes if all laws were normal, in nats [1]_.

    .. math:: s_j = \tfrac12 \Big( \ln v_j - \sum_k \tfrac{m_k}{m} \ln v_{kj} \Big)

    with the population variances of all rows and of each class. It also responds to classes that
    differ in spread alone. For a numeric target it would be ``-ln(1 - r^2) / 2``, which gives the
    order of `pearson`.

    Parameters
    ----------
    X, y, sample_weight : array-like
        The table, classes and the weights of the rows, or `ClassMoments` alone.
    smoothing : float
        The number of rows with the variance of all rows that is added to each class. Without them a
        class that happens not to vary gives an infinite score.

    References
    ----------
    .. [1] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, estimators of entropy.

    Examples
    --------
    >>> X = [[0.0, 5.0], [2.0, 5.0], [8.0, 5.0], [10.0, 5.0]]
    >>> gaussian_information(X, [0, 0, 1, 1], smoothing=0.0).round(4)  # variances of 17 and 1
    array([1.4166, 0.    ])
    """
    if not smoothing >= 0:
        raise ValueError(f"smoothing must not be negative, got {smoothing}.")
    return over_moments(partial(_gaussian_information, smoothing=smoothing), X, y, sample_weight)


def _gaussian_information(moments: ClassMoments, smoothing: float) -> Array:
    """Give the score of each column."""
    # Class scatters are divided by the variance of all rows, so that no logarithm depends on units.
    between, within = moments.between_and_within()
    mass, total = moments.mass[:, None], (between + within) / moments.mass.sum()
    ratio = np.divide(
        moments.scatter,
        total,
        out=np.broadcast_to(mass, moments.scatter.shape).copy(),
        where=total > 0,
    )
    with np.errstate(divide="ignore"):
        logs = np.log((ratio + smoothing) / (mass + smoothing))
    return np.maximum((mass * logs).sum(axis=0) / (-2 * mass.sum()), 0.0)
