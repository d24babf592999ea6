"""Distances over one subset, updated to another by adding and subtracting columns."""

from __future__ import annotations

import numpy as np

from subsel.criteria.neighbours.metric import Metric

__all__ = ["DistanceState"]

BYTES = 20.0  # memory per pair of query and row: the distance (8) and the work space of a scan
MAX_MOVES = 256  # columns added or subtracted before the distances are summed again from zero
TOLERANCE = 1e-9  # rounding error, as a share of the largest distance, at which this is done too
ROUNDING = 4.5e-16  # error of one addition as a share of the largest sum: four units 2^-53


class DistanceState:
    """Distances of all queries to all rows over the columns of one subset.

    Parameters
    ----------
    metric : Metric
        The columns, the queries, and whether squared or absolute differences are summed.
    memory : float
        Bytes that the distances may take; ``fits`` is false where they need more.

    Attributes
    ----------
    columns : ndarray of shape (s,)
        The columns that the distances are summed over, ascending.
    distances : ndarray of shape (queries, filled rows)
        Sums of scaled differences, FAR for rows that must not answer; updated in place by `move`.
    error : float
        Bound on what rounding has changed in any of the distances.

    ``lost`` bounds what rounding has cost them: without a column that outweighs the others little
    may be left of them, and they are then summed afresh.
    """

    def __init__(self, metric: Metric, memory: float) -> None:
        self.metric = metric
        self.fits = BYTES * len(metric.queries) * metric.n_rows <= memory
        self.columns = np.empty(0, dtype=np.int64)
        self.distances = np.empty((0, 0))
        self.error, self._moves = 0.0, 0

    def n_differing(self, columns: np.ndarray) -> int:
        """Count the columns by which a subset differs from that of the distances."""
        if not len(self.distances):
            return len(columns) + MAX_MOVES
        return len(np.setxor1d(self.columns, columns))

    def move(self, columns: np.ndarray) -> None:
        """Update the distances in place to these columns."""
        # Squared Euclidean and absolute distances are sums over columns. Each addition or
        # subtraction rounds a partial sum, which is at most that of the largest terms of all
        # columns involved, by 2^-53 of it (Higham, Accuracy and Stability of Numerical Algorithms,
        # 2nd ed. 2002, section 4.2); the term of a column is rounded alike when it is added and
        # when it is subtracted. So ``error`` grows by at most ROUNDING times that sum per move.
        # Where a dominant column leaves, it may exceed what is left: the distances are then summed
        # again from zero.
        metric = self.metric
        added = np.setdiff1d(columns, self.columns)
        removed = np.setdiff1d(self.columns, columns)
        moves = len(added) + len(removed)
        largest = metric.largest_terms
        error = self.error + ROUNDING * moves * largest[np.union1d(self.columns, columns)].sum()
        rebuild = (
            not len(self.distances) or self._moves + moves > MAX_MOVES or moves >= len(columns)
        )
        if rebuild or error * metric.unit(columns, columns[:0]) > TOLERANCE:
            added, removed, moves = columns, columns[:0], 0
            error = ROUNDING * len(columns) * largest[columns].sum()
            self.distances, self._moves = metric.queries.start(metric.n_filled), 0
        self._change(np.append(added, removed), np.repeat([1.0, -1.0], [len(added), len(removed)]))
        self.columns, self.error, self._moves = columns, error, self._moves + moves

    def _change(self, columns: np.ndarray, signs: np.ndarray) -> None:
        """Add the terms of columns, times signs of shape (columns,), to the distances in place."""
        from subsel._loops.neighbours.distances import accumulate

        metric, queries = self.metric, self.metric.queries
        X = np.zeros((len(columns), metric.n_filled))
        X[:, : metric.n_rows] = metric.table[columns]
        scale = queries.scales(columns)
        accumulate(self.distances, queries.rows, X, scale, signs, metric.absolute)
