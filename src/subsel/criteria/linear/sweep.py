"""The sweep operator: models of one subset in all blocks, updated as a column enters or leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from subsel.criteria.linear.blocks import PIVOT, Blocks

__all__ = ["Flip", "NotTrusted", "Sweep", "Tables"]

_FRAGILE = 1e-3  # a column that leaves with a pivot this small costs the others three digits


class NotTrusted(Exception):
    """Raised where a closed form is unreliable: a pivot below the tolerance, or a doubtful rank."""


class Tables(NamedTuple):
    """The arrays of a sweep, for every column in every block; a flip updates them in place."""

    # (B, room, p) one row per column of S, in the order of `Sweep.columns`, then free rows
    coupling: np.ndarray
    pivot: np.ndarray  # (B, p) Schur complements outside S, diagonal of the inverse inside
    target: np.ndarray  # (B, p, T) right-hand sides less their fit outside S, coefficients inside
    sign: np.ndarray  # (p,) 1 for columns outside S, -1 for those in it


class Flip(NamedTuple):
    """One column as it was just before it entered or left."""

    sign: float  # 1 if it entered, -1 if it left
    pivot: np.ndarray  # (B,) its pivot
    target: np.ndarray  # (B, T) its target
    residual: np.ndarray  # (M,) its residual on held-out rows


class Sweep:
    r"""The models of one set of columns S in all blocks, ready for any column to enter or leave.

    With :math:`P = A_{SS}^{-1}`, a column k outside S has the Schur complement ``pivot`` :math:`=
    A_{kk} - A_{kS}PA_{Sk}`, ``target`` :math:`= c_k - A_{kS}Pc_S` and ``residual`` :math:`= x_k -
    A_{kS}Px_S` (over held-out rows); a column i in S has ``pivot`` :math:`= P_{ii}`, ``target``
    :math:`= (Pc_S)_i`, its coefficient, and ``residual`` :math:`= (Px_S)_i`. Either way a flip
    changes predictions by ``target / pivot * residual``, with a minus for leaving [1]_.
    ``coupling`` holds the rows of :math:`PA_{S\cdot}` (columns outside S) and of P (inside), which
    flips need.

    A sweep is built at a set of columns, or raises NotTrusted, and changes only by ``flip``, after
    which all its arrays are up to date.

    Parameters
    ----------
    blocks : Blocks
        The moments.
    columns : sequence of int
        The columns of S.

    Notes
    -----
    Memory: ``B * s * p`` numbers for the coupling, and ``M * p`` for the residuals if they fit into
    half the memory of the blocks; otherwise ``residual`` is None, and residuals are computed when
    they are needed.

    References
    ----------
    .. [1] J. H. Goodnight, "A tutorial on the SWEEP operator", *The American Statistician* 33,
       1979.
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
        """The coupling of the columns inside with all columns: (B, s, p)."""
        return self.tables.coupling[:, : len(self.columns)]

    def _fill(self, inside: np.ndarray) -> None:
        """Fill the tables for these columns (s,), directly from the inverse of their sub-block."""
        # Each line below is one of the definitions in the docstring of `Sweep`.
        blocks, (coupling, pivot, target, _) = self.blocks, self.tables
        rows = blocks.rows(inside)
        inverse = _inverse(rows[:, :, inside], blocks.moment[:, inside])
        coupled = inverse @ rows
        pivot -= np.einsum("bsp,bsp->bp", rows, coupled)
        weights = inverse @ blocks.targets[:, inside]
        target -= np.einsum("bsp,bst->bpt", rows, weights)
        pivot[:, inside] = np.einsum("bss->bs", inverse)
        target[:, inside] = weights
        coupled[:, :, inside] = inverse
        coupling[:, : len(inside)] = coupled

    def residuals(self, columns: np.ndarray) -> np.ndarray:
        """Return the residuals of these columns: (C, M), a copy."""
        if self.residual is not None:
            return self.residual[columns]
        return self._computed(columns)

    def _computed(self, columns: np.ndarray | slice) -> np.ndarray:
        """Compute the residuals of these columns from the coupling: (C, M)."""
        # Outside S x_k - (P A_Sk)' x_S; inside, where the sign is -1 and the coupling is P, (P
        # x_S)_i.
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
        """Return whether a flip of this column is reliable.

        A column that enters must have a pivot above the tolerance; one that leaves must not cost
        the others more than three digits.
        """
        # 1 / P_ii is the Schur complement of column i given the others: as it leaves, the others
        # lose the digits by which it is smaller than the second moment
        pivot = self.pivot[:, column]
        if self.sign[column] > 0:
            return bool((pivot > self.blocks.least_pivot[:, column]).all())
        return bool((_FRAGILE * pivot * self.blocks.moment[:, column] <= 1.0).all())

    def flip(self, column: int) -> Flip:
        """Let a column enter or leave: updates all arrays, and returns the column as it was."""
        # Residual k changes by its share times the residual of the column, one row operation of
        # Gauss-Jordan elimination; the column's own residual r becomes r / pivot, whether it enters
        # or leaves (Goodnight, 1979).
        from subsel._loops.linear.moves import add_outer

        pivot, target = self.pivot[:, column].copy(), self.target[:, column].copy()
        flip = Flip(self.sign[column], pivot, target, self.residuals(np.array([column]))[0])
        move = self._enter if flip.sign > 0 else self._leave
        shares = move(column)
        if self.residual is not None:
            add_outer(self.residual, shares, flip.residual, self.blocks.spans)
            self.residual[column] = flip.residual / pivot[self.blocks.block_of]
        self.sign[column] = -flip.sign
        self.moves += 1
        return flip

    def _enter(self, column: int) -> np.ndarray:
        """Let a column enter the tables; return the shares (B, p) of its residual others gain."""
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
        """Let a column leave the tables; return the shares as `_enter` does."""
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
        """Return the pivots of swaps, in which one column enters as another leaves.

        Parameters
        ----------
        added, removed : ndarray of shape (C,)
            The columns outside and inside S.

        Returns
        -------
        leaving : ndarray of shape (C, B)
            The pivots P_ii of the columns that leave.
        share : ndarray of shape (C, B)
            How much of their residuals those that enter regain.
        pivot : ndarray of shape (C, B)
            The pivots of the columns that enter, once the others have left.
        """
        # As column i leaves, the Schur complement of k regains (P A_S.)_ik^2 / P_ii (see
        # `moves.leave`).
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
        """Return an upper bound on the trace of the inverse after each swap: (C, B).

        `leaving`, `share` and `pivot` are those of `swap`.
        """
        # A column i that leaves takes |P_.i|^2 / P_ii off the trace; one that enters with coupling
        # v adds (1 + |v|^2) / pivot. After i has left, v is the old coupling less share * P_.i,
        # whose length the triangle inequality bounds.
        trace, square = self.trace()
        length = np.sqrt(square[:, added].T) + np.abs(share) * np.sqrt(square[:, removed].T)
        return trace - square[:, removed].T / leaving + (1 + length**2) / pivot

    def trace(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the trace of P (B,), and the squared lengths (B, p) of the coupling columns."""
        square = np.einsum("bsp,bsp->bp", self.coupling, self.coupling)
        return self.pivot[:, self.columns].sum(axis=1), square


def _inverse(gram: np.ndarray, moment: np.ndarray) -> np.ndarray:
    """Return the inverse of each block of `gram` (B, s, s), or raise NotTrusted.

    It is raised where a pivot is too small a share of the second moment of its column, in `moment`
    (B, s).
    """
    # The squared diagonal of the Cholesky factor holds the Schur complement of each column given
    # those before it.
    try:
        pivots = np.einsum("bss->bs", np.linalg.cholesky(gram)) ** 2
    except np.linalg.LinAlgError:
        raise NotTrusted from None
    if not np.all(pivots > PIVOT * moment):
        raise NotTrusted
    return np.linalg.inv(gram)
