"""Ridge, least squares and linear discriminants of many subsets at once on a device."""

from __future__ import annotations

from typing import Any

import numpy as np

from subsel._loops.device import Device
from subsel.criteria.accelerated.base import Accelerated
from subsel.criteria.accelerated.batches import Batch, is_dense, spread, weighted_sums
from subsel.criteria.accelerated.scores import Scores, first_largest
from subsel.criteria.linear.blocks import PIVOT, Blocks
from subsel.criteria.linear.leave_one_out import LEAST_ROOM, LeaveOneOut
from subsel.criteria.linear.linear_evaluator import ZERO, Linear
from subsel.space.candidates import Candidates, Changes

__all__ = ["AcceleratedLeaveOneOut", "AcceleratedLinear", "DeviceMoments"]

_FEW = 2  # from so many additions on, solving for all columns at once by one factor is worth it


class AcceleratedLinear(Accelerated):
    """Linear models: batched Cholesky factors, and Schur complements for additions.

    Parameters
    ----------
    inner : Linear
        The evaluator of the processor, whose qualities are reproduced.
    device : Device
        The device that computes.
    """

    inner: Linear

    def __init__(self, inner: Linear, device: Device) -> None:
        super().__init__(inner, device)
        self.moments, self.scores = (
            DeviceMoments(inner.blocks, device),
            Scores(inner.held_out, device),
        )
        self.start = device.array(inner.start)

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Return one quality per candidate."""
        changes = candidates.changes()
        if (
            changes is None
            or changes.removed.shape[1]
            or changes.added.shape[1] != 1
            or len(candidates) < _FEW
        ):
            return super().evaluate(candidates)
        found = self._additions(changes)
        if found is None:
            return super().evaluate(candidates)
        return self._settled(found, candidates.columns)

    def _alone(self, columns: np.ndarray) -> float:
        return self.inner._alone(columns)

    def _bytes(self, size: int) -> float:
        blocks, n_targets = self.inner.blocks, len(self.inner.start)
        system = blocks.n_blocks * size * (4 * size + 4 * n_targets)
        gathered = 0
        if self.moments.whole is None:
            gathered = 2 * size * blocks.table.shape[1]
        return 8.0 * (
            system
            + gathered
            + n_targets * (4 * len(blocks.block_of) + blocks.n_blocks * blocks.n_columns)
        )

    # Any subsets ----------------------------------------------------------------------------------

    def _evaluate(self, batch: Batch) -> np.ndarray:
        # The normal equations of each candidate and training part, by Cholesky factors. A padding
        # column has a one on the diagonal and zeros elsewhere, so that its coefficient is zero. The
        # squared pivot of a column is its Schur complement: what the columns before leave of it.
        torch, m = self.device.torch, self.moments
        gram, both = self._grams(batch), batch.valid[:, :, None] & batch.valid[:, None, :]
        gram = torch.where(both, gram, self.device.eye(batch.shape[1]))
        targets, least_pivot, origin = m.of_columns(batch.columns)
        targets = torch.where(batch.valid[:, :, None], targets, 0.0)
        factor, info = torch.linalg.cholesky_ex(gram)
        sound = (torch.diagonal(factor, dim1=2, dim2=3).square() > least_pivot) | ~batch.valid
        trusted = (sound.all(dim=2) & (info == 0)).all(dim=0)
        if np.isfinite(self.inner.trace_limit):
            trusted &= self._ranks(factor, gram, batch)
        # two solutions rather than `cholesky_solve`, for which the processor would wait
        halfway = torch.linalg.solve_triangular(factor, targets, upper=False)
        coefficients = torch.linalg.solve_triangular(factor.mT, halfway, upper=True)
        outputs = self._outputs(coefficients, targets, origin, batch)
        outputs = self._finished(outputs, factor, batch)
        return self._scored(outputs, trusted)

    def _finished(self, outputs: Any, factor: Any, batch: Batch) -> Any:  # noqa: ARG002
        """Turn outputs (C, T, M) of the models into those that are scored."""
        return outputs

    def _grams(self, batch: Batch) -> Any:
        """Gather the moments of the columns of each candidate, of shape (B, C, s, s)."""
        m, torch, (n, s) = self.moments, self.device.torch, batch.shape
        whole = m.whole
        if whole is not None:
            pairs = batch.columns[:, :, None] * whole.shape[1] + batch.columns[:, None, :]
            return whole.flatten(1).index_select(1, pairs.flatten()).reshape(-1, n, s, s)
        found = torch.empty((m.n_blocks, n, s, s), dtype=torch.float64, device=self.device.name)
        for b, weight in enumerate(m.blocks.weights.T):
            used = self._array(np.flatnonzero(weight))
            means = m.means[b][:, batch.columns].movedim(0, 2)  # (C, s, G)
            group = self._array(m.blocks.group)[used]
            part = m.table[:, used][batch.columns] - means.index_select(2, group).expand(
                n, s, len(used)
            )
            part = part / m.scale[b, batch.columns][:, :, None]
            found[b] = (part * self._array(weight)[used]) @ part.transpose(1, 2)
        found += m.blocks.penalty * self.device.eye(s)
        return found

    def _ranks(self, factor: Any, gram: Any, batch: Batch) -> Any:
        """Whether the rank of each candidate is beyond doubt, by the inner evaluator's rule.

        Padding is subtracted: each padding column adds one to both traces.
        """
        # trace of the inverse: the sum of squares of L^-1. It is at least one over the smallest
        # eigenvalue, and times the trace of the matrix at least the condition number.
        torch = self.device.torch
        eye = self.device.eye(batch.shape[1]).expand_as(factor)
        inverse = torch.linalg.solve_triangular(factor, eye, upper=False)
        filled = (~batch.valid).sum(dim=1)
        trace = (inverse * inverse).sum(dim=(2, 3)) - filled
        diagonal = torch.diagonal(gram, dim1=2, dim2=3).sum(dim=2) - filled
        return self._beyond_doubt(trace, diagonal).all(dim=0)

    def _beyond_doubt(self, trace: Any, diagonal: Any) -> Any:
        """Compare traces of inverses with the limit; ``diagonal`` holds traces of the matrices."""
        limit = self.inner.trace_limit
        if self.inner.relative:
            return trace * diagonal < limit
        return trace < limit

    def _outputs(self, coefficients: Any, targets: Any, origin: Any, batch: Batch) -> Any:
        """Compute held-out outputs of shape (C, T, M).

        ``coefficients`` and ``targets`` have shape (B, C, s, T), ``origin`` (B, C, s).
        """
        m = self.moments
        weights = coefficients * batch.valid[:, :, None]
        scaled = weights
        if m.blocks.scaled:
            scaled = weights / m.scale[:, batch.columns][:, :, :, None]
        level = (scaled * origin[:, :, :, None]).sum(dim=2)
        if self.inner.half:
            level += self.inner.half * (weights * targets).sum(dim=2)
        outputs = self._weighted_columns(scaled, batch)
        outputs -= level.movedim(0, 2).index_select(2, m.block_of)
        return outputs.add_(self.start)

    def _weighted_columns(self, weights: Any, batch: Batch) -> Any:
        """Sum held-out columns, of shape (C, T, M).

        ``weights`` of shape (B, C, s, T) are those of the block that holds a row out.
        """
        torch, m, (n, _), t = self.device.torch, self.moments, batch.shape, weights.shape[3]
        if not is_dense(m.held, batch):
            spans = zip(m.spans, m.spans[1:])
            parts = [
                weighted_sums(w, batch, m.held[:, a:b], self.device)
                for w, (a, b) in zip(weights, spans)
            ]
            return torch.cat(parts, dim=2)
        full = spread(weights, batch, len(m.held), self.device).reshape(m.n_blocks, n * t, -1)
        sums = torch.empty((n * t, m.spans[-1]), dtype=torch.float64, device=self.device.name)
        for weight, a, b in zip(full, m.spans, m.spans[1:]):
            torch.mm(weight, m.held[:, a:b], out=sums[:, a:b])
        return sums.reshape(n, t, -1)

    # Additions to a base --------------------------------------------------------------------------

    def _additions(self, changes: Changes) -> np.ndarray | None:
        """Evaluate a base with one column added; None where the base itself is doubtful."""
        torch, m, base = self.device.torch, self.moments, self._array(changes.base)
        if not len(base):
            return self._first_columns(changes.added[:, 0], base)
        rows = m.rows(base)
        factor, info = torch.linalg.cholesky_ex(rows[:, :, base])
        pivots = torch.diagonal(factor, dim1=1, dim2=2) ** 2
        if bool((info != 0).any()) or bool((pivots <= m.least_pivot[:, base]).any()):
            return None
        shares = torch.cholesky_solve(
            rows, factor
        )  # (B, s, p) regressions of all columns on the base
        start = self._base_outputs(torch.cholesky_solve(m.targets[:, base], factor), base)
        return self._in_parts(changes.added[:, 0], base, rows, shares, start, factor)

    def _first_columns(self, added: np.ndarray, base: Any) -> np.ndarray:
        """Evaluate single columns, an empty base with one column added."""
        torch, m = self.device.torch, self.moments
        none = torch.zeros(
            (m.n_blocks, 0, m.blocks.n_columns), dtype=torch.float64, device=self.device.name
        )
        return self._in_parts(added, base, none, none, self.start, none[:, :, :0])

    def _in_parts(self, added: np.ndarray, *base: Any) -> np.ndarray:
        """Evaluate additions in slices that fit the device; ``base`` is passed to `_added`."""
        parts = self._room_for(len(added), 8.0 * self.start.numel() * 6)
        return np.concatenate([self._added(self._array(added[part]), *base) for part in parts])

    def _base_outputs(self, coefficients: Any, base: Any) -> Any:
        """Compute the held-out outputs (T, M) of the base itself."""
        m, outputs = self.moments, self.start.clone()
        for b in range(m.n_blocks):
            start, stop = m.spans[b], m.spans[b + 1]
            outputs[:, start:stop] += coefficients[b].T @ m.shifted(base, b)
            if self.inner.half:
                level = self.inner.half * (coefficients[b] * m.targets[b, base]).sum(dim=0)
                outputs[:, start:stop] -= level[:, None]
        return outputs

    def _added(
        self, added: Any, base: Any, rows: Any, shares: Any, start: Any, factor: Any
    ) -> np.ndarray:
        """Evaluate the base with each column of ``added`` (C,) from Schur complements.

        ``rows`` and ``shares`` have shape (B, s, p), ``start`` (T, M), ``factor`` (B, s, s).
        """
        # Block elimination: with share = A_SS^-1 a_Sj, the pivot a_jj - a_Sj' share is the Schur
        # complement of the base, and the coefficient of column j is what the base leaves of its
        # right-hand side over the pivot. Outputs change by this coefficient times what the base
        # leaves of column j (Frisch, Waugh and Lovell). Golub and Van Loan, Matrix Computations,
        # 4th ed. 2013, section 3.2; Lovell, Journal of the American Statistical Association 58,
        # 1963.
        torch, m = self.device.torch, self.moments
        share = shares[:, :, added]  # (B, s, C)
        pivot = m.diagonal[:, added] - (share * rows[:, :, added]).sum(dim=1)
        target = m.targets[:, added] - torch.einsum("bsc,bst->bct", share, m.targets[:, base])
        weight = target / pivot[:, :, None]
        trusted = (pivot > m.least_pivot[:, added]).all(dim=0)
        if np.isfinite(self.inner.trace_limit):
            trusted &= self._grown_ranks(share, pivot, added, base, factor)
        outputs, residuals = start.repeat(len(added), 1, 1), []
        for b in range(m.n_blocks):
            low, high = m.spans[b], m.spans[b + 1]
            residual = m.shifted(added, b) - share[b].T @ m.shifted(base, b)
            outputs[:, :, low:high] += weight[b][:, :, None] * residual[:, None]
            if self.inner.half:
                outputs[:, :, low:high] -= self.inner.half * (weight[b] * target[b])[:, :, None]
            residuals.append(residual)
        return self._scored(self._grown(outputs, residuals, pivot, base, factor), trusted)

    def _grown(
        self,
        outputs: Any,
        residuals: list[Any],  # noqa: ARG002
        pivot: Any,  # noqa: ARG002
        base: Any,  # noqa: ARG002
        factor: Any,  # noqa: ARG002
    ) -> Any:
        """Turn outputs (C, T, M) of a base with a column added into those that are scored."""
        return outputs

    def _grown_ranks(self, share: Any, pivot: Any, added: Any, base: Any, factor: Any) -> Any:
        """Whether the rank of the base with each column added is beyond doubt."""
        # The inverse of a matrix bordered by column j is that of the base plus v v' / pivot with
        # v = (share, -1), so its trace grows by (1 + share' share) / pivot.
        torch, m = self.device.torch, self.moments
        trace = (1.0 + (share * share).sum(dim=1)) / pivot
        if len(base):
            eye = self.device.eye(len(base)).expand_as(factor)
            inverse = torch.linalg.solve_triangular(factor, eye, upper=False)
            trace = trace + (inverse * inverse).sum(dim=(1, 2))[:, None]
        diagonal = m.diagonal[:, base].sum(dim=1)[:, None] + m.diagonal[:, added]
        return self._beyond_doubt(trace, diagonal).all(dim=0)

    # Scores ---------------------------------------------------------------------------------------

    def _scored(self, outputs: Any, trusted: Any) -> np.ndarray:
        """Score outputs (C, T, M), NaN where they are not trusted."""
        if self.scores.sums_errors:
            return self.scores.of_values(outputs[:, 0], trusted)
        if self.scores.counts_hits:
            several = outputs.shape[1] > 1
            if several:
                labels = first_largest(outputs, self.device.torch)
            else:
                labels = (outputs[:, 0] > ZERO).long()
            qualities = self.scores.of_labels(labels)
            trusted = trusted & outputs.isfinite().all(dim=2).all(dim=1)
        else:
            safe = self.device.torch.where(
                trusted[:, None, None] & outputs.isfinite(), outputs, 0.0
            )
            trusted = trusted & outputs.isfinite().all(dim=2).all(dim=1)
            qualities = self.inner._score(self.device.host(safe))
        return np.where(self.device.host(trusted), qualities, np.nan)


class AcceleratedLeaveOneOut(AcceleratedLinear):
    """Leave-one-out from one model of all rows, by the leverage of each row."""

    inner: LeaveOneOut

    def __init__(self, inner: LeaveOneOut, device: Device) -> None:
        super().__init__(inner, device)
        self.values, self.row_weights = device.array(inner.values), device.array(inner.row_weights)
        self.empty_leverage = device.array(inner.empty_leverage)

    def _bytes(self, size: int) -> float:
        return super()._bytes(size) + 8.0 * 3 * size * len(self.inner.blocks.block_of)

    def _finished(self, outputs: Any, factor: Any, batch: Batch) -> Any:
        m, torch = self.moments, self.device.torch
        # the leverage x' A^-1 x of a row is the squared length of L^-1 x
        held = m.held[batch.columns] - m.origin[0, batch.columns][:, :, None]
        held = torch.where(batch.valid[:, :, None], held, 0.0)
        whitened = torch.linalg.solve_triangular(factor[0], held, upper=False)
        return self._left_out(outputs, self.empty_leverage + (whitened * whitened).sum(dim=1))

    def _grown(self, outputs: Any, residuals: list[Any], pivot: Any, base: Any, factor: Any) -> Any:
        # a column adds the square of what the base leaves of it, over its pivot, to the leverage
        leverage = self.empty_leverage + residuals[0] ** 2 / pivot[0][:, None]
        if len(base):
            held = self.moments.shifted(base, 0)
            whitened = self.device.torch.linalg.solve_triangular(factor[0], held, upper=False)
            leverage = leverage + (whitened * whitened).sum(dim=0)
        return self._left_out(outputs, leverage)

    def _left_out(self, outputs: Any, leverage: Any) -> Any:
        """Compute leave-one-out outputs (C, T, M) from those of all rows and leverages (C, M)."""
        # The residual without a row is the residual with it over 1 - w h (leave-one-out by hat
        # values): Allen, The relationship between variable selection and data augmentation and a
        # method for prediction, Technometrics 16, 1974.
        room = 1.0 - self.row_weights * leverage
        room = self.device.torch.where(room < LEAST_ROOM, float("nan"), room)
        return self.values - (self.values - outputs) / room[:, None]


_PIECE = 1 << 26  # numbers of a weighted copy of the table, 512 MiB
_WHOLE = 0.25  # share of the device's room that the moments of all pairs of columns may take


class DeviceMoments:
    """The arrays of :class:`~subsel.criteria.linear.blocks.Blocks` on a device.

    Parameters
    ----------
    blocks : Blocks
        The moments on the processor.
    device : Device
        The device that gets the arrays.
    """

    def __init__(self, blocks: Blocks, device: Device) -> None:
        self.device, self.blocks = device, blocks
        array = device.array
        self.table = array(blocks.table)
        in_order = np.array_equal(blocks.positions, np.arange(blocks.table.shape[1]))
        self.held = self.table
        if not in_order:
            self.held = self.table[:, array(blocks.positions)]
        self.targets, self.scale, self.origin = (
            array(blocks.targets),
            array(blocks.scale),
            array(blocks.origin),
        )
        self.diagonal, self.least_pivot = array(blocks.diagonal), PIVOT * array(blocks.moment)
        self.means, self.sums = array(blocks.means), array(blocks.sums)
        self.rest = self.sums - array(blocks.totals) * self.means
        self.spans, self.block_of = blocks.spans.tolist(), array(blocks.block_of)
        self._together = device.torch.cat(
            [self.targets, self.least_pivot[:, :, None], self.origin[:, :, None]], dim=2
        )
        self._whole: Any = None

    @property
    def n_blocks(self) -> int:
        """Number of training parts."""
        return self.blocks.n_blocks

    @property
    def whole(self) -> Any:
        """The moments of all pairs of columns (B, p, p), or None where they do not fit."""
        p = self.blocks.n_columns
        if self._whole is None and 8.0 * self.n_blocks * p * p <= _WHOLE * self.device.room:
            self._whole = self.rows(slice(None))
        return self._whole

    def of_columns(self, columns: Any) -> tuple[Any, Any, Any]:
        """Gather right-hand sides (B, C, s, T), least pivots and origins (B, C, s) of columns."""
        picked = self._together.index_select(1, columns.flatten()).reshape(
            self.n_blocks, *columns.shape, -1
        )
        return picked[..., :-2], picked[..., -2], picked[..., -1]

    def rows(self, columns: Any) -> Any:
        """Compute rows of every block's moments, of shape (B, s, p); a slice gives all rows."""
        # Sums of products about the group means m and m', from those about the common origin:
        # sum w (x - m)(z - m') = sum w x z - m (sum w z - W m') - m' sum w x, with W the sum of
        # weights and ``rest`` the bracket.
        moments, means, sums = (
            self._products(columns),
            self.means[:, :, columns],
            self.sums[:, :, columns],
        )
        for g in range(means.shape[1]):
            moments -= means[:, g, :, None] * self.rest[:, g, None]
            moments -= sums[:, g, :, None] * self.means[:, g, None]
        if self.blocks.scaled:
            moments /= self.scale[:, columns][:, :, None] * self.scale[:, None, :]
        every = self.device.torch.arange(moments.shape[2], device=self.device.name)
        moments[:, every[: moments.shape[1]], every[columns]] += self.blocks.penalty
        return moments

    def _products(self, columns: Any) -> Any:
        """Sum weighted products of some columns with all columns, of shape (B, s, p)."""
        blocks, X = self.blocks, self.table[columns]
        if blocks.without is None:
            return self.device.torch.stack(
                [self._product(X, weight, slice(None)) for weight in blocks.weights.T]
            )
        assert blocks.base is not None and blocks.factor is not None
        # folds of a partition: the sums of a training part are those of all folds less its own
        spans = zip(blocks.without.tolist(), blocks.without.tolist()[1:])
        parts = self.device.torch.stack(
            [self._product(X, blocks.base[:, 0], slice(a, b)) for a, b in spans]
        )
        return (parts.sum(dim=0) - parts) * self.device.array(blocks.factor)[:, None, None]

    def _product(self, X: Any, weight: np.ndarray, rows: slice) -> Any:
        """Compute products over some rows, in pieces where rows have weights."""
        if np.all(weight[rows] == 1.0):
            return X[:, rows] @ self.table[:, rows].T
        total: Any = 0.0
        low, high, _ = rows.indices(len(weight))
        step = max(1, _PIECE // max(1, len(X)))
        for a in range(low, high, step):
            here = slice(a, min(high, a + step))
            total = total + (X[:, here] * self.device.array(weight[here])) @ self.table[:, here].T
        return total

    def shifted(self, columns: Any, block: int) -> Any:
        """Centre and scale the held-out rows of columns in one block, of shape (s, rows)."""
        start, stop = self.spans[block], self.spans[block + 1]
        held = self.held[columns, start:stop] - self.origin[block, columns][:, None]
        if self.blocks.scaled:
            held = held / self.scale[block, columns][:, None]
        return held
