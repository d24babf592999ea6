"""What a fit costs: seconds as a function of the table's shape, so that a plan never depends on the machine's mood."""

from __future__ import annotations

from collections.abc import Callable
from math import log2, sqrt
from typing import NamedTuple

__all__ = ["EVALUATION", "FIT", "Shape"]


class Shape(NamedTuple):
    """What a cost depends on.

    Parameters
    ----------
    rows : int
        Rows of a training part.
    columns : int
        Columns that the step reads.
    classes : int, default=2
        Classes; 1 for a quantity.
    """

    rows: int
    columns: int
    classes: int = 2

    @property
    def splits(self) -> float:
        """The work of growing a tree that looks at the root of the number of columns at every split."""
        return self.rows * log2(self.rows + 2) * sqrt(self.columns)


FIT: dict[str, Callable[[Shape], float]] = {
    "ridge": lambda s: 0.005 + 6e-10 * s.rows * s.columns * min(s.rows, s.columns),
    "svm": lambda s: 0.002 + 8e-10 * s.rows**2 * (s.columns + 20) * max(1, s.classes - 1),
    "forest": lambda s: 0.22 + 1.2e-5 * s.splits,
    "extra trees": lambda s: 0.15 + 3.1e-6 * s.splits,
    "boosting": lambda s: (0.05 + 0.008 * s.columns) * max(1, s.classes if s.classes > 2 else 1),
    "l1": lambda s: 0.02 + 1.4e-6 * s.rows * s.columns * max(1, s.classes if s.classes > 2 else 1),
    "rank": lambda s: 0.002 + 4e-9 * s.rows * s.columns,
}
"""Seconds of one fit on one core of an ordinary machine (2026), as fitted to timings of benchmarks/costs.py."""

EVALUATION: dict[str, Callable[[Shape, int], float]] = {
    "ridge": lambda s, folds: 2e-6 + 6e-10 * s.rows * folds,
    "naive Bayes": lambda s, folds: 2e-6 + 4e-9 * s.rows * s.classes * folds / 5,
    "linear discriminant": lambda s, folds: 2e-6 + 2e-9 * s.rows * s.classes * folds / 5,
    "nearest neighbours": lambda s, folds: 5e-6 + 2.5e-10 * s.rows**2 * folds / 5,
}
"""Seconds of one evaluation of a neighbouring subset by the exact evaluators."""
