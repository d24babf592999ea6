"""Sweeping columns in and out of quadratic models: a state at one subset that moves by rank one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from subsel.criteria.linear.blocks import PIVOT, Blocks

__all__ = ["Flip", "NotTrusted", "Sweep", "Tables"]

_FRAGILE = 1e-3  # a column that leaves with such a pivot takes digits of the others along


class NotTrusted(Exception):
    """The closed form is not reliable here (a pivot under the tolerance, a rank in doubt)."""


class Tables(NamedTuple):
    """What a sweep holds of each column in each block; a flip updates all of it in place."""

    coupling: (
        np.ndarray
    )  # (B, room, p) one row per column of S, in the order of `Sweep.columns`, and free ones
    pivot: np.ndarray  # (B, p)
    target: np.ndarray  # (B, p, T)
    sign: np.ndarray  # (p,) 1 for columns outside S, -1 for those in it


class Flip(NamedTuple):
    """One column just before it entered or left."""

    sign: float  # 1 if it entered, -1 if it left
    pivot: np.ndarray  # (B,)
    target: np.ndarray  # (B, T)
    residual: np.ndarray  # (M,)


class Sweep:
    r"""The models of one set of columns S in all blocks, ready for any column to enter or leave.

    With :math:`P = A_{SS}^{-1}`, column k outside S has the Schur complement ``pivot`` :math:`= A_{kk} -
    A_{kS}PA_{Sk}`, ``target`` :math:`= c_k - A_{kS}Pc_S` and ``residual`` :math:`= x_k - A_{kS}Px_S` (over
    held-out rows); column i in S has ``pivot`` :math:`= P_{ii}`, ``target`` :math:`= (Pc_S)_i`, its
    coefficient, and ``residual`` :math:`= (Px_S)_i`. Either way a flip changes predictions by ``target /
    pivot * residual``, with a minus for leaving. ``coupling`` holds the rows :math:`PA_{S\cdot}` (columns
    outside S) and P (inside): what a move needs.

    Whoever holds a sweep finds all of this up to date: it is built at a set of columns, or raises NotTrusted, and moves by
    ``flip`` alone.

    Memory: ``B * s * p`` numbers of coupling, and the residuals (``M * p``) if they fit into half the memory
    of the blocks; else ``residual`` is None, and they are computed as they are asked for.
    """

    def __init__(self, blocks: Blocks, columns: Sequence[int] | np.ndarray = ()) -> None:
        inside = np.array(columns, dtype=np.int64)
        self.blocks, self.columns, self.moves = blocks, inside.tolist(), 0
        coupling = np.zeros((blocks.n_blocks, max(8, len(inside)), blocks.n_columns))
        self.pivot, self.target = blocks.diagonal.copy(), blocks.targets.copy()
        self.sign = np.ones(blocks.n_columns)
        self.sign[inside] = -1.0
        self.tables = Tables(coupling, self.pivot, self.target, self.sign)
        self.residual: np.ndarray | None = None
        if len(inside):
            self._fill(inside)
        if 8.0 * blocks.n_columns * len(blocks.block_of) <= blocks.memory / 2:
            self.residual = self._computed(slice(None))

    @property
    def coupling(self) -> np.ndarray:
        """The coupling of the columns inside with all columns (B, s, p)."""
        return self.tables.coupling[:, : len(self.columns)]

    def _fill(self, inside: np.ndarray) -> None:
        """Fill the tables for these columns."""
        blocks, (coupling, pivot, target, _) = self.blocks, self.tables
        rows = blocks.rows(inside)
        inverse = _inverse(rows[:, :, inside], blocks.moment[:, inside])
        rows_out = inverse @ rows
        pivot -= np.einsum("bsp,bsp->bp", rows, rows_out)
        weights = inverse @ blocks.targets[:, inside]
        target -= np.einsum("bsp,bst->bpt", rows, weights)
        pivot[:, inside] = np.einsum("bss->bs", inverse)
        target[:, inside] = weights
        rows_out[:, :, inside] = inverse
        coupling[:, : len(inside)] = rows_out

    def residuals(self, columns: np.ndarray) -> np.ndarray:
        """The residual rows of these columns: (C, M), a copy."""
        if self.residual is not None:
            return self.residual[columns]
        return self._computed(columns)

    def _computed(self, columns: np.ndarray | slice) -> np.ndarray:
        """The same from the coupling."""
        base = self.blocks.held_out(columns)
        if not self.columns:
            return base
        inside = self.blocks.held_out(np.array(self.columns))
        sign = self.sign[columns]
        base[sign < 0] = 0.0
        couple = self.coupling[:, :, columns] * sign
        for b, (start, stop) in enumerate(zip(self.blocks.spans, self.blocks.spans[1:])):
            base[:, start:stop] -= couple[b].T @ inside[:, start:stop]
        return base

    def can_flip(self, column: int) -> bool:
        """Whether the others leave enough of a column that enters, or keep their digits when it leaves."""
        pivot = self.pivot[:, column]
        if self.sign[column] > 0:
            return bool((pivot > self.blocks.least_pivot[:, column]).all())
        return bool((_FRAGILE * pivot * self.blocks.moment[:, column] <= 1.0).all())

    def flip(self, column: int) -> Flip:
        """Let a column enter or leave, and bring everything up to date."""
        from subsel._loops.linear.moves import add_outer

        pivot, target = self.pivot[:, column].copy(), self.target[:, column].copy()
        flip = Flip(self.sign[column], pivot, target, self.residuals(np.array([column]))[0])
        moves = self._enter if flip.sign > 0 else self._leave
        shares = moves(column)
        if self.residual is not None:
            add_outer(self.residual, shares, flip.residual, self.blocks.spans)
            self.residual[column] = flip.residual / pivot[self.blocks.block_of]
        self.sign[column] = -flip.sign
        self.moves += 1
        return flip

    def _enter(self, column: int) -> np.ndarray:
        """Let a column into the tables; the shares (B, p) of its residual that all others gain."""
        from subsel._loops.linear.moves import enter

        inside = np.array(self.columns, dtype=np.int64)
        if len(inside) == self.tables.coupling.shape[1]:
            more = np.zeros_like(self.tables.coupling)
            room = np.concatenate([self.tables.coupling, more], axis=1)
            self.tables = self.tables._replace(coupling=room)
        shares = self.blocks.row(column)
        enter(self.tables, column, shares, inside)
        self.columns.append(column)
        return shares

    def _leave(self, column: int) -> np.ndarray:
        """Take a column out of the tables; the shares as above."""
        from subsel._loops.linear.moves import leave

        slot = self.columns.index(column)
        self.columns[slot] = self.columns[-1]
        self.columns.pop()
        shares = np.empty_like(self.pivot)
        leave(self.tables, column, slot, np.array(self.columns, dtype=np.int64), shares)
        return shares

    def swap(
        self, added: np.ndarray, removed: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For columns that enter as others leave, (C, B) each: the pivots of those that leave, how much of their
        residual the others regain, and the pivots of the others then."""
        slot = np.empty(self.blocks.n_columns, dtype=np.int64)
        slot[self.columns] = np.arange(len(self.columns))
        leaving = self.pivot[:, removed].T
        share = self.tables.coupling[:, slot[removed], added].T / leaving
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
        square = np.einsum("bsp,bsp->bp", self.coupling, self.coupling)
        return self.pivot[:, self.columns].sum(axis=1), square


def _inverse(gram: np.ndarray, moment: np.ndarray) -> np.ndarray:
    """The inverse of each block (B, s, s); raises NotTrusted where a pivot is too small."""
    try:
        pivots = np.einsum("bss->bs", np.linalg.cholesky(gram)) ** 2
    except np.linalg.LinAlgError:
        raise NotTrusted from None
    if not np.all(pivots > PIVOT * moment):
        raise NotTrusted
    return np.linalg.inv(gram)
