"""Sweeping columns in and out of quadratic models: a state at one subset that moves by rank one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from types import ModuleType

import numpy as np

from subsel._loops import moves
from subsel.criteria.blocks import PASS, PIVOT, Blocks, pays_to_compile

__all__ = ["Sweep", "add_outer"]

_FRAGILE = 1e-3  # a column that leaves with such a pivot takes digits of the others along


class Sweep:
    r"""The models of one set of columns S in all blocks, ready for any column to enter or leave.

    With :math:`P = A_{SS}^{-1}`, column k outside S has the Schur complement ``pivot`` :math:`= A_{kk} -
    A_{kS}PA_{Sk}`, ``target`` :math:`= c_k - A_{kS}Pc_S` and ``residual`` :math:`= x_k - A_{kS}Px_S` (over
    held-out rows); column i in S has ``pivot`` :math:`= P_{ii}`, ``target`` :math:`= (Pc_S)_i`, its
    coefficient, and ``residual`` :math:`= (Px_S)_i`. Either way a flip changes predictions by ``target /
    pivot * residual``, with a minus for leaving. ``coupling`` holds the rows :math:`PA_{S\cdot}` (columns
    outside S) and P (inside): what a move needs.

    A column that is flipped in enters when ``complete`` is called, before anything is read; or with ``enter_hits``,
    which scores the others in the same pass over the residuals.

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
        self.residual: np.ndarray | None = None  # of all columns (p, M), if they are held
        self._holds = 8.0 * blocks.n_columns * len(blocks.block_of) <= blocks.memory / 2
        self._build()

    def _build(self) -> None:
        blocks, inside = self.blocks, np.array(self.columns, dtype=np.int64)
        self.coupling = np.zeros((blocks.n_blocks, max(8, len(inside)), blocks.n_columns))
        self.pivot, self.target = blocks.diagonal.copy(), blocks.targets.copy()
        if len(inside):
            rows = blocks.rows(inside)
            inverse = self._inverse(rows[:, :, inside], blocks.moment[:, inside])
            if not self.sound:
                return
            rows_out = inverse @ rows
            self.pivot -= np.einsum("bsp,bsp->bp", rows, rows_out)
            weights = inverse @ blocks.targets[:, inside]
            self.target -= np.einsum("bsp,bst->bpt", rows, weights)
            self.pivot[:, inside] = np.einsum("bss->bs", inverse)
            self.target[:, inside] = weights
            rows_out[:, :, inside] = inverse
            self.coupling[:, : len(inside)] = rows_out
        self.residual = self.residuals(slice(None), fresh=True) if self._holds else None

    def _inverse(self, gram: np.ndarray, moment: np.ndarray) -> np.ndarray:
        try:
            lower = np.linalg.cholesky(gram)
            pivots = np.einsum("bss->bs", lower) ** 2
            self.sound = bool(np.all(pivots > PIVOT * moment))
            return np.linalg.inv(gram)
        except np.linalg.LinAlgError:
            self.sound = False
            return gram

    def complete(self) -> None:
        """Finish what the last move left to do: the column that is about to enter, the residuals that lack an update."""
        self._enter()
        if self.residual is not None and self.pending is not None:
            self.blocks.work += self.residual.size
            add_outer(
                self.residual, *self.pending, self.blocks.spans, pays_to_compile(self.blocks.work)
            )
            self.pending = None

    def settle(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Hand the residuals over with the update they still lack, (B, p) shares of a row (M,), if they lack one."""
        self._enter()
        if self.residual is None or self.pending is None:
            return None
        share, row = self.pending
        self.pending = None
        return self.residual, share, row

    def residuals(self, columns: np.ndarray | slice, fresh: bool = False) -> np.ndarray:
        """The residual rows of these columns: (C, M)."""
        if self.residual is not None and not fresh:
            return self.residual[columns]
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
        """Let a column enter or leave, to be completed; gives its pivot (B,), target (B, T) and residual (M,) before."""
        self.complete()
        held = self.residual
        residual = self.residuals(np.array([column]))[0] if held is None else held[column].copy()
        pivot, target = self.pivot[:, column].copy(), self.target[:, column].copy()
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

    def _follow(
        self, column: int, residual: np.ndarray, pivot: np.ndarray, share: np.ndarray
    ) -> None:
        """Note what a move does to the residuals; ``pivot`` (B,) is the column's before it."""
        if self.residual is not None:
            self.pending = share, residual
            self.residual[column] = residual / pivot[self.blocks.block_of]

    def _enter(self) -> None:
        """Let the column enter that is about to."""
        if self.entering is not None:
            (j, residual), self.entering = self.entering, None
            self._enter_by(self.blocks.row(j), j, residual)

    def _enter_by(self, rows: np.ndarray, j: int, residual: np.ndarray) -> None:
        """Let column j enter by its rows (B, p) of the blocks."""
        pivot, inside = self.pivot[:, j].copy(), self._inside()
        self._moves().enter(j, rows, inside, self.coupling, self.pivot, self.target, self.sign)
        self._follow(j, residual, pivot, rows)

    def _inside(self) -> np.ndarray:
        """The columns inside but the one that enters, for which there is room then."""
        inside = np.array(self.columns[:-1], dtype=np.int64)
        if len(inside) == self.coupling.shape[1]:
            self.coupling = np.concatenate([self.coupling, np.zeros_like(self.coupling)], axis=1)
        return inside

    def enter_hits(
        self, first: np.ndarray, base: np.ndarray, sign: np.ndarray
    ) -> np.ndarray | None:
        """Let the column enter that is about to; the signs of ``flip_hits`` (B, C) for the additions ``first``.

        ``base`` are the outputs of the model it has entered. None, and nothing done, if none is about to or its rows of
        the blocks can neither be looked up nor be found in the same pass.
        """
        blocks = self.blocks
        if self.entering is None or self.residual is None:
            return None
        known = blocks.whole is not None
        if not (known or blocks.by_fold):
            return None
        loops = _entering()
        (j, residual), self.entering = self.entering, None
        state, scored = (
            (self._inside(), self.coupling, self.pivot, self.target),
            (first, base, sign, blocks.spans),
        )
        if known:
            return loops.enter_known_hits(
                self.residual, residual, blocks.row(j), j, *state, self.sign, *scored
            )
        assert blocks.base is not None
        blocks.asked += blocks.table.size * PASS
        x = blocks.base[:, 0] * blocks.table[j]
        moments = (
            blocks.origin,
            blocks.means[:, 0],
            blocks._rest[:, 0],
            blocks.sums[:, 0],
            blocks.factor,
        )
        rows, signs = loops.enter_hits(
            self.residual, residual, x, j, blocks.table, *state, *moments, *scored
        )
        self._enter_by(rows, j, residual)
        rows[:, first] = 0.0  # these are up to date
        return signs

    def class_hits(
        self,
        first: np.ndarray,
        direction: float,
        offset: np.ndarray,
        base: np.ndarray,
        truth: np.ndarray,
        tie: float,
    ) -> np.ndarray | None:
        """Finish the last move, and score a flip each of ``first`` by quadratic discriminants: see ``settle_class_hits``.

        Blocks are those of one class after another, ``base`` and ``offset`` are of the state. None if it is settled.
        """
        blocks, bounds = self.blocks, self.blocks.spans[: offset.shape[1] + 1]
        if (
            self.entering is not None
            and direction > 0
            and self.residual is not None
            and self._holds_classes
        ):
            from subsel._loops.quadratic import enter_class_hits

            assert blocks.base is not None
            (j, residual), self.entering = self.entering, None
            blocks.asked += blocks.table.size * PASS
            x = np.multiply(
                blocks.base.T, blocks.table[j], order="C"
            )  # class after class, as loops read it
            state = np.array(self.columns[:-1], dtype=np.int64), self.coupling, self.pivot
            moments = (
                blocks.origin,
                blocks.means[:, 0],
                blocks._rest[:, 0],
                blocks.sums[:, 0],
                blocks.factor,
            )
            scored = first, offset, base, truth, bounds, tie
            rows, hits = enter_class_hits(
                self.residual, residual, x, j, blocks.table, *state, *moments, *scored
            )
            self._enter_by(rows, j, residual)
            rows[:, first] = 0.0  # these are up to date
            return hits
        pending = self.settle()
        if pending is None:
            return None
        from subsel._loops.quadratic import settle_class_hits

        return settle_class_hits(
            *pending, first, direction, self.pivot, offset, base, truth, bounds, tie
        )

    @property
    def _holds_classes(self) -> bool:
        """Whether rows of the blocks follow from residuals: each block trains on all rows of a class that it does not hold out."""
        blocks = self.blocks
        plain = blocks.without is not None and blocks.held is blocks.table and not blocks.scaled
        return plain and blocks.means.shape[1] == 1 and blocks.whole is None

    def _leave(self, i: int, pivot: np.ndarray) -> np.ndarray:
        self.fragile |= bool(np.any(_FRAGILE * pivot * self.blocks.moment[:, i] > 1.0))
        slot = self.columns.index(i)
        self.columns[slot] = self.columns[-1]
        self.columns.pop()
        share, inside = np.empty_like(self.pivot), np.array(self.columns, dtype=np.int64)
        self._moves().leave(
            i, slot, inside, share, self.coupling, self.pivot, self.target, self.sign
        )
        self.sign[i] = 1.0
        return share

    def _moves(self) -> ModuleType:
        """The moves, compiled where that pays by now."""
        self.blocks.work += self.coupling.size
        return _entering() if pays_to_compile(self.blocks.work) else moves

    def swap(
        self, added: np.ndarray, removed: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For columns that enter as others leave, (C, B) each: the pivots of those that leave, how much of their
        residual the others regain, and the pivots of the others then."""
        slot = np.empty(self.blocks.n_columns, dtype=np.int64)
        slot[self.columns] = np.arange(len(self.columns))
        leaving = self.pivot[:, removed].T
        share = self.coupling[:, slot[removed], added].T / leaving
        return leaving, share, self.pivot[:, added].T + share**2 * leaving

    def swapped_trace(
        self,
        added: np.ndarray,
        removed: np.ndarray,
        leaving: np.ndarray,
        share: np.ndarray,
        pivot: np.ndarray,
    ) -> np.ndarray:
        """A bound from above on the trace of the inverse after each swap (C, B)."""
        trace, square = self.trace()
        length = np.sqrt(square[:, added].T) + np.abs(share) * np.sqrt(square[:, removed].T)
        return trace - square[:, removed].T / leaving + (1 + length**2) / pivot

    def trace(self) -> tuple[np.ndarray, np.ndarray]:
        """The trace of P in each block (B,), and the squared length of each column of the coupling (B, p)."""
        coupling = self.coupling[:, : len(self.columns)]
        return self.pivot[:, self.columns].sum(axis=1), np.einsum("bsp,bsp->bp", coupling, coupling)


@cache
def _entering() -> ModuleType:
    """The compiled loops, which load numba."""
    from subsel._loops import entering

    return entering


def add_outer(
    R: np.ndarray, share: np.ndarray, row: np.ndarray, spans: np.ndarray, fast: bool
) -> None:
    """Add ``share[b, k] * row`` to row k of ``R`` over the span of each block b."""
    if fast:
        from subsel._loops.least_squares import add_outer as loop

        loop(R, share, row, spans)
        return
    for b, (start, stop) in enumerate(pairwise(spans)):
        R[:, start:stop] += share[b][:, None] * row[start:stop]
