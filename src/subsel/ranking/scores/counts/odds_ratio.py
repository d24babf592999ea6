"""The odds ratio of a binary feature and two classes.

Each is a function of four counts and takes `PresenceCounts` in place of ``X`` (and then no ``y``).
A column is present (not zero) or absent; of two classes the second one is positive. To binarise at
another value, pass ``X > value``.
"""

from typing import Any

import numpy as np
from scipy import special

from subsel.data.statistics.class_counts import PresenceCounts, over_presence
from subsel.ranking.registry import score

__all__ = ["odds_ratio", "odds_ratio_p_value"]

Array = np.ndarray


def odds_ratio_p_value(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    """Compute the two-sided p-value of `odds_ratio`, by the normal law of its logarithm [1]_.

    The variance is the sum of one over the counts of the four cells (the fractions printed in the
    book lack the number of rows).

    Parameters
    ----------
    X, y, sample_weight : array-like
        As in `odds_ratio`.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, the odds ratio.

    Examples
    --------
    >>> odds_ratio_p_value([[1], [0], [1], [0]], [0, 0, 1, 1])
    array([1.])
    """
    return over_presence(_odds_p_value, X, y, sample_weight)


def _odds_p_value(counts: PresenceCounts) -> Array:
    cells, constant = cells_of(counts)
    z = np.abs(_log_odds(cells)) / np.sqrt((1 / cells).sum(axis=0))
    return np.where(constant, 1.0, np.minimum(2 * special.ndtr(-z), 1.0))


@score("odds-ratio", "odds", p_value=odds_ratio_p_value, univariate=True, sparse=True, weights=True)
def odds_ratio(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by the absolute logarithm of the odds ratio [1]_.

    .. math:: s_j = \left| \ln \frac{tpr_j (1 - fpr_j)}{(1 - tpr_j) fpr_j} \right|

    Where one of the four counts is zero, a half is added to each (Haldane). A constant column
    scores 0.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       indices of the confusion matrix (its second form corrected).
    .. [2] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, the odds ratio.

    Examples
    --------
    >>> odds_ratio([[0, 1], [1, 1], [1, 1], [1, 1]], [0, 0, 1, 1]).round(4)
    array([1.6094, 0.    ])
    """
    return over_presence(_odds, X, y, sample_weight)


def _odds(counts: PresenceCounts) -> Array:
    cells, constant = cells_of(counts)
    return np.where(constant, 0.0, np.abs(_log_odds(cells)))


def cells_of(counts: PresenceCounts) -> tuple[Array, Array]:
    """Give the counts of the four cells, shape (4, n_columns), and which columns are constant.

    Rows are present in each class, then absent in each class. A half is added to all four counts of
    a column if one is zero (Haldane).
    """
    cells = np.concatenate([counts.present, np.maximum(counts.mass[:, None] - counts.present, 0.0)])
    total = counts.present.sum(axis=0)
    constant = (total == 0) | (cells[2:].sum(axis=0) == 0)
    return cells + 0.5 * (cells == 0).any(axis=0), constant


def _log_odds(cells: Array) -> Array:
    present_negative, present_positive, absent_negative, absent_positive = np.log(cells)
    return present_positive + absent_negative - present_negative - absent_positive
