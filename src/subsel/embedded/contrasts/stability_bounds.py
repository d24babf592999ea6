"""How many features of low selection probability stability selection keeps at most, in expectation."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.optimize import brentq, minimize_scalar

__all__ = ["BOUNDS", "false_selections", "r_concave_bound", "unimodal_bound", "worst_case_bound"]


def worst_case_bound(
    n_selected: float,
    n_columns: int,
    threshold: float,
    n_pairs: int = 50,  # noqa: ARG001
) -> float:
    r"""Bound the expected number of false selections by :math:`q^2 / ((2\tau - 1)\,p)`.

    For independent half-samples where noise is exchangeable and the selector no worse than guessing; for complementary
    pairs without assumptions, for features whose selection probability on a half-sample is at most q/p.

    References
    ----------
    .. [1] Meinshausen and Bühlmann, *Stability selection*, JRSS B 72, 2010, theorem 1.
    .. [2] Shah and Samworth, *Variable selection with error control*, JRSS B 75, 2013, theorem 1.

    Examples
    --------
    >>> worst_case_bound(50, 1000, 0.9)
    3.125
    """
    if threshold <= 0.5:
        return float("inf")
    return round(n_selected**2 / ((2 * threshold - 1) * n_columns), 12)


def unimodal_bound(n_selected: float, n_columns: int, threshold: float, n_pairs: int = 50) -> float:
    r"""Bound it where the share of pairs that agree on a feature has a unimodal law.

    :math:`C(\tau, B)\, q^2 / p` with :math:`C = 1 / (2 (2\tau - 1 - 1/(2B)))` up to :math:`\tau = 3/4` and
    :math:`4 (1 - \tau + 1/(2B)) / (1 + 1/B)` beyond; never above the worst case, to which it returns where its
    conditions do not hold.

    References
    ----------
    .. [1] Shah and Samworth, *Variable selection with error control*, JRSS B 75, 2013, theorem 2.

    Examples
    --------
    >>> round(unimodal_bound(50, 1000, 0.9), 4)
    1.0784
    """
    worst, share = worst_case_bound(n_selected, n_columns, threshold), n_selected / n_columns
    least = min(0.5 + share**2, 0.5 + 1 / (2 * n_pairs) + 0.75 * share**2)
    if share > 1 / np.sqrt(3) or threshold <= least:
        return worst
    if threshold <= 0.75:
        factor = 1 / (2 * (2 * threshold - 1 - 1 / (2 * n_pairs)))
    else:
        factor = 4 * (1 - threshold + 1 / (2 * n_pairs)) / (1 + 1 / n_pairs)
    if factor <= 0:
        return worst
    return min(worst, factor * share * n_selected)


def r_concave_bound(
    n_selected: float, n_columns: int, threshold: float, n_pairs: int = 50
) -> float:
    r"""Bound it where the law of the share is r-concave: r = -1/2 for pairs that agree, -1/4 for half-samples.

    The sharpest of the three, and the one that its authors advise.

    References
    ----------
    .. [1] Shah and Samworth, *Variable selection with error control*, JRSS B 75, 2013, section 3.3 and appendix.

    Examples
    --------
    >>> r_concave_bound(50, 1000, 0.9) < unimodal_bound(50, 1000, 0.9) < worst_case_bound(50, 1000, 0.9)
    True
    """
    share = n_selected / n_columns
    worst = worst_case_bound(n_selected, n_columns, threshold)
    if threshold <= 0.5 or share >= 1:
        return worst
    halves = int(np.ceil(round(2 * n_pairs * threshold, 9)))
    both = halves - n_pairs
    together = tail_bound(round(share**2, 12), n_pairs, -0.5, both)
    alone = tail_bound(round(share, 12), 2 * n_pairs, -0.25, halves)
    return min(worst, min(together, alone) * n_columns)


BOUNDS = {"worst": worst_case_bound, "unimodal": unimodal_bound, "r-concave": r_concave_bound}


def false_selections(
    n_selected: float, n_columns: int, threshold: float, n_pairs: int
) -> dict[str, float]:
    """All three bounds by name.

    >>> {name: round(value, 2) for name, value in false_selections(10, 100, 0.8, 50).items()}
    {'worst': 1.67, 'unimodal': 0.82, 'r-concave': 0.19}
    """
    return {
        name: bound(n_selected, n_columns, threshold, n_pairs) for name, bound in BOUNDS.items()
    }


@lru_cache(maxsize=1024)
def tail_bound(mean: float, n: int, r: float, t: int) -> float:
    """The largest P(X >= t/n) over r-concave laws on 0, 1/n, ..., 1 of at most this mean.

    The extreme laws are :math:`(a + i)^{1/r}` up to a place k, and at most a smaller step after it.
    """
    s, target = -1 / r, mean * n
    first = int(np.ceil(2 * target)) + 1
    if t < first:
        return 1.0
    starts = range(max(first, t - 1), n + 1)
    reach = {k: _spread(k, target, s) for k in starts}
    largest = _tail(reach[n], n, t, target, s)
    for k in starts[:-1]:
        found = minimize_scalar(
            lambda a, k: -_tail(a, k, t, target, s),
            bounds=(reach[k + 1], reach[k]),
            args=(k,),
            method="bounded",
        )
        largest = max(largest, -found.fun)
    return float(min(1.0, largest))


def _spread(k: int, target: float, s: float, least: float = 1e-5, most: float = 1e5) -> float:
    """The a for which the law on 0 to k has the mean."""
    i = np.arange(k + 1)

    def excess(a: float) -> float:
        return float(i @ (a + i) ** -s / ((a + i) ** -s).sum() - target)

    if excess(least) < 0 < excess(most):
        return brentq(excess, least, most, xtol=1e-12)
    return most


def _tail(a: float, k: int, t: int, target: float, s: float) -> float:
    i = np.arange(k + 1)
    law = (a + i) ** -s
    return float(1 - (k + 1 - target) * law[:t].sum() / ((k + 1 - i) @ law))
