"""Combinations of selections: votes, union, intersection."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["intersection", "union", "votes"]


def votes(masks: Sequence[np.ndarray], at_least: int) -> np.ndarray:
    """Give the features that at least `at_least` of the selections keep [1]_.

    One vote gives the union, all votes the intersection.

    Parameters
    ----------
    masks : sequence of ndarray of bool, each of shape (n_columns,)
        The selections.
    at_least : int
        The number of votes.

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
            "masks must be boolean, all of the same length, with one entry per column; got an "
            f"array of {table.dtype} with shape {table.shape}."
        )
    return table.sum(axis=0) >= at_least


def union(masks: Sequence[np.ndarray]) -> np.ndarray:
    """Give the features that any of the selections keeps.

    Examples
    --------
    >>> union([np.array([True, False, False]), np.array([True, True, False])])
    array([ True,  True, False])
    """
    return votes(masks, 1)


def intersection(masks: Sequence[np.ndarray]) -> np.ndarray:
    """Give the features that all of the selections keep.

    Examples
    --------
    >>> intersection([np.array([True, False, False]), np.array([True, True, False])])
    array([ True, False, False])
    """
    return votes(masks, len(masks))
