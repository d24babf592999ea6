"""Weights of a linear support vector machine from the Gram matrix of its rows."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.svm import SVC

from subsel.criteria.refits.libsvm import LinearSolver
from subsel.data.task import Task

__all__ = ["GramWeights"]

# Subtracting columns leaves rounding errors of the size of the first matrix. Once less than this
# share of its trace is left, three of sixteen digits, the matrix is summed again.
_DIGITS = 1e-3


class GramWeights:
    """Computes the ``coef_`` of a linear ``SVC`` on subsets of more columns than rows.

    The machine depends on the columns through their Gram matrix only, a sum of one product per
    column. The matrix is stored, and the products of columns that are removed are subtracted. Once
    half of the columns are removed, it is summed again from the others, which are copied to a table
    of their own.

    Examples
    --------
    >>> X = np.array([[-1.0, 3.0, 0.0], [1.0, 2.0, 0.0]])
    >>> GramWeights(SVC(kernel="linear"), Task.of(X, [0, 1])).of(np.array([0, 2]))
    array([1., 0.])
    """

    def __init__(self, model: SVC, task: Task) -> None:
        self.task, self._machine = task, _Machine(model, task)
        # the Gram matrix of all columns, once it is computed: a list that forks share
        self._full: list[np.ndarray] = []
        self._here: _Position | None = None

    @classmethod
    def where_it_pays(cls, model: Any, task: Task) -> GramWeights | None:
        """Build it for a linear machine of two classes on more columns than rows, else None."""
        if type(model) is not SVC or model.kernel != "linear" or task.kind != "classification":
            return None
        if len(task.classes) != 2 or task.n_rows >= task.n_columns:
            return None
        return cls(model, task)

    @property
    def solver(self) -> LinearSolver | None:
        """The solver that trains the machine, None where the estimator does."""
        return self._machine.solver

    def fork(self) -> GramWeights:
        """Return a copy that shares the table but not the position."""
        twin = copy(self)
        twin._here = None
        return twin

    def of(self, columns: np.ndarray) -> np.ndarray:
        """Compute the weights (columns,) of the machine trained on all rows."""
        here = self._go(columns)
        weights = self._machine.dual(here.gram) @ here.table
        if here.n_left == len(weights):
            return weights
        return weights[here.place[columns]]

    def _go(self, columns: np.ndarray) -> _Position:
        """Move the Gram matrix to these columns."""
        if self._here is None or not self._here.shrink_to(columns):
            self._here = None  # frees its columns before others are gathered
            self._here = self._begin(columns)
        return self._here

    def _begin(self, columns: np.ndarray) -> _Position:
        X, n_columns = self.task.X, self.task.n_columns
        plain = isinstance(X, np.ndarray) and X.dtype == np.float64
        table = X if plain else self.task.matrix
        if len(columns) < n_columns:
            return _Position(columns, _select(table, columns), n_columns)
        if not self._full:
            self._full.append(table @ table.T)
        return _Position(columns, table, n_columns, self._full[0])


class _Position:
    """A table of columns, of which some have been removed, and the Gram matrix of the rest."""

    def __init__(
        self, columns: np.ndarray, table: np.ndarray, n_columns: int, gram: np.ndarray | None = None
    ) -> None:
        self.table, self.n_left = table, len(columns)
        self.place = np.full(n_columns, -1)  # position of each column in ``table``, -1 if absent
        self.place[columns] = np.arange(len(columns))
        self.inside = np.ones(len(columns), dtype=bool)  # by position: not removed
        self.gram = table @ table.T if gram is None else gram
        self.least = _DIGITS * float(np.trace(self.gram))

    def shrink_to(self, columns: np.ndarray) -> bool:
        """Remove all columns but these; False, unchanged, where one of these is not left."""
        places = self.place[columns]
        if places.min() < 0 or not self.inside[places].all():
            return False
        if 2 * len(columns) <= self.table.shape[1] + 1:
            self._gather(columns, places)
            return True
        gone = self.inside.copy()
        gone[places] = False
        removed = _select(self.table, np.flatnonzero(gone))
        self.gram = self.gram - removed @ removed.T
        self.inside, self.n_left = self.inside & ~gone, len(columns)
        if np.trace(self.gram) < self.least:
            self._gather(columns, places)
        return True

    def _gather(self, columns: np.ndarray, places: np.ndarray) -> None:
        """Start again, in place, from a table of these columns only."""
        self.__init__(columns, _select(self.table, places), len(self.place))  # type: ignore[misc]


def _select(table: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Copy some columns in the memory order of the table, which is by far the fastest."""
    if table.flags.f_contiguous:
        return table.T.take(columns, axis=0).T
    return table.take(columns, axis=1)


class _Machine:
    """The dual of a support vector machine of two classes, from the Gram matrix of its rows."""

    def __init__(self, model: SVC, task: Task) -> None:
        self.model, self.task = model, task
        self.solver = LinearSolver.if_supported(model, task)

    def dual(self, gram: np.ndarray) -> np.ndarray:
        """Compute one coefficient per row, 0 for rows that are not support vectors."""
        if self.solver is not None:
            return self.solver.dual(gram, self.task)
        model = (
            clone(self.model)
            .set_params(kernel="precomputed")
            .fit(gram, self.task.y, self.task.sample_weight)
        )
        found = np.zeros(len(gram))
        found[model.support_] = model.dual_coef_[0]
        return found
