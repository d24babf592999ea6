"""Cuts that look at the scores alone: a number, a share, a threshold, the largest gap."""

from __future__ import annotations

import numpy as np

from subsel.ranking.cuts.ordered_scores import CutResult, OrderedScores
from subsel.ranking.cuts.registry import check_share, cut

__all__ = ["gap_sizes", "largest_gap", "n_by_fraction", "n_by_k"]


@cut("k")
def by_k(ranked: OrderedScores, k: float) -> CutResult:
    """Keep the k best; of equal scores the first columns."""
    return CutResult(ranked.first(n_by_k(k, len(ranked.scores))), "number asked for")


@cut("fraction")
def by_fraction(ranked: OrderedScores, share: float) -> CutResult:
    """Keep the best share of the columns, rounded up."""
    return CutResult(ranked.first(n_by_fraction(share, len(ranked.scores))), "share asked for")


@cut("threshold")
def by_threshold(ranked: OrderedScores, threshold: float) -> CutResult:
    """Keep scores at or above a threshold [1]_.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, thresholds on a relevance index.
    """
    return CutResult(ranked.scores >= threshold, "threshold asked for")


@cut("gap")
def by_gap(ranked: OrderedScores) -> CutResult:
    """Keep everything above the largest gap between consecutive scores [1]_.

    References
    ----------
    .. [1] D. Roobaert, G. Karakoulas and N. V. Chawla, "Information Gain, Correlation and Support
       Vector Machines", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 22, column
       averages of the correlation.
    """
    return CutResult(ranked.first(largest_gap(ranked.scores)), "largest gap")


def largest_gap(scores: np.ndarray) -> int:
    """Give the number of scores above the largest gap between finite ones, the first of equal gaps.

    If some are infinite, only these are above it; if all are equal, all are. NaN is below
    everything.

    Examples
    --------
    >>> largest_gap(np.array([0.9, 0.1, 0.85, 0.2]))
    2
    """
    if infinite := int(np.isposinf(scores).sum()):
        return infinite
    ordered = np.sort(scores[np.isfinite(scores)])[::-1]
    gaps = ordered[:-1] - ordered[1:]
    if len(gaps) == 0 or gaps.max() <= 0:
        return len(ordered)
    return int(np.argmax(gaps)) + 1


def gap_sizes(scores: np.ndarray, n_sizes: int = 10, most: int = 500) -> np.ndarray:
    """Give the numbers of features above the largest gaps of a ranking, ascending [1]_.

    They are candidates for cross-validation.

    Parameters
    ----------
    scores : ndarray of shape (n_columns,)
        The scores.
    n_sizes : int
        The largest number of gaps.
    most : int
        The largest number of features.

    References
    ----------
    .. [1] K. Torkkola and E. Tuv, "Ensembles of Regularized Least Squares Classifiers for
       High-Dimensional Problems", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 11,
       section 11.5.1, the gap of importances.

    Examples
    --------
    >>> gap_sizes(np.array([0.9, 0.1, 0.85, 0.2, 0.5]), n_sizes=2)
    array([2, 3])
    """
    ordered = np.sort(scores[np.isfinite(scores)])[::-1][: most + 1]
    gaps = ordered[:-1] - ordered[1:]
    if not np.any(gaps > 0):
        return np.array([max(len(ordered), 1)])
    widest = np.argsort(-gaps, kind="stable")[:n_sizes]
    return np.sort(widest[gaps[widest] > 0]) + 1


def n_by_k(k: float, n: int) -> int:
    """Check that k is a whole number from 1 to n, and give it as an int.

    Examples
    --------
    >>> n_by_k(3.0, 10)
    3
    """
    if not (1 <= k <= n and k == int(k)):
        raise ValueError(f"k must be a whole number between 1 and n_features = {n}, got {k:g}.")
    return int(k)


def n_by_fraction(share: float, n: int) -> int:
    """Give a share of n, rounded up (but not by rounding errors).

    Examples
    --------
    >>> n_by_fraction(0.07, 100), n_by_fraction(0.001, 10)
    (7, 1)
    """
    return int(np.ceil(round(check_share("fraction", share) * n, 9)))
