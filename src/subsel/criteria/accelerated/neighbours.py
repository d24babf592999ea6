"""Nearest neighbours of many subsets at once on a device: found in single precision, decided in double."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from subsel.criteria.accelerated.base import Accelerated
from subsel.criteria.accelerated.batches import Batch
from subsel.criteria.accelerated.device import Device
from subsel.criteria.accelerated.scores import Scores, first_largest
from subsel.criteria.plain_neighbours import TIE

__all__ = ["AcceleratedNeighbours"]

_MORE = 8  # rows listed beyond the k nearest, so that rounding rarely leaves one in doubt
_GRAIN = 2.0**-24  # half a unit in the last place of single precision
_ROUGHER = 2.0**-11  # where products may be rounded to the ten bits of TF32
_TILE = 0.5  # share of the room for one tile of distances


class _Part(NamedTuple):
    """Queries that are answered by the same rows: their positions, and the table (p, n) as those distances see it."""

    queries: Any
    rows: Any
    train: Any
    table: Any
    alone: bool


class AcceleratedNeighbours(Accelerated):
    """Distances tile by tile: some queries against all rows that may answer them, never all against all.

    A matrix product in single precision lists the rows nearest to each query; their distances are then summed in
    double precision. Where a row that is not listed could be as near, its error allowed for, the distances of that
    query to all rows are summed in double precision. Ties are those of the inner evaluator.

    Parameters
    ----------
    inner : Evaluator
        That of :class:`~subsel.criteria.NearestNeighbours`.
    device : Device
        Where to compute.
    """

    inner: Any

    def __init__(self, inner: Any, device: Device) -> None:
        super().__init__(inner, device)
        nearest = inner.nearest
        self.k, self.voting, self.absolute = nearest.voting.k, nearest.voting, nearest.metric.absolute
        self.scores, self.n_channels = Scores(inner.held_out, device), nearest.n_channels
        codes, values = nearest.voting.codes, nearest.voting.values
        ballots = np.ones((len(codes), self.n_channels + 1))
        ballots[:, :-1] = (codes[:, None] == np.arange(self.n_channels)) * values[:, None]
        self.ballots = device.array(ballots)
        self.parts = list(self._parts(nearest.metric))
        self.n_queries = len(nearest.queries)

    def _parts(self, metric: Any) -> Iterator[_Part]:
        queries, array = metric.queries, self.device.array
        centred = metric.table - metric.table.mean(axis=1, keepdims=True)
        tables = [array(centred * scale[:, None]) for scale in queries.scale]
        for pair in sorted(set(zip(queries.part.tolist(), queries.scaled.tolist()))):
            at = np.flatnonzero((queries.part == pair[0]) & (queries.scaled == pair[1]))
            train = np.flatnonzero(queries.train[pair[0]])
            yield _Part(array(at), array(queries.rows[at]), array(train), tables[pair[1]], queries.alone)

    def _alone(self, columns: np.ndarray) -> float:
        votes, _ = self.inner.nearest.subset(columns)
        return float(self.inner.held_out.quality(self.inner._outputs(votes))[0])

    def _bytes(self, size: int) -> float:
        n = self.inner.nearest.metric.n_rows
        return 8.0 * (4 * n * size + 2 * self.n_queries * (self.n_channels + 1)) + 8.0 * n * min(64, self.n_queries)

    def _evaluate(self, batch: Batch) -> np.ndarray:
        torch, n = self.device.torch, len(batch.which)
        shape = (n, self.n_queries, self.n_channels + 1)
        votes = torch.empty(shape, dtype=torch.float64, device=self.device.name)
        for part in self.parts:
            X = torch.where(batch.valid[:, :, None], part.table[batch.columns], 0.0).transpose(1, 2)  # (C, n, s)
            Y = X[:, part.train]
            rough = X.to(torch.float32), Y.to(torch.float32)
            norms = (X * X).sum(dim=2)
            for tile in self._tiles(n, len(part.queries), len(part.train)):
                votes[:, part.queries[tile]] = self._votes(part, tile, X, Y, rough, norms)
        return self._scored(votes)

    def _tiles(self, n: int, n_queries: int, n_train: int) -> list[slice]:
        step = max(1, int(_TILE * self.device.room / (4.0 * 4 * n * n_train)))
        return [slice(low, min(n_queries, low + step)) for low in range(0, n_queries, step)]

    # The nearest rows -------------------------------------------------------------------------------------------------

    def _votes(self, part: _Part, tile: slice, X: Any, Y: Any, rough: tuple[Any, Any], norms: Any) -> Any:
        """Votes (C, Q, channels) of some queries."""
        torch, rows = self.device.torch, part.rows[tile]
        near, error = self._rough(rough[0][:, rows], rough[1], norms[:, rows], norms[:, part.train])
        if part.alone:
            near[:, torch.arange(len(rows), device=self.device.name), rows] = float("inf")
        n_listed = min(self.k + _MORE, near.shape[2])
        bound, listed = near.topk(n_listed, dim=2, largest=False, sorted=True)
        listed = listed.sort(dim=2).values  # in the order of rows, by which ties are settled
        query = X[:, rows]
        distance = self._exact(query, Y, listed)
        if part.alone:
            distance = torch.where(listed == rows[:, None], float("inf"), distance)
        kth = distance.kthvalue(self.k, dim=2).values
        safe = kth * (1 + 2 * TIE) < bound[:, :, -1].to(torch.float64) - error
        if n_listed == near.shape[2]:
            safe = torch.ones_like(safe)
        votes = self._counted(distance, part.train[listed], kth)
        doubtful = (~safe).nonzero(as_tuple=True)
        if len(doubtful[0]):
            votes[doubtful] = self._decided(doubtful, query, Y, rows, part)
        return votes

    def _rough(self, query: Any, rows: Any, norms: Any, others: Any) -> tuple[Any, Any]:
        """Distances in single precision (C, Q, n), and for each query how far off any of them may be (C, Q)."""
        torch, s = self.device.torch, query.shape[2]
        grain = _ROUGHER if torch.backends.cuda.matmul.allow_tf32 else _GRAIN
        if self.absolute:
            largest = query.abs().sum(dim=2).to(torch.float64)[:, :] + rows.abs().sum(dim=2).amax(dim=1)[:, None]
            return torch.cdist(query, rows, p=1.0), 2.0 * (s + 4) * _GRAIN * largest
        near = torch.baddbmm(others[:, None].to(torch.float32), query, rows.transpose(1, 2), alpha=-2.0)
        near += norms[:, :, None].to(torch.float32)
        size = norms + others.amax(dim=1)[:, None]
        return near, 2.0 * (2 * s + 8) * grain * size

    def _exact(self, query: Any, rows: Any, listed: Any) -> Any:
        """Distances in double precision of each query to its listed rows (C, Q, m)."""
        torch, total = self.device.torch, None
        which = torch.arange(len(query), device=self.device.name)[:, None, None]
        for column in range(query.shape[2]):
            gap = query[:, :, column, None] - rows[which, listed, column]
            term = gap.abs() if self.absolute else gap * gap
            total = term if total is None else total + term
        return total

    def _decided(self, doubtful: Any, query: Any, rows: Any, own: Any, part: _Part) -> Any:
        """Votes (D, channels) of queries in doubt, from their distances to all rows in double precision."""
        torch, (which, place) = self.device.torch, doubtful
        found, step = [], max(1, int(self.device.room / (8.0 * (8 + 2 * self.n_channels) * rows.shape[1])))
        for low in range(0, len(which), step):
            c, q = which[low : low + step], place[low : low + step]
            total: Any = 0.0
            for column in range(query.shape[2]):
                gap = query[c, q, column, None] - rows[c, :, column]
                total = total + (gap.abs() if self.absolute else gap * gap)
            if part.alone:
                total[torch.arange(len(c), device=self.device.name), own[q]] = float("inf")
            kth = total.kthvalue(self.k, dim=1).values
            every = part.train.expand(len(c), -1)
            found.append(self._counted(total[None], every[None], kth[None])[0])
        return torch.cat(found)

    def _counted(self, distance: Any, rows: Any, kth: Any) -> Any:
        """Votes (C, Q, channels) of the k nearest of listed rows, which stand in order of their numbers."""
        torch = self.device.torch
        near = distance <= (kth * (1 + TIE))[:, :, None]
        tied = near & (distance >= (kth * (1 - TIE))[:, :, None])
        left = self.k - (near & ~tied).sum(dim=2, keepdim=True)
        near &= ~tied | (tied.cumsum(dim=2) <= left)
        weights = near.to(torch.float64)
        if self.voting.by_distance:
            root = distance.sqrt() if self.voting.by_distance == 1 else distance
            weights = torch.where(near, 1.0 / root, 0.0)
            zero = weights.isinf()
            weights = torch.where(zero.any(dim=2, keepdim=True), zero.to(torch.float64), weights)
        return torch.einsum("cqm,cqmk->cqk", weights, self.ballots[rows])

    def _scored(self, votes: Any) -> np.ndarray:
        """Qualities of votes (C, N, channels)."""
        if self.scores.counts_hits:
            return self.scores.of_labels(first_largest(votes[:, :, :-1].transpose(1, 2), self.device.torch))
        if self.scores.sums_errors:
            return self.scores.of_values(votes[:, :, 0] / votes[:, :, 1])
        votes = self.device.host(votes.permute(1, 2, 0).contiguous())
        return self.inner.held_out.quality(self.inner._outputs(votes))
