"""Cuts of one column into a few levels, for models that look at levels in place of values."""

from __future__ import annotations

import numpy as np

__all__ = ["level_edges"]


def level_edges(values: np.ndarray, n_levels: int) -> np.ndarray:
    """Give rising cuts between at most so many levels of about as many rows each; between all values where these are few.

    ``np.searchsorted(edges, values)`` numbers the levels, and a level is at most k exactly where its value is at most
    ``edges[k]``.

    Examples
    --------
    >>> level_edges(np.array([5.0, 1, 9, 2]), 2), level_edges(np.array([0.0, 1, 1, 0]), 8)
    (array([2.]), array([0.5]))
    """
    ranked = np.sort(values)
    known = ranked[np.concatenate(([True], ranked[1:] > ranked[:-1]))]
    if len(known) <= n_levels:
        return known[:-1] + (known[1:] - known[:-1]) / 2
    edges = ranked[np.arange(1, n_levels) * (len(ranked) - 1) // n_levels]
    rising = np.concatenate((edges[1:] > edges[:-1], [edges[-1] < ranked[-1]]))
    return edges[rising]
