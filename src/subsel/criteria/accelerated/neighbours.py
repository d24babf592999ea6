"""Nearest neighbours of many subsets at once on a device.

Rows are listed in single precision and decided in double.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from subsel._loops.device import Device
from subsel._loops.neighbours.arguments import TIE
from subsel.criteria.accelerated.base import Accelerated
from subsel.criteria.accelerated.batches import Batch
from subsel.criteria.accelerated.scores import Scores, first_largest

__all__ = ["AcceleratedNeighbours"]

_MORE = 8  # rows listed in addition to the k nearest, so that rounding rarely leaves one in doubt
_GRAIN = 2.0**-24  # unit roundoff of single precision
_ROUGHER = 2.0**-11  # unit roundoff where factors may be rounded to the ten bits of TF32
_FAR = 1e38  # the distance of padding rows, below the overflow of single precision
_BLOCK = 64  # rows of a block, of which the nearest is found first
_TILE = 0.5  # share of the device's room for one tile of distances


class _Part(NamedTuple):
    """Queries that share the rows that may answer them and the multipliers of differences."""

    queries: Any  # (Q,) their positions among all queries
    rows: Any  # (Q,) their row numbers
    train: Any  # the rows that may answer
    table: Any  # (p, n) centred columns times their multipliers
    alone: bool  # a query's own row must not answer


class _Rough(NamedTuple):
    """Tables in single precision whose product or distance approximates distances of rows."""

    queries: Any  # (C, n, s) all rows as queries; for squares (C, n, s + 1) with a column of ones
    rows: Any  # (C, padded rows, s), or s + 1 with the squared norms
    norms: Any  # (C, n) what must be added to the product of a query: its squared norm, or 0
    error: Any  # (C, n) bound on the rounding error of the distances of a query


class AcceleratedNeighbours(Accelerated):
    """Nearest neighbours from distances of some queries at a time to all rows.

    A matrix product in single precision lists the rows nearest to each query; their distances are
    then summed in double precision. Where a row that is not listed could be as near, given the
    bound on its error, the distances of that query to all rows are summed in double precision. Ties
    are those of the inner evaluator.

    Parameters
    ----------
    inner : Evaluator
        That of :class:`~subsel.criteria.NearestNeighbours`.
    device : Device
        The device that computes.
    """

    inner: Any

    def __init__(self, inner: Any, device: Device) -> None:
        super().__init__(inner, device)
        nearest = inner.nearest
        self.k, self.voting, self.absolute = (
            nearest.voting.k,
            nearest.voting,
            nearest.metric.absolute,
        )
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
            yield _Part(
                array(at), array(queries.rows[at]), array(train), tables[pair[1]], queries.alone
            )

    def _alone(self, columns: np.ndarray) -> float:
        votes = self.inner.nearest.subset(columns, votes=True).votes[:, :, :1]
        return float(self.inner.held_out.quality(self.inner._outputs(votes))[0])

    def _bytes(self, size: int) -> float:
        n = self.inner.nearest.metric.n_rows
        return 8.0 * (4 * n * size + 2 * self.n_queries * (self.n_channels + 1)) + 8.0 * n * min(
            64, self.n_queries
        )

    def _evaluate(self, batch: Batch) -> np.ndarray:
        torch, n = self.device.torch, batch.shape[0]
        shape = (n, self.n_queries, self.n_channels + 1)
        votes = torch.empty(shape, dtype=torch.float64, device=self.device.name)
        for part in self.parts:
            X = torch.where(batch.valid[:, :, None], part.table[batch.columns], 0.0).transpose(
                1, 2
            )  # (C, n, s)
            Y = X[:, part.train]
            rough = self._rough_tables(X, Y)
            for tile in self._tiles(n, len(part.queries), len(part.train)):
                votes[:, part.queries[tile]] = self._votes(part, tile, X, Y, rough)
        return self._scored(votes)

    def _tiles(self, n: int, n_queries: int, n_train: int) -> list[slice]:
        step = max(
            1,
            int(
                _TILE * self.device.room / (4.0 * n * (2 * n_train + 8 * _BLOCK * (self.k + _MORE)))
            ),
        )
        return [slice(low, min(n_queries, low + step)) for low in range(0, n_queries, step)]

    # The nearest rows -----------------------------------------------------------------------------

    def _votes(self, part: _Part, tile: slice, X: Any, Y: Any, rough: _Rough) -> Any:
        """Count the votes (C, Q, channels) of some queries."""
        torch, rows, n_train = self.device.torch, part.rows[tile], Y.shape[1]
        query = X[:, rows]
        if n_train <= self.k + _MORE:
            listed = torch.arange(n_train, device=self.device.name).expand(len(X), len(rows), -1)
            beyond = torch.full(
                listed.shape[:2], float("inf"), dtype=torch.float64, device=self.device.name
            )
        else:
            listed, beyond = self._listed(rough, rows, n_train, part.alone)
        distance = self._exact(query, Y, listed)
        if part.alone:
            distance = torch.where(listed == rows[:, None], float("inf"), distance)
        kth = distance.kthvalue(self.k, dim=2).values
        safe = kth * (1 + 2 * TIE) < beyond
        votes = self._counted(distance, part.train[listed], kth)
        doubtful = (~safe).nonzero(as_tuple=True)
        if len(doubtful[0]):
            votes[doubtful] = self._decided(doubtful, query, Y, rows, part)
        return votes

    def _rough_tables(self, X: Any, Y: Any) -> _Rough:
        """Make tables in single precision, and bounds on the rounding errors of their distances."""
        # ||x - y||^2 = ||x||^2 + ||y||^2 - 2 x'y: one product of (x, 1) and (-2 y, ||y||^2) gives
        # all but ||x||^2. A product of s terms with unit roundoff u has an error of at most about s
        # u times the sum of the terms' sizes, here at most 2 (||x||^2 + ||y||^2), besides the
        # rounding of the factors (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.
        # 2002, section 3.1). The factors 2 and the added constants are a margin.
        torch, s, n_filled = self.device.torch, X.shape[2], -Y.shape[1] % _BLOCK
        fill = torch.nn.functional.pad
        if self.absolute:
            size = X.abs().sum(dim=2) + Y.abs().sum(dim=2).amax(dim=1)[:, None]
            rows = fill(Y.to(torch.float32), (0, 0, 0, n_filled), value=_FAR)
            error = 2.0 * (s + 4) * _GRAIN * self._in_range(size)
            return _Rough(X.to(torch.float32), rows, torch.zeros_like(size), error)
        grain = _GRAIN
        if torch.backends.cuda.matmul.allow_tf32:
            grain = _ROUGHER
        norms, others = (X * X).sum(dim=2), (Y * Y).sum(dim=2)
        queries = torch.cat([X, torch.ones_like(X[:, :, :1])], dim=2).to(torch.float32)
        rows = fill(-2.0 * Y, (0, 0, 0, n_filled)).to(torch.float32)
        rows = torch.cat(
            [rows, fill(others.to(torch.float32), (0, n_filled), value=_FAR)[:, :, None]], dim=2
        )
        error = 2.0 * (2 * s + 8) * grain * self._in_range(norms + others.amax(dim=1)[:, None])
        return _Rough(queries, rows, norms, error)

    def _in_range(self, size: Any) -> Any:
        """Replace sizes by infinity where single precision might overflow.

        Everything is then decided in double precision.
        """
        return self.device.torch.where(size > 1e-2 * _FAR, float("inf"), size)

    def _listed(self, rough: _Rough, rows: Any, n_train: int, alone: bool) -> tuple[Any, Any]:
        """List the nearest rows of each query, in single precision.

        Returns row positions (C, Q, m) in ascending order, and a lower bound (C, Q) on the
        distances of all other rows. The m nearest rows are in the m blocks whose nearest rows are
        nearest, so that one pass over all distances, for the minimum of each block, is enough.
        """
        torch, query, n_listed = self.device.torch, rough.queries[:, rows], self.k + _MORE
        if self.absolute:
            near = torch.cdist(query, rough.rows, p=1.0)
        else:
            near = query @ rough.rows.transpose(1, 2)
        if alone:
            near[:, torch.arange(len(rows), device=self.device.name), rows] = _FAR
        blocks = near.reshape(*near.shape[:2], -1, _BLOCK)
        if blocks.shape[2] > n_listed:
            nearest = blocks.amin(dim=3).topk(n_listed, dim=2, largest=False).indices
            inside = blocks.gather(2, nearest[:, :, :, None].expand(-1, -1, -1, _BLOCK)).flatten(2)
            bound, place = inside.topk(n_listed, dim=2, largest=False, sorted=True)
            listed = nearest.gather(2, place // _BLOCK) * _BLOCK + place % _BLOCK
        else:
            bound, listed = near.topk(n_listed, dim=2, largest=False, sorted=True)
        beyond = bound[:, :, -1].to(torch.float64) + rough.norms[:, rows] - rough.error[:, rows]
        return listed.clamp_(max=n_train - 1).sort(dim=2).values, beyond

    def _exact(self, query: Any, rows: Any, listed: Any) -> Any:
        """Sum distances (C, Q, m) in double precision of each query to its listed rows."""
        torch, total = self.device.torch, None
        which = torch.arange(len(query), device=self.device.name)[:, None, None]
        for column in range(query.shape[2]):
            gap = query[:, :, column, None] - rows[which, listed, column]
            term = gap.abs() if self.absolute else gap * gap
            total = term if total is None else total + term
        return total

    def _decided(self, doubtful: Any, query: Any, rows: Any, own: Any, part: _Part) -> Any:
        """Count the votes (D, channels) of queries in doubt, in double precision over all rows."""
        torch, (which, place) = self.device.torch, doubtful
        found, step = (
            [],
            max(1, int(self.device.room / (8.0 * (8 + 2 * self.n_channels) * rows.shape[1]))),
        )
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
        """Count the votes (C, Q, channels) of the k nearest rows.

        ``distance`` (C, Q, m) is that of rows in ascending order of their numbers, ``kth`` (C, Q)
        the k-th smallest. Rows tied with it vote in this order until k rows have voted.
        """
        torch = self.device.torch
        near = distance <= (kth * (1 + TIE))[:, :, None]
        tied = near & (distance >= (kth * (1 - TIE))[:, :, None])
        left = self.k - (near & ~tied).sum(dim=2, keepdim=True)
        near &= ~tied | (tied.cumsum(dim=2) <= left)
        weights = near.to(torch.float64)
        if self.voting.by_distance:
            root = distance
            if self.voting.by_distance == 1:
                root = distance.sqrt()
            weights = torch.where(near, 1.0 / root, 0.0)
            zero = weights.isinf()
            weights = torch.where(zero.any(dim=2, keepdim=True), zero.to(torch.float64), weights)
        return torch.einsum("cqm,cqmk->cqk", weights, self.ballots[rows])

    def _scored(self, votes: Any) -> np.ndarray:
        """Score votes (C, N, channels)."""
        if self.scores.counts_hits:
            return self.scores.of_labels(
                first_largest(votes[:, :, :-1].transpose(1, 2), self.device.torch)
            )
        if self.scores.sums_errors:
            return self.scores.of_values(votes[:, :, 0] / votes[:, :, 1])
        votes = self.device.host(votes.permute(1, 2, 0).contiguous())
        return self.inner.held_out.quality(self.inner._outputs(votes))
