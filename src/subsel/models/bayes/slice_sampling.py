"""Slice sampling of one number, which needs no tuned step size."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["slice_draw"]

LEAST = 1e-12  # a shorter interval contains only the start, up to rounding


def slice_draw(
    log_density: Callable[[float], float],
    start: float,
    width: float,
    rng: np.random.Generator,
    most: int = 8,
) -> float:
    """Draw the next state of a Markov chain of one number by slice sampling [1]_.

    A level is drawn below the density at the start, then a point whose density is above the level;
    this leaves the density invariant.

    Parameters
    ----------
    log_density : callable
        Gives the log density up to a constant.
    start : float
        The current value.
    width : float
        The approximate width of the density.
    rng : Generator
        The source of random numbers.
    most : int
        The largest number of widths to which the interval is extended.

    References
    ----------
    .. [1] Neal, *Slice sampling*, The Annals of Statistics 31, 2003, section 4, with stepping out
       and shrinkage.

    Examples
    --------
    >>> rng, x, draws = np.random.default_rng(0), 5.0, []
    >>> for _ in range(2000):
    ...     x = slice_draw(lambda z: -z * z / 2, x, 2.0, rng)
    ...     draws.append(x)
    >>> bool(abs(np.mean(draws)) < 0.1 and abs(np.std(draws) - 1) < 0.1)
    True
    """
    # the log of a uniform level below the density is the log density less an exponential variate;
    # the numbers of steps out on both sides are limited as in figure 3 of the paper, the interval
    # shrinks as in its figure 5
    level = log_density(start) - rng.exponential()
    low = start - width * rng.random()
    high = low + width
    n_low = int(most * rng.random())
    for _ in range(n_low):
        if log_density(low) <= level:
            break
        low -= width
    for _ in range(most - 1 - n_low):
        if log_density(high) <= level:
            break
        high += width
    while high - low > LEAST:
        x = low + (high - low) * rng.random()
        if log_density(x) > level:
            return x
        if x < start:
            low = x
        else:
            high = x
    return start
