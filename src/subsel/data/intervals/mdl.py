"""Fayyad and Irani's intervals, by the minimum description length of the classes."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from subsel.data.intervals.base import SupervisedDiscretiser, between

__all__ = ["MDL"]


class MDL(SupervisedDiscretiser):
    r"""Cut where the entropy of the classes falls by more than the cut costs to describe [1]_ [2]_.

    A set of N rows with k classes is cut in two where the gain is largest, if

    .. math:: \mathrm{gain} > \frac{\log_2(N-1) + \log_2(3^k - 2) - k H + k_1 H_1 + k_2 H_2}{N}

    and both parts are cut in the same way. By this rule, a column without a cut is irrelevant to
    the classes.

    References
    ----------
    .. [1] U. M. Fayyad and K. B. Irani, "Multi-Interval Discretization of Continuous-Valued
       Attributes for Classification Learning", *IJCAI*, 1993.
    .. [2] D. Roobaert, G. Karakoulas and N. V. Chawla, "Information Gain, Correlation and Support
       Vector Machines", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 22, information
       gain.

    Examples
    --------
    >>> X = np.array([[1], [2], [3], [4], [5], [6], [7], [8]])
    >>> MDL().fit(X, [0, 0, 0, 0, 1, 1, 1, 1]).cut_points_
    [array([4.5])]
    """

    def cuts(self, values: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the cut points, found by dividing the values recursively."""
        below = np.vstack([np.zeros(table.shape[1]), np.cumsum(table, axis=0)])
        cuts: list[int] = []
        open_parts = [(0, len(values))]
        while open_parts:
            begin, end = open_parts.pop()
            cut = _accepted_cut(below[begin : end + 1] - below[begin])
            if cut:
                cuts.append(begin + cut)
                open_parts += [(begin, begin + cut), (begin + cut, end)]
        return between(values, np.sort(np.array(cuts, dtype=np.intp)) - 1)


def _accepted_cut(below: np.ndarray) -> int:
    """Return the number of values left of the best cut, or 0 if no cut is accepted.

    `below`, of shape (n_values + 1, n_classes), are cumulated counts from 0 on.
    """
    left, whole = below[1:-1], below[-1]
    n = whole.sum()
    if len(left) == 0 or n <= 2:
        return 0
    right = whole - left
    left_bits, right_bits, bits = (_bits(part) for part in (left, right, whole))
    gain = (bits - left_bits - right_bits) / n
    cut = int(np.argmax(gain))
    k, k_left, k_right = (np.count_nonzero(part) for part in (whole, left[cut], right[cut]))
    entropies = (
        k * bits / n
        - k_left * left_bits[cut] / left[cut].sum()
        - k_right * right_bits[cut] / right[cut].sum()
    )
    # log2(3**k - 2) = k log2(3) + log2(1 - 2 / 3**k): 3**k itself overflows from k = 647 on
    cost = np.log2(n - 1) + k * np.log2(3) + np.log2(1 - 2 * 3.0**-k) - entropies
    return cut + 1 if gain[cut] > cost / n else 0


def _bits(counts: np.ndarray) -> np.ndarray:
    """Return the entropy of counts times their sum, in bits."""
    total = counts.sum(axis=-1)
    return (xlogy(total, total) - xlogy(counts, counts).sum(axis=-1)) / np.log(2)
