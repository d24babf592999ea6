"""Bounds of the least error of telling the classes, from entropy.

The parameters ``discretise`` and ``sample_weight``, and counting ahead, are those of
:mod:`subsel.ranking.scores.counts.contingency`.
"""

from typing import Any

import numpy as np
from scipy.special import entr

from subsel.data.statistics.count_statistics import contingency_tables
from subsel.data.statistics.entropy import entropies
from subsel.data.statistics.joint_counts import JointCounts

__all__ = ["bayes_error_bounds"]


def bayes_error_bounds(
    X: Any, y: Any, *, discretise: Any = "auto", sample_weight: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    r"""Bound the least error of telling the classes from each column, by the entropy left [1]_.

    .. math:: h(e) + e \log_2 (K - 1) \ge H(Y \mid X), \qquad e \le H(Y \mid X) / 2

    in bits, h the entropy of two chances: Fano's inequality in its sharp form, solved for the smallest e, and that of
    Hellman and Raviv. Columns of equal entropy may differ in error, so both bounds are attained. They bound the error in
    the law of the counts, which is optimistic for columns of many values.

    Returns
    -------
    lower, upper : ndarray
        The upper bound is at most that of always guessing the largest class.

    References
    ----------
    .. [1] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       6, bounds of the Bayes error.

    Examples
    --------
    >>> lower, upper = bayes_error_bounds(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1])
    >>> lower.round(3), upper.round(3)
    (array([0. , 0.5]), array([0. , 0.5]))
    """
    found = [
        _error_bounds(tables) for tables in contingency_tables(X, y, discretise, sample_weight)
    ]
    lower, upper = (np.concatenate(bounds) for bounds in zip(*found))
    return lower, upper


def _error_bounds(tables: JointCounts) -> tuple[np.ndarray, np.ndarray]:
    of_values, _, jointly = entropies(tables)
    left = np.maximum(jointly - of_values, 0.0) / np.log(2)
    guess = 1 - tables.class_totals.max(axis=1) / tables.totals
    n_classes = tables.counts.shape[1]
    low, high = np.zeros_like(left), np.full_like(left, 1 - 1 / n_classes)
    for _ in range(60):  # what stands left of Fano's inequality rises up to 1 - 1/K
        middle = (low + high) / 2
        enough = (entr(middle) + entr(1 - middle)) / np.log(2) + middle * np.log2(
            max(n_classes - 1, 1)
        ) >= left
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    lower = np.where(left > 1e-12, low, 0.0)
    return lower, np.maximum(np.minimum(left / 2, guess), lower)
