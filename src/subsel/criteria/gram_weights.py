"""The weights of a linear support vector machine from the Gram matrix of its rows, off which columns are taken."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.svm import SVC

from subsel.task import Task

__all__ = ["GramWeights"]

_DIGITS = 1e-3  # of the Gram matrix must be left, or it is summed afresh


class GramWeights:
    """What ``SVC(kernel="linear").fit(X[:, columns], y).coef_`` is, for tables with more columns than rows.

    The machine sees the columns through their Gram matrix only. It is held, and the products of the columns that leave
    are taken off, where these are fewer than those that stay.

    Examples
    --------
    >>> X = np.array([[-1.0, 3.0, 0.0], [1.0, 2.0, 0.0]])
    >>> GramWeights(SVC(kernel="linear"), Task.of(X, [0, 1])).of(np.array([0, 2]))
    array([1., 0.])
    """

    def __init__(self, model: SVC, task: Task) -> None:
        self.model, self.task = clone(model).set_params(kernel="precomputed"), task
        self._columns: np.ndarray | None = None
        self._gram, self._least = np.empty((0, 0)), 0.0

    @classmethod
    def where_it_pays(cls, model: Any, task: Task) -> GramWeights | None:
        """For a linear machine of two classes on more columns than rows; None for any other."""
        if type(model) is not SVC or model.kernel != "linear" or task.kind != "classification":
            return None
        return cls(model, task) if len(task.classes) == 2 and task.n_rows < task.n_columns else None

    def fork(self) -> GramWeights:
        """Share the table, not the position."""
        twin = copy(self)
        twin.model, twin._columns = clone(self.model), None
        return twin

    def of(self, columns: np.ndarray) -> np.ndarray:
        """One weight per column, of the machine trained on all rows."""
        self._go(columns)
        machine = self.model.fit(self._gram, self.task.y, self.task.sample_weight)
        return machine.dual_coef_[0] @ self.task.matrix[np.ix_(machine.support_, columns)]

    def _go(self, columns: np.ndarray) -> None:
        """Bring the Gram matrix to these columns."""
        if self._columns is not None:
            gone = np.setdiff1d(self._columns, columns, assume_unique=True)
            if len(gone) < len(columns) == len(self._columns) - len(gone):
                left = self.task.matrix[:, gone]
                self._gram = self._gram - left @ left.T
                self._columns = columns
        if self._columns is not columns or np.trace(self._gram) < self._least:
            part = self.task.matrix[:, columns]
            self._columns, self._gram = columns, part @ part.T
            self._least = _DIGITS * float(np.trace(self._gram))
