"""Intervals of equal width or of equal frequency."""

from __future__ import annotations

from typing import Any

import numpy as np

from subsel.data.intervals.base import Discretiser, between
from subsel.data.statistics.joint_counts import JointCounts

__all__ = ["EqualFrequency", "EqualWidth", "level_edges"]


class EqualWidth(Discretiser):
    """Cut the range of each column into intervals of equal width [1]_.

    Parameters
    ----------
    n_bins : int
        The number of intervals; a constant column has one.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       estimation for continuous features.

    Examples
    --------
    >>> EqualWidth(n_bins=2).fit_transform(np.array([[0.0], [1.0], [2.0], [10.0]])).ravel()
    array([0, 0, 0, 1])
    """

    def __init__(self, n_bins: int = 8) -> None:
        self.n_bins = n_bins

    def cuts(self, values: np.ndarray, table: np.ndarray) -> np.ndarray:  # noqa: ARG002
        """Return the cut points that divide the range equally."""
        return self._divide(float(values[0]), float(values[-1]))

    def _learn(self, X: np.ndarray, y: Any) -> list[np.ndarray]:  # noqa: ARG002
        """Return the cut points of all columns, without sorting these."""
        low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
        return [
            self._divide(*ends) for ends in zip(low.astype(np.float64), high.astype(np.float64))
        ]

    def _divide(self, low: float, high: float) -> np.ndarray:
        steps = np.arange(1, self.n_bins) / self.n_bins
        if low < high:
            return np.unique(low * (1 - steps) + high * steps)
        return np.empty(0)


class EqualFrequency(Discretiser):
    """Cut each column into intervals of equally many rows, as far as equal values allow [1]_.

    A value belongs to the bin that contains its middle rank, so that the sizes of bins differ by at
    most one if there are no ties.

    Parameters
    ----------
    n_bins : int
        The number of intervals; there are fewer where one value fills several.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       estimation for continuous features.

    Examples
    --------
    >>> EqualFrequency(n_bins=2).fit_transform(np.array([[0.0], [1.0], [2.0], [10.0]])).ravel()
    array([0, 0, 1, 1])
    """

    def __init__(self, n_bins: int = 8) -> None:
        self.n_bins = n_bins

    def cuts(self, values: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the cut points between values of different bins."""
        bins = JointCounts(values, table, np.zeros(1, dtype=np.intp)).equal_frequency(self.n_bins)
        return between(values, np.flatnonzero(np.diff(bins)))


def level_edges(values: np.ndarray, n_levels: int) -> np.ndarray:
    """Return rising cut points between levels of about equally many rows each.

    With at most `n_levels` distinct values, each of them is a level. ``np.searchsorted(edges,
    values)`` numbers the levels; a level is at most k exactly if its value is at most ``edges[k]``.

    Examples
    --------
    >>> level_edges(np.array([5.0, 1, 9, 2]), 2), level_edges(np.array([0.0, 1, 1, 0]), 8)
    (array([2.]), array([0.5]))
    """
    ranked = np.sort(values)
    distinct = ranked[np.concatenate(([True], ranked[1:] > ranked[:-1]))]
    if len(distinct) <= n_levels:
        return distinct[:-1] + (distinct[1:] - distinct[:-1]) / 2
    edges = ranked[np.arange(1, n_levels) * (len(ranked) - 1) // n_levels]
    rising = np.concatenate((edges[1:] > edges[:-1], [edges[-1] < ranked[-1]]))
    return edges[rising]
