"""Bounds on the expected number of false selections of stability selection.

Their parameters are the mean number of features selected on a half-sample (q), the number of
columns (p), the threshold on selection frequencies (tau) and the number of pairs of half-samples
(B). A false selection is one of a feature whose probability to be selected on a half-sample is at
most q/p.
"""

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

    For independent half-samples it holds where irrelevant features are exchangeable and the
    selector is no worse than guessing [1]_; for complementary pairs it needs no assumption [2]_.

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
    r"""Bound the same where the share of pairs that agree on a feature has a unimodal law.

    The bound is :math:`C(\tau, B)\, q^2 / p` with :math:`C = 1 / (2 (2\tau - 1 - 1/(2B)))` for
    :math:`\tau \le 3/4` and :math:`4 (1 - \tau + 1/(2B)) / (1 + 1/B)` above [1]_. It is the
    worst-case bound where the conditions of the theorem do not hold, and never exceeds it.

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
    r"""Bound the same where selection frequencies have r-concave laws.

    r is -1/2 for the share of pairs whose halves agree on a feature, and -1/4 for the share of
    half-samples that select it. This is the sharpest of the three bounds, and the one that
    its authors recommend [1]_.

    References
    ----------
    .. [1] Shah and Samworth, *Variable selection with error control*, JRSS B 75, 2013, section 3.3
       and appendix.

    Examples
    --------
    >>> round(r_concave_bound(50, 1000, 0.9), 4) < round(unimodal_bound(50, 1000, 0.9), 4)
    True
    """
    share = n_selected / n_columns
    worst = worst_case_bound(n_selected, n_columns, threshold)
    if threshold <= 0.5 or share >= 1:
        return worst
    halves = int(np.ceil(round(2 * n_pairs * threshold, 9)))
    # selected on `halves` of 2B half-samples implies selected on both halves of `halves - B` pairs
    by_pairs = tail_bound(round(share**2, 12), n_pairs, -0.5, halves - n_pairs)
    by_halves = tail_bound(round(share, 12), 2 * n_pairs, -0.25, halves)
    return min(worst, min(by_pairs, by_halves) * n_columns)


BOUNDS = {"worst": worst_case_bound, "unimodal": unimodal_bound, "r-concave": r_concave_bound}


def false_selections(
    n_selected: float, n_columns: int, threshold: float, n_pairs: int
) -> dict[str, float]:
    """Compute all three bounds, by name.

    >>> {name: round(value, 2) for name, value in false_selections(10, 100, 0.8, 50).items()}
    {'worst': 1.67, 'unimodal': 0.82, 'r-concave': 0.19}
    """
    return {
        name: bound(n_selected, n_columns, threshold, n_pairs) for name, bound in BOUNDS.items()
    }


@lru_cache(maxsize=1024)
def tail_bound(mean: float, n: int, r: float, t: int) -> float:
    """Maximise P(X >= t/n) over r-concave laws on 0, 1/n, ..., 1 of at most this mean."""
    # The extreme laws are proportional to (a + i)^(1/r) for i = 0..k, with a smaller mass at k + 1
    # and none above (Shah and Samworth 2013, appendix). For each k, the a that attains the mean
    # without mass at k + 1 is an end of the interval of a; inside it the tail is maximised in one
    # dimension.
    s, target = -1 / r, mean * n
    first = int(np.ceil(2 * target)) + 1
    if t < first:
        return 1.0
    starts = range(max(first, t - 1), n + 1)
    ends = {k: _offset_of_mean(k, target, s) for k in starts}
    largest = _tail(ends[n], n, t, target, s)
    for k in starts[:-1]:
        optimum = minimize_scalar(
            lambda a, k: -_tail(a, k, t, target, s),
            bounds=(ends[k + 1], ends[k]),
            args=(k,),
            method="bounded",
        )
        largest = max(largest, -optimum.fun)
    return float(min(1.0, largest))


def _offset_of_mean(
    k: int, target: float, s: float, least: float = 1e-5, most: float = 1e5
) -> float:
    """Find the a for which the law proportional to (a + i)^-s on i = 0..k has the mean `target`.

    `most`, nearly the uniform law, where no a in [least, most] has.
    """
    i = np.arange(k + 1)

    def excess(a: float) -> float:
        return float(i @ (a + i) ** -s / ((a + i) ** -s).sum() - target)

    if excess(least) < 0 < excess(most):
        return brentq(excess, least, most, xtol=1e-12)
    return most


def _tail(a: float, k: int, t: int, target: float, s: float) -> float:
    """Compute P(i >= t) of the law c (a + i)^-s on i = 0..k with the rest of the mass at k + 1.

    The mean `target` fixes c: the expectation of k + 1 - i is c times the sum over i <= k.
    """
    i = np.arange(k + 1)
    law = (a + i) ** -s
    return float(1 - (k + 1 - target) * law[:t].sum() / ((k + 1 - i) @ law))
