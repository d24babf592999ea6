"""Quadratic discriminants: one sweep per class."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import softmax

from subsel.criteria.blocks import CHUNK, PIVOT, Blocks, pays_to_compile
from subsel.criteria.incremental import Incremental, NotTrusted
from subsel.criteria.scoring import HeldOut
from subsel.folds import Folds

__all__ = ["Quadratic"]

TIE = 1e-11  # outputs that differ by no more differ by rounding


class Quadratic(Incremental):
    r"""Outputs :math:`-\frac12 (d_k^2 + \log|A_k|) + \log \pi_k` with the Mahalanobis distance to each class.

    Blocks run over the folds of the first class, then of the second, and so on. A column that enters adds its
    squared residual over its pivot to the distance, and the logarithm of its pivot to the determinant.
    scikit-learn refuses a covariance with an eigenvalue up to ``tolerance``: such subsets are the worst
    possible. A pivot under it is proof; a trace of the inverse under its reciprocal is proof of the contrary;
    between the two the eigenvalues are computed. ``alike`` (F, p) are columns with one and the same value in a whole
    training part: where a subset has no other, all classes are equally likely, which only an answer from scratch tells
    without rounding.
    """

    def __init__(
        self,
        blocks: Blocks,
        held_out: HeldOut,
        folds: Folds,
        model: Any,
        priors: np.ndarray,
        counts: np.ndarray,
        tolerance: float,
        alike: np.ndarray,
    ) -> None:
        self.differ = ~alike if alike.any() else None
        self.held_out, self.folds, self.model, self.tolerance = held_out, folds, model, tolerance
        self.log_priors, self.counts = np.log(priors), counts  # (K, F) each
        self._stand(blocks)
        self.distance = np.zeros(len(blocks.block_of))
        self.log_determinant = np.zeros(blocks.n_blocks)

    @property
    def _shape(self) -> tuple[int, int]:
        return self.counts.shape

    def _arrive(self) -> None:
        state, blocks = self.state, self.blocks
        assert state is not None
        inside = np.array(state.columns, dtype=np.int64)
        self.distance, self.log_determinant = (
            np.zeros(len(blocks.block_of)),
            np.zeros(blocks.n_blocks),
        )
        if len(inside):
            self.distance = np.einsum(
                "sm,sm->m", state.residuals(inside), self.blocks.held_out(inside)
            )
            self.log_determinant = np.linalg.slogdet(self.blocks.gram(inside))[1]

    def _moved(
        self, sign: float, pivot: np.ndarray, target: np.ndarray, residual: np.ndarray
    ) -> None:
        self.distance += sign * residual**2 / pivot[self.blocks.block_of]
        self.log_determinant += np.log(pivot)

    # Flips ------------------------------------------------------------------------------------------------------------

    def _flips(
        self, added: np.ndarray | None, removed: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        state = self.state
        assert state is not None
        first = removed if added is None else added
        assert first is not None
        single = added is None or removed is None
        settled = self._settled(first, -1.0 if added is None else 1.0) if single else None
        state.complete()
        trace, square = state.trace()
        second = first if removed is None else removed
        pivot = state.pivot[:, first].T
        none = np.zeros_like(pivot)
        with np.errstate(divide="ignore", invalid="ignore"):
            if added is None or removed is None:
                sign = 1.0 if removed is None else -1.0
                move = sign / pivot, none, none, np.log(pivot)
                grown = trace + sign * ((sign > 0) + square[:, first].T) / pivot
            else:
                leaving, share, pivot = state.swap(added, removed)
                grown = state.swapped_trace(added, removed, leaving, share, pivot)
                move = 1 / pivot, share, -1 / leaving, np.log(pivot) + np.log(leaving)
            qualities = self._qualities(first, second, *move) if settled is None else settled
        size = len(state.columns) + (added is not None) - (removed is not None)
        qualities, trusted = self._vouch(
            qualities, first, pivot if added is not None else None, grown, size
        )
        return qualities, trusted & self._differ(added, removed)

    def _settled(self, first: np.ndarray, direction: float) -> np.ndarray | None:
        """Qualities of single flips, scored while the last move is finished; None if it is, or there is no loop for that."""
        state, blocks = self.state, self.blocks
        assert state is not None
        if not self._counted or len(first) <= len(blocks.table) // 2:
            return None
        blocks.work += len(first) * len(blocks.block_of) * 4
        if not pays_to_compile(blocks.work):
            return None
        offset = self.log_priors - 0.5 * self.log_determinant.reshape(self._shape)
        base, two = -0.5 * self.distance.reshape(self._shape[0], -1), self._shape[0] == 2
        base = base[1] - base[0] if two else base.ravel()
        hits = state.class_hits(first, direction, offset, base, self._truth, TIE)
        if hits is None:
            return None
        if two:  # signs of the rows that go to the second class
            hits += np.add.reduceat((self._truth < 0).astype(float), self.held_out.bounds[:-1])
        return self.held_out.hit_quality(hits)

    @cached_property
    def _truth(self) -> np.ndarray:
        """The class of each held-out row; 1 and -1 for the second and first of two."""
        y = self.held_out.y
        return np.where(y == 1, 1.0, -1.0) if self._shape[0] == 2 else y.astype(float)

    @property
    def _counted(self) -> bool:
        return self.held_out.scoring.name in ("accuracy", "f1_micro")

    def _differ(self, added: np.ndarray | None, removed: np.ndarray | None) -> np.ndarray | bool:
        """Which flips leave columns that tell classes apart in every fold."""
        if self.differ is None or self.state is None:
            return True
        count = self.differ[:, self.state.columns].sum(axis=1, keepdims=True)
        count = count if added is None else count + self.differ[:, added]
        return np.all((count if removed is None else count - self.differ[:, removed]) > 0, axis=0)

    def _vouch(
        self,
        qualities: np.ndarray,
        first: np.ndarray,
        pivot: np.ndarray | None,
        trace: np.ndarray,
        size: int,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Which flips certainly have full rank; certain failures become minus infinity."""
        trusted = np.all(trace < 1 / self.tolerance, axis=1)
        hopeless = np.full(len(first), bool(self.counts.min() < size))
        if pivot is not None:
            trusted &= np.all(pivot > PIVOT * self.blocks.moment[:, first].T, axis=1)
            hopeless |= np.any(pivot < 0.999 * self.tolerance, axis=1)
        qualities[hopeless] = -np.inf
        return qualities, trusted | hopeless

    def _qualities(
        self,
        first: np.ndarray,
        second: np.ndarray,
        a: np.ndarray,
        u: np.ndarray,
        b: np.ndarray,
        log: np.ndarray,
    ) -> np.ndarray:
        state, (n_classes, n_folds) = self.state, self._shape
        assert state is not None
        shape = (-1, n_classes, n_folds)
        a, u, b = -0.5 * a.reshape(shape), u.reshape(shape), -0.5 * b.reshape(shape)
        c = -0.5 * (self.log_determinant + log).reshape(shape) + self.log_priors
        self.blocks.work += len(first) * len(self.blocks.block_of) * 4
        fused = self._counted and pays_to_compile(self.blocks.work)
        if fused and state.residual is not None:
            return self._hits(
                state.residual, first, np.repeat(second[:, None], n_folds, axis=1), a, u, b, c
            )
        step = max(1, CHUNK // len(self.blocks.block_of))
        parts = [slice(i, i + step) for i in range(0, len(first), step)]
        return np.concatenate(
            [self._score(self._move(first[p], second[p], a[p], u[p], b[p], c[p])) for p in parts]
        )

    def _hits(self, R: np.ndarray, *move: np.ndarray) -> np.ndarray:
        from subsel._loops.classes import class_hits

        y, spans = self.held_out.y, self.held_out.bounds
        base = -0.5 * self.distance.reshape(self._shape[0], -1)
        return self.held_out.hit_quality(class_hits(R, len(y), *move, base, y, spans, True, TIE))

    def _move(
        self,
        first: np.ndarray,
        second: np.ndarray,
        a: np.ndarray,
        u: np.ndarray,
        b: np.ndarray,
        c: np.ndarray,
    ) -> np.ndarray:
        assert self.state is not None
        spread = lambda values: values.reshape(len(first), -1)[:, self.blocks.block_of]
        gone, moved = self.state.residuals(second), self.state.residuals(first).copy()
        if u.any():
            moved += spread(u) * gone
        moved = spread(a) * moved**2 + spread(c) - 0.5 * self.distance
        if b.any():
            moved += spread(b) * gone**2
        return moved.reshape(len(first), self._shape[0], -1)

    # From scratch -----------------------------------------------------------------------------------------------------

    def _outputs(self, columns: np.ndarray) -> np.ndarray:
        gram = self.blocks.gram(columns)
        gram[:, np.arange(len(columns)), np.arange(len(columns))] = self.blocks.diagonal[:, columns]
        if self.counts.min() < len(columns) or np.linalg.eigvalsh(gram).min() <= self.tolerance * (
            1 + 1e-6
        ):
            raise NotTrusted
        held = self.blocks.held_out(columns)
        distance = np.empty(held.shape[1])
        for b, (start, stop) in enumerate(zip(self.blocks.spans, self.blocks.spans[1:])):
            part = held[:, start:stop]
            distance[start:stop] = np.einsum("sm,sm->m", part, np.linalg.solve(gram[b], part))
        c = -0.5 * np.linalg.slogdet(gram)[1].reshape(self._shape) + self.log_priors
        return (-0.5 * distance + c.reshape(-1)[self.blocks.block_of]).reshape(self._shape[0], -1)

    # Scores -----------------------------------------------------------------------------------------------------------

    def _score(self, outputs: np.ndarray) -> np.ndarray:
        return self.held_out.quality(self._needed(outputs))

    def _shown(self, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._needed(outputs), _labels(outputs)[0]

    def _needed(self, outputs: np.ndarray) -> np.ndarray:
        needs = self.held_out.scoring.needs
        if needs == "labels":
            return _labels(outputs)
        return (
            outputs[:, 1] - outputs[:, 0]
            if needs == "decision"
            else softmax(outputs, axis=1).transpose(0, 2, 1)
        )


def _labels(outputs: np.ndarray) -> np.ndarray:
    """The first class whose output (C, K, n) is the largest, but for rounding."""
    return (outputs >= outputs.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
