"""How long a random walk over subsets takes to an optimum, and where it stays in the long run."""

from __future__ import annotations

from math import ceil, exp, inf, log2

import numpy as np
from scipy.special import gammaln

__all__ = ["published_bound", "safe_bound", "stationary_law", "steps_to_be_sure"]


def published_bound(n_features: int, c: float, drop: float, diameter: int | None = None) -> float:
    r"""Expected steps of ``rfs1`` to a global optimum, as published.

    .. math:: (3 d\, e^{c \Delta})^{D}, \qquad d = 3n

    with :math:`\Delta` the largest drop of quality between neighbours and :math:`D \le n` the diameter of the
    subset graph. Its degree :math:`d \le 3n` is false (swaps alone give :math:`k(n-k)` neighbours) and it counts
    attempts, not steps: see `safe_bound`.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015, section 5.

    Examples
    --------
    >>> published_bound(2, c=0.0, drop=1.0)
    324.0
    """
    return _power(9 * n_features, c * drop, n_features if diameter is None else diameter)


def safe_bound(n_features: int, c: float, drop: float, diameter: int | None = None) -> float:
    r"""Expected steps of ``rfs1`` to a global optimum, repaired.

    .. math:: \sum_{m=1}^{D} (3 n\, e^{c \Delta})^m

    A path of additions and removals alone leads to the optimum in at most D steps, each taken with probability at
    least :math:`e^{-c \Delta} / (3 n)`. Holds for a space without size bounds. Infinity where it overflows.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015, section 5.

    Examples
    --------
    >>> safe_bound(2, c=0.0, drop=1.0)
    42.0
    """
    longest = n_features if diameter is None else diameter
    return sum(_power(3 * n_features, c * drop, m) for m in range(1, longest + 1))


def steps_to_be_sure(bound: float, failure: float) -> float:
    r"""Steps after which an optimum has been visited, but for a chance of ``failure``.

    .. math:: 2 \lceil \log_2 (1/f) \rceil \, B

    with B a bound on the expected steps, see `safe_bound`.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015, section 5.

    Examples
    --------
    >>> steps_to_be_sure(42.0, failure=0.01)
    588.0
    """
    return 2 * ceil(log2(1 / failure)) * bound


def _power(base: float, log_factor: float, exponent: int) -> float:
    try:
        return float((base * exp(log_factor)) ** exponent)
    except OverflowError:
        return inf


def stationary_law(
    sizes: np.ndarray,
    qualities: np.ndarray,
    n_features: int,
    c: float,
    low: int = 1,
    high: int | None = None,
) -> np.ndarray:
    r"""How often ``rfs1`` visits each subset in the long run.

    .. math:: \pi(S) \propto a(|S|)\, e^{c\, q(S)} \,/\, \tbinom{n}{|S|}

    with :math:`a` the number of sides on the coin at that size. It is not the Gibbs law, because a proposal and its
    reverse are not equally likely.

    Parameters
    ----------
    sizes, qualities : ndarray
        Of every subset within the bounds, in any order.
    n_features : int
        The number of features.
    c : float
        The inverse temperature.
    low, high : int
        The bounds on the size; None is no bound.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015, section 5.

    Examples
    --------
    >>> stationary_law(np.array([1, 1, 2]), np.zeros(3), n_features=2, c=1.0)
    array([0.33333333, 0.33333333, 0.33333333])
    """
    top = n_features if high is None else high
    swap, add, drop = sizes < n_features, sizes < top, sizes > low
    log_ways = gammaln(n_features + 1) - gammaln(sizes + 1) - gammaln(n_features - sizes + 1)
    log_law = c * qualities - log_ways
    law = (0.0 + swap + add + drop) * np.exp(log_law - log_law.max())
    probabilities: np.ndarray = law / law.sum()
    return probabilities
