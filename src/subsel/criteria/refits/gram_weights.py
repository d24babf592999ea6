"""The weights of a linear support vector machine from the Gram matrix of its rows, off which columns are taken."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.svm import SVC

from subsel.criteria.refits.libsvm import LinearSolver
from subsel.data.task import Task

__all__ = ["GramWeights"]

_DIGITS = 1e-3  # of the Gram matrix must be left, or it is summed afresh


class GramWeights:
    """What ``SVC(kernel="linear").fit(X[:, columns], y).coef_`` is, for tables with more columns than rows.

    The machine sees the columns through their Gram matrix only. It is held, and the products of the
    columns that leave are taken off; once half of them have left it is summed afresh from those
    that stay, which are then held together.

    Examples
    --------
    >>> X = np.array([[-1.0, 3.0, 0.0], [1.0, 2.0, 0.0]])
    >>> GramWeights(SVC(kernel="linear"), Task.of(X, [0, 1])).of(np.array([0, 2]))
    array([1., 0.])
    """

    def __init__(self, model: SVC, task: Task) -> None:
        self.task, self._machine = task, _Machine(model, task)
        self._full: list[
            np.ndarray
        ] = []  # the Gram matrix of all columns, once known: shared by forks
        self._here: _Position | None = None

    @classmethod
    def where_it_pays(cls, model: Any, task: Task) -> GramWeights | None:
        """For a linear machine of two classes on more columns than rows; None for any other."""
        if type(model) is not SVC or model.kernel != "linear" or task.kind != "classification":
            return None
        if len(task.classes) != 2 or task.n_rows >= task.n_columns:
            return None
        return cls(model, task)

    @property
    def solver(self) -> LinearSolver | None:
        """What trains the machine, where that is not the estimator."""
        return self._machine.solver

    def fork(self) -> GramWeights:
        """Share the table, not the position."""
        twin = copy(self)
        twin._here = None
        return twin

    def of(self, columns: np.ndarray) -> np.ndarray:
        """One weight per column, of the machine trained on all rows."""
        here = self._go(columns)
        weights = self._machine.dual(here.gram) @ here.table
        if here.n_left == len(weights):
            return weights
        return weights[here.place[columns]]

    def _go(self, columns: np.ndarray) -> _Position:
        """Bring the Gram matrix to these columns."""
        if self._here is None or not self._here.shrink_to(columns):
            self._here = None  # frees its columns before others are gathered
            self._here = self._begin(columns)
        return self._here

    def _begin(self, columns: np.ndarray) -> _Position:
        X, n_columns = self.task.X, self.task.n_columns
        plain = isinstance(X, np.ndarray) and X.dtype == np.float64
        table = X if plain else self.task.matrix
        if len(columns) < n_columns:
            return _Position(columns, _taken(table, columns), n_columns)
        if not self._full:
            self._full.append(table @ table.T)
        return _Position(columns, table, n_columns, self._full[0])


class _Position:
    """The columns that some are left of, in ``table`` by ``place``, and the Gram matrix of those left."""

    def __init__(
        self, columns: np.ndarray, table: np.ndarray, n_columns: int, gram: np.ndarray | None = None
    ) -> None:
        self.table, self.n_left = table, len(columns)
        self.place = np.full(n_columns, -1)
        self.place[columns] = np.arange(len(columns))
        self.inside = np.ones(len(columns), dtype=bool)  # by place
        self.gram = table @ table.T if gram is None else gram
        self.least = _DIGITS * float(np.trace(self.gram))

    def shrink_to(self, columns: np.ndarray) -> bool:
        """Let all columns leave but these; False where one of these is not here."""
        places = self.place[columns]
        if places.min() < 0 or not self.inside[places].all():
            return False
        if 2 * len(columns) <= self.table.shape[1] + 1:
            self._gather(columns, places)
            return True
        gone = self.inside.copy()
        gone[places] = False
        left = _taken(self.table, np.flatnonzero(gone))
        self.gram = self.gram - left @ left.T
        self.inside, self.n_left = self.inside & ~gone, len(columns)
        if np.trace(self.gram) < self.least:
            self._gather(columns, places)
        return True

    def _gather(self, columns: np.ndarray, places: np.ndarray) -> None:
        self.__init__(columns, _taken(self.table, places), len(self.place))  # type: ignore[misc]


def _taken(table: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Some columns, in the order of memory that the table has: the quicker by far."""
    if table.flags.f_contiguous:
        return table.T.take(columns, axis=0).T
    return table.take(columns, axis=1)


class _Machine:
    """The dual of a support vector machine of two classes, from the Gram matrix of its rows."""

    def __init__(self, model: SVC, task: Task) -> None:
        self.model, self.task = model, task
        self.solver = LinearSolver.where_it_serves(model, task)

    def dual(self, gram: np.ndarray) -> np.ndarray:
        """One coefficient per row, 0 for those that support nothing."""
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
