"""Slice sampling of one number: a draw that needs no step size to be tuned."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["slice_draw"]

LEAST = 1e-12  # an interval shorter than this holds nothing but the start


def slice_draw(
    log_density: Callable[[float], float],
    start: float,
    width: float,
    rng: np.random.Generator,
    most: int = 8,
) -> float:
    """Move a number so that its density stays invariant: a level below the density, then a point above the level [1]_.

    Parameters
    ----------
    log_density : callable
        Gives the log density but for a constant.
    start : float
        The present value.
    width : float
        How wide the density is, about.
    rng : Generator
        Of the draw.
    most : int
        The interval steps out to so many widths at most.

    References
    ----------
    .. [1] Neal, *Slice sampling*, The Annals of Statistics 31, 2003, section 4, with stepping out and shrinkage.

    Examples
    --------
    >>> rng, x, kept = np.random.default_rng(0), 5.0, []
    >>> for _ in range(2000):
    ...     x = slice_draw(lambda z: -z * z / 2, x, 2.0, rng)
    ...     kept.append(x)
    >>> bool(abs(np.mean(kept)) < 0.1 and abs(np.std(kept) - 1) < 0.1)
    True
    """
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
