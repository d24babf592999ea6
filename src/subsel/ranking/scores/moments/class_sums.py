"""Scores by plain sums over the classes: the unbalanced score and the lambda method.

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

__all__ = ["lambda_ranking", "unbalanced_score"]

Array = np.ndarray


@score(
    "unbalanced-score",
    "unbalanced",
    "unbalanced-difference",
    univariate=True,
    sparse=True,
    weights=True,
)
def unbalanced_score(
    X: Any, y: Any = None, sample_weight: Any = None, *, penalty: float = 3.0
) -> Array:
    r"""Score features by their sum over positive rows less a multiple of that over others [1]_.

    .. math:: s_j = \sum_{y_i = +} x_{ij} - \lambda \sum_{y_i = -} x_{ij}

    The score is signed: a bit that is set in negatives only ranks last, and a penalty of 3 or more
    prefers bits that are set only in the rarer, positive class. A penalty of 1 gives
    `lambda_ranking`, one of ``m^+ / m^-`` the difference of the class means times ``m^+``.

    Parameters
    ----------
    X, y, sample_weight : array-like
        The table, two classes and the weights of the rows, or `ClassMoments` alone.
    penalty : float
        The multiple lambda.

    References
    ----------
    .. [1] I. Guyon, "Feature Selection Challenge", in Guyon et al. (eds.), *Feature Extraction*,
       2006, appendix B, DOROTHEA.

    Examples
    --------
    >>> unbalanced_score([[1, 1], [1, 0], [0, 1], [1, 0]], [1, 1, 0, 0])
    array([-1., -2.])
    """
    return over_moments(partial(_unbalanced, penalty=penalty), X, y, sample_weight, 2)


def _unbalanced(moments: ClassMoments, penalty: float) -> Array:
    negative, positive = _class_sums(moments)
    return positive - penalty * negative


@score("lambda-ranking", "lambda", univariate=True, sparse=True, weights=True)
def lambda_ranking(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    centre: bool = False,
    absolute: bool = False,
) -> Array:
    r"""Score features by their dot product with the labels -1 and +1 [1]_.

    .. math:: s_j = \sum_i y_i x_{ij}

    As published, the score is signed, and neither centred nor scaled: with unbalanced classes,
    columns of large mean dominate.

    Parameters
    ----------
    X, y, sample_weight : array-like
        The table, two classes and the weights of the rows, or `ClassMoments` alone.
    centre : bool
        Subtract the column means first.
    absolute : bool
        Rank by the absolute value.

    References
    ----------
    .. [1] I. Guyon, "Feature Selection Challenge", in Guyon et al. (eds.), *Feature Extraction*,
       2006, appendix B, the lambda method.

    Examples
    --------
    >>> lambda_ranking([[1.0, 0.0], [2.0, 0.0], [5.0, 3.0]], [0, 1, 1])
    array([6., 3.])
    """
    return over_moments(partial(_lambda, centre=centre, absolute=absolute), X, y, sample_weight, 2)


def _lambda(moments: ClassMoments, centre: bool, absolute: bool) -> Array:
    mass = moments.mass
    negative, positive = _class_sums(moments)
    dot = positive - negative
    if centre:
        dot = 2 * mass.prod() / mass.sum() * (moments.mean[1] - moments.mean[0])
    return np.abs(dot) if absolute else dot


def _class_sums(moments: ClassMoments) -> Array:
    """Give the sums within the classes, shape (2, n_columns); those of whole numbers are whole."""
    # Sums are recovered from means. Those of whole numbers are whole up to rounding, for which
    # `error` allows 18 units in the last place of the root mean square, times the number of rows.
    # Without rounding them, columns of bits that count the same would not tie.
    mass = moments.mass[:, None]
    sums = moments.mean * mass
    error = 4e-15 * mass * np.sqrt(moments.variance(correction=0) + moments.mean**2)
    return np.where(np.abs(sums - np.rint(sums)) <= error, np.rint(sums), sums)
