"""Selections put together: votes, union, intersection."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["intersection", "union", "votes"]


def votes(masks: Sequence[np.ndarray], at_least: int) -> np.ndarray:
    """Features that at least so many of the selections keep [1]_.

    One vote makes the union, all votes the intersection.

    References
    ----------
    .. [1] K. Grabczewski and N. Jankowski, "Mining for Complex Models Comprising Feature Selection
       and Classification", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 23,
       committees of selectors.

    Examples
    --------
    >>> votes([np.array([True, False, True]), np.array([True, True, False])], at_least=2)
    array([ True, False, False])
    """
    if not 1 <= at_least <= len(masks):
        raise ValueError(f"at_least must lie in [1, {len(masks)}], got {at_least}.")
    table = np.array(masks)
    if table.dtype != bool or table.ndim != 2:
        raise ValueError(
            "votes are cast by masks, one entry per column and all of the same length, not by column numbers."
        )
    return table.sum(axis=0) >= at_least


def union(masks: Sequence[np.ndarray]) -> np.ndarray:
    """Features that any of the selections keeps.

    >>> union([np.array([True, False, False]), np.array([True, True, False])])
    array([ True,  True, False])
    """
    return votes(masks, 1)


def intersection(masks: Sequence[np.ndarray]) -> np.ndarray:
    """Features that all of the selections keep.

    >>> intersection([np.array([True, False, False]), np.array([True, True, False])])
    array([ True, False, False])
    """
    return votes(masks, len(masks))
