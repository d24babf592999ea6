"""The area under the ROC curve, or Mann and Whitney's U, of each column.

Increasing maps of a column change nothing. Tied values are one value with both classes in it.
Weights count rows: whole weights leave the null distributions exact, with others those of large
samples are used.
"""

from typing import Any

import numpy as np
from scipy import sparse, special

from subsel.data.statistics.score_input import classes_and_codes
from subsel.data.statistics.ties import over_sorted, over_ties
from subsel.ranking.laws.exact_tails import rank_sum_tail
from subsel.ranking.laws.ties import are_whole, tied_log_tails, two_sided
from subsel.ranking.registry import score

__all__ = ["auc", "auc_p_value"]


Array = np.ndarray
FEW_ROWS = 8  # rows of the smaller class up to which the law of columns without ties is counted


def auc_p_value(X: Any, y: Any, sample_weight: Any = None) -> Array:
    """Compute the two-sided p-value of `auc`, that of the Mann-Whitney test [1]_.

    It is twice the smaller tail under permuted labels. It is exact where the ties of a column allow
    few tables (`subsel.ranking.laws.ties`): for columns of two values, where it is
    `hypergeometric_p_value`, and for counts that are mostly zero. It is also exact where a class
    has at most 8 rows and the column no ties. Otherwise it is normal, with the variance corrected
    for ties and half a unit for continuity. Whole weights repeat rows; with other weights the law
    is always the normal one, whose p-values are too small for columns that are mostly zero. A
    constant column has p-value 1.

    Parameters
    ----------
    X, y, sample_weight : array-like
        As in `auc`.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, the Wilcoxon-Mann-Whitney test.

    Examples
    --------
    >>> auc_p_value([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1]).round(6)
    array([0.333333])
    """
    return over_ties(X, y, sample_weight, _rank_sum_p_value, 2)


def _rank_sum_p_value(masses: Array) -> Array:
    """Give the p-value of each column of masses, of shape (2, n_columns, n_values)."""
    # Var U = nm / 12 ((n + m + 1) - sum (t^3 - t) / ((n + m)(n + m - 1))), t the sizes of ties
    # (Lehmann, Nonparametrics: Statistical Methods Based on Ranks, 1975, chapter 1).
    wins, ties = _rank_sums(masses)
    n, m = masses[:, 0].sum(axis=1)
    larger = np.maximum(wins, n * m - wins)
    variance = n * m / 12 * ((n + m + 1) - ties / max((n + m) * (n + m - 1), 1.0))
    z = np.divide(
        larger - n * m / 2 - 0.5,
        np.sqrt(variance),
        out=np.full_like(larger, -np.inf),
        where=variance > 0,
    )
    p = np.minimum(2 * special.ndtr(-z), 1.0)
    exact = two_sided(*tied_log_tails(masses, _wins))
    p = np.where(np.isnan(exact), p, exact)
    if min(n, m) <= FEW_ROWS:
        untied = (ties == 0) & np.isnan(exact) & are_whole(masses)
        p[untied] = np.minimum(2 * rank_sum_tail(int(n), int(m))[larger[untied].astype(int)], 1.0)
    return p


@score(
    "auc",
    "mann-whitney",
    "wilcoxon",
    p_value=auc_p_value,
    univariate=True,
    sparse=True,
    weights=True,
)
def auc(X: Any, y: Any, sample_weight: Any = None) -> Array:
    r"""Score features by the area under their own ROC curve, in the better direction [1]_.

    .. math:: A_j = P(x^+ > x^-) + P(x^+ = x^-)/2, \quad s_j = \max(A_j, 1 - A_j)

    The score lies between 1/2, for a constant column, and 1. The Mann-Whitney statistic is
    ``m^+ m^-`` times the area. For a feature of two values the area is the balanced accuracy of the
    rule that predicts a class from each value.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, the Wilcoxon-Mann-Whitney test (without ties).
    .. [2] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       indices of the confusion matrix.
    .. [3] R. M. Neal and J. Zhang, "High Dimensional Classification with Bayesian Neural Networks
       and Dirichlet Diffusion Trees", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       10, section 10.2, permutation test of ranks.

    Examples
    --------
    >>> auc([[0.0, 1.0], [2.0, 1.0], [1.0, 1.0], [3.0, 1.0]], [0, 0, 1, 1])
    array([0.75, 0.5 ])
    """
    n, m = np.bincount(classes_and_codes(X, y, 2, sample_weight)[1], sample_weight)
    if sparse.issparse(X) or sample_weight is not None:
        wins = over_ties(X, y, sample_weight, _wins, 2)
    else:
        from subsel._loops.statistics.distribution import wins_of_second

        wins = over_sorted(X, y, wins_of_second)
    area = np.divide(wins, n * m, out=wins)
    return np.maximum(area, 1 - area)


def _wins(masses: Array) -> Array:
    """Give the pairs that the positive class wins, ties counting half, for each column."""
    return _rank_sums(masses)[0]


def _rank_sums(masses: Array) -> Array:
    """Give the pairs that the positive class wins, and the sum of t^3 - t over ties of t rows.

    `masses` has shape (2, n_columns, n_values), values ascending; the answer (2, n_columns).
    """
    negative, positive = masses
    below = np.cumsum(negative, axis=1) - negative / 2
    tied = masses.sum(axis=0)
    ties = np.einsum("jv,jv,jv->j", tied, tied, tied) - tied.sum(axis=1)
    return np.stack([np.einsum("jv,jv->j", positive, below), ties])
