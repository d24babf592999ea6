"""What each judge holds, as a function of rows and columns: stated before anything is allocated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, NamedTuple

import numpy as np

from subsel.criteria.exact import ExactOrRefit
from subsel.memory import NotEnoughMemory, available_bytes, byte_count
from subsel.task import Task

__all__ = ["Footprint", "Shape", "fit_into", "footprint"]

_CHUNK = 8.0 * 2**22 * 3  # bytes of temporary arrays at a time


class Shape(NamedTuple):
    """What the memory of a judge depends on: rows, columns, classes (1: a quantity), folds, held-out rows."""

    rows: int
    columns: int
    classes: int = 1
    folds: int = 5
    held_out: int = 0

    @classmethod
    def of(cls, task: Task, cv: Any = 5) -> Shape:
        """Of a problem and a splitter."""
        classes = len(task.classes) if task.kind == "classification" else 1
        folds = cv if isinstance(cv, int) else len(cv) if isinstance(cv, (list, tuple)) else 5
        if hasattr(cv, "get_n_splits"):
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
    """Bytes beside the table and its column-major copy: the least a judge can work with, and what it takes if it may."""

    least: float
    usual: float


def _sweep(s: Shape) -> Footprint:
    """Centred copy, moments of every fold, a state of twenty columns; Gram matrices and residuals if they fit."""
    least = 2 * s.table + 8.0 * s.folds * s.classes * s.columns * 30 + min(_CHUNK, 3 * s.table * s.classes)
    return Footprint(least, least + 2 * 8.0 * s.held_out * s.columns + 8.0 * s.folds * s.columns**2)


def _distances(per_pair: float) -> Callable[[Shape], Footprint]:
    """Row-major copy and one block of distances; all of them if they fit."""

    def found(s: Shape) -> Footprint:
        least = 3 * s.table + 4 * per_pair * s.rows + 1e6
        return Footprint(least, least + per_pair * max(s.held_out, s.rows) * s.rows)

    return found


def _whole(bytes_of: Callable[[Shape], float]) -> Callable[[Shape], Footprint]:
    return lambda s: Footprint(bytes_of(s), bytes_of(s))


def _codes(s: Shape) -> Footprint:
    least = 1.5 * s.table + min(_CHUNK, 4 * s.table)
    return Footprint(least, least + 2.0 * s.table * s.classes)


def _associations(s: Shape) -> Footprint:
    """The discretised table while it is made, and a hundred rows of associations; all of them if they fit."""
    least = 9 * s.table + 8.0 * s.columns * 100 + 3e6
    return Footprint(least, least + 8.0 * s.columns**2)


_OF: dict[str, Callable[[Shape], Footprint]] = {
    "LeastSquares": _sweep,
    "Discriminant": _sweep,
    "NearestNeighbours": _distances(36.0),
    "Margin": _distances(72.0),
    "NearestCentroid": _whole(lambda s: 3 * s.table + 64 * 8.0 * s.held_out * s.classes * 4),
    "KernelRidge": _whole(lambda s: 4.5 * s.squared + s.table),
    "PrototypeAccuracy": lambda s: Footprint(2 * s.table + 2.5 * s.squared, 2 * s.table + 3.5 * s.squared),
    "DiscreteNaiveBayes": _codes,
    "Inconsistency": _whole(lambda s: 1.5 * s.table),
    "CorrelationMerit": _associations,
    "RedundancyPenalised": _associations,
    "Scatter": _whole(lambda s: 2 * s.table + 8.0 * s.columns**2 * (2 * s.classes + 2)),
    "Separability": _whole(lambda s: 25 * s.table + 1e6),
}
"""By name of the criterion. Refitted estimators hold their columns of one training part, and what they take themselves."""


def footprint(criterion: Any, shape: Shape) -> Footprint | None:
    """What a judge holds for one restart, or None where only its estimator knows.

    >>> from subsel.criteria import KernelRidge
    >>> footprint(KernelRidge(), Shape(rows=50_000, columns=10)).least / 1e9
    90.004
    """
    formula = _OF.get(type(criterion).__name__)
    return None if formula is None else formula(shape)


def fit_into(criterion: Any, task: Task, memory: str | float | None, restarts: int = 1) -> Any:
    """The criterion, told to stay under a limit for all restarts together; refused with the number where it cannot.

    Without a limit only what the machine does not have is refused; an estimator is then refitted, if it may be.
    """
    if isinstance(criterion, ExactOrRefit):
        try:
            return replace(criterion, judge=fit_into(criterion.judge, task, memory, restarts))
        except NotEnoughMemory:
            if memory is None:
                return criterion.refit
            raise
    limit = available_bytes() if memory is None else byte_count(memory)
    if limit is None or type(criterion).__name__ not in _OF:
        return criterion
    found = _OF[type(criterion).__name__](Shape.of(task, getattr(criterion, "cv", 5)))
    if found.least > limit:
        what = f"{type(criterion).__name__} on {task.n_rows:,} rows and {task.n_columns:,} columns"
        raise NotEnoughMemory(what, found.least, limit)
    if memory is None or "memory" not in {field.name for field in fields(criterion)}:
        return criterion
    return replace(criterion, memory=(limit - found.least) / restarts)
