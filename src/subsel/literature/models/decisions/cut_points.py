"""Thresholds of a score for two classes: by balanced error, correlation or the share of a class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["CUT_RULES", "class_share_cut", "largest_mcc_cut", "least_ber_cut"]


def least_ber_cut(scores: np.ndarray, positive: np.ndarray) -> float:
    """Return the threshold of least balanced error rate, the lowest of several [1]_.

    Rows with larger scores are predicted positive. Thresholds are midway between distinct scores,
    or infinite.

    Parameters
    ----------
    scores : ndarray of shape (n_rows,)
        Scores.
    positive : ndarray of bool of shape (n_rows,)
        Which rows are of the positive class.

    References
    ----------
    .. [1] Saffari, *Variable selection using correlation and single variable classifier methods*,
       in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 14, section 14.4.

    Examples
    --------
    >>> least_ber_cut(np.array([0.1, 0.2, 0.3, 0.9]), np.array([False, False, True, True]))
    0.25
    """
    table = _Table.from_scores(scores, positive)
    # the balanced error rate is (1 - (true positive rate - false positive rate)) / 2
    return float(table.cuts[np.argmax(table.true_positive_rates() - table.false_positive_rates())])


def largest_mcc_cut(scores: np.ndarray, positive: np.ndarray) -> float:
    r"""Return the threshold with the largest chi-square of the 2 x 2 table of classes [1]_.

    Only thresholds above which the positive class is more frequent than below are compared. As
    :math:`\chi^2 = m\,\mathrm{MCC}^2`, it is the threshold of the largest Matthews correlation.

    Parameters
    ----------
    scores : ndarray of shape (n_rows,)
        Scores.
    positive : ndarray of bool of shape (n_rows,)
        Which rows are of the positive class.

    References
    ----------
    .. [1] Boulle, *An enhanced selective naive Bayes method with optimal discretization*, in Guyon
       et al. (eds.), *Feature Extraction*, 2006, chapter 25, section 25.2; the sign is ours.

    Examples
    --------
    >>> largest_mcc_cut(np.array([1.0, 2.0, 4.0, 9.0]), np.array([False, False, True, True]))
    3.0
    """
    table = _Table.from_scores(scores, positive)
    # MCC = (TP TN - FP FN) / sqrt(predicted positives and negatives x actual positives and
    # negatives)
    n, n_positive = len(scores), np.count_nonzero(positive)
    n_above = table.true + table.false
    scale = np.sqrt(n_above * (n - n_above) * n_positive * (n - n_positive), dtype=float)
    product = table.true * (n - n_positive - table.false) - table.false * (n_positive - table.true)
    correlation = np.divide(product, scale, out=np.zeros(len(n_above)), where=scale > 0)
    return float(table.cuts[np.argmax(correlation)])


def class_share_cut(scores: np.ndarray, positive: np.ndarray) -> float:
    """Return the threshold above which there are as many scores as there are positive rows.

    With ties, the number of scores above it is as close to that as possible.

    Parameters
    ----------
    scores : ndarray of shape (n_rows,)
        Scores.
    positive : ndarray of bool of shape (n_rows,)
        Which rows are of the positive class.

    Examples
    --------
    >>> class_share_cut(np.array([1.0, 2.0, 4.0, 9.0]), np.array([True, False, False, False]))
    6.5
    """
    table = _Table.from_scores(scores, positive)
    return float(
        table.cuts[np.argmin(np.abs(table.true + table.false - np.count_nonzero(positive)))]
    )


CUT_RULES = {"ber": least_ber_cut, "mcc": largest_mcc_cut, "class-share": class_share_cut}


class _Table(NamedTuple):
    """The counts of both classes above each of k + 1 thresholds between k distinct scores."""

    cuts: np.ndarray  # (k + 1,) thresholds, the first and the last infinite
    true: np.ndarray  # (k + 1,) positive rows above each threshold
    false: np.ndarray  # (k + 1,) negative rows above each threshold

    @classmethod
    def from_scores(cls, scores: np.ndarray, positive: np.ndarray) -> _Table:
        """Count the rows of both classes above each threshold."""
        values, place = np.unique(np.asarray(scores, dtype=np.float64), return_inverse=True)
        counts = [np.bincount(place, mask, len(values)) for mask in (positive, ~positive)]
        above = [np.append(count[::-1].cumsum()[::-1], 0.0) for count in counts]
        between = values[:-1] + np.diff(values) / 2
        return cls(np.concatenate([[-np.inf], between, [np.inf]]), *above)

    def true_positive_rates(self) -> np.ndarray:
        """Return the share of the positive rows above each threshold."""
        return self.true / max(self.true[0], 1)

    def false_positive_rates(self) -> np.ndarray:
        """Return the share of the negative rows above each threshold."""
        return self.false / max(self.false[0], 1)
