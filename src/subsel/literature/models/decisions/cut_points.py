"""Where to cut a score that tells two classes apart: by balanced error, by correlation, by the share of a class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["CUT_RULES", "class_share_cut", "largest_mcc_cut", "least_ber_cut"]


def least_ber_cut(scores: np.ndarray, positive: np.ndarray) -> float:
    """Return the cut with the least balanced error rate of "positive above it", the lowest of several.

    Cuts lie midway between distinct scores, or beyond all of them (infinity).

    References
    ----------
    .. [1] Saffari, *Variable selection using correlation and single variable classifier methods*,
       in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 14, section 14.4.

    Examples
    --------
    >>> least_ber_cut(np.array([0.1, 0.2, 0.3, 0.9]), np.array([False, False, True, True]))
    0.25
    """
    table = _Table.of(scores, positive)
    return float(table.cuts[np.argmax(table.tpr() - table.fpr())])


def largest_mcc_cut(scores: np.ndarray, positive: np.ndarray) -> float:
    r"""Return the cut with the largest chi-square of the 2 x 2 table among those that point the right way.

    As :math:`\chi^2 = m\,\mathrm{MCC}^2`, that is the cut of the largest Matthews correlation [1]_.

    References
    ----------
    .. [1] Boulle, *An enhanced selective naive Bayes method with optimal discretization*, in Guyon
       et al. (eds.), *Feature Extraction*, 2006, chapter 25, section 25.2; the sign is ours.

    Examples
    --------
    >>> largest_mcc_cut(np.array([1.0, 2.0, 4.0, 9.0]), np.array([False, False, True, True]))
    3.0
    """
    table = _Table.of(scores, positive)
    n, n_positive = len(scores), np.count_nonzero(positive)
    called = table.true + table.false
    spread = np.sqrt(called * (n - called) * n_positive * (n - n_positive), dtype=float)
    product = table.true * (n - n_positive - table.false) - table.false * (n_positive - table.true)
    return float(
        table.cuts[
            np.argmax(np.divide(product, spread, out=np.zeros(len(called)), where=spread > 0))
        ]
    )


def class_share_cut(scores: np.ndarray, positive: np.ndarray) -> float:
    """Return the cut above which there are as many scores as there are positives, or as near to it as ties allow.

    Examples
    --------
    >>> class_share_cut(np.array([1.0, 2.0, 4.0, 9.0]), np.array([True, False, False, False]))
    6.5
    """
    table = _Table.of(scores, positive)
    return float(
        table.cuts[np.argmin(np.abs(table.true + table.false - np.count_nonzero(positive)))]
    )


CUT_RULES = {"ber": least_ber_cut, "mcc": largest_mcc_cut, "class-share": class_share_cut}


class _Table(NamedTuple):
    """For every cut, how many positives and how many negatives lie above it."""

    cuts: np.ndarray
    true: np.ndarray
    false: np.ndarray

    @classmethod
    def of(cls, scores: np.ndarray, positive: np.ndarray) -> _Table:
        values, place = np.unique(np.asarray(scores, dtype=np.float64), return_inverse=True)
        at = np.bincount(place, positive, len(values)), np.bincount(place, ~positive, len(values))
        above = [np.append(count[::-1].cumsum()[::-1], 0.0) for count in at]
        between = values[:-1] + np.diff(values) / 2
        return cls(np.concatenate([[-np.inf], between, [np.inf]]), *above)

    def tpr(self) -> np.ndarray:
        return self.true / max(self.true[0], 1)

    def fpr(self) -> np.ndarray:
        return self.false / max(self.false[0], 1)
