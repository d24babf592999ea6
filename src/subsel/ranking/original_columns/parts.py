"""The columns of numbers that encode each column of a table, and its score from theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

__all__ = ["Parts"]


@dataclass(frozen=True, eq=False)
class Parts:
    """Columns of a table that are encoded in one or more adjacent columns of numbers each.

    Parameters
    ----------
    of : ndarray of int
        For each column of numbers, the column that it is a part of: 0, 1, 2, ... in order.

    Examples
    --------
    >>> town_and_age = Parts(np.array([0, 0, 0, 1]))
    >>> town_and_age.best(np.array([1.0, 5.0, 2.0, 4.0]))
    array([5., 4.])
    >>> town_and_age.corrected(np.array([0.2, 0.01, 0.5, 0.3]))
    array([0.03, 0.3 ])
    """

    of: np.ndarray

    def __post_init__(self) -> None:
        if len(self.of) and (self.of[0] != 0 or not np.isin(np.diff(self.of), (0, 1)).all()):
            first = self.of[:10].tolist()
            raise ValueError(f"parts must number their columns 0, 1, 2, ... in order, got {first}.")

    def __len__(self) -> int:
        """Give the number of columns."""
        return len(self.starts)

    @cached_property
    def starts(self) -> np.ndarray:
        """The number of the first part of each column."""
        return np.flatnonzero(np.diff(self.of, prepend=-1))

    @cached_property
    def widths(self) -> np.ndarray:
        """The number of parts of each column."""
        return np.diff(self.starts, append=len(self.of))

    @property
    def several(self) -> bool:
        """Whether any column has more than one part."""
        return len(self) < len(self.of)

    def best(self, scores: np.ndarray) -> np.ndarray:
        """Give the best score of the parts of each column, NaN where none has a score."""
        return np.fmax.reduceat(scores, self.starts)

    def best_places(self, scores: np.ndarray) -> np.ndarray:
        """Give, for each column, the part with the best score, the first of equals."""
        order = np.lexsort((-np.where(np.isnan(scores), -np.inf, scores), self.of))
        return order[self.starts]

    def corrected(self, p_values: np.ndarray) -> np.ndarray:
        """Give the smallest p-value of the parts of each column times their number, at most 1."""
        return np.minimum(1.0, self.widths * np.fmin.reduceat(p_values, self.starts))

    def columns(self, some: Sequence[int] | np.ndarray) -> np.ndarray:
        """Give the parts of some columns, one column after the other.

        Examples
        --------
        >>> Parts(np.array([0, 0, 1, 2])).columns([2, 0])
        array([3, 0, 1])
        """
        ranges = [np.arange(self.starts[j], self.starts[j] + self.widths[j]) for j in some]
        return np.concatenate(ranges) if ranges else np.zeros(0, dtype=int)

    def enough_for(self, n_columns: int) -> int:
        """Give the number of parts that belong to at least so many columns, whichever they are.

        Examples
        --------
        >>> Parts(np.array([0, 0, 0, 1, 2])).enough_for(2)
        4
        """
        return int(np.sort(self.widths)[::-1][: n_columns - 1].sum()) + 1
