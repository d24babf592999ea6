"""Evaluators whose outputs are linear in the residuals of a sweep: ridge, least squares, linear discriminants."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg.lapack import dposv
from scipy.special import expit, softmax

from subsel.criteria.blocks import CHUNK, PIVOT, Blocks, pays_to_compile
from subsel.criteria.fold_counts import HitSigns, square_quality
from subsel.criteria.incremental import Incremental, NotTrusted
from subsel.criteria.scoring import HeldOut
from subsel.criteria.sweep import add_outer
from subsel.folds import Folds

__all__ = ["ZERO", "Linear"]

_SQUARES = ("r2", "neg_mean_squared_error", "neg_root_mean_squared_error")
_HITS = ("accuracy", "f1_micro")
ZERO = 1e-13  # outputs up to this are nothing but rounding: without an intercept, rows of zeros have them
_SURELY, _SURELY_NOT = (
    1e-4,
    1e-10,
)  # variances of directions, on the scale of correlations, that rounding does not touch
_quiet = np.errstate(
    divide="ignore", invalid="ignore", over="ignore"
)  # of flips that are then not trusted
_CENTRED = 30.0  # second moments, on that scale, of columns whose variance has all its digits
_SMALL = 128  # above this LAPACK factors faster than the compiled loop


class Linear(Incremental):
    """Outputs ``start + sum of coefficients times columns``, one per target.

    Parameters
    ----------
    blocks : Blocks
        The moments of the training parts.
    held_out : HeldOut
        The rows held out, and how outputs are scored.
    folds : Folds
        The folds, for refits.
    model : estimator
        The model that is followed, for refits.
    start : array of shape (T, M)
        The outputs of the empty model.
    half : float, default=0.0
        0, or 1/2 for discriminants: what half the squared mean takes off the output of a class.
    trace_limit : float, default=inf
        How large the trace of the inverse may grow before the rank is in doubt, as seen by the estimator that is followed.
    relative : bool, default=False
        Whether that is relative to the trace of the block.
    """

    _fused: Callable[..., np.ndarray] | None = None
    least_spread: float | None = (
        None  # directions with less are left out by the model that is followed, if it does so
    )

    def __init__(
        self,
        blocks: Blocks,
        held_out: HeldOut,
        folds: Folds,
        model: Any,
        start: np.ndarray,
        *,
        half: float = 0.0,
        trace_limit: float = np.inf,
        relative: bool = False,
    ) -> None:
        self.held_out, self.folds, self.model = held_out, folds, model
        self._set_up(blocks, start, half, trace_limit, relative)
        self._fused = (
            self._find_fused()
        )  # not bound: a bound method would follow another fork's state

    def _set_up(
        self,
        blocks: Blocks,
        start: np.ndarray,
        half: float,
        trace_limit: float = np.inf,
        relative: bool = False,
    ) -> None:
        self._stand(blocks)
        self.start, self.half, self.trace_limit, self.relative = (
            np.ascontiguousarray(start),
            half,
            trace_limit,
            relative,
        )
        self.output = self.start

    # Following the state ----------------------------------------------------------------------------------------------

    def _arrive(self) -> None:
        state = self.state
        assert state is not None
        self.output = self.start.copy()
        if state.columns:
            coefficients = state.target[:, state.columns]
            self._add(self.output, coefficients, self.blocks.held_out(np.array(state.columns)))
            self.output -= self._bias(coefficients, self.blocks.targets[:, state.columns])

    def _add(self, output: np.ndarray, coefficients: np.ndarray, held: np.ndarray) -> None:
        """Add coefficients (B, s, T) times held-out columns (s, M) to outputs (T, M)."""
        for b, (start, stop) in enumerate(zip(self.blocks.spans, self.blocks.spans[1:])):
            output[:, start:stop] += coefficients[b].T @ held[:, start:stop]

    def _bias(self, coefficients: np.ndarray, targets: np.ndarray) -> np.ndarray | float:
        if not self.half:
            return 0.0
        return self.half * (coefficients * targets).sum(axis=1).T[:, self.blocks.block_of]

    def _moved(
        self, sign: float, pivot: np.ndarray, target: np.ndarray, residual: np.ndarray
    ) -> None:
        weight = sign * target / pivot[:, None]
        fast = pays_to_compile(self.blocks.work)
        add_outer(self.output, weight, residual, self.blocks.spans, fast)
        if self.half:
            self.output -= self._bias(weight[:, None], target[:, None])

    # Flips ------------------------------------------------------------------------------------------------------------

    def _flips(
        self, added: np.ndarray | None, removed: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        if added is None or removed is None:
            first = removed if added is None else added
            assert first is not None
            return self._singles(first, 1.0 if removed is None else -1.0)
        return self._swapped(added, removed)

    @_quiet
    def _swapped(self, added: np.ndarray, removed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        weight, weight2, bias, trusted = self._swap(added, removed)
        return self._qualities(added, weight, bias, removed, weight2), trusted

    def _singles(self, first: np.ndarray, sign: float) -> tuple[np.ndarray, np.ndarray]:
        """Qualities and trust for one column each that enters or leaves."""
        state = self.state
        assert state is not None
        if (
            self._fused is Linear._hits
            and state.residual is not None
            and self._compiles(len(first))
        ):
            return self._signs.quality(self._single_signs(first, sign)), self._trust(first, sign)
        return self._moved_singles(first, sign)

    @_quiet
    def _moved_singles(self, first: np.ndarray, sign: float) -> tuple[np.ndarray, np.ndarray]:
        """The same from residuals that are up to date."""
        state = self.state
        assert state is not None
        state.complete()
        trusted, target = self._trust(first, sign), state.target[:, first]
        weight = target / (sign * state.pivot[:, first])[:, :, None]
        return self._qualities(
            first, weight, -self.half * weight * target if self.half else None
        ), trusted

    def _trust(self, first: np.ndarray, sign: float) -> np.ndarray:
        state, blocks = self.state, self.blocks
        assert state is not None
        if sign > 0:
            trusted = np.logical_and.reduce(state.pivot > blocks.least_pivot)[first]
        else:
            trusted = np.ones(len(first), dtype=bool)
        if self.trace_limit < np.inf:
            trusted &= self._ranks(
                self._grown(first, sign), self._diagonal_sum() + sign * blocks.diagonal[:, first].T
            )
        return trusted

    @_quiet
    def _grown(self, first: np.ndarray, sign: float) -> np.ndarray:
        """The trace of the inverse with one column each more or less (C, B)."""
        state = self.state
        assert state is not None
        trace, square = state.trace()
        return trace + sign * (((sign > 0) + square) / state.pivot)[:, first].T

    def _compiles(self, n_flips: int) -> bool:
        self.blocks.work += n_flips * len(self.blocks.block_of) * 4
        return pays_to_compile(self.blocks.work)

    def _swap(
        self, added: np.ndarray, removed: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Weights of both residuals, the bias (each (B, C, T)) and trust."""
        state, blocks = self.state, self.blocks
        assert state is not None
        state.complete()
        leaving, share, pivot = state.swap(added, removed)
        trusted = np.all(pivot > blocks.least_pivot[:, added].T, axis=1)
        if np.isfinite(self.trace_limit):
            grown = state.swapped_trace(added, removed, leaving, share, pivot)
            diagonal = (
                self._diagonal_sum() + (blocks.diagonal[:, added] - blocks.diagonal[:, removed]).T
            )
            trusted &= self._ranks(grown, diagonal)
        leaving, share, pivot = (values.T[:, :, None] for values in (leaving, share, pivot))
        gone = state.target[:, removed]
        target = state.target[:, added] + share * gone
        weight, lost = target / pivot, gone / leaving
        bias = -self.half * (weight * target - lost * gone)
        return weight, weight * share - lost, bias, trusted

    def _diagonal_sum(self) -> np.ndarray:
        assert self.state is not None
        return self.blocks.diagonal[:, self.state.columns].sum(axis=1)

    def _ranks(self, trace: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
        """Whether the rank is beyond doubt in every block (last axis)."""
        return np.all(
            trace * diagonal < self.trace_limit if self.relative else trace < self.trace_limit,
            axis=-1,
        )

    def _qualities(
        self,
        first: np.ndarray,
        weight: np.ndarray,
        bias: np.ndarray | None,
        second: np.ndarray | None = None,
        weight2: np.ndarray | None = None,
    ) -> np.ndarray:
        """Score outputs moved along one or two residuals each, a chunk of candidates at a time."""
        state = self.state
        assert state is not None
        fused = self._fused if self._compiles(len(first)) else None
        if second is None or weight2 is None:
            second, weight2 = first, np.zeros_like(weight)
        bias = np.zeros_like(weight) if bias is None else bias
        if fused is not None and state.residual is not None:
            return fused(self, state.residual, first, weight, second, weight2, bias)
        step = max(1, CHUNK // (self.output.size or 1))
        parts = [slice(a, a + step) for a in range(0, len(first), step)]
        move = lambda p: self._move(first[p], weight[:, p], second[p], weight2[:, p], bias[:, p])
        return np.concatenate([self._score(move(p)) for p in parts])

    def _move(
        self,
        first: np.ndarray,
        weight: np.ndarray,
        second: np.ndarray,
        weight2: np.ndarray,
        bias: np.ndarray,
    ) -> np.ndarray:
        """Outputs (C, T, M) moved along residuals."""
        assert self.state is not None
        spread = lambda values: values.transpose(1, 2, 0)[:, :, self.blocks.block_of]
        moved = spread(weight) * self.state.residuals(first)[:, None]
        moved += self.output
        if weight2.any():
            moved += spread(weight2) * self.state.residuals(second)[:, None]
        if self.half:
            moved += spread(bias)
        return moved

    # From scratch -----------------------------------------------------------------------------------------------------

    def _outputs(self, columns: np.ndarray) -> np.ndarray:
        coefficients = self._solve(columns)
        output = self.start.copy()
        self._add(output, coefficients, self.blocks.held_out(columns))
        output -= self._bias(coefficients, self.blocks.targets[:, columns])
        return output

    def _solve(self, columns: np.ndarray) -> np.ndarray:
        """Coefficients (B, s, T) of one subset."""
        gram, targets = self.blocks.gram(columns), self.blocks.targets[:, columns]
        try:
            return self._by_cholesky(columns, gram, targets)
        except NotTrusted:
            if self.least_spread is None:
                raise
            return self._without_idle_directions(columns, gram, targets)

    def _without_idle_directions(
        self, columns: np.ndarray, gram: np.ndarray, targets: np.ndarray
    ) -> np.ndarray:
        """Coefficients of a model that leaves out directions in which rows do not differ: sums of columns that are others."""
        assert self.least_spread is not None
        spread, axes = np.linalg.eigh(gram)
        kept = spread > max(_SURELY, 10 * self.least_spread)
        idle = spread < min(_SURELY_NOT, self.least_spread / 10)
        if not (kept | idle).all() or self.blocks.moment[:, columns].max() > _CENTRED:
            raise NotTrusted
        along = np.where(kept, 1.0, 0.0) / np.where(kept, spread, 1.0)
        return axes @ (along[:, :, None] * (axes.transpose(0, 2, 1) @ targets))

    def _by_cholesky(
        self, columns: np.ndarray, gram: np.ndarray, targets: np.ndarray
    ) -> np.ndarray:
        solved = np.empty_like(targets)
        for b, moment in enumerate(self.blocks.moment[:, columns]):
            factor, solution, info = dposv(gram[b], targets[b], lower=1)
            if info or np.any(np.diagonal(factor) ** 2 <= PIVOT * moment):
                raise NotTrusted
            solved[b] = solution
        if np.isfinite(self.trace_limit):
            trace = np.trace(np.linalg.inv(gram), axis1=1, axis2=2)
            if not self._ranks(trace, np.trace(gram, axis1=1, axis2=2)):
                raise NotTrusted
        return solved

    def _many(self, subsets: list[np.ndarray]) -> np.ndarray:
        """Small subsets together in a compiled loop, the others one by one."""
        whole, held, sizes = (
            self.blocks.whole,
            self.blocks.held,
            np.array([len(s) for s in subsets]),
        )
        plain = np.isfinite(self.trace_limit) or not pays_to_compile(self.blocks.work)
        if plain or whole is None or held is None:
            self.blocks.work += len(self.blocks.block_of) * int(sizes.sum())
            return super()._many(subsets)
        qualities, small = np.full(len(subsets), np.nan), np.flatnonzero(sizes <= _SMALL)
        step = max(1, CHUNK // self.start.size)
        for a in range(0, len(small), step):
            qualities[small[a : a + step]] = self._together(
                [subsets[i] for i in small[a : a + step]], whole, held
            )
        for i in np.flatnonzero(np.isnan(qualities)):
            qualities[i] = self._alone(subsets[i])
        return qualities

    def _together(
        self, subsets: list[np.ndarray], whole: np.ndarray, held: np.ndarray
    ) -> np.ndarray:
        from subsel._loops.subsets import subset_outputs

        blocks, y, counted = self.blocks, self.held_out.y, self.held_out.scoring.name in _HITS
        flat, ends = np.concatenate(subsets), np.cumsum([len(s) for s in subsets])
        out, hits = (
            np.empty((1 if counted else len(ends), *self.start.shape)),
            np.zeros((len(ends), blocks.n_blocks)),
        )
        start = self.start - ZERO if counted and len(self.start) == 1 else self.start
        shape = (
            blocks.moment,
            PIVOT,
            held,
            blocks.origin,
            blocks.scale,
            start,
            blocks.spans,
            self.half,
        )
        codes = y.astype(float) if counted else np.empty(0)
        sound = subset_outputs(whole, blocks.targets, *shape, flat, ends, out, codes, hits)
        return np.where(
            sound, self.held_out.hit_quality(hits) if counted else self._score(out), np.nan
        )

    # Scores -----------------------------------------------------------------------------------------------------------

    def _score(self, outputs: np.ndarray) -> np.ndarray:
        return self.held_out.quality(self._needed(outputs))

    def _shown(self, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = self.held_out.scoring.needs == "values"
        return self._needed(outputs), outputs[0, 0] if values else _labels(outputs)[0]

    def _needed(self, outputs: np.ndarray) -> np.ndarray:
        needs = self.held_out.scoring.needs
        if needs == "labels":
            return _labels(outputs)
        if needs == "codes":
            return outputs.transpose(0, 2, 1)
        if needs != "probability":
            return outputs[:, 0]
        if outputs.shape[1] > 1:
            return softmax(outputs, axis=1).transpose(0, 2, 1)
        chance = expit(outputs[:, 0])
        return np.stack([1 - chance, chance], axis=2)

    def _find_fused(self) -> Callable[..., np.ndarray] | None:
        """The method with a compiled loop that scores flips without storing their outputs, for the plainest scorings."""
        name, plain = self.held_out.scoring.name, len(self.start) == 1 and not self.half
        if name in _HITS:
            return Linear._hits if plain else Linear._class_hits
        return Linear._squares if plain and name in _SQUARES else None

    def _hits(
        self,
        R: np.ndarray,
        first: np.ndarray,
        weight: np.ndarray,
        second: np.ndarray,
        weight2: np.ndarray,
        *_: Any,
    ) -> np.ndarray:
        from subsel._loops.least_squares import flip_hits

        moves = first, _laid_out(weight), second, _laid_out(weight2)
        signs = self._signs
        return signs.quality(
            flip_hits(R, *moves, self.output[0] - ZERO, signs.of_rows, self.blocks.spans)
        )

    def _single_signs(self, first: np.ndarray, sign: float) -> np.ndarray:
        """Signs for one flip each; where most columns are asked for, residuals are brought up to date in the same pass."""
        from subsel._loops.least_squares import score_hits, settle_hits

        state, output, many = (
            self.state,
            self.output[0] - ZERO,
            len(first) > len(self.blocks.table) // 2,
        )
        assert state is not None
        if many and sign > 0:
            above = state.enter_hits(first, output, self._signs.of_rows)
            if above is not None:
                return above
        pending = state.settle() if many else None
        scored = (
            first,
            sign,
            state.pivot,
            state.target,
            output,
            self._signs.of_rows,
            self.blocks.spans,
        )
        if pending is not None:
            return settle_hits(*pending, *scored)
        state.complete()
        return score_hits(state.residual, *scored)

    @cached_property
    def _signs(self) -> HitSigns:
        return HitSigns(self.held_out)

    def _class_hits(
        self,
        R: np.ndarray,
        first: np.ndarray,
        weight: np.ndarray,
        second: np.ndarray,
        weight2: np.ndarray,
        bias: np.ndarray,
    ) -> np.ndarray:
        from subsel._loops.classes import class_hits

        a, b, c = (
            np.ascontiguousarray(part.transpose(1, 2, 0)) for part in (weight, weight2, bias)
        )
        by_block = np.repeat(second[:, None], self.blocks.n_blocks, axis=1)
        where = self.output, self.held_out.y, self.blocks.spans
        return self.held_out.hit_quality(
            class_hits(R, 0, first, by_block, a, b, b, c, *where, False, 0.0)
        )

    def _squares(
        self,
        R: np.ndarray,
        first: np.ndarray,
        weight: np.ndarray,
        second: np.ndarray,
        weight2: np.ndarray,
        *_: Any,
    ) -> np.ndarray:
        from subsel._loops.least_squares import flip_squares

        y, moves = self.held_out.y, (first, _laid_out(weight), second, _laid_out(weight2))
        return square_quality(
            self.held_out, flip_squares(R, *moves, self.output[0], y, self.blocks.spans)
        )


def _labels(outputs: np.ndarray) -> np.ndarray:
    """Class codes: the sign of one output, the first largest of several."""
    return (
        (outputs[:, 0] > ZERO).astype(np.int64) if outputs.shape[1] == 1 else outputs.argmax(axis=1)
    )


def _laid_out(weight: np.ndarray) -> np.ndarray:
    """Weights (B, C, 1) of a single target, as (B, C) row by row: loops are compiled for one layout."""
    return np.ascontiguousarray(weight[:, :, 0])
