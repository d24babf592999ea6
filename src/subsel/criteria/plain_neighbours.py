"""Votes of the nearest rows with numpy alone: for small problems, which need not wait for compiled code."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from subsel._loops.neighbour_arguments import Voting
from subsel.criteria.metric import Metric

__all__ = ["PlainNeighbours"]

TIE = 1e-12  # distances that agree to this share are tied


class PlainNeighbours:
    """The k nearest rows of every query for one subset at a time; the same as the compiled scans up to rounding."""

    def __init__(self, metric: Metric, voting: Voting, n_channels: int) -> None:
        self.metric, self.voting = metric, voting
        self.n_ties = 0
        self._n_channels = n_channels
        self._base: np.ndarray | None = None  # the columns whose distances are kept
        self._kept: np.ndarray | float = 0.0
        self._last: np.ndarray | None = None

    def subset(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Votes (queries, channels, 1) and k-th distances (queries, 1) of one subset."""
        k, by_distance, distance = self.voting.k, self.voting.by_distance, self._distance(columns)
        kth = np.partition(distance, k - 1, axis=1)[:, k - 1 : k]
        query, row = self._nearest(distance, kth).nonzero()
        weights = np.ones(len(row))
        if by_distance:
            gaps = distance[query, row]
            with np.errstate(divide="ignore"):
                weights = 1.0 / (np.sqrt(gaps) if by_distance == 1 else gaps)
            same = np.isinf(weights)
            weights = np.where(np.isin(query, query[same]), same, weights)
        return self._votes(query, row, weights)[:, :, None], kth

    def _votes(self, query: np.ndarray, row: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """What rows give to the channels of queries; a product of matrices would keep all processors busy for it."""
        n, n_channels, voting = len(self.metric.queries), self._n_channels, self.voting
        votes = np.empty((n, n_channels + 1))
        votes[:, -1] = np.bincount(query, weights, n)
        if n_channels:
            places = query * n_channels + voting.codes[row]
            votes[:, :-1] = np.bincount(
                places, weights * voting.values[row], n * n_channels
            ).reshape(n, n_channels)
        return votes

    def _nearest(self, distance: np.ndarray, kth: np.ndarray) -> np.ndarray:
        """Which rows are among the k nearest: of those tied for the last place the lowest."""
        near = distance <= kth * (1 + TIE)
        for q in np.flatnonzero(near.sum(axis=1) > self.voting.k):
            tied = np.flatnonzero(near[q] & (distance[q] >= kth[q] * (1 - TIE)))
            surplus = int(near[q].sum()) - self.voting.k
            near[q, tied[len(tied) - surplus :]] = False
            self.n_ties += 1
        return near

    def _distance(self, columns: np.ndarray) -> np.ndarray:
        """Distances over a subset; those over all of its columns but the last one found to differ are kept."""
        base = self._base
        if base is None or len(np.setdiff1d(base, columns)) or len(columns) - len(base) > 1:
            base = np.intersect1d(columns, self._last) if self._last is not None else columns[:0]
            self._base, self._kept = base, self.metric.queries.start(slice(None)) + self._sum(base)
        self._last = columns
        return np.asarray(self._kept + self._sum(np.setdiff1d(columns, base)))

    def _sum(self, columns: np.ndarray) -> np.ndarray | float:
        table, queries, absolute = self.metric.table, self.metric.queries, self.metric.absolute
        if not len(columns):
            return 0.0
        if np.all(queries.scale[:, columns] == 1.0):
            X = table[columns].T
            return cdist(X[queries.rows], X, "cityblock" if absolute else "sqeuclidean")
        total: np.ndarray | float = 0.0
        for column in columns:
            x, scale = table[column], queries.scale[queries.scaled, column]
            gap = (x[queries.rows][:, None] - x[None, :]) * scale[:, None]
            total = total + (np.abs(gap) if absolute else gap * gap)
        return total
