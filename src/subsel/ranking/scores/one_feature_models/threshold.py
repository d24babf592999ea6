"""Scores by the best threshold on one column.

A threshold may lie below all values, so that no score is below that of the best constant rule,
which is the score of a constant column. Both directions are tried. The second of two labels is the
positive class. Rules are evaluated on the training rows; weights count rows.
"""

from functools import partial
from typing import Any

import numpy as np

from subsel.data.statistics.ties import over_ties
from subsel.ranking.registry import score
from subsel.ranking.scores.ranks.kolmogorov_smirnov import (
    kolmogorov_smirnov,
    kolmogorov_smirnov_p_value,
)

__all__ = ["threshold_accuracy", "threshold_balanced_accuracy", "threshold_cost", "threshold_f1"]

Array = np.ndarray


@score("threshold-accuracy", "threshold-error", univariate=True, sparse=True, weights=True)
def threshold_accuracy(X: Any, y: Any, sample_weight: Any = None) -> Array:
    """Score features by the accuracy of their best threshold [1]_.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       indices of the confusion matrix.

    Examples
    --------
    >>> threshold_accuracy([[0.0, 1.0], [2.0, 1.0], [1.0, 1.0], [3.0, 1.0]], [0, 0, 1, 1])
    array([0.75, 0.5 ])
    """
    return 1 + threshold_cost(X, y, sample_weight, alpha=1.0)


@score(
    "threshold-balanced-accuracy",
    "threshold-ber",
    "ssv-balanced",
    p_value=kolmogorov_smirnov_p_value,
    univariate=True,
    sparse=True,
    weights=True,
)
def threshold_balanced_accuracy(X: Any, y: Any, sample_weight: Any = None) -> Array:
    """Score features by the balanced accuracy of their best threshold [1]_ [2]_.

    It is one minus the balanced error rate, and ``(1 + KS) / 2`` with the `kolmogorov_smirnov` gap,
    so that both have the same p-value.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       indices of the confusion matrix.
    .. [2] K. Grabczewski and N. Jankowski, "Mining for Complex Models Comprising Feature Selection
       and Classification", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 23, the SSV
       criterion.

    Examples
    --------
    >>> threshold_balanced_accuracy([[0.0, 1.0], [2.0, 1.0], [1.0, 1.0], [3.0, 1.0]], [0, 0, 1, 1])
    array([0.75, 0.5 ])
    """
    return (1 + kolmogorov_smirnov(X, y, sample_weight)) / 2


@score("threshold-f1", "f1", univariate=True, sparse=True, weights=True)
def threshold_f1(X: Any, y: Any, sample_weight: Any = None) -> Array:
    r"""Score features by the F1 of their best threshold [1]_.

    .. math:: s_j = \max_t 2 tp / (2 tp + fp + fn)

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       indices of the confusion matrix.

    Examples
    --------
    >>> threshold_f1([[0.0, 1.0], [2.0, 1.0], [1.0, 1.0], [3.0, 1.0]], [0, 0, 1, 1])
    array([0.8       , 0.66666667])
    """
    return over_ties(X, y, sample_weight, _best_f1, 2)


def _best_f1(masses: Array) -> Array:
    """Give the best F1 of each column of masses, of shape (2, n_columns, n_values)."""
    below = np.cumsum(masses, axis=2)
    total = below[:, :, -1:]
    sides = np.stack([below, total - below])
    return (2 * sides[:, 1] / (sides.sum(axis=1) + total[1])).max(axis=(0, 2))


@score("threshold-cost", "cost-weighted-error", univariate=True, sparse=True, weights=True)
def threshold_cost(
    X: Any, y: Any, sample_weight: Any = None, *, alpha: float | None = None
) -> Array:
    r"""Score features by the least cost of a threshold, with its sign changed [1]_.

    .. math:: s_j = -\min_t (\alpha\, fn + fp)

    in fractions of all rows.

    Parameters
    ----------
    X, y, sample_weight : array-like
        The table, two classes, and the weights of the rows.
    alpha : float, optional
        The cost of a false negative, in false positives. By default it is the ratio of the negative
        to the positive share; the cost is then ``2 p^-`` times the balanced error rate.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       indices of the confusion matrix (the two kinds of error named as the stated equivalence needs
       them).

    Examples
    --------
    >>> threshold_cost([[0.0, 1.0], [2.0, 1.0], [1.0, 1.0], [3.0, 1.0]], [0, 0, 1, 1], alpha=2.0)
    array([-0.25, -0.5 ])
    """
    return over_ties(X, y, sample_weight, partial(_least_cost, alpha=alpha), 2)


def _least_cost(masses: Array, alpha: float | None) -> Array:
    """Give minus the least cost of each column of masses, of shape (2, n_columns, n_values)."""
    # Calling the values up to a threshold negative changes the cost of calling all rows positive by
    # the cumulative sum of alpha times the positive less the negative rows; in the other direction
    # the same sum is subtracted from the cost of calling all rows negative.
    negative, positive = (part.sum(axis=1) for part in masses)
    if alpha is None:
        alpha = negative[0] / positive[0]
    cost = np.cumsum(alpha * masses[1] - masses[0], axis=1)
    most, least = np.maximum(cost.max(axis=1), 0), np.minimum(cost.min(axis=1), 0)
    return -np.minimum(negative + least, alpha * positive - most) / (negative + positive)
