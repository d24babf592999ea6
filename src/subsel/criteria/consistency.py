"""Inconsistency: how many rows agree in all chosen values and still differ in class."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.candidates import Candidates
from subsel.criteria.base import Evaluation, Evaluator
from subsel.ranking.coded import coded
from subsel.task import Task

__all__ = ["Inconsistency"]

SMALL = 20_000  # cells of the table up to which plain numpy answers sooner than a compiler starts
DIRECT = 8  # counts per row in the direct table of a forward step; beyond it rows are hashed


@dataclass(frozen=True)
class Inconsistency:
    r"""Minus the inconsistency rate of a discrete table (papers LVF, book-01 F27, F01).

    Rows are grouped by their values on the subset; each group contributes its size minus its largest class count:

    .. math:: -\frac1n \sum_g \left(n_g - \max_c n_{gc}\right)

    Zero means consistent. Adding a column never lowers it, so branch and bound is exact; the full set has the best
    value. One plus it is the Bayesian accuracy of the subset on the training rows.

    Parameters
    ----------
    discretiser : how numeric columns become categories, anything with ``fit_transform``. None: columns of at most 32
        values stand as they are, others are cut into eight intervals of equal frequency, without looking at the class.

    Memory: the codes (one byte a cell) and one 64-bit word per row. A flip costs one pass over the rows; rows are told
    apart by 64-bit hashes, whose collisions have a chance of about n^2 / 2^65.
    """

    discretiser: Any = None

    def bind(self, task: Task, seed: int | np.random.SeedSequence | None = None) -> Evaluator:
        """Code the table."""
        if task.kind != "classification":
            raise ValueError("inconsistency is defined for classes: discretise the target first.")
        return _Groups(coded(task.matrix, task.y, self.discretiser))


class _Groups(Evaluator):
    """Row hashes at a base, and what flips make of them."""

    monotone = True
    judge = "inconsistency"

    def __init__(self, table: Any) -> None:
        self.codes = np.ascontiguousarray(table.codes.T)
        self.classes = table.classes.astype(np.int64)
        self.n_classes, self.n_values = table.n_classes, table.n_values
        self.n_rows = len(self.classes)
        self.keys = np.random.default_rng(0).integers(2**64, size=(len(self.codes), self.n_values), dtype=np.uint64)
        self.small = self.codes.size <= SMALL
        self._start()

    def _start(self) -> None:
        self.on = np.zeros(len(self.codes), dtype=bool)
        self.rows = np.zeros(self.n_rows, dtype=np.uint64)
        self.place: np.ndarray | None = None
        self.n_cells = 0
        if not self.small:
            n_slots = 1 << int(2 * self.n_rows - 1).bit_length()
            empty = lambda size, kind: np.empty(size, dtype=kind)
            table = (
                np.zeros(n_slots, dtype=np.uint64),
                empty(self.n_rows, np.int64),
                empty(n_slots * self.n_classes, np.int32),
            )
            self.scratch = empty(self.n_rows, np.uint64), *table

    def fork(self) -> Evaluator:
        """Share the codes, start anew."""
        other = copy(self)
        other._start()
        return other

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Count the rows that a majority of their group leaves over."""
        changes = candidates.changes()
        if changes is None:
            hits = np.array([self._hits_of(columns) for columns in candidates.columns()])
        else:
            self._move(changes.base)
            single = changes.added.shape[1] == 1 and changes.removed.shape[1] == 0
            split = self._split(changes.added[:, 0]) if single and not self.small else None
            hits = self._flipped(np.hstack([changes.added, changes.removed])) if split is None else split
        return hits / self.n_rows - 1.0

    def explain(self, columns: np.ndarray) -> Evaluation:
        """The majority class of each row's group, and whether the row is left over."""
        group, counts = self._counted(np.bitwise_xor.reduce(self._words(columns), axis=0))
        majority = counts.argmax(axis=1)[group]
        losses = (majority != self.classes).astype(float)
        return Evaluation(-losses.mean(), None, None, majority, losses)

    def _split(self, added: np.ndarray) -> np.ndarray | None:
        """Additions, by a direct table of counts; None where it would be much larger than the rows."""
        if self.place is None:
            names, group = np.unique(self.rows, return_inverse=True)
            self.n_cells = len(names) * self.n_values * self.n_classes
            self.place = group * self.n_values * self.n_classes + self.classes
        if self.n_cells > DIRECT * self.n_rows:
            return None
        from subsel._loops.consistency import hits_of_additions

        counts = np.empty(self.n_cells, dtype=np.int32)
        return hits_of_additions(
            self.place, self.n_cells, self.codes, np.ascontiguousarray(added), self.n_classes, counts
        )

    def _words(self, columns: np.ndarray) -> np.ndarray:
        return np.take_along_axis(self.keys[columns], self.codes[columns].astype(np.int64), axis=1)

    def _move(self, columns: np.ndarray) -> None:
        """Stand at another base: only the columns that differ are turned over."""
        changed = self._changed(columns)
        if len(changed):
            self.rows = self.rows ^ np.bitwise_xor.reduce(self._words(changed), axis=0)
            self.on[changed] ^= True
            self.place = None

    def _changed(self, columns: np.ndarray) -> np.ndarray:
        self.on[columns] ^= True
        changed = np.flatnonzero(self.on)
        self.on[columns] ^= True
        return changed

    def _hits_of(self, columns: np.ndarray) -> int:
        """One subset: as flips from where we stand, which moves along when it is left far behind."""
        changed = self._changed(columns)
        if len(changed) > 2:
            self._move(columns)
            changed = changed[:0]
        if len(changed) == 1 and self.place is not None and not self.on[changed[0]]:
            hits = self._split(changed)
            if hits is not None:
                return int(hits[0])
        return int(self._flipped(changed[None, :])[0])

    def _flipped(self, flips: np.ndarray) -> np.ndarray:
        if self.small:
            return np.array([self._plain_hits(row) for row in flips])
        from subsel._loops.consistency import hits_of_flips

        args = self.rows, self.keys, self.codes, np.ascontiguousarray(flips), self.classes, self.n_classes
        return hits_of_flips(*args, *self.scratch)

    def _plain_hits(self, flips: np.ndarray) -> int:
        rows = self.rows ^ np.bitwise_xor.reduce(self._words(flips), axis=0) if len(flips) else self.rows
        return int(self._counted(rows)[1].max(axis=1).sum())

    def _counted(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The group of each row, and how many rows of each class a group has."""
        _, group = np.unique(rows, return_inverse=True)
        counts = np.bincount(group * self.n_classes + self.classes, minlength=(group.max() + 1) * self.n_classes)
        return group, counts.reshape(-1, self.n_classes)
