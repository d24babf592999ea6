"""Scores by single-feature classifiers with more than one cut: value by value, and 1R.

No score is below that of the best constant rule. Rules are evaluated on the training rows; weights
count rows.
"""

from functools import partial
from typing import Any

import numpy as np

from subsel.data.statistics.joint_counts import lots, order_of_size
from subsel.data.statistics.ties import over_ties
from subsel.ranking.registry import score

__all__ = ["accuracy_minus_error", "bayesian_accuracy", "one_rule"]

Array = np.ndarray


@score(
    "bayesian-accuracy",
    "j-bc",
    "purity",
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
def bayesian_accuracy(X: Any, y: Any, sample_weight: Any = None) -> Array:
    r"""Score discrete features by the gain of predicting the likeliest class of each value [1]_.

    .. math::

        s_j = (A_j - A_0)/(1 - A_0), \quad A_j = \sum_v \max_k P(k, v), \quad
        A_0 = \max_k P(k)

    The score lies between 0 and 1. Distinct values are not merged, so that a continuous column
    scores 1: discretise it first, or use `one_rule`.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       equations 3.1 and 3.2 (called the Bayes error there).

    Examples
    --------
    >>> bayesian_accuracy([[0, 1], [0, 1], [1, 1], [0, 1]], [0, 0, 1, 1])
    array([0.5, 0. ])
    """
    return over_ties(
        X, y, sample_weight, lambda masses: _gain(masses.max(axis=0).sum(axis=1), masses)
    )


def _gain(correct: Array, masses: Array) -> Array:
    """Give correct predictions beyond those of the majority, as a share of its errors.

    `correct` has shape (n_columns,), `masses` shape (n_classes, n_columns, n_values).
    """
    sizes = masses.sum(axis=2)
    majority = sizes.max(axis=0)
    return np.maximum(correct - majority, 0.0) / (sizes.sum(axis=0) - majority)


@score("accuracy-minus-error", "j-gamma", univariate=True, sparse=True, weights=True)
def accuracy_minus_error(
    X: Any, y: Any, sample_weight: Any = None, *, gamma: float = 1.0, theta: float = 0.0
) -> Array:
    r"""Score discrete features by accuracy less gamma times error over decided values [1]_.

    .. math:: s_j = \sum_v \max_k P(k, v) - \gamma \min_k P(k, v)

    over the values v with :math:`|P(+, v) - P(-, v)| \ge \theta`. A column without such values
    scores minus infinity and should be dropped. ``gamma=0, theta=0`` gives the accuracy of which
    `bayesian_accuracy` is the gain.

    Parameters
    ----------
    X, y, sample_weight : array-like
        The table, two classes, and the weights of the rows.
    gamma : float
        The weight of errors.
    theta : float
        The smallest difference of the class probabilities of a decided value.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       indices of the confusion matrix.

    Examples
    --------
    >>> accuracy_minus_error([[0, 1], [0, 1], [1, 1], [0, 1]], [0, 0, 1, 1], theta=0.1)
    array([ 0.5, -inf])
    """
    return over_ties(X, y, sample_weight, partial(_decided, gamma=gamma, theta=theta), 2)


def _decided(masses: Array, gamma: float, theta: float) -> Array:
    """Give the score of each column of masses, of shape (2, n_columns, n_values)."""
    n = masses.sum(axis=(0, 2), keepdims=True)
    chances = masses / n
    decided = (np.abs(masses[1] - masses[0]) / n[0] >= theta) & masses.any(axis=0)
    gains = (chances.max(axis=0) - gamma * chances.min(axis=0)) * decided
    return np.where(decided.any(axis=1), gains.sum(axis=1), -np.inf)


@score("one-rule", "1r", multiclass=True, univariate=True, sparse=True, weights=True)
def one_rule(X: Any, y: Any, sample_weight: Any = None, *, bucket: float = 6) -> Array:
    """Score features by the gain of Holte's one-level rule on the majority [1]_.

    In ascending order of values, an interval grows until its majority class has `bucket` rows and
    the next value is not all of that class. Each interval then predicts its majority, the larger
    class if several tie. The score is `bayesian_accuracy` on the intervals. Neighbours of one
    majority need not be merged, because their predictions are the same.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       1R (Holte's default of 6).

    Examples
    --------
    >>> one_rule([[0.0], [1.0], [2.0], [3.0], [4.0]], list("aabba"), bucket=2)
    array([1.])
    """
    return over_ties(X, y, sample_weight, partial(_one_rule, bucket=bucket))


def _one_rule(masses: Array, bucket: float) -> Array:
    """Give the score of each column of masses, of shape (n_classes, n_columns, n_values)."""
    # Classes are sorted by size, so that argmax gives the larger of equal ones. All columns grow
    # their intervals together, one value after the other.
    order = order_of_size(masses.sum(axis=2).T, (masses @ lots(np.arange(masses.shape[2]))).T)
    masses = np.take_along_axis(masses, order.T[:, :, None], axis=0)
    interval = np.zeros(masses.shape[:2])  # class counts of the interval that grows in each column
    correct = np.zeros(masses.shape[1])
    columns = np.arange(masses.shape[1])
    for value in np.ascontiguousarray(np.moveaxis(masses, 2, 0)):
        majority = interval.argmax(axis=0)
        most = interval[majority, columns]
        cut = (most >= bucket) & (value[majority, columns] < value.sum(axis=0))
        correct += most * cut
        interval = interval * ~cut + value
    return _gain(correct + interval.max(axis=0), masses)
