"""Fayyad and Irani's intervals: cut while the classes' entropy falls by more than a cut costs to describe."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from subsel.data.intervals.base import SupervisedDiscretiser, between

__all__ = ["MDL"]


class MDL(SupervisedDiscretiser):
    r"""Cut where the classes' entropy falls by more than the cut costs to describe (Fayyad and Irani 1993).

    A set of N rows with k classes is cut in two where the gain is largest, if

    .. math:: \mathrm{gain} > \frac{\log_2(N-1) + \log_2(3^k - 2) - k H + k_1 H_1 + k_2 H_2}{N}

    and both parts are treated alike. A column that is nowhere cut tells nothing of the classes, by this rule [1]_.

    References
    ----------
    .. [1] D. Roobaert, G. Karakoulas and N. V. Chawla, "Information Gain, Correlation and Support Vector Machines",
       in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 22, information gain.

    Examples
    --------
    >>> X = np.array([[1], [2], [3], [4], [5], [6], [7], [8]])
    >>> MDL().fit(X, [0, 0, 0, 0, 1, 1, 1, 1]).cut_points_
    [array([4.5])]
    """

    def cuts(self, values: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Cut recursively, the left part first."""
        below = np.vstack([np.zeros(table.shape[1]), np.cumsum(table, axis=0)])
        found: list[int] = []
        waiting = [(0, len(values))]
        while waiting:
            begin, end = waiting.pop()
            cut = _accepted_cut(below[begin : end + 1] - below[begin])
            if cut:
                found.append(begin + cut)
                waiting += [(begin, begin + cut), (begin + cut, end)]
        return between(values, np.sort(np.array(found, dtype=np.intp)) - 1)


def _accepted_cut(below: np.ndarray) -> int:
    """Give the number of values left of the best cut, or 0 if none pays; ``below`` are cumulated counts."""
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
    price = (
        np.log2(n - 1) + k * np.log2(3) + np.log2(1 - 2 * 3.0**-k) - entropies
    )  # 3 ** k has no float from 647 on
    return cut + 1 if gain[cut] > price / n else 0


def _bits(counts: np.ndarray) -> np.ndarray:
    """Entropy times size, in bits."""
    total = counts.sum(axis=-1)
    return (xlogy(total, total) - xlogy(counts, counts).sum(axis=-1)) / np.log(2)
