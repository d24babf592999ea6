"""Which columns of an encoded table were made from which of the user's, and what is asked of those told in these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from subsel.data.encoding.kinds import ColumnPlan

__all__ = ["Origins"]


@dataclass(frozen=True, eq=False)
class Origins:
    """For each encoded column, the number of the column it was made from, in order.

    Parameters
    ----------
    of : ndarray of int
        One number per encoded column.

    Examples
    --------
    >>> town_and_age = Origins(np.array([0, 0, 0, 1]))
    >>> town_and_age.made_from([1]), town_and_age.groups(), town_and_age.sizes
    ([3], [[0, 1, 2]], (1, 0, 0, 1))
    """

    of: np.ndarray

    @classmethod
    def planned(cls, plans: Sequence[ColumnPlan]) -> Origins:
        """Those of a table that is encoded by these plans."""
        widths = [len(plan.names) for plan in plans]
        return cls(np.repeat(np.arange(len(widths)), widths))

    @classmethod
    def same(cls, n_columns: int) -> Origins:
        """Those of a table that is not encoded."""
        return cls(np.arange(n_columns))

    def made_from(self, columns: Iterable[int]) -> list[int]:
        """The encoded columns of some of the user's."""
        encoded: list[int] = []
        for column in columns:
            begin = int(np.searchsorted(self.of, column, "left"))
            end = int(np.searchsorted(self.of, column, "right"))
            encoded += range(begin, end)
        return encoded

    def groups(self, asked: Sequence[Sequence[int]] = ()) -> list[list[int]]:
        """Encoded columns that are selected together: those of the groups that were asked for, then those of one column."""
        grouped = {column for group in asked for column in group}
        single = [[column] for column in np.unique(self.of).tolist() if column not in grouped]
        encoded = [sorted(self.made_from(group)) for group in [*asked, *single]]
        return [group for group in encoded if len(group) > 1]

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """What each encoded column adds to the number of the user's columns; None where each is one of them."""
        first = np.diff(self.of, prepend=-1) != 0
        if first.all():
            return None
        return tuple(first.astype(int).tolist())
