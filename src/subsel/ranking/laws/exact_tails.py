"""Exact null distributions under permuted labels, by counting."""

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
    """Give P(U >= u) of the Mann-Whitney statistic without ties, for u = 0 .. n m.

    The counts are the coefficients of the Gaussian binomial, as Python integers of any size.

    Examples
    --------
    >>> rank_sum_tail(1, 2)
    array([1.        , 0.66666667, 0.33333333])
    """
    # The number of orders with U = u is the coefficient of q^u in the Gaussian binomial,
    # prod_{i=1}^{few} (1 - q^(many+i)) / (1 - q^i) (Andrews, The Theory of Partitions, 1976,
    # chapter 3). A factor above multiplies the series, which is a shifted difference; one below
    # divides it, which is a cumulative sum of stride i. Powers above n m are never needed.
    few, many = min(n, m), max(n, m)
    counts = np.zeros(n * m + 1, dtype=object)
    counts[0] = 1
    for i in range(1, few + 1):
        shifted = counts[: max(len(counts) - many - i, 0)].copy()
        counts[many + i :] -= shifted
        for start in range(i):
            counts[start::i] = np.cumsum(counts[start::i])
    return _tail(counts)


def inversions_tail(n: int) -> Array:
    """Give P(inversions >= d) of a random permutation of n, for d = 0 .. n(n-1)/2.

    Examples
    --------
    >>> inversions_tail(3)
    array([1.        , 0.83333333, 0.5       , 0.16666667])
    """
    # The generating function of inversions is prod_{i=2}^{n} (1 + q + ... + q^(i-1)): the i-th item
    # passes 0 to i - 1 of those before it (Knuth, The Art of Computer Programming 3, 1973, 5.1.1).
    counts = np.ones(1, dtype=object)
    for i in range(2, n + 1):
        counts = np.convolve(counts, np.ones(i, dtype=object))
    return _tail(counts)


def runs_tail(n: int, m: int) -> Array:
    """Give P(agreements >= t) for t = 0 .. n + m, in a random order of n and m labels.

    An agreement is a pair of neighbours of one label: n + m less the number of runs (Wald and
    Wolfowitz).

    Examples
    --------
    >>> runs_tail(1, 2)
    array([1.        , 0.66666667, 0.        , 0.        ])
    """
    # Orders with r runs: the runs alternate, and n rows fall into k runs in C(n - 1, k - 1) ways;
    # either class may begin (Wald and Wolfowitz, "On a test whether two samples are from the same
    # population", Annals of Mathematical Statistics 11, 1940).
    counts = np.zeros(n + m + 1, dtype=object)
    for r in range(2, n + m + 1):
        fewer, more = r // 2, r - r // 2
        counts[n + m - r] = comb(n - 1, fewer - 1) * comb(m - 1, more - 1)
        counts[n + m - r] += comb(n - 1, more - 1) * comb(m - 1, fewer - 1)
    return _tail(counts)


def _tail(counts: Array) -> Array:
    """Give P(value >= i) from the numbers of equally likely outcomes with each value i."""
    # Sums and total are Python integers; each quotient of two is rounded once, so that it is exact
    # to half a unit in the last place.
    total = counts.sum()
    return np.array([int(c) / int(total) for c in np.cumsum(counts[::-1])[::-1]])


def kolmogorov_tail(gap: Array, n: int, m: int) -> Array:
    """Give P(D >= gap) of the Kolmogorov-Smirnov statistic without ties, for an array of gaps.

    It is the probability that a random lattice path of n steps one way and m the other touches
    ``|i/n - j/m| >= gap``.

    Examples
    --------
    >>> kolmogorov_tail(np.array([0.0, 0.5, 1.0]), 2, 2)
    array([1.        , 1.        , 0.33333333])
    """
    # All orders of the two samples are equally likely lattice paths from (0, 0) to (n, m) (Hodges,
    # "The significance probability of the Smirnov two-sample test", Arkiv för Matematik 3, 1958).
    # With P(i, j) the chance to touch from (i, j) on, P is 1 where the gap is reached and elsewhere
    # ((n-i) P(i+1, j) + (m-j) P(i, j+1)) / (n-i + m-j). Only positive numbers are added, so that
    # small probabilities have the relative accuracy of large ones; gaps are compared as integers.
    common = gcd(n, m)
    least = np.rint(gap * (n * m // common))  # gaps in units of the least common multiple
    touch = np.zeros((m + 2, len(gap)))  # P(i, j) for each j; row i overwrites row i + 1
    for i in range(n, -1, -1):
        for j in range(m, -1, -1):
            ahead = ((n - i) * touch[j] + (m - j) * touch[j + 1]) / max(n - i + m - j, 1)
            touch[j] = np.where(abs(i * m - j * n) // common >= least, 1.0, ahead)
    return touch[0]


def hypergeometric_log_tails(
    drawn: Array, total: int, positive: int, hits: Array
) -> tuple[Array, Array]:
    """Give the logarithms of P(K <= hits) and P(K >= hits) of the hypergeometric distribution.

    K is the number of positives among rows drawn without replacement.

    Parameters
    ----------
    drawn : ndarray of int
        The number of rows drawn, for each column.
    total, positive : int
        The number of rows, and of the positive ones among them.
    hits : ndarray of int
        The positives among the drawn rows, for each column.

    Returns
    -------
    lower, upper : ndarray
        Logarithms of both tails, for each column.

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
        same_size = drawn == size
        place = hits[same_size] - k[0]
        below, above = log_tails(log_p)
        lower[same_size], upper[same_size] = below[place], above[place]
    return lower, upper


def log_tails(log_chances: Array) -> tuple[Array, Array]:
    """Give the logarithms of both tails at each outcome, the outcome included in either.

    Probabilities are summed as logarithms: a tail below the smallest float keeps its digits.

    Parameters
    ----------
    log_chances : ndarray of shape (n_outcomes,)
        Logarithms of the probabilities of the outcomes, in their order.

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
    """Give the logarithm of the number of ways to choose k of n.

    Examples
    --------
    >>> np.exp(log_comb(4, np.array([0, 1, 2]))).round(9)
    array([1., 4., 6.])
    """
    # C(n, k) = 1 / ((n + 1) B(n - k + 1, k + 1)), from B(a, b) = Gamma(a) Gamma(b) / Gamma(a + b);
    # betaln loses fewer digits than the difference of three large gammaln.
    return -np.log(n + 1) - special.betaln(n - k + 1, k + 1)
