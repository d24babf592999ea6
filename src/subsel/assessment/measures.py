"""Measures of the 2003 feature selection challenge, and scores against a known truth."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "balanced_error",
    "binary_auc",
    "compactness",
    "pairwise_scores",
    "pairwise_wins",
    "probe_share",
    "saliency",
]

ONE_SIDED = 1.6448536269514722  # the 95% point of the standard normal distribution


def balanced_error(y: Any, predicted: Any) -> float:
    """Give the balanced error rate: the mean over classes of the share that is misclassified [1]_.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 9.

    Examples
    --------
    >>> balanced_error([1, 1, 1, 1, 0], [1, 1, 1, 0, 1])
    0.625
    """
    y, wrong = np.asarray(y), np.asarray(y) != np.asarray(predicted)
    return float(np.mean([wrong[y == label].mean() for label in np.unique(y)]))


def binary_auc(positive: Any, confidence: Any) -> float:
    """Give the area under the ROC curve; NaN if a class is missing [1]_.

    It is the share of pairs of a positive and a negative row in the right order, where ties count
    half; with hard labels it is one minus the balanced error.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 9.

    Examples
    --------
    >>> binary_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    from scipy.stats import rankdata

    positive = np.asarray(positive, dtype=bool)
    n, m = int(positive.sum()), int((~positive).sum())
    if n == 0 or m == 0:
        return np.nan
    # the Mann-Whitney statistic: the rank sum of the positive rows, less its minimum
    return float((rankdata(confidence)[positive].sum() - n * (n + 1) / 2) / (n * m))


def probe_share(support: Any, probes: Any) -> float:
    """Give the share of the selected columns that are probes, 0 for an empty selection [1]_.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 9.

    Examples
    --------
    >>> probe_share([True, True, False], [False, True, True])
    0.5
    """
    support, probes = np.asarray(support, dtype=bool), np.asarray(probes, dtype=bool)
    if not support.any():
        return 0.0
    return float(probes[support].mean())


def pairwise_wins(
    wrong: Any,
    features: Any,
    probes: Any,
    y: Any = None,
    tolerance: float = 0.05,
) -> np.ndarray:
    r"""Compare all pairs of entries to one problem: +1, 0 or -1 for row against column [1]_.

    The error decides if McNemar's one-sided test at 5% risk finds a difference; else the fraction
    of features, if they differ by more than ``tolerance`` relative to the larger (our reading of
    "relative difference"); else the fraction of probes. Antisymmetric, but not transitive.

    Parameters
    ----------
    wrong : array of bool
        Where each entry erred, shape (n_entries, n_rows).
    features, probes : array of float
        Fraction of features used by each entry, and fraction of probes among them.
    y : array, optional
        The labels of the rows. If given, rows are weighted by the inverse of their class size, so
        that the balanced error decides (ours; for classes of equal size it is McNemar's statistic).

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 9.

    Examples
    --------
    >>> pairwise_wins(np.zeros((3, 8)), [0.5, 0.5, 0.1], [0.2, 0.1, 0.4])
    array([[ 0, -1, -1], [ 1, 0, -1], [ 1, 1, 0]])
    """
    wrong = np.asarray(wrong, dtype=float)
    features, probes = np.asarray(features, dtype=float), np.asarray(probes, dtype=float)
    z = _mcnemar_z(wrong, _weights(y, wrong.shape[1]))
    by_error = np.where(np.abs(z) > ONE_SIDED, -np.sign(z), 0)
    by_size = _by_size(features, tolerance)
    by_probes = -np.sign(np.subtract.outer(probes, probes))
    decided = np.where(by_error != 0, by_error, np.where(by_size != 0, by_size, by_probes))
    return np.nan_to_num(decided).astype(int)


def _by_size(features: np.ndarray, tolerance: float) -> np.ndarray:
    """Give +1 where the row has fewer features than the column by more than the tolerance."""
    gap, larger = np.subtract.outer(features, features), np.maximum.outer(features, features)
    return np.where(np.abs(gap) > tolerance * larger, -np.sign(gap), 0)


def pairwise_scores(pairs: Any) -> np.ndarray:
    """Give each entry's score, wins minus losses over opponents, times 100 [1]_.

    Scores of all entries sum to zero. With a leading axis of problems, ``pairs`` is averaged over
    it.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 9
       and appendix D.

    Examples
    --------
    >>> pairwise_scores([[0, 1, 1], [-1, 0, 0], [-1, 0, 0]])
    array([100., -50., -50.])
    """
    pairs = np.asarray(pairs, dtype=float)
    n = pairs.shape[-1]
    if n < 2:
        return np.zeros(pairs.shape[-1])
    scores = 100 * pairs.sum(axis=-1) / (n - 1)
    if scores.ndim == 2:
        return scores.mean(axis=0)
    return scores


def saliency(selected: Any, needed: Any) -> float:
    r"""Give how well a selection fits a known truth: ``n_g / n_r + n_u / n_f - 1`` [1]_.

    ``needed`` holds groups of exchangeable relevant columns. One column of each group is needed: of
    :math:`n_r` groups :math:`n_g` are represented. Of :math:`n_f` selected columns :math:`n_u`
    belong to a group. The value lies in [-1, 1]; an empty selection scores -1.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, section
       13.5.4.

    Examples
    --------
    >>> saliency([0, 3, 7, 8], needed=[[0, 1, 2], [3, 4, 5]])
    0.5
    """
    selected = set(np.asarray(selected).tolist())
    groups = [set(np.asarray(group).tolist()) for group in needed]
    if not selected:
        return -1.0
    n_represented = sum(bool(selected & group) for group in groups)
    return n_represented / len(groups) + len(selected & set().union(*groups)) / len(selected) - 1


def compactness(ranking: Any, relevant: Any) -> float:
    """Give the share of a ranking that must be read to find every relevant column [1]_.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 7.

    Examples
    --------
    >>> compactness([3, 0, 2, 1], relevant=[0, 3])
    0.5
    """
    ranking = np.asarray(ranking)
    return float((np.flatnonzero(np.isin(ranking, relevant)).max() + 1) / len(ranking))


def _weights(y: Any, n_rows: int) -> np.ndarray:
    """Give row weights of shape (n_rows,), equal in total for all classes; ones without labels."""
    if y is None:
        return np.ones(n_rows)
    _, codes, counts = np.unique(np.asarray(y), return_inverse=True, return_counts=True)
    return 1 / (len(counts) * counts[codes])


def _mcnemar_z(wrong: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Compute McNemar's z of each pair of entries, positive where the row errs more.

    It is computed entry by entry, so that memory is of the size of ``wrong``.
    """
    z = np.zeros((len(wrong), len(wrong)))
    for i, errors in enumerate(wrong):
        gap = errors - wrong
        spread = np.sqrt(gap**2 @ weights**2)
        z[i] = np.divide(gap @ weights, spread, out=np.zeros(len(wrong)), where=spread > 0)
    return z
