"""The area under the ROC curve, or Mann and Whitney's U, of each column.

Unchanged by increasing maps of a column. Tied values are one value with both classes in it. Weights
count rows: whole ones leave the laws exact, with others those of large samples are used.
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
FEW_ROWS = 8  # of a class up to which the Mann-Whitney law of untied columns is counted


def auc_p_value(X: Any, y: Any, sample_weight: Any = None) -> Array:
    """Two-sided p-value of `auc`, the Mann-Whitney test [1]_: twice the smaller tail under permuted labels.

    Exact where the ties of a column leave few outcomes (`subsel.ranking.laws.ties`), so for columns
    of two values, where it is `hypergeometric_p_value`, and for counts that are mostly zero; exact
    too where a class has at most 8 rows and the column no ties. Otherwise normal, with the variance
    corrected for ties and half a unit for continuity. Whole weights repeat rows; with other weights
    the law is always the normal one, which promises too much for columns that are rarely not zero.
    A constant column gets 1.

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
    r"""Score features by the area under the ROC curve of the column itself, in its better direction [1]_.

    .. math:: A_j = P(x^+ > x^-) + P(x^+ = x^-)/2, \quad s_j = \max(A_j, 1 - A_j)

    From 1/2, which a constant column gets, to 1. The Mann-Whitney statistic is ``m^+ m^-`` times
    the area. For a feature of two values this is the balanced accuracy of the rule it makes.

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
    return _rank_sums(masses)[0]


def _rank_sums(masses: Array) -> Array:
    """Pairs the positive class wins, ties counting half, and the sum of t^3 - t over ties."""
    negative, positive = masses
    below = np.cumsum(negative, axis=1) - negative / 2
    tied = masses.sum(axis=0)
    ties = np.einsum("jv,jv,jv->j", tied, tied, tied) - tied.sum(axis=1)
    return np.stack([np.einsum("jv,jv->j", positive, below), ties])
