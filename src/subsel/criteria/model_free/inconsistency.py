"""Inconsistency: the share of rows that agree in all values but differ in class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from subsel.criteria.base import Evaluation, Evaluator, refuse_weights
from subsel.criteria.evaluators.footprint import Footprint, Shape
from subsel.criteria.evaluators.position import Position
from subsel.criteria.registry import criterion
from subsel.criteria.traits import Traits
from subsel.data.intervals.codes import code_table
from subsel.data.task import Kind, Task
from subsel.registry.parameters import Parameters
from subsel.space.candidates import Candidates, Subset
from subsel.space.space import Space

__all__ = ["Inconsistency"]

DIRECT = 8  # counts per row up to which additions use a table of all groups instead of hashing


@criterion("inconsistency")
@dataclass(frozen=True)
class Inconsistency(Parameters):
    r"""Minus the inconsistency rate of a discrete table [1]_ [2]_.

    Rows are grouped by their values on the subset; each group contributes its size minus its
    largest class count:

    .. math:: -\frac1n \sum_g \left(n_g - \max_c n_{gc}\right)

    Zero means consistent. Adding a column never lowers it, so branch and bound is exact; the full
    set has the best value. One plus it is the Bayesian accuracy of the subset on the training rows.

    Parameters
    ----------
    discretiser : transformer or None, default=None
        How numeric columns become categories, anything with ``fit_transform``. None: columns of at
        most 32 values are used as they are, others are cut into eight intervals of equal
        frequency, without looking at the class.

    Notes
    -----
    Memory: the codes (one byte a cell) and per row about 100 bytes of hashes and counts, more with
    many classes. A flip costs one pass over the rows. Rows are compared by 64-bit hashes: any two
    different ones of n rows collide with a probability of about n^2 / 2^65.

    References
    ----------
    .. [1] Liu and Setiono, *A probabilistic approach to feature selection: a filter solution*, ICML
       1996.
    .. [2] Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, section 3.8.

    Examples
    --------
    >>> task = Task.of([[0.0, 1.0], [0.0, 0.0], [1.0, 1.0], [1.0, 0.0]], ["a", "a", "b", "b"])
    >>> space = Space.of(2)
    >>> Inconsistency().bind(task).evaluate(space.additions(space.empty()))
    array([ 0. , -0.5])
    """

    serves: ClassVar[tuple[Kind, ...]] = ("classification",)

    discretiser: Any = None

    def footprint(self, shape: Shape) -> Footprint:
        """The codes of the table."""
        return Footprint.fixed(1.5 * shape.table)

    def bind(
        self,
        task: Task,
        seed: int | np.random.SeedSequence | None = None,  # noqa: ARG002
    ) -> Evaluator:
        """Discretise the table."""
        if task.kind != "classification":
            raise ValueError("y must hold classes for inconsistency: discretise the target first.")
        refuse_weights(task, "Inconsistency")
        return _Groups(code_table(task.matrix, task.y, self.discretiser))


class _Groups(Position):
    """Counts groups of equal rows by hashes, updated from a base.

    ``rows`` of shape (n,) holds the hash of each row over the columns of the base.
    """

    traits = Traits("inconsistency", monotone=True)

    def __init__(self, table: Any) -> None:
        from subsel._loops.statistics.consistency import Labelled

        # Tabulation hashing (Zobrist, A new hashing method with application for game playing,
        # technical report, 1970): a row's hash is the exclusive or of a random word per column and
        # value, so that the same operation adds a column and removes it.
        self.codes = np.ascontiguousarray(table.codes.T)
        self.classes = table.classes.astype(np.int64)
        self.n_classes, self.n_values = table.n_classes, table.n_values
        self.n_rows = len(self.classes)
        self.keys = np.random.default_rng(0).integers(
            2**64, size=(len(self.codes), self.n_values), dtype=np.uint64
        )
        self.table = Labelled(self.codes, self.keys, self.classes, self.n_classes)
        self._start()

    def _start(self) -> None:
        from subsel._loops.statistics.consistency import HashTable

        self.on = np.zeros(len(self.codes), dtype=bool)
        self.rows = np.zeros(self.n_rows, dtype=np.uint64)
        self.space: Space | None = None  # the space of the base, whose bits are ``bits``
        self.bits = self.n_cells = 0
        self.place: np.ndarray | None = None
        n_slots = 1 << int(2 * self.n_rows - 1).bit_length()
        self.room = HashTable(
            row=np.empty(self.n_rows, dtype=np.uint64),
            names=np.zeros(n_slots, dtype=np.uint64),
            used=np.empty(self.n_rows, dtype=np.int64),
            counts=np.empty(n_slots * self.n_classes, dtype=np.int32),
        )
        self.counts = np.empty(DIRECT * self.n_rows, dtype=np.int32)

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Count the rows that are not of the majority class of their group."""
        changes = candidates.changes()
        if changes is None:
            return np.array(
                [self._hits_of(candidates.space, s) / self.n_rows - 1.0 for s in candidates]
            )
        self._move(candidates.space, candidates.base)
        hits = None
        if changes.added.shape[1] == 1 and changes.removed.shape[1] == 0:
            hits = self._split(np.ascontiguousarray(changes.added[:, 0]))
        if hits is None:
            hits = self._flipped(np.ascontiguousarray(np.hstack([changes.added, changes.removed])))
        return hits / self.n_rows - 1.0

    def explain(self, columns: np.ndarray) -> Evaluation:
        """Predict the majority class of each row's group; the loss is 1 for other rows."""
        group, counts = self._counted(np.bitwise_xor.reduce(self._words(columns), axis=0))
        majority = counts.argmax(axis=1)[group]
        losses = (majority != self.classes).astype(float)
        return Evaluation(-float(losses.mean()), None, None, majority, losses)

    def _split(self, added: np.ndarray) -> np.ndarray | None:
        """Count hits of additions by a table of all groups; None where it would be too large."""
        if self.place is None:
            names, group = np.unique(self.rows, return_inverse=True)
            self.n_cells = len(names) * self.n_values * self.n_classes
            self.place = group * self.n_values * self.n_classes + self.classes
        if self.n_cells > DIRECT * self.n_rows:
            return None
        from subsel._loops.statistics.consistency import hits_of_additions

        return hits_of_additions(
            self.place, self.n_cells, self.codes, added, self.n_classes, self.counts
        )

    def _words(self, columns: np.ndarray) -> np.ndarray:
        return np.take_along_axis(self.keys[columns], self.codes[columns].astype(np.int64), axis=1)

    def _move(self, space: Space, subset: Subset) -> None:
        """Move the hashes to another base, in place, by the columns that differ."""
        if space is self.space and subset.bits == self.bits:
            return
        self.space, self.bits, columns = space, subset.bits, space.columns(subset)
        self.on[columns] ^= True
        changed = np.flatnonzero(self.on)
        self.on[:] = False
        self.on[columns] = True
        if len(changed):
            self.rows = self.rows ^ np.bitwise_xor.reduce(self._words(changed), axis=0)
            self.place = None

    def _flips_to(self, space: Space, subset: Subset) -> list[int]:
        """List the columns in which a subset differs from the base.

        The base moves to the subset if they are more than two.
        """
        difference = subset.bits ^ self.bits
        if space is not self.space or difference.bit_count() > 2:
            self._move(space, subset)
            return []
        lowest = difference & -difference
        units = {difference.bit_length() - 1, lowest.bit_length() - 1} - {-1}
        return [
            column
            for unit in units
            if unit in space.block_units[0]
            for column in space.unit_columns(unit)
        ]

    def _hits_of(self, space: Space, subset: Subset) -> int:
        """Count the hits of one subset, from its flips at the base."""
        flips = np.array(self._flips_to(space, subset), dtype=np.int64)
        if len(flips) == 1 and self.place is not None and not self.on[flips[0]]:
            hits = self._split(flips)
            if hits is not None:
                return int(hits[0])
        return int(self._flipped(flips[None, :])[0])

    def _flipped(self, flips: np.ndarray) -> np.ndarray:
        from subsel._loops.statistics.consistency import hits_of_flips

        return hits_of_flips(self.rows, self.table, flips, self.room)

    def _counted(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Group equal hashes: the group of each row (n,), and counts of shape (groups, classes)."""
        _, group = np.unique(rows, return_inverse=True)
        counts = np.bincount(
            group * self.n_classes + self.classes, minlength=(group.max() + 1) * self.n_classes
        )
        return group, counts.reshape(-1, self.n_classes)
