"""Votes of the nearest rows, from all distances of queries to rows in double precision."""

import numpy as np

TIE = 1e-12  # distances that agree to this share are tied


class PlainNeighbours:
    """The k nearest rows of every query, one subset at a time, and a count of ties."""

    def __init__(self, nearest) -> None:
        self.metric, self.voting = nearest.metric, nearest.voting
        self.n_channels, self.n_ties = nearest.n_channels, 0

    def subset(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Votes (queries, channels and the sum of weights) and k-th distances (queries,)."""
        voting, distance = self.voting, self.distances(columns)
        votes = np.zeros((len(distance), self.n_channels + 1))
        kth = np.empty(len(distance))
        for q, from_here in enumerate(distance):
            kth[q] = np.partition(from_here, voting.k - 1)[voting.k - 1]
            near = np.flatnonzero(from_here < kth[q] * (1 - TIE))
            tied = np.flatnonzero(abs(from_here - kth[q]) <= kth[q] * TIE)
            self.n_ties += len(near) + len(tied) > voting.k
            rows = np.append(near, tied[: voting.k - len(near)])
            weights = self.weights(from_here[rows])
            votes[q, -1] = weights.sum()
            if self.n_channels:
                np.add.at(votes[q], voting.codes[rows], weights * voting.values[rows])
        return votes, kth

    def weights(self, distance: np.ndarray) -> np.ndarray:
        """Equal weights, or one over distances; rows at distance zero have all the weight."""
        if not self.voting.by_distance:
            return np.ones(len(distance))
        if not np.all(distance):
            return (distance == 0).astype(float)
        return 1 / distance if self.metric.absolute else 1 / np.sqrt(distance)

    def distances(self, columns: np.ndarray) -> np.ndarray:
        """Sums over columns, infinite for rows that must not answer."""
        metric, queries = self.metric, self.metric.queries
        total = np.where(queries.train[queries.part], 0.0, np.inf)
        for column in columns:
            x = metric.table[column]
            gap = (x[queries.rows][:, None] - x) * queries.scale[queries.scaled, column][:, None]
            total += np.abs(gap) if metric.absolute else gap**2
        if queries.alone:
            total[np.arange(len(queries)), queries.rows] = np.inf
        return total
