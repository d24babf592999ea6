"""A block of columns: what is fixed, forbidden and grouped in it, and its size bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np

__all__ = ["Block", "check_bounds", "reachable", "unit_costs"]


@dataclass(frozen=True)
class Block:
    """A named run of columns that are searched together.

    Parameters
    ----------
    n_columns : int
        Number of columns of the table (or rows, or options) the block stands for.
    name : str
        What the columns are, for messages.
    low : int
        The fewest of them that an answer may hold.
    high : int or None
        The most; None means all.
    fixed : sequence of int
        Columns that are always on.
    forbidden : sequence of int
        Columns that are never on.
    groups : sequence of sequences of int
        Sets of columns that flip as one; columns in no group stand alone.
    costs : sequence of float, optional
        The price of each column.
    sizes : sequence of int, optional
        What each column adds to the size of a subset; 1 by default. Of a group of columns that were
        made from one, the first adds 1 and the others 0, so that sizes count what they were made
        from.
    max_cost : float, optional
        The most an answer may cost in all.
    choice : bool
        Exactly one column is on at any time: a kernel, a learner, a hyper-parameter.

    Examples
    --------
    >>> Block(5, fixed=[4], groups=[(0, 1)]).units()
    [(0, 1), (2,), (3,)]
    >>> Block(3, groups=[(0, 1)], sizes=(1, 0, 1)).width((0, 1))
    1
    """

    n_columns: int
    name: str = "features"
    low: int = 1
    high: int | None = None
    fixed: Sequence[int] = ()
    forbidden: Sequence[int] = ()
    groups: Sequence[Sequence[int]] = ()
    costs: Sequence[float] | None = None
    max_cost: float | None = None
    choice: bool = False
    sizes: Sequence[int] | None = None

    def width(self, columns: Sequence[int]) -> int:
        """What these columns add to the size of a subset."""
        if self.sizes is None:
            return len(columns)
        return sum(self.sizes[column] for column in columns)

    def widths(self, units: Sequence[Sequence[int]]) -> np.ndarray:
        """The same for each of some units."""
        if self.sizes is None:
            return self.lengths(units)
        return np.fromiter(map(self.width, units), dtype=np.int64, count=len(units))

    def lengths(self, units: Sequence[Sequence[int]]) -> np.ndarray:
        """How many columns each of some of its units has."""
        if not self.groups:
            return np.ones(len(units), dtype=np.int64)
        return np.fromiter(map(len, units), dtype=np.int64, count=len(units))

    def first_columns(self, units: Sequence[Sequence[int]]) -> np.ndarray:
        """The first column of each of its units."""
        if len(units) == self.n_columns and not self.groups:
            return np.arange(self.n_columns)
        return np.fromiter(map(itemgetter(0), units), dtype=np.int64, count=len(units))

    @property
    def fixed_size(self) -> int:
        """The size of what is always on."""
        return self.width(self.fixed)

    def units(self) -> Sequence[tuple[int, ...]]:
        """The sets of free columns that flip as one, in the order of their first columns."""
        grouped = [tuple(sorted(group)) for group in self.groups]
        _check_columns(self, grouped)
        _check_sizes(self, grouped)
        if not (grouped or len(self.fixed) or len(self.forbidden)):
            return SingleUnits(self.n_columns)
        grouped_columns = {column for group in grouped for column in group}
        immovable = {*self.fixed, *self.forbidden}
        single = [(column,) for column in range(self.n_columns) if column not in grouped_columns]
        return sorted(unit for unit in grouped + single if unit[0] not in immovable)

    def size_bounds(self, n_free: int) -> tuple[int, int]:
        """The least and the greatest size of an answer, with so many columns free to flip."""
        most = self.fixed_size + n_free
        if self.high is not None:
            most = min(self.high, most)
        return max(self.low, self.fixed_size), most


class SingleUnits(Sequence[tuple[int, ...]]):
    """The units of single columns, made on demand, since there may be many.

    >>> list(SingleUnits(3)), SingleUnits(3)[-1]
    ([(0,), (1,), (2,)], (2,))
    """

    def __init__(self, n_columns: int) -> None:
        self._columns = range(n_columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __getitem__(self, unit: Any) -> Any:  # noqa: ANN401 (a number or a slice)
        if isinstance(unit, slice):
            return list(zip(self._columns[unit]))
        return (self._columns[unit],)


def _check_columns(block: Block, groups: list[tuple[int, ...]]) -> None:
    """Raise an error for columns that do not exist, are fixed and forbidden, or in two groups."""
    fixed, forbidden = set(block.fixed), set(block.forbidden)
    grouped = [c for group in groups for c in group]
    if len(grouped) != len(set(grouped)):
        raise ValueError("feature_groups overlap: a column may belong to one group only.")
    if outside := [
        c for c in (*grouped, *block.fixed, *block.forbidden) if not 0 <= c < block.n_columns
    ]:
        raise ValueError(
            f"column {outside[0]} does not exist: the block has {block.n_columns} columns."
        )
    if both := fixed & forbidden:
        raise ValueError(f"columns {sorted(both)} are both fixed and forbidden.")
    for group in groups:
        if (fixed | forbidden).intersection(group) and not (
            fixed.issuperset(group) or forbidden.issuperset(group)
        ):
            raise ValueError(
                f"the group of columns {group} flips as one: fix or forbid all of it or none."
            )


def _check_sizes(block: Block, groups: list[tuple[int, ...]]) -> None:
    """Refuse sizes by which something that can be on would add nothing."""
    if block.sizes is None:
        return
    if len(block.sizes) != block.n_columns or min(block.sizes) < 0:
        raise ValueError(f"feature_sizes must be {block.n_columns} non-negative whole numbers.")
    grouped = {column for group in groups for column in group}
    alone = [
        column
        for column in range(block.n_columns)
        if column not in grouped and not block.sizes[column]
    ]
    if alone or any(block.width(group) == 0 for group in groups):
        raise ValueError(
            "feature_sizes must be at least 1 for each group, and for each column in no group."
        )


def check_bounds(block: Block, widths: Sequence[int]) -> None:
    """Raise an error if no subset of a block is eligible.

    ``widths`` are the numbers of columns of its units.
    """
    if block.choice:
        if not len(widths):
            raise ValueError(f"the choice {block.name!r} has no option.")
        return
    fixed, most = block.fixed_size, block.fixed_size + int(sum(widths))
    least, high = max(block.low, fixed), most if block.high is None else block.high
    if not (0 <= block.low <= most and high >= least and high >= 1):
        bounds = f"n_{block.name} must allow between {max(fixed, 1)} and {most}"
        raise ValueError(f"{bounds} (fixed {fixed}), got bounds ({block.low}, {block.high}).")
    if not reachable(widths, least - fixed, min(high, most) - fixed):
        raise ValueError(f"no union of whole groups has between {least} and {high} columns.")


def reachable(widths: Sequence[int], low: int, high: int) -> bool:
    """Whether some of these widths add up to a sum in [``low``, ``high``].

    >>> reachable([2, 2, 3], 6, 6), reachable([2, 2, 3], 5, 6)
    (False, True)
    """
    if set(widths) <= {1}:
        return low <= len(widths) and high >= 0
    # subset sums as bits of an integer (Bellman's recursion): bit s is set if some of the widths so
    # far add up to s, and adding a width shifts all sums
    sums = 1
    for width in widths:
        sums |= sums << width
    return bool(sums >> max(0, low) & ((1 << max(0, high - max(0, low) + 1)) - 1))


def unit_costs(block: Block, units: Sequence[tuple[int, ...]], n_units: int) -> np.ndarray:
    """Cost of each unit of the space, of which the first are this block's; last, of fixed ones."""
    costs, of_unit = np.asarray(block.costs, dtype=float), np.zeros(n_units + 1)
    if costs.shape != (block.n_columns,) or not np.all(costs >= 0):
        raise ValueError(f"feature_costs must be {block.n_columns} non-negative numbers.")
    of_unit[: len(units)] = [costs[list(unit)].sum() for unit in units]
    of_unit[-1] = costs[list(block.fixed)].sum()
    return of_unit
