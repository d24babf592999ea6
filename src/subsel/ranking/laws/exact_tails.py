"""Exact laws under permuted labels, by counting."""

from math import comb, gcd
from typing import Any

import numpy as np
from scipy import special

__all__ = [
    "hypergeometric_log_tails",
    "inversions_tail",
    "kolmogorov_tail",
    "log_comb",
    "log_tails",
    "rank_sum_tail",
    "runs_tail",
]

Array = np.ndarray


def rank_sum_tail(n: int, m: int) -> Array:
    """P(U >= u) of the Mann-Whitney statistic without ties, for u = 0 .. n m.

    The counts are the coefficients of the Gaussian binomial, in whole numbers of any size.

    Examples
    --------
    >>> rank_sum_tail(1, 2)
    array([1.        , 0.66666667, 0.33333333])
    """
    few, many = min(n, m), max(n, m)
    counts = np.zeros(n * m + 1, dtype=object)
    counts[0] = 1
    for i in range(1, few + 1):
        shifted = counts[: max(len(counts) - many - i, 0)].copy()
        counts[many + i :] -= shifted  # times 1 - q^(many + i)
        for start in range(i):
            counts[start::i] = np.cumsum(counts[start::i])  # over 1 - q^i
    return _tail(counts)


def inversions_tail(n: int) -> Array:
    """P(inversions >= d) of a random order of n, for d = 0 .. n(n-1)/2.

    Examples
    --------
    >>> inversions_tail(3)
    array([1.        , 0.83333333, 0.5       , 0.16666667])
    """
    counts = np.ones(1, dtype=object)
    for i in range(2, n + 1):
        counts = np.convolve(counts, np.ones(i, dtype=object))
    return _tail(counts)


def runs_tail(n: int, m: int) -> Array:
    """P(agreements >= t) of neighbours in a random order of n and m, for t = 0 .. n + m (Wald-Wolfowitz).

    Examples
    --------
    >>> runs_tail(1, 2)
    array([1.        , 0.66666667, 0.        , 0.        ])
    """
    counts = np.zeros(n + m + 1, dtype=object)
    for r in range(2, n + m + 1):  # runs
        fewer, more = r // 2, r - r // 2  # runs of either class, which may begin
        counts[n + m - r] = comb(n - 1, fewer - 1) * comb(m - 1, more - 1)
        counts[n + m - r] += comb(n - 1, more - 1) * comb(m - 1, fewer - 1)
    return _tail(counts)


def _tail(counts: Array) -> Array:
    total = counts.sum()
    return np.array([int(c) / int(total) for c in np.cumsum(counts[::-1])[::-1]])


def kolmogorov_tail(gap: Array, n: int, m: int) -> Array:
    """P(D >= gap) of the Kolmogorov-Smirnov statistic without ties, for an array of gaps.

    The chance that a path of n and m unit steps touches ``|i/n - j/m| >= gap``, walked back from
    its end for all the gaps together. Only positive numbers are added: small probabilities are as
    accurate as large ones.

    Examples
    --------
    >>> kolmogorov_tail(np.array([0.0, 0.5, 1.0]), 2, 2)
    array([1.        , 1.        , 0.33333333])
    """
    common = gcd(n, m)
    reach = np.rint(gap * (n * m // common))
    touch = np.zeros((m + 2, len(gap)))  # from cell i, j on; row i over row i + 1
    for i in range(n, -1, -1):
        for j in range(m, -1, -1):
            ahead = ((n - i) * touch[j] + (m - j) * touch[j + 1]) / max(n - i + m - j, 1)
            touch[j] = np.where(abs(i * m - j * n) // common >= reach, 1.0, ahead)
    return touch[0]


def hypergeometric_log_tails(
    drawn: Array, total: int, positive: int, hits: Array
) -> tuple[Array, Array]:
    """Logarithms of P(K <= hits) and P(K >= hits), K the positives among `drawn` of `total` rows.

    Examples
    --------
    >>> lower, upper = hypergeometric_log_tails(np.array([2]), 4, 2, np.array([2]))
    >>> np.exp(lower), np.exp(upper)
    (array([1.]), array([0.16666667]))
    """
    lower, upper = np.empty((2, len(hits)))
    for size in np.unique(drawn):
        k = np.arange(max(0, size + positive - total), min(size, positive) + 1)
        log_p = log_comb(positive, k) + log_comb(total - positive, size - k) - log_comb(total, size)
        of_size = drawn == size
        place = hits[of_size] - k[0]
        below, above = log_tails(log_p)
        lower[of_size], upper[of_size] = below[place], above[place]
    return lower, upper


def log_tails(log_chances: Array) -> tuple[Array, Array]:
    """Logarithms of the chance of each outcome and all before it, and of it and all after it.

    Examples
    --------
    >>> np.exp(log_tails(np.log([0.5, 0.25, 0.25]))).round(9)
    array([[0.5 , 0.75, 1.  ],
           [1.  , 0.5 , 0.25]])
    """
    lower = np.logaddexp.accumulate(log_chances)
    upper = np.logaddexp.accumulate(log_chances[::-1])[::-1]
    return np.minimum(lower, 0.0), np.minimum(upper, 0.0)


def log_comb(n: Any, k: Any) -> Array:
    """Logarithm of the number of ways to choose k of n.

    Examples
    --------
    >>> np.exp(log_comb(4, np.array([0, 1, 2]))).round(9)
    array([1., 4., 6.])
    """
    return -np.log(n + 1) - special.betaln(n - k + 1, k + 1)
