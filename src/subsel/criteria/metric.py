"""Columns as distances see them: scaled differences that add up, and how large they can get."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from subsel._loops.neighbour_arguments import Flipped, Summed
from subsel.criteria.queries import Queries

__all__ = ["CHUNK", "Metric"]

CHUNK = 64  # rows to a multiple of which tables are filled up
FAR_OUT = 300.0  # standard deviations beyond which single precision tells rows apart too badly


@dataclass(frozen=True, eq=False)
class Metric:
    """The columns of a table (p, n), the queries that scale them, and whether absolute or squared differences add up."""

    table: np.ndarray
    queries: Queries
    absolute: bool

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return self.table.shape[1]

    @property
    def power(self) -> int:
        """To which power differences are summed."""
        return 1 if self.absolute else 2

    @cached_property
    def spread(self) -> np.ndarray:
        """The standard deviation of each column, scaled."""
        return self.table.std(axis=1) * self.queries.scale.mean(axis=0)

    @cached_property
    def spans(self) -> np.ndarray:
        """The least and the largest value of each column."""
        return np.stack([self.table.min(axis=1), self.table.max(axis=1)], axis=1)

    def unit(self, columns: np.ndarray) -> float:
        """One over the largest distance that these columns can give."""
        widths = np.diff(self.spans[columns], axis=1)[:, 0] * self.queries.scale[:, columns].max(axis=0)
        return 1.0 / (float((widths if self.absolute else widths**2).sum()) or 1.0)

    def columns(self, columns: np.ndarray, at: slice) -> tuple[np.ndarray, np.ndarray]:
        """Some columns, one per row of the array, filled up, and their multipliers for some queries."""
        return self.filled(self.table[columns], 0.0), self.queries.scales(columns, at)

    def filled(self, table: np.ndarray, value: float) -> np.ndarray:
        """A table with one column per row of ours, filled up to whole chunks."""
        filled = np.empty((len(table), self.n_rows + -self.n_rows % CHUNK))
        filled[:, : self.n_rows] = table
        filled[:, self.n_rows :] = value
        return filled

    def summed(self, columns: np.ndarray, at: slice) -> Summed:
        """What distances of some queries are summed from."""
        return Summed(np.ascontiguousarray(self.table[columns].T), self.queries.scales(columns, at))

    def flipped(self, chosen: np.ndarray, base: np.ndarray, at: slice, unit: float) -> Flipped:
        """Columns that are added to a base or taken out of it, in single precision too if that tells rows apart."""
        columns, scale = self.columns(chosen, at)
        low, high = self.spans[chosen].T
        width, mean = np.where(high > low, high - low, 1.0), self.queries.scale[:, chosen].mean(axis=0)
        rough, grain = (columns - (low + high)[:, None] / 2) / width[:, None], 2.0**-51
        if np.all((high - low) * mean <= FAR_OUT * self.spread[chosen]):
            rough, grain = rough.astype(np.float32), 2.0**-22  # four times what the precision costs
        return Flipped(columns, rough, grain, unit, scale, self.spans[chosen], np.searchsorted(base, chosen))
