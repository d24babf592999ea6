"""The request for relevances: how much a trained model uses each unit of a subset."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from subsel.space.candidates import Subset

__all__ = ["Relevance", "Relevances", "unit_relevances"]


class Relevance(NamedTuple):
    """A request for the relevances of a subset: ``relevances = yield Relevance(subset)``.

    It counts as one evaluation. The model is trained on all rows.

    Attributes
    ----------
    subset : Subset
        What to train on.
    """

    subset: Subset


class Relevances(NamedTuple):
    """The answer: one value per unit of the subset, in their order, rounded to ten digits.

    Attributes
    ----------
    units : ndarray of int
        The units that are on, which a search may drop.
    values : ndarray of float
        How much each of them was used, never below 0 for weights.
    fixed : ndarray of float
        The same for each fixed column, which stays.

    Examples
    --------
    >>> answer = Relevances(np.array([0, 2, 5]), np.array([0.5, 0.1, 0.1]), np.empty(0))
    >>> answer.weakest(2)
    array([2, 5])
    """

    units: np.ndarray
    values: np.ndarray
    fixed: np.ndarray

    def weakest(self, n: int = 1) -> np.ndarray:
        """The n units of least relevance, weakest first; of equals the first in order."""
        least = self._least(n)
        units: np.ndarray = self.units[least[np.argsort(self.values[least], kind="stable")]]
        return units

    def least(self, n: int = 1) -> np.ndarray:
        """The same units in their order, found without sorting."""
        units: np.ndarray = self.units[self._least(n)]
        return units

    def _least(self, n: int) -> np.ndarray:
        values = self.values
        if n >= len(values):
            return np.arange(len(values))
        edge = np.partition(values, n - 1)[n - 1]
        inside = values < edge
        inside[np.flatnonzero(values == edge)[: n - np.count_nonzero(inside)]] = True
        return np.flatnonzero(inside)


def unit_relevances(
    weights: np.ndarray, columns: np.ndarray, members: np.ndarray, sizes: np.ndarray
) -> np.ndarray:
    """The relevance of groups of columns: the root of the summed squares of their weights.

    The columns of the groups stand one after the other in ``members``, so many of each as ``sizes``
    says; each column by itself where they are the very array ``columns``.

    Examples
    --------
    >>> weights, columns = np.array([-3.0, 4.0, 1.0]), np.array([0, 2, 7])
    >>> unit_relevances(weights, columns, columns, np.array([2, 1]))
    array([5., 1.])
    """
    if members is columns and len(members) == len(sizes):
        relevances: np.ndarray = np.abs(weights)
        return relevances
    values = weights[np.searchsorted(columns, members)]
    return np.sqrt(np.add.reduceat(np.square(values), np.cumsum(sizes) - sizes))
