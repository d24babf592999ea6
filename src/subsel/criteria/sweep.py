"""Sweeping columns in and out of quadratic models: the moments of training rows, and a state that moves by rank one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from subsel._loops import compiled, moves

__all__ = ["Blocks", "Sweep", "add_outer", "pays_to_compile"]

PIVOT = 1e-6  # a pivot under this share of its column's second moment costs more than six digits
_FRAGILE = 1e-3  # a column that leaves with such a pivot takes digits of the others along
_CHUNK = 1 << 22  # numbers in a temporary array
_NEAR = 1 << 16  # numbers in one that should stay in the cache
_TINY = 4e6  # multiplications that cost no more than a few calls
_PASS = 8  # columns whose products with the table cost no more than reading it


def pays_to_compile(work: float) -> bool:
    """Whether the plain path has by now spent about what importing numba and loading its code costs (about 0.6 s).

    ``work`` counts numbers touched so far. Where numba is loaded already only the smallest problems stay
    plain.
    """
    return work > (2e4 if "numba" in sys.modules else 2e8)


@dataclass(eq=False)
class Blocks:
    r"""Second moments of training rows about their means, one block per training part, computed on demand.

    Block b holds :math:`A^b = \sum_i \omega_{ib} (x_i - m^b_{g(i)})(x_i - m^b_{g(i)})' + \lambda I`, columns divided
    by ``scale``, right-hand sides ``targets``, and the held-out rows about ``origin``. Column j of all blocks costs
    one pass over the table, so that no block need ever be held: the state of a search over s columns takes
    ``blocks * s * p + held-out rows * p`` numbers. Blocks are held whole once what was asked of them has cost as
    much, and only if ``blocks * p * p`` numbers fit into half of ``memory`` bytes.

    Parameters
    ----------
    table : (p, n), the columns (shifted so that sums are accurate).
    weights : (n, B), the weight of each row in each block, 0 for rows that are not trained on.
    group : (n,), the group whose mean is taken off each row; means : (B, G, p).
    scale, origin : (B, p); targets : (B, p, T).
    positions : the row held out at each position; spans : first position of each block in the residuals, the end.
    without : where rows lie fold after fold and each block is all rows but one fold's, the spans of the folds; then
        ``weights`` is ``base[:, kind] * factor`` outside that fold, block b standing for fold ``b % folds`` and kind
        ``b // folds``, and products with all rows are shared by all blocks.
    """

    table: np.ndarray
    weights: np.ndarray
    group: np.ndarray
    means: np.ndarray
    scale: np.ndarray
    origin: np.ndarray
    targets: np.ndarray
    positions: np.ndarray
    spans: np.ndarray
    penalty: float = 0.0
    memory: float = 2**30
    without: np.ndarray | None = None
    base: np.ndarray | None = None
    factor: np.ndarray | None = None
    work: float = 0.0
    asked: float = 0.0
    _whole: np.ndarray | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        in_order = np.array_equal(self.positions, np.arange(self.table.shape[1]))
        self.held = self.table if in_order else self._spread()
        self.block_of = np.repeat(np.arange(self.n_blocks), np.diff(self.spans))
        self.scaled = not np.all(self.scale == 1.0)
        self.totals = self._group_sums(np.ones((1, self.table.shape[1])))
        self.sums = self._group_sums(self.table)
        self.diagonal, self.moment = self._diagonals()
        self.least_pivot = PIVOT * self.moment
        self._rest = self.sums - self.totals * self.means
        self.by_fold = self._is_by_fold()

    def _is_by_fold(self) -> bool:
        """Whether block b trains on all rows but those it holds out, as they are, about one mean."""
        whole = self.without is not None and np.array_equal(self.without, self.spans) and self.held is self.table
        return whole and not self.scaled and self.means.shape[1] == 1

    def _spread(self) -> np.ndarray | None:
        fits = 8.0 * len(self.positions) * len(self.table) <= self.memory
        return np.take(self.table, self.positions, axis=1) if fits else None  # contiguous, as indexing is not

    @property
    def n_blocks(self) -> int:
        """How many training parts there are."""
        return self.weights.shape[1]

    @property
    def n_columns(self) -> int:
        """How many columns the table has."""
        return len(self.table)

    def _diagonals(self) -> tuple[np.ndarray, np.ndarray]:
        """The diagonal of each block, and what it would be without taking means off: the scale of its rounding."""
        moment = np.empty((self.n_blocks, self.n_columns))
        step = max(1, _NEAR // self.table.shape[1])
        for a in range(0, self.n_columns, step):
            moment[:, a : a + step] = (self.table[a : a + step] ** 2 @ self.weights).T
        diagonal = moment + (self.means * (self.means * self.totals - 2 * self.sums)).sum(axis=1)
        square = self.scale**2
        return np.maximum(diagonal, 0.0) / square + self.penalty, moment / square + self.penalty

    def _group_sums(self, X: np.ndarray) -> np.ndarray:
        """Weighted sums of columns over the rows of each group: (B, G, p)."""
        groups = [np.flatnonzero(self.group == g) for g in range(self.means.shape[1])]
        parts = [X @ self.weights] if len(groups) == 1 else [X[:, g] @ self.weights[g] for g in groups]
        return np.stack(parts).transpose(2, 0, 1)

    def rows(self, columns: Sequence[int] | np.ndarray) -> np.ndarray:
        """Rows ``columns`` of every block: (B, s, p)."""
        columns = np.asarray(columns, dtype=np.int64)
        self.asked += self.table.size * max(_PASS, len(columns))
        whole = self.whole
        return self._rows(columns) if whole is None else whole[:, columns]

    def row(self, column: int) -> np.ndarray:
        """Row ``column`` of every block, a copy: (B, p)."""
        self.asked += self.table.size * _PASS
        whole = self.whole
        return self._rows(np.array([column]))[:, 0] if whole is None else whole[:, column].copy()

    def _rows(self, columns: np.ndarray) -> np.ndarray:
        moments, means, sums = self._products(columns), self.means[:, :, columns], self.sums[:, :, columns]
        for g in range(means.shape[1]):
            moments -= means[:, g, :, None] * self._rest[:, g, None]
            moments -= sums[:, g, :, None] * self.means[:, g, None]
        if self.scaled:
            moments /= self.scale[:, columns][:, :, None] * self.scale[:, None, :]
        moments[:, np.arange(len(columns)), columns] += self.penalty
        return moments

    def _products(self, columns: np.ndarray) -> np.ndarray:
        """Weighted sums of products of these columns with all columns: (B, s, p)."""
        s, X = len(columns), self.table[columns]
        if self.without is None:
            flat = (self.weights.T[:, None] * X).reshape(-1, X.shape[1])
            return (flat @ self.table.T).reshape(self.n_blocks, s, -1)
        assert self.base is not None and self.factor is not None
        flat = (self.base.T[:, None] * X).reshape(-1, X.shape[1])
        part = self._by_fold(flat, self.without).reshape(len(self.without) - 1, -1, s, self.n_columns)
        rest = (part.sum(axis=0) - part).transpose(1, 0, 2, 3).reshape(self.n_blocks, s, -1)
        rest *= self.factor[:, None, None]
        return rest

    def _by_fold(self, flat: np.ndarray, spans: np.ndarray) -> np.ndarray:
        """Products of these rows (r, n) with all columns, over each fold: (folds, r, p)."""
        self.work += self.table.size
        if len(flat) < _PASS and pays_to_compile(self.work):
            from subsel._loops.least_squares import products

            return products(flat, self.table, spans)
        parts = np.empty((len(spans) - 1, len(flat), self.n_columns))
        for out, a, b in zip(parts, spans, spans[1:]):
            np.matmul(flat[:, a:b], self.table[:, a:b].T, out=out)
        return parts

    def gram(self, columns: np.ndarray) -> np.ndarray:
        """The sub-block of these columns in every block: (B, s, s)."""
        self.asked += self.n_blocks * self.table.shape[1] * len(columns) ** 2
        return self._moments(columns) if self.whole is None else self.whole[:, columns[:, None], columns]

    @property
    def whole(self) -> np.ndarray | None:
        """All blocks, once the parts asked for have cost as much (from the start in a small table), or None."""
        p, b = self.n_columns, self.n_blocks
        price = self.table.size * p
        due = self.asked >= price or b * price <= _TINY
        if self._whole is None and due and 8.0 * b * p * p <= self.memory / 2:
            self._whole = np.empty((b, p, p))
            step = max(1, _CHUNK // (2 * b * p))
            for columns in np.split(np.arange(p), range(step, p, step)):
                self._whole[:, columns] = self._rows(columns)
        return self._whole

    def _moments(self, columns: np.ndarray) -> np.ndarray:
        out = np.empty((self.n_blocks, len(columns), len(columns)))
        X = self.table[columns]
        for b, weight in enumerate(self.weights.T):
            used = np.flatnonzero(weight)
            part = X[:, used] - self.means[b][:, columns].T[:, self.group[used]]
            part *= np.sqrt(weight[used]) / self.scale[b, columns][:, None]
            out[b] = part @ part.T
        out[:, np.arange(len(columns)), np.arange(len(columns))] += self.penalty
        return out

    def held_out(self, columns: np.ndarray | slice) -> np.ndarray:
        """The held-out part of these columns about the origin, per unit of scale: (s, M)."""
        held = self.table[columns][:, self.positions] if self.held is None else self.held[columns]
        shifted = np.empty((len(held), len(self.block_of)))
        origin, scale = self.origin[:, columns], self.scale[:, columns]
        for b, (start, stop) in enumerate(zip(self.spans, self.spans[1:])):
            first = start % max(1, len(self.positions))
            np.subtract(held[:, first : first + stop - start], origin[b][:, None], out=shifted[:, start:stop])
            if self.scaled:
                shifted[:, start:stop] /= scale[b][:, None]
        return shifted


class Sweep:
    r"""The models of one set of columns S in all blocks, ready for any column to enter or leave.

    With :math:`P = A_{SS}^{-1}`, column k outside S has the Schur complement ``pivot`` :math:`= A_{kk} -
    A_{kS}PA_{Sk}`, ``target`` :math:`= c_k - A_{kS}Pc_S` and ``residual`` :math:`= x_k - A_{kS}Px_S` (over
    held-out rows); column i in S has ``pivot`` :math:`= P_{ii}`, ``target`` :math:`= (Pc_S)_i`, its
    coefficient, and ``residual`` :math:`= (Px_S)_i`. Either way a flip changes predictions by ``target /
    pivot * residual``, with a minus for leaving. ``coupling`` holds the rows :math:`PA_{S\cdot}` (columns
    outside S) and P (inside): what a move needs.

    A column that enters does so when its effect is first looked at: ``enter_hits`` then scores the others in the same
    pass over the residuals.

    Memory: ``B * s * p`` numbers of coupling, and the residuals (``M * p``) if they fit into half the memory
    of the blocks; else they are computed as they are asked for.
    """

    def __init__(self, blocks: Blocks, columns: Sequence[int] | np.ndarray = ()) -> None:
        self.blocks = blocks
        self.columns: list[int] = [int(c) for c in columns]
        self.sign = np.ones(blocks.n_columns)  # +1 outside S, -1 inside
        self.sign[self.columns] = -1.0
        self.moves = 0
        self.sound, self.fragile = True, False
        self.entering: tuple[int, np.ndarray] | None = None  # the column and its residual
        self.pending: tuple[np.ndarray, np.ndarray] | None = None
        self._residual: np.ndarray | None = None
        self._holds = 8.0 * blocks.n_columns * len(blocks.block_of) <= blocks.memory / 2
        self._build()

    def _build(self) -> None:
        blocks, inside = self.blocks, np.array(self.columns, dtype=np.int64)
        self._coupling = np.zeros((blocks.n_blocks, max(8, len(inside)), blocks.n_columns))
        self._pivot, self._target = blocks.diagonal.copy(), blocks.targets.copy()
        if len(inside):
            rows = blocks.rows(inside)
            inverse = self._inverse(rows[:, :, inside], blocks.moment[:, inside])
            if not self.sound:
                return
            rows_out = inverse @ rows
            self._pivot -= np.einsum("bsp,bsp->bp", rows, rows_out)
            weights = inverse @ blocks.targets[:, inside]
            self._target -= np.einsum("bsp,bst->bpt", rows, weights)
            self._pivot[:, inside] = np.einsum("bss->bs", inverse)
            self._target[:, inside] = weights
            rows_out[:, :, inside] = inverse
            self._coupling[:, : len(inside)] = rows_out
        self._residual = self.residuals(slice(None), fresh=True) if self._holds else None

    def _inverse(self, gram: np.ndarray, moment: np.ndarray) -> np.ndarray:
        try:
            lower = np.linalg.cholesky(gram)
            pivots = np.einsum("bss->bs", lower) ** 2
            self.sound = bool(np.all(pivots > PIVOT * moment))
            return np.linalg.inv(gram)
        except np.linalg.LinAlgError:
            self.sound = False
            return gram

    @property
    def pivot(self) -> np.ndarray:
        """The pivot of each column (B, p)."""
        self._enter()
        return self._pivot

    @property
    def target(self) -> np.ndarray:
        """The target of each column (B, p, T)."""
        self._enter()
        return self._target

    @property
    def coupling(self) -> np.ndarray:
        """The rows of the columns inside (B, at least s, p)."""
        self._enter()
        return self._coupling

    @property
    def residual(self) -> np.ndarray | None:
        """The residuals of all columns (p, M), if they are held."""
        self._enter()
        if self._residual is not None and self.pending is not None:
            self.blocks.work += self._residual.size
            add_outer(self._residual, *self.pending, self.blocks.spans, pays_to_compile(self.blocks.work))
            self.pending = None
        return self._residual

    def settle(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Hand the residuals over with the update they still lack, (B, p) shares of a row (M,), if they lack one."""
        self._enter()
        if self._residual is None or self.pending is None:
            return None
        share, row = self.pending
        self.pending = None
        return self._residual, share, row

    def residuals(self, columns: np.ndarray | slice, fresh: bool = False) -> np.ndarray:
        """The residual rows of these columns: (C, M)."""
        held = None if fresh else self.residual
        if held is not None:
            return held[columns]
        base = self.blocks.held_out(columns)
        if not self.columns:
            return base
        inside = self.blocks.held_out(np.array(self.columns))
        sign = self.sign[columns]
        base[sign < 0] = 0.0
        couple = self.coupling[:, : len(self.columns)][:, :, columns] * sign
        for b, (start, stop) in enumerate(zip(self.blocks.spans, self.blocks.spans[1:])):
            base[:, start:stop] -= couple[b].T @ inside[:, start:stop]
        return base

    def flip(self, column: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Let a column enter or leave; gives its pivot (B,), target (B, T) and residual (M,) before the move."""
        held = self.residual
        residual = self.residuals(np.array([column]))[0] if held is None else held[column].copy()
        pivot, target = self._pivot[:, column].copy(), self._target[:, column].copy()
        if self.sign[column] < 0:
            self._follow(column, residual, pivot, self._leave(column, pivot))
        else:
            self.sound = self.sound and bool((pivot > self.blocks.least_pivot[:, column]).all())
            if self.sound:
                self.entering = column, residual
                self.columns.append(column)
                self.sign[column] = -1.0
        self.moves += 1
        return pivot, target, residual

    def _follow(self, column: int, residual: np.ndarray, pivot: np.ndarray, share: np.ndarray) -> None:
        """Note what a move does to the residuals; ``pivot`` (B,) is the column's before it."""
        if self._residual is not None:
            self.pending = share, residual
            self._residual[column] = residual / pivot[self.blocks.block_of]

    def _enter(self) -> None:
        """Let the column enter that is about to."""
        if self.entering is not None:
            (j, residual), self.entering = self.entering, None
            self._enter_by(self.blocks.row(j), j, residual)

    def _enter_by(self, rows: np.ndarray, j: int, residual: np.ndarray) -> None:
        """Let column j enter by its rows (B, p) of the blocks."""
        pivot, inside = self._pivot[:, j].copy(), np.array(self.columns[:-1], dtype=np.int64)
        if len(inside) == self._coupling.shape[1]:
            self._coupling = np.concatenate([self._coupling, np.zeros_like(self._coupling)], axis=1)
        self._move("enter", j, rows, inside, self._coupling, self._pivot, self._target, self.sign)
        self._follow(j, residual, pivot, rows)

    def enter_hits(self, first: np.ndarray, base: np.ndarray, sign: np.ndarray) -> np.ndarray | None:
        """Let the column enter that is about to; the signs of ``flip_hits`` (B, C) for the additions ``first``.

        ``base`` are the outputs of the model it has entered. None, and nothing done, if none is about to or the blocks
        are at hand otherwise.
        """
        blocks = self.blocks
        if self.entering is None or self._residual is None or not blocks.by_fold or blocks.whole is not None:
            return None
        from subsel._loops.entering import enter_hits

        assert blocks.base is not None
        (j, residual), self.entering = self.entering, None
        blocks.asked += blocks.table.size * _PASS
        x, inside = blocks.base[:, 0] * blocks.table[j], np.array(self.columns[:-1], dtype=np.int64)
        state = inside, self._coupling, self._pivot, self._target
        moments = blocks.origin, blocks.means[:, 0], blocks._rest[:, 0], blocks.sums[:, 0], blocks.factor
        scored = first, base, sign, blocks.spans
        rows, signs = enter_hits(self._residual, residual, x, j, blocks.table, *state, *moments, *scored)
        self._enter_by(rows, j, residual)
        rows[:, first] = 0.0  # these are up to date
        return signs

    def _leave(self, i: int, pivot: np.ndarray) -> np.ndarray:
        self.fragile |= bool(np.any(_FRAGILE * pivot * self.blocks.moment[:, i] > 1.0))
        slot = self.columns.index(i)
        self.columns[slot] = self.columns[-1]
        self.columns.pop()
        share, inside = np.empty_like(self._pivot), np.array(self.columns, dtype=np.int64)
        self._move("leave", i, slot, inside, share, self._coupling, self._pivot, self._target, self.sign)
        self.sign[i] = 1.0
        return share

    def _move(self, name: str, *args: Any) -> None:
        self.blocks.work += self._coupling.size
        function = getattr(moves, name)
        (_compiled(function) if pays_to_compile(self.blocks.work) else function)(*args)

    def swap(self, added: np.ndarray, removed: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For columns that enter as others leave, (C, B) each: the pivots of those that leave, how much of their
        residual the others regain, and the pivots of the others then."""
        slot = np.empty(self.blocks.n_columns, dtype=np.int64)
        slot[self.columns] = np.arange(len(self.columns))
        leaving = self.pivot[:, removed].T
        share = self.coupling[:, slot[removed], added].T / leaving
        return leaving, share, self.pivot[:, added].T + share**2 * leaving

    def swapped_trace(
        self, added: np.ndarray, removed: np.ndarray, leaving: np.ndarray, share: np.ndarray, pivot: np.ndarray
    ) -> np.ndarray:
        """A bound from above on the trace of the inverse after each swap (C, B)."""
        trace, square = self.trace()
        length = np.sqrt(square[:, added].T) + np.abs(share) * np.sqrt(square[:, removed].T)
        return trace - square[:, removed].T / leaving + (1 + length**2) / pivot

    def trace(self) -> tuple[np.ndarray, np.ndarray]:
        """The trace of P in each block (B,), and the squared length of each column of the coupling (B, p)."""
        coupling = self.coupling[:, : len(self.columns)]
        return self.pivot[:, self.columns].sum(axis=1), np.einsum("bsp,bsp->bp", coupling, coupling)


_compiled = cache(compiled)


def add_outer(R: np.ndarray, share: np.ndarray, row: np.ndarray, spans: np.ndarray, fast: bool) -> None:
    """Add ``share[b, k] * row`` to row k of ``R`` over the span of each block b."""
    if fast:
        from subsel._loops.least_squares import add_outer as loop

        loop(R, share, row, spans)
        return
    for b, (start, stop) in enumerate(pairwise(spans)):
        R[:, start:stop] += share[b][:, None] * row[start:stop]
