"""The memory that a criterion needs, as a function of the sizes of a task."""

from __future__ import annotations

from copy import copy
from dataclasses import is_dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from subsel.data.task import Task
from subsel.runtime.memory import NotEnoughMemory, available_bytes, byte_count

__all__ = ["CHUNK", "Footprint", "Shape", "fit_into", "footprint"]

CHUNK = 8.0 * 2**22 * 3  # bytes of temporary arrays at a time: three of 2^22 numbers


class Shape(NamedTuple):
    """The sizes that the memory of a criterion depends on.

    Parameters
    ----------
    rows, columns : int
        Size of the table.
    classes : int, default=1
        Number of classes; 1 for a quantity.
    folds : int, default=5
        Number of folds.
    held_out : int, default=0
        Rows held out in all folds, counted once per fold.

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
        """Return the sizes of a task and a splitter; five folds where their number is unknown."""
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
        """Bytes of the table in double precision."""
        return 8.0 * self.rows * self.columns

    @property
    def squared(self) -> float:
        """Bytes of one number for every pair of rows."""
        return 8.0 * self.rows**2


class Footprint(NamedTuple):
    """Bytes that a criterion needs besides the table and its column-major copy.

    Parameters
    ----------
    least : float
        The least that it can work with.
    usual : float
        What it uses if it is allowed to.

    Examples
    --------
    >>> Footprint.fixed(8e6)
    Footprint(least=8000000.0, usual=8000000.0)
    """

    least: float
    usual: float

    @classmethod
    def fixed(cls, n_bytes: float) -> Footprint:
        """Return the footprint of a criterion that can neither use less nor more."""
        return cls(n_bytes, n_bytes)

    @classmethod
    def sweep(cls, s: Shape) -> Footprint:
        """Return the footprint of a criterion with a sweep.

        The least is for a centred copy of the table, the moments of every fold and a state of
        twenty columns; Gram matrices and residuals are stored if they fit.
        """
        least = (
            2 * s.table
            + 8.0 * s.folds * s.classes * s.columns * 30
            + min(CHUNK, 3 * s.table * s.classes)
        )
        return cls(least, least + 2 * 8.0 * s.held_out * s.columns + 8.0 * s.folds * s.columns**2)

    @classmethod
    def distances(cls, s: Shape, per_pair: float) -> Footprint:
        """Return the footprint of a criterion with distances between rows.

        The least is for a row-major copy and one block of distances; all of them, of `per_pair`
        bytes each, are stored if they fit.
        """
        least = 3 * s.table + 4 * per_pair * s.rows + 1e6
        return cls(least, least + per_pair * max(s.held_out, s.rows) * s.rows)

    @classmethod
    def associations(cls, s: Shape) -> Footprint:
        """Return the footprint of a criterion with associations between columns.

        The least is for the discretised table and a hundred rows of associations; all of them are
        stored if they fit.
        """
        least = 9 * s.table + 8.0 * s.columns * 100 + 3e6
        return cls(least, least + 8.0 * s.columns**2)


def footprint(criterion: Any, shape: Shape) -> Footprint | None:
    """Return the footprint of a criterion for one restart, or None where it does not state it.

    Parameters
    ----------
    criterion : criterion
        One that may define ``footprint(shape)``; a refitted estimator, for example, does not.
    shape : Shape
        The sizes of the task.

    Examples
    --------
    >>> from subsel.criteria import KernelRidge
    >>> footprint(KernelRidge(), Shape(rows=50_000, columns=10)).least / 1e9
    90.004
    """
    stated = getattr(criterion, "footprint", None)
    if stated is None:
        return None
    return stated(shape)


def fit_into(criterion: Any, task: Task, memory: str | float | None, restarts: int = 1) -> Any:
    """Return the criterion with a limit of memory for all restarts.

    Parameters
    ----------
    criterion : criterion
        One that defines ``fit_into`` itself is asked for the result; one without a footprint is
        returned as it is.
    task : Task
        The problem.
    memory : str, float or None
        The limit in bytes or as text; None is what the machine has, and changes no parameter.
    restarts : int, default=1
        How many states are kept at the same time.

    Raises
    ------
    NotEnoughMemory
        The criterion needs more than the limit.
    """
    if hasattr(criterion, "fit_into"):
        return criterion.fit_into(task, memory, restarts)
    limit = available_bytes() if memory is None else byte_count(memory)
    needs = footprint(criterion, Shape.of(task, getattr(criterion, "cv", 5)))
    if limit is None or needs is None:
        return criterion
    if needs.least > limit:
        what = f"{type(criterion).__name__} on {task.n_rows:,} rows and {task.n_columns:,} columns"
        raise NotEnoughMemory(what, needs.least, limit)
    if memory is None or not hasattr(criterion, "memory"):
        return criterion
    return _limited(criterion, (limit - needs.least) / restarts)


def _limited(criterion: Any, memory: float) -> Any:
    """Return a copy of the criterion with the parameter `memory`, in bytes."""
    if is_dataclass(criterion) and not isinstance(criterion, type):
        return replace(criterion, memory=memory)
    other = copy(criterion)
    other.memory = memory
    return other
