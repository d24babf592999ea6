"""Moments of the training rows of each fold, from which models of any subset are solved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field

import numpy as np

__all__ = ["CHUNK", "PIVOT", "Blocks", "weighted_squares"]

PIVOT = 1e-6  # a pivot below this share of its column's second moment has lost over six digits
CHUNK = 1 << 22  # numbers in a temporary array
_NEAR = 1 << 16  # numbers in a temporary array that should stay in the cache
_TINY = 4e6  # multiplications that take no longer than a few calls
_CENTRED = 1e-18  # share of a second moment below its last digit
_FEW = 32  # rows up to which a loop multiplies as quickly as BLAS
_PASS = 8  # columns whose products with the table take no longer than reading it


def weighted_squares(table: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the sums of the squares of columns (p, n) under weights (n, B), as (B, p)."""
    squares = np.empty((weights.shape[1], len(table)))
    step = max(1, _NEAR // table.shape[1])
    for a in range(0, len(table), step):
        squares[:, a : a + step] = (table[a : a + step] ** 2 @ weights).T
    return squares


@dataclass(eq=False)
class Blocks:
    r"""Second moments of training rows about their means, one block per training part.

    Block b holds :math:`A^b = \sum_i \omega_{ib} (x_i - m^b_{g(i)})(x_i - m^b_{g(i)})' + \lambda
    I`, with columns divided by ``scale``, the right-hand sides ``targets``, and the held-out rows
    about ``origin``. Row j of all blocks is computed on demand in one pass over the table, so that
    no block need be stored: the state of a search over s columns takes ``blocks * s * p + held-out
    rows * p`` numbers. All blocks are stored once the parts computed have cost as much, and only if
    their ``blocks * p * p`` numbers fit into half of ``memory`` bytes.

    Parameters
    ----------
    table : ndarray of shape (p, n)
        The columns, shifted so that sums are accurate.
    weights : ndarray of shape (n, B)
        The weight of each row in each block, 0 for rows outside the training part.
    group : ndarray of shape (n,)
        The group of each row, whose mean is subtracted from it.
    means : ndarray of shape (B, G, p)
        The means of the groups.
    scale, origin : ndarray of shape (B, p)
        What columns are divided by, and what is subtracted from held-out rows.
    targets : ndarray of shape (B, p, T)
        Right-hand sides.
    positions : ndarray of shape (N,)
        The row held out at each position.
    spans : ndarray of shape (B + 1,)
        The first position of each block among the M held-out rows of all blocks, and the end.
    penalty : float
        What is added to the diagonals.
    memory : float
        Bytes that may be stored.
    without : ndarray of shape (folds + 1,) or None
        The bounds of the folds where rows are sorted by fold and each block is all rows but one
        fold's. Products with all rows are then shared by all blocks; block b is that of fold ``b %
        folds`` and of column ``b // folds`` of `base`.
    base : ndarray of shape (n, kinds) or None
        Given with `without`: the weights of rows, of which those of a block are a multiple outside
        its fold.
    factor : ndarray of shape (B,) or None
        Given with `without`: that multiple.
    cost : float
        The multiplications spent on parts of the blocks so far, by which it is decided when to
        store all of them.
    known : tuple of ndarray or None
        The sums of weights (B,), and the weighted sums of the columns and of their squares, (B, p)
        each, where they are known and there is one group.
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
    cost: float = 0.0
    known: InitVar[tuple[np.ndarray, np.ndarray, np.ndarray] | None] = None
    _whole: np.ndarray | None = field(default=None, repr=False)

    def __post_init__(self, known: tuple[np.ndarray, np.ndarray, np.ndarray] | None) -> None:
        self.n_blocks, self.n_columns = self.weights.shape[1], len(self.table)
        self.held = self._held_columns()
        self.block_of = np.repeat(np.arange(self.n_blocks), np.diff(self.spans))
        self.scaled = not np.all(self.scale == 1.0)
        if known is None:
            self.totals = self._group_sums(np.ones((1, self.table.shape[1])))
            self.sums = self._group_sums(self.table)
            squares = weighted_squares(self.table, self.weights)
        else:
            self.totals, self.sums, squares = known[0][:, None, None], known[1][:, None], known[2]
        self.diagonal, self.moment = self._diagonals(squares)
        self.least_pivot = PIVOT * self.moment
        self._rest = self.sums - self.totals * self.means
        self.by_fold = self._is_by_fold()

    def _is_by_fold(self) -> bool:
        """Return whether block b is all rows but those it holds out, unscaled, about one mean."""
        whole = (
            self.without is not None
            and np.array_equal(self.without, self.spans)
            and self.held is self.table
        )
        return whole and not self.scaled and self.means.shape[1] == 1

    def _held_columns(self) -> np.ndarray | None:
        """Return the held-out columns (p, N), or None where they do not fit into memory.

        It is the table itself where that is all of it, in order.
        """
        if np.array_equal(self.positions, np.arange(self.table.shape[1])):
            return self.table
        if 8.0 * len(self.positions) * len(self.table) > self.memory:
            return None
        return np.take(self.table, self.positions, axis=1)  # contiguous, as indexing is not

    def _diagonals(self, squares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the diagonals of the blocks and the second moments about zero, (B, p) each.

        The latter are the scale of the rounding in a block. `squares` (B, p) are weighted sums of
        squares.
        """
        # sum w (x - m)^2 = sum w x^2 + sum_g m_g (m_g W_g - 2 s_g), with W_g and s_g the sums of w
        # and of w x in group g.
        diagonal = squares + (self.means * (self.means * self.totals - 2 * self.sums)).sum(axis=1)
        np.maximum(diagonal, 0.0, out=diagonal)
        if self.scaled:
            unit = self.scale**2
            diagonal, squares = diagonal / unit, squares / unit
        return diagonal + self.penalty, squares + self.penalty

    def _group_sums(self, X: np.ndarray) -> np.ndarray:
        """Return the weighted sums (B, G, p) of columns X (p, n) over the rows of each group."""
        n_groups = self.means.shape[1]
        if n_groups == 1:
            return (X @ self.weights).T[:, None]
        groups = [np.flatnonzero(self.group == g) for g in range(n_groups)]
        return np.stack([X[:, g] @ self.weights[g] for g in groups]).transpose(2, 0, 1)

    def rows(self, columns: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return rows ``columns`` (s,) of every block: (B, s, p)."""
        columns = np.asarray(columns, dtype=np.int64)
        self.cost += self.table.size * max(_PASS, len(columns))
        if self.whole is None:
            return self._rows(columns)
        return self.whole[:, columns]

    def row(self, column: int) -> np.ndarray:
        """Return row ``column`` of every block: (B, p), a copy."""
        self.cost += self.table.size * _PASS
        if self.whole is None:
            return self._rows(np.array([column]))[:, 0]
        return self.whole[:, column].copy()

    def _rows(self, columns: np.ndarray) -> np.ndarray:
        """Compute rows ``columns`` (s,) of every block from the table: (B, s, p)."""
        # sum w (x - m)(x - m)' = sum w x x' - m (s - W m)' - s m', with W and s the sums of w and
        # of w x; the two outer products of all groups are one product of matrices.
        moments = self._products(columns)
        factors = np.concatenate([self.means[:, :, columns], self.sums[:, :, columns]], axis=1)
        moments -= factors.transpose(0, 2, 1) @ np.concatenate([self._rest, self.means], axis=1)
        if self.scaled:
            moments /= self.scale[:, columns][:, :, None] * self.scale[:, None, :]
        moments[:, np.arange(len(columns)), columns] += self.penalty
        return moments

    def _products(self, columns: np.ndarray) -> np.ndarray:
        """Return the weighted sums of products of these columns with all columns: (B, s, p)."""
        # Where blocks leave one fold each out, the sum over training rows is that over all folds
        # less the one left out.
        s, X = len(columns), self.table[columns]
        if self.without is None:
            flat = (self.weights.T[:, None] * X).reshape(-1, X.shape[1])
            return (flat @ self.table.T).reshape(self.n_blocks, s, -1)
        assert self.base is not None and self.factor is not None
        flat = (self.base.T[:, None] * X).reshape(-1, X.shape[1])
        n_folds = len(self.without) - 1
        part = self._by_fold(flat, self.without).reshape(n_folds, -1, s, self.n_columns)
        others = (part.sum(axis=0) - part).transpose(1, 0, 2, 3).reshape(self.n_blocks, s, -1)
        others *= self.factor[:, None, None]
        return others

    def _by_fold(self, flat: np.ndarray, spans: np.ndarray) -> np.ndarray:
        """Return the products of `flat` (r, n) with all columns over each fold: (folds, r, p)."""
        if len(flat) <= _FEW:
            from subsel._loops.linear.fold_sums import products

            return products(np.ascontiguousarray(flat), self.table, spans)
        parts = np.empty((len(spans) - 1, len(flat), self.n_columns))
        for out, a, b in zip(parts, spans, spans[1:]):
            np.matmul(flat[:, a:b], self.table[:, a:b].T, out=out)
        return parts

    def gram(self, columns: np.ndarray) -> np.ndarray:
        """Return the sub-block of these columns in every block: (B, s, s). Not to be changed."""
        self.cost += self.n_blocks * self.table.shape[1] * len(columns) ** 2
        if self.whole is None:
            return self._moments(columns)
        if self._every(columns):
            return self.whole
        return self.whole.take(columns, axis=1).take(columns, axis=2)

    def times(self, weights: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return weights (T, s) times the sub-block of these columns in the first block: (T, s).

        No sub-block is formed where all blocks are stored.
        """
        if self.whole is None:
            return weights @ self.gram(columns)[0]
        spread = np.zeros((len(weights), self.n_columns))
        spread[:, columns] = weights
        return (spread @ self.whole[0]).take(columns, axis=1)

    def _every(self, columns: np.ndarray) -> bool:
        """Return whether these are all columns in their order."""
        return len(columns) == self.n_columns and bool((columns[1:] > columns[:-1]).all())

    @property
    def whole(self) -> np.ndarray | None:
        """All blocks (B, p, p), or None until the parts computed have cost as much."""
        p, b = self.n_columns, self.n_blocks
        full_cost = self.table.size * p
        due = self.cost >= full_cost or b * full_cost <= _TINY
        if self._whole is None and due and 8.0 * b * p * p <= self.memory / 2:
            if self.without is None:
                self._whole = self._moments(np.arange(p))
            else:
                self._whole = self._every_row()
        return self._whole

    def _every_row(self) -> np.ndarray:
        """Compute all blocks (B, p, p), some rows of all of them at a time."""
        p, whole = self.n_columns, np.empty((self.n_blocks, self.n_columns, self.n_columns))
        step = max(1, CHUNK // (2 * self.n_blocks * p))
        for a in range(0, p, step):
            whole[:, a : a + step] = self._rows(np.arange(a, min(a + step, p)))
        return whole

    def _moments(self, columns: np.ndarray) -> np.ndarray:
        """Compute the sub-block of these columns in every block directly: (B, s, s)."""
        out = np.empty((self.n_blocks, len(columns), len(columns)))
        X = self.table if self._every(columns) else self.table[columns]
        for b, weight in enumerate(self.weights.T):
            used = slice(None) if weight.all() else np.flatnonzero(weight)
            means, part = self.means[b][:, columns].T, X[:, used]
            if not self._centred(b, columns):
                part = part - (means if means.shape[1] == 1 else means[:, self.group[used]])
            if not (weight[used] == 1).all():
                part = part * np.sqrt(weight[used])
            if self.scaled:
                part = part / self.scale[b, columns][:, None]
            np.matmul(part, part.T, out=out[b])  # of which numpy computes one triangle
        diagonal = np.arange(len(columns))
        out[:, diagonal, diagonal] += self.penalty
        return out

    def _centred(self, block: int, columns: np.ndarray) -> bool:
        """Return whether the means of a block are too small to change a digit of its moments."""
        shift = (self.totals[block] * self.means[block] ** 2).sum(axis=0) / self.scale[block] ** 2
        return bool((shift <= _CENTRED * self.moment[block])[columns].all())

    def held_out(self, columns: np.ndarray | slice) -> np.ndarray:
        """Return the held-out part (s, M) of columns, less the origin and divided by the scale."""
        if self.held is None:
            held = self.table[columns][:, self.positions]
        else:
            held = self.held[columns]
        shifted = np.empty((len(held), len(self.block_of)))
        origin, scale = self.origin[:, columns], self.scale[:, columns]
        if self.by_fold:
            from subsel._loops.linear.fold_sums import subtract_origin

            subtract_origin(held, np.ascontiguousarray(origin), self.spans, shifted)
            return shifted
        for b, (start, stop) in enumerate(zip(self.spans, self.spans[1:])):
            first = start % max(1, len(self.positions))
            np.subtract(
                held[:, first : first + stop - start],
                origin[b][:, None],
                out=shifted[:, start:stop],
            )
            if self.scaled:
                shifted[:, start:stop] /= scale[b][:, None]
        return shifted
