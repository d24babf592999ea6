"""Distances kept at one subset, brought to others by adding and taking out columns."""

from __future__ import annotations

import numpy as np

from subsel.criteria.neighbours.metric import Metric

__all__ = ["DistanceState"]

BYTES = 20.0  # held per query and row, with what is needed beside
REBUILT = 256  # moves after which the distances are summed afresh
SPOILT = 1e-9  # share of the largest distance that rounding may cost before they are
ROUNDING = 4.5e-16  # what one sum may lose of it


class DistanceState:
    """The distances of all queries to all rows over the columns of one subset, if they fit into ``memory`` bytes.

    ``lost`` bounds what rounding has cost them: without a column that outweighs the others little
    may be left of them, and they are then summed afresh.
    """

    def __init__(self, metric: Metric, memory: float) -> None:
        self.metric = metric
        self.held = BYTES * len(metric.queries) * metric.n_rows <= memory
        self.columns = np.empty(0, dtype=np.int64)
        self.distances = np.empty((0, 0))
        self.lost, self._moves = 0.0, 0

    def apart(self, columns: np.ndarray) -> int:
        """By how many columns a subset differs from the one where the distances are."""
        if not len(self.distances):
            return len(columns) + REBUILT
        return len(np.setxor1d(self.columns, columns))

    def move(self, columns: np.ndarray) -> None:
        """Bring the distances to these columns."""
        metric = self.metric
        added = np.setdiff1d(columns, self.columns)
        removed = np.setdiff1d(self.columns, columns)
        moves = len(added) + len(removed)
        lost = self.lost + ROUNDING * moves * metric.most[np.union1d(self.columns, columns)].sum()
        afresh = not len(self.distances) or self._moves + moves > REBUILT or moves >= len(columns)
        if afresh or lost * metric.unit(columns, columns[:0]) > SPOILT:
            added, removed, moves = columns, columns[:0], 0
            lost = ROUNDING * len(columns) * metric.most[columns].sum()
            self.distances, self._moves = metric.queries.start(metric.n_filled), 0
        self._change(np.append(added, removed), np.repeat([1.0, -1.0], [len(added), len(removed)]))
        self.columns, self.lost, self._moves = columns, lost, self._moves + moves

    def _change(self, columns: np.ndarray, signs: np.ndarray) -> None:
        from subsel._loops.neighbours.distances import accumulate

        metric, queries = self.metric, self.metric.queries
        X = np.zeros((len(columns), metric.n_filled))
        X[:, : metric.n_rows] = metric.table[columns]
        scale = queries.scales(columns)
        accumulate(self.distances, queries.rows, X, scale, signs, metric.absolute)
