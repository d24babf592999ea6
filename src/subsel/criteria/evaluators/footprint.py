"""What each criterion holds, as a function of rows and columns: stated before anything is allocated."""

from __future__ import annotations

from copy import copy
from dataclasses import is_dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from subsel.data.task import Task
from subsel.runtime.memory import NotEnoughMemory, available_bytes, byte_count

__all__ = ["CHUNK", "Footprint", "Shape", "fit_into", "footprint"]

CHUNK = 8.0 * 2**22 * 3  # bytes of temporary arrays at a time


class Shape(NamedTuple):
    """What the memory of a criterion depends on.

    Parameters
    ----------
    rows, columns : int
        Of the table.
    classes : int, default=1
        Number of classes; 1 for a quantity.
    folds : int, default=5
        Number of folds.
    held_out : int, default=0
        Rows held out in all folds together.

    Examples
    --------
    >>> Shape.of(Task.of([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0.5, 1.5, 2.5]), cv=3)
    Shape(rows=3, columns=2, classes=1, folds=3, held_out=3)
    """

    rows: int
    columns: int
    classes: int = 1
    folds: int = 5
    held_out: int = 0

    @classmethod
    def of(cls, task: Task, cv: Any = 5) -> Shape:
        """Of a problem and a splitter."""
        classes, folds = 1, 5
        if task.kind == "classification":
            classes = len(task.classes)
        if isinstance(cv, int):
            folds = cv
        elif isinstance(cv, (list, tuple)):
            folds = len(cv)
        elif hasattr(cv, "get_n_splits"):
            folds = cv.get_n_splits(np.zeros((task.n_rows, 1)), task.y, task.groups)
        repeats = getattr(cv, "n_repeats", 1)
        return cls(task.n_rows, task.n_columns, classes, folds, task.n_rows * repeats)

    @property
    def table(self) -> float:
        """Bytes of the table as numbers."""
        return 8.0 * self.rows * self.columns

    @property
    def squared(self) -> float:
        """Bytes of a number for every pair of rows."""
        return 8.0 * self.rows**2


class Footprint(NamedTuple):
    """Bytes that a criterion takes beside the table and its column-major copy.

    Parameters
    ----------
    least : float
        The least it can work with.
    usual : float
        What it takes if it may.

    Examples
    --------
    >>> Footprint.fixed(8e6)
    Footprint(least=8000000.0, usual=8000000.0)
    """

    least: float
    usual: float

    @classmethod
    def fixed(cls, n_bytes: float) -> Footprint:
        """Of a criterion that can neither do with less nor use more."""
        return cls(n_bytes, n_bytes)

    @classmethod
    def sweep(cls, s: Shape) -> Footprint:
        """Centred copy, moments of every fold, a state of twenty columns; Gram matrices and residuals if they fit."""
        least = (
            2 * s.table
            + 8.0 * s.folds * s.classes * s.columns * 30
            + min(CHUNK, 3 * s.table * s.classes)
        )
        return cls(least, least + 2 * 8.0 * s.held_out * s.columns + 8.0 * s.folds * s.columns**2)

    @classmethod
    def distances(cls, s: Shape, per_pair: float) -> Footprint:
        """Row-major copy and one block of distances; all of them if they fit."""
        least = 3 * s.table + 4 * per_pair * s.rows + 1e6
        return cls(least, least + per_pair * max(s.held_out, s.rows) * s.rows)

    @classmethod
    def associations(cls, s: Shape) -> Footprint:
        """The discretised table while it is made, and a hundred rows of associations; all of them if they fit."""
        least = 9 * s.table + 8.0 * s.columns * 100 + 3e6
        return cls(least, least + 8.0 * s.columns**2)


def footprint(criterion: Any, shape: Shape) -> Footprint | None:
    """What a criterion holds for one restart, or None where it does not say (a refitted estimator, for one).

    >>> from subsel.criteria import KernelRidge
    >>> footprint(KernelRidge(), Shape(rows=50_000, columns=10)).least / 1e9
    90.004
    """
    stated = getattr(criterion, "footprint", None)
    if stated is None:
        return None
    return stated(shape)


def fit_into(criterion: Any, task: Task, memory: str | float | None, restarts: int = 1) -> Any:
    """The criterion, told to stay under a limit for all restarts together; refused with the number where it cannot.

    Without a limit only what the machine does not have is refused. A criterion made of others may define ``fit_into``
    itself, and one that does not state its footprint is given back as it is.
    """
    if hasattr(criterion, "fit_into"):
        return criterion.fit_into(task, memory, restarts)
    limit = available_bytes() if memory is None else byte_count(memory)
    found = footprint(criterion, Shape.of(task, getattr(criterion, "cv", 5)))
    if limit is None or found is None:
        return criterion
    if found.least > limit:
        what = f"{type(criterion).__name__} on {task.n_rows:,} rows and {task.n_columns:,} columns"
        raise NotEnoughMemory(what, found.least, limit)
    if memory is None or not hasattr(criterion, "memory"):
        return criterion
    return _limited(criterion, (limit - found.least) / restarts)


def _limited(criterion: Any, memory: float) -> Any:
    """A copy of the criterion that may take so many bytes."""
    if is_dataclass(criterion) and not isinstance(criterion, type):
        return replace(criterion, memory=memory)
    other = copy(criterion)
    other.memory = memory
    return other
