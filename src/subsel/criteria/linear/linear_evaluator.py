"""Evaluators whose outputs are linear in the residuals of a sweep.

Ridge regression, least squares and linear discriminants. B is the number of blocks, C of
candidates, T of targets or outputs, M of held-out rows, s of columns in a subset and p of all
columns.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv
from scipy.special import expit, softmax

from subsel.criteria.linear.blocks import CHUNK, PIVOT, Blocks
from subsel.criteria.linear.incremental import Incremental, NotTrusted
from subsel.criteria.linear.many_subsets import (
    HeldColumns,
    Subsets,
    Systems,
    count_hits,
    outputs_of,
    solve_all,
)
from subsel.criteria.linear.sweep import Flip
from subsel.criteria.scoring.scoring import HeldOutFolds
from subsel.data.folds import Folds

__all__ = ["ZERO", "HeldRows", "HitSigns", "Linear", "Moves", "Nudges", "Terms", "square_quality"]

Counts = Literal["nothing", "signs", "classes", "squares"]
_SQUARES = ("r2", "neg_mean_squared_error", "neg_root_mean_squared_error")
_HITS = ("accuracy", "f1_micro")
ZERO = 1e-13  # outputs up to this are rounding: without an intercept, rows of zeros have them
# variances of directions, on the scale of correlations, that are certainly kept and certainly
# dropped
_SURELY, _SURELY_NOT = 1e-4, 1e-10
# for the flips that are then not trusted
_quiet = np.errstate(divide="ignore", invalid="ignore", over="ignore")
_CENTRED = 30.0  # second moments, on that scale, up to which variances have all their digits
_SMALL = 128  # columns above which LAPACK factors faster than the compiled loop


class Linear(Incremental):
    """An evaluator with outputs ``start + sum of coefficients times columns``, one per target.

    Parameters
    ----------
    blocks : Blocks
        The moments of the training parts.
    held_out : HeldOutFolds
        The rows held out, and how outputs are scored.
    folds : Folds
        The folds, for refits.
    model : estimator
        The scikit-learn model whose scores are reproduced, for refits.
    start : ndarray of shape (T, M)
        The outputs of the empty model.
    half : float, default=0.0
        0, or 1/2 for discriminants: the share of coefficients times targets that is subtracted from
        outputs.
    trace_limit : float, default=inf
        The trace of the inverse beyond which the model might lower the rank.
    relative : bool, default=False
        Whether the trace of the inverse is first multiplied by the trace of the block.

    Attributes
    ----------
    counts : {"nothing", "signs", "classes", "squares"}
        What compiled loops compute of flips, without storing their outputs.
    least_spread : float or None
        The variance of directions that the model leaves out, None where it leaves out none.
    """

    counts: Counts = "nothing"
    least_spread: float | None = None

    def __init__(
        self,
        blocks: Blocks,
        held_out: HeldOutFolds,
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
        self.counts = self._counted()

    def _set_up(
        self,
        blocks: Blocks,
        start: np.ndarray,
        half: float,
        trace_limit: float = np.inf,
        relative: bool = False,
    ) -> None:
        """Take over the moments and the parameters of the class, without a state."""
        self._set_blocks(blocks)
        self.half, self.trace_limit, self.relative = half, trace_limit, relative
        self.start = self.output = np.ascontiguousarray(start)

    # Following the state ------------------------------------------------------------------------

    def _after_build(self) -> None:
        """Compute the outputs at the state."""
        state = self.state
        assert state is not None
        self.output = self.start.copy()
        if state.columns:
            coefficients = state.target[:, state.columns]
            self._add(self.output, coefficients, self.blocks.held_out(np.array(state.columns)))
            self.output -= self._bias(coefficients, self.blocks.targets[:, state.columns])

    def _add(self, output: np.ndarray, coefficients: np.ndarray, held: np.ndarray) -> None:
        """Add coefficients (B, s, T) times held-out columns (s, M) to `output` (T, M), in place."""
        for b, (start, stop) in enumerate(zip(self.blocks.spans, self.blocks.spans[1:])):
            output[:, start:stop] += coefficients[b].T @ held[:, start:stop]

    def _bias(self, coefficients: np.ndarray, targets: np.ndarray) -> np.ndarray | float:
        """Return what discriminants subtract from outputs (T, M); both arguments are (B, s, T)."""
        # The output of a class with mean m is x'w - m'w / 2 + log prior, with w = A^-1 m its
        # coefficients (T. Hastie, R. Tibshirani and J. Friedman, *The Elements of Statistical
        # Learning*, 2nd edition, 2009, equation 4.10).
        if not self.half:
            return 0.0
        return self.half * (coefficients * targets).sum(axis=1).T[:, self.blocks.block_of]

    def _after_flip(self, flip: Flip) -> None:
        """Update the outputs at the state."""
        # A flip changes coefficients times columns by target / pivot times the residual of the
        # column, with a minus for leaving (see `Sweep`).
        from subsel._loops.linear.moves import add_outer

        weight = flip.sign * flip.target / flip.pivot[:, None]
        add_outer(self.output, weight, flip.residual, self.blocks.spans)
        if self.half:
            self.output -= self._bias(weight[:, None], flip.target[:, None])

    # Flips --------------------------------------------------------------------------------------

    def _flips(
        self, added: np.ndarray | None, removed: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        if removed is None:
            assert added is not None
            return self._singles(added, 1.0)
        if added is None:
            return self._singles(removed, -1.0)
        return self._swaps(added, removed)

    def _singles(self, first: np.ndarray, sign: float) -> tuple[np.ndarray, np.ndarray]:
        """Return qualities and trust (C,) of the candidates that let one column enter or leave."""
        state, trusted = self.state, self._trust(first, sign)
        assert state is not None
        if self.counts == "signs" and state.residual is not None:
            from subsel._loops.linear.flips import score_hits

            above = score_hits(state.residual, first, sign, state.tables, self._held_signs())
            return self._signs.quality(above.T), trusted
        return self._singles_by_weight(first, sign), trusted

    @_quiet
    def _singles_by_weight(self, first: np.ndarray, sign: float) -> np.ndarray:
        """Return the same qualities as `_singles`, from weights as for swaps."""
        state = self.state
        assert state is not None
        target = state.target[:, first]
        weight = target / (sign * state.pivot[:, first])[:, :, None]
        return self._qualities(first, weight, -self.half * weight * target)

    def _trust(self, first: np.ndarray, sign: float) -> np.ndarray:
        """Return which flips (C,) have sound pivots and a rank beyond doubt."""
        state, blocks = self.state, self.blocks
        assert state is not None
        if sign > 0:
            trusted = np.logical_and.reduce(state.pivot > blocks.least_pivot)[first]
        else:
            trusted = np.ones(len(first), dtype=bool)
        if self.trace_limit < np.inf:
            diagonal = self._diagonal_sum() + sign * blocks.diagonal[:, first].T
            trusted &= self._ranks(self._trace_after(first, sign), diagonal)
        return trusted

    @_quiet
    def _trace_after(self, first: np.ndarray, sign: float) -> np.ndarray:
        """Return the trace of the inverse after each flip: (C, B)."""
        # Bordering an inverse by a column with coupling v adds (1 + |v|^2) / pivot to its trace;
        # removing column i takes off |P_.i|^2 / P_ii. `square` holds |v|^2 outside S and |P_.i|^2
        # inside, `pivot` is P_ii there.
        state = self.state
        assert state is not None
        trace, square = state.trace()
        return trace + sign * (((sign > 0) + square) / state.pivot)[:, first].T

    @_quiet
    def _swaps(self, added: np.ndarray, removed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return qualities and trust (C,) of candidates with one column for another."""
        # Two flips in a row: as i leaves, outputs lose target_i / P_ii times residual i, and
        # residual k gains share times residual i; then k enters with pivot and target as they are
        # by then.
        state, blocks = self.state, self.blocks
        assert state is not None
        leaving, share, pivot = state.swap(added, removed)
        trusted = np.all(pivot > blocks.least_pivot[:, added].T, axis=1)
        if np.isfinite(self.trace_limit):
            grown = state.swapped_trace(added, removed, leaving, share, pivot)
            diagonal = (
                self._diagonal_sum() + (blocks.diagonal[:, added] - blocks.diagonal[:, removed]).T
            )
            trusted &= self._ranks(grown, diagonal)
        leaving, share, pivot = (values.T[:, :, None] for values in (leaving, share, pivot))
        target_lost = state.target[:, removed]
        target = state.target[:, added] + share * target_lost
        weight, lost = target / pivot, target_lost / leaving
        bias = -self.half * (weight * target - lost * target_lost)
        weight2 = weight * share - lost
        return self._qualities(added, weight, bias, removed, weight2), trusted

    def _diagonal_sum(self) -> np.ndarray:
        """Return the trace of the block at the state: (B,)."""
        assert self.state is not None
        return self.blocks.diagonal[:, self.state.columns].sum(axis=1)

    def _ranks(self, trace: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
        """Return whether the rank is beyond doubt in every block, the last axis of both arguments.

        `trace` is that of the inverse and `diagonal` that of the block.
        """
        # The trace of the inverse is at least one over the least eigenvalue, and the trace of a
        # block at least its largest one: their product bounds the condition number from above.
        if self.relative:
            trace = trace * diagonal
        return np.all(trace < self.trace_limit, axis=-1)

    def _qualities(
        self,
        first: np.ndarray,
        weight: np.ndarray,
        bias: np.ndarray,
        second: np.ndarray | None = None,
        weight2: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return the qualities (C,) of outputs moved along one or two residuals each.

        Parameters
        ----------
        first : ndarray of shape (C,)
            The column of the first residual.
        weight : ndarray of shape (B, C, T)
            What it is multiplied by.
        bias : ndarray of shape (B, C, T)
            What is added to all rows of a block.
        second : ndarray of shape (C,) or None
            The column of the second residual, None for none.
        weight2 : ndarray of shape (B, C, T) or None
            What it is multiplied by.
        """
        if second is None or weight2 is None:
            second, weight2 = first, np.zeros_like(weight)
        assert self.state is not None
        residual = self.state.residual
        if self.counts == "nothing" or residual is None:
            return self._in_chunks(first, weight, second, weight2, bias)
        if self.counts == "classes":
            return self._class_hits(residual, first, weight, second, weight2, bias)
        moves = Moves(first, _laid_out(weight), second, _laid_out(weight2))
        if self.counts == "signs":
            return self._hits(residual, moves)
        return self._squares(residual, moves)

    def _in_chunks(self, first: np.ndarray, *moves: np.ndarray) -> np.ndarray:
        """Return the same as `_qualities` from stored outputs, a chunk of candidates at a time."""
        weight, second, weight2, bias = moves
        step, qualities = max(1, CHUNK // max(1, self.output.size)), []
        for a in range(0, len(first), step):
            part = slice(a, a + step)
            weights = weight[:, part], second[part], weight2[:, part], bias[:, part]
            moved = self._move(first[part], *weights)
            qualities.append(self._score(moved))
        return np.concatenate(qualities)

    def _move(
        self,
        first: np.ndarray,
        weight: np.ndarray,
        second: np.ndarray,
        weight2: np.ndarray,
        bias: np.ndarray,
    ) -> np.ndarray:
        """Return the moved outputs (C, T, M); arguments as in `_qualities`."""
        assert self.state is not None
        moved = self._spread(weight) * self.state.residuals(first)[:, None]
        moved += self.output
        if weight2.any():
            moved += self._spread(weight2) * self.state.residuals(second)[:, None]
        if self.half:
            moved += self._spread(bias)
        return moved

    def _spread(self, values: np.ndarray) -> np.ndarray:
        """Return values (B, C, T) of the blocks at each of their rows: (C, T, M)."""
        return values.transpose(1, 2, 0)[:, :, self.blocks.block_of]

    # From scratch -------------------------------------------------------------------------------

    def _outputs(self, columns: np.ndarray) -> np.ndarray:
        coefficients = self._solve(columns)
        output = self.start.copy()
        self._add(output, coefficients, self.blocks.held_out(columns))
        output -= self._bias(coefficients, self.blocks.targets[:, columns])
        return output

    def _solve(self, columns: np.ndarray) -> np.ndarray:
        """Return the coefficients (B, s, T) of one subset, or raise NotTrusted."""
        gram, targets = self.blocks.gram(columns), self.blocks.targets[:, columns]
        try:
            return self._by_cholesky(columns, gram, targets)
        except NotTrusted:
            if self.least_spread is None:
                raise
            return self._solve_in_subspace(columns, gram, targets)

    def _solve_in_subspace(
        self, columns: np.ndarray, gram: np.ndarray, targets: np.ndarray
    ) -> np.ndarray:
        """Return the coefficients (B, s, T) of a model that drops directions without variance.

        Where columns are sums of others, `gram` (B, s, s) has such directions; `targets` is (B, s,
        T). Raises NotTrusted where a direction is neither certainly used nor certainly dropped.
        """
        # The pseudo-inverse by eigenvectors, restricted to eigenvalues that are used, as a solver
        # with a rank tolerance on singular values does.
        assert self.least_spread is not None
        spread, axes = np.linalg.eigh(gram)
        used = spread > max(_SURELY, 10 * self.least_spread)
        idle = spread < min(_SURELY_NOT, self.least_spread / 10)
        if not (used | idle).all() or self.blocks.moment[:, columns].max() > _CENTRED:
            raise NotTrusted
        inverse = np.where(used, 1.0, 0.0) / np.where(used, spread, 1.0)
        return axes @ (inverse[:, :, None] * (axes.transpose(0, 2, 1) @ targets))

    def _by_cholesky(
        self, columns: np.ndarray, gram: np.ndarray, targets: np.ndarray
    ) -> np.ndarray:
        """Return the coefficients (B, s, T) of one subset; raise NotTrusted for small pivots."""
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

    def _evaluate_many(self, subsets: list[np.ndarray]) -> np.ndarray:
        """Return the qualities (C,) of subsets; small ones in a compiled loop."""
        if np.isfinite(self.trace_limit) or self.blocks.whole is None or self.blocks.held is None:
            return super()._evaluate_many(subsets)
        qualities = np.full(len(subsets), np.nan)
        small = [i for i, columns in enumerate(subsets) if len(columns) <= _SMALL]
        step = max(1, CHUNK // self.start.size)
        for a in range(0, len(small), step):
            here = small[a : a + step]
            qualities[here] = self._solve_small([subsets[i] for i in here])
        for i in (qualities != qualities).nonzero()[0]:
            qualities[i] = self._alone(subsets[i])
        return qualities

    def _solve_small(self, subsets: list[np.ndarray]) -> np.ndarray:
        """Return the qualities (C,) of small subsets, NaN where a pivot is too small."""
        columns = Subsets.of(subsets)
        solved = solve_all(self._systems, self.half, columns)
        if self.held_out.scoring.name in _HITS:
            hits = count_hits(self._held_columns, self._codes, columns, solved)
            qualities = self.held_out.hit_quality(hits)
        else:
            qualities = self._score(outputs_of(self._held_columns, columns, solved))
        qualities[~solved.sound] = np.nan
        return qualities

    @cached_property
    def _systems(self) -> Systems:
        return Systems.of(self.blocks)

    @cached_property
    def _held_columns(self) -> HeldColumns:
        assert self.blocks.held is not None
        start = self.start
        if len(start) == 1 and self.held_out.scoring.name in _HITS:
            start = start - ZERO
        return HeldColumns(self.blocks.held, start, self.blocks.spans)

    @cached_property
    def _codes(self) -> np.ndarray:
        """The classes of held-out rows (M,), as the floats that loops read."""
        return self.held_out.y.astype(float)

    # Scores -------------------------------------------------------------------------------------

    def _score(self, outputs: np.ndarray) -> np.ndarray:
        return self.held_out.quality(self._needed(outputs))

    def _scored_and_labels(self, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.held_out.scoring.needs == "values":
            return self._needed(outputs), outputs[0, 0]
        return self._needed(outputs), _labels(outputs)[0]

    def _needed(self, outputs: np.ndarray) -> np.ndarray:
        """Return what the scoring needs of outputs (C, T, N)."""
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

    def _counted(self) -> Counts:
        """Return what compiled loops count or sum of flips for the commonest scorings."""
        name, plain = self.held_out.scoring.name, len(self.start) == 1 and not self.half
        if name in _HITS and not plain:
            return "classes"
        if name in _HITS:
            return "signs"
        return "squares" if plain and name in _SQUARES else "nothing"

    def _hits(self, residual: np.ndarray, moves: Moves) -> np.ndarray:
        """Return the accuracies (C,) of flips of one output; `residual` is (p, M)."""
        from subsel._loops.linear.flips import flip_hits

        return self._signs.quality(flip_hits(residual, moves, self._held_signs()).T)

    def _held_signs(self) -> HeldRows:
        """Return the outputs at the state and the signs of the classes, for loops."""
        return HeldRows(self.output[0] - ZERO, self._signs.of_rows, self.blocks.spans)

    @cached_property
    def _signs(self) -> HitSigns:
        return HitSigns(self.held_out)

    def _class_hits(
        self, residual: np.ndarray, first: np.ndarray, *moves: np.ndarray
    ) -> np.ndarray:
        """Return the accuracies (C,) of flips of several outputs.

        `residual` is (p, M), and `moves` are weight, second, weight2 and bias of `_qualities`.
        """
        from subsel._loops.linear.class_hits import class_hits

        weight, second, weight2, bias = moves
        by_block = np.repeat(second[:, None], self.blocks.n_blocks, axis=1)
        a, b, c = (np.ascontiguousarray(x.transpose(1, 2, 0)) for x in (weight, weight2, bias))
        held = HeldRows(self.output, self._codes, self.blocks.spans)
        hits = class_hits(residual, 0, Terms(first, by_block, a, b, b, c), held, False, 0.0)
        return self.held_out.hit_quality(hits)

    def _squares(self, residual: np.ndarray, moves: Moves) -> np.ndarray:
        """Return the qualities (C,) of flips of a numeric output; `residual` is (p, M)."""
        from subsel._loops.linear.flips import flip_squares

        held = HeldRows(self.output[0], self.held_out.y, self.blocks.spans)
        return square_quality(self.held_out, flip_squares(residual, moves, held))


def _labels(outputs: np.ndarray) -> np.ndarray:
    """Return class codes (C, N) of outputs (C, T, N): the sign, or the first largest of several."""
    if outputs.shape[1] == 1:
        return (outputs[:, 0] > ZERO).astype(np.int64)
    return outputs.argmax(axis=1)


def _laid_out(weight: np.ndarray) -> np.ndarray:
    """Return weights (B, C, 1) of a single target as a contiguous array (B, C), for loops."""
    return np.ascontiguousarray(weight[:, :, 0])


class HeldRows(NamedTuple):
    """What loops know of the held-out rows; read only."""

    outputs: np.ndarray  # (M,) or, per class, (K, M): outputs at the state, before a flip
    truth: np.ndarray  # (M,) values, class codes, or 1 for rows of class 1 and -1 for others
    spans: np.ndarray  # (B + 1,) first position of each block, and the end


class Moves(NamedTuple):
    """How one output moves with each of C flips, along one or two rows of residuals; read only."""

    first: np.ndarray  # (C,) row of residuals
    weight: np.ndarray  # (B, C) its factor in each block
    second: np.ndarray  # (C,) another row of residuals
    weight2: np.ndarray  # (B, C) its factor in each block, 0 for none


class Nudges(NamedTuple):
    """How one output moves with each of C flips, the second row by a small factor; read only."""

    first: np.ndarray  # (C,) row of the table, multiplied by 1 or -1
    second: np.ndarray  # (C, B) another row in each block
    weight2: np.ndarray  # (C, B) its factor in each block
    # (S, B) the largest magnitude in each block of the last S rows, those that `second` names
    size: np.ndarray


class Terms(NamedTuple):
    """How the outputs of K classes move with each of C flips, see `class_hits`; read only."""

    first: np.ndarray  # (C,) row of residuals r
    second: np.ndarray  # (C, F) row of residuals q in each fold
    a: np.ndarray  # (C, K, F) factor of r, or of (r + u q)^2
    u: np.ndarray  # (C, K, F) share of q that is added to r before it is squared
    b: np.ndarray  # (C, K, F) factor of q, or of q^2
    c: np.ndarray  # (C, K, F) what is added for every row


class HitSigns:
    """Counts the correct labels of two classes by signs: a positive output stands for class 1.

    The number of correct rows is that of rows not of class 1, plus the sum of signs over the rows
    with a positive output.

    Parameters
    ----------
    held_out : HeldOutFolds
        The rows held out.

    Attributes
    ----------
    of_rows : ndarray of shape (N,)
        1 for held-out rows of class 1, else -1.
    others : ndarray of shape (folds,)
        How many rows of each fold are not of class 1.
    """

    def __init__(self, held_out: HeldOutFolds) -> None:
        self.held_out, self.of_rows = held_out, np.where(held_out.y == 1, 1.0, -1.0)
        self.others = np.add.reduceat((self.of_rows < 0).astype(float), held_out.bounds[:-1])

    def quality(self, above: np.ndarray) -> np.ndarray:
        """Return accuracies (C,) from the sums of signs (C, folds) where outputs are positive."""
        return self.held_out.hit_quality(above + self.others)


def square_quality(held_out: HeldOutFolds, squares: np.ndarray) -> np.ndarray:
    """Return R2, or minus the mean squared error or its root, from squared errors.

    Parameters
    ----------
    held_out : HeldOutFolds
        The rows held out, and the scoring.
    squares : ndarray of shape (C, folds)
        Sums of squared errors.

    Returns
    -------
    ndarray of shape (C,)
        Qualities.
    """
    y, sizes = held_out.y, held_out.fold_sizes.astype(float)
    parts = np.split(y, held_out.bounds[1:-1])
    if held_out.pooled:
        squares, sizes, parts = squares.sum(axis=1, keepdims=True), sizes.sum(keepdims=True), [y]
    if held_out.scoring.name == "r2":
        total = np.array([((part - part.mean()) ** 2).sum() for part in parts])
        with np.errstate(divide="ignore", invalid="ignore"):
            constant = np.where(squares == 0, 1.0, 0.0)
            return np.where(total > 0, 1.0 - squares / total, constant).mean(axis=1)
    errors = squares / sizes
    if held_out.scoring.name == "neg_root_mean_squared_error":
        errors = np.sqrt(errors)
    return -errors.mean(axis=1)
