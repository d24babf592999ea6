"""What a fit costs: seconds as a function of the table's shape, so that a plan never depends on the machine's mood."""

from __future__ import annotations

from collections.abc import Callable
from math import log2, sqrt
from typing import NamedTuple

__all__ = ["EVALUATION", "FIT", "TableShape"]


class TableShape(NamedTuple):
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
    def outputs(self) -> int:
        """How many numbers a linear model puts out for a row."""
        return self.classes if self.classes > 2 else 1

    @property
    def splits(self) -> float:
        """The work of growing a tree: how many columns a split looks at, for how many rows, at all depths.

        That is the root of the number of columns for classes, and a third of them for a quantity.
        """
        looked_at = sqrt(self.columns) if self.classes > 1 else self.columns / 3
        return self.rows * log2(self.rows + 2) * looked_at


def _l1_seconds(s: TableShape) -> float:
    if s.classes > 1:
        return 0.003 + 7e-8 * s.rows * s.columns * s.outputs
    return 0.02 + 1.4e-6 * s.rows * s.columns


FIT: dict[str, Callable[[TableShape], float]] = {
    "ridge": lambda s: 0.004 + 4.5e-10 * s.rows * s.columns * min(s.rows, s.columns),
    "logistic": lambda s: 0.003 + 2e-8 * s.rows * s.columns * s.outputs,
    "svm": lambda s: 0.002 + 3.5e-10 * s.rows**2 * (s.columns + 20) * sqrt(max(1, s.classes - 1)),
    "forest": lambda s: 0.2 + (1e-5 if s.classes > 1 else 4.5e-6) * s.splits,
    "extra trees": lambda s: 0.15 + (3.1e-6 if s.classes > 1 else 2.7e-6) * s.splits,
    "boosting": lambda s: 0.03 + 2e-4 * s.outputs * min(31, s.rows / 20) * s.columns,
    "l1": _l1_seconds,
    "elimination": lambda s: 0.01 + (5e-7 + 5e-11 * s.rows) * s.columns**2,
    "rank": lambda s: 0.001 + 3e-9 * s.rows * s.columns,
}
"""Seconds of one fit on one core of an ordinary machine (2026), fitted to what ``benchmarks/costs.py`` measured."""

EVALUATION: dict[str, Callable[[TableShape], float]] = {
    "ridge": lambda s: 2e-6 + 5e-4 / s.columns + 1.4e-8 * s.rows * s.outputs,
    "naive Bayes": lambda s: 5e-6 + 1.5e-3 / s.columns + 4e-8 * s.rows * s.classes,
    "linear discriminant": lambda s: 3e-6 + 8e-4 / s.columns + 3e-8 * s.rows * s.classes,
    "nearest neighbours": lambda s: 7e-5 + 1.8e-10 * s.rows**2,
}
"""Seconds of one evaluation with five folds, by the exact evaluators, in a search among so many columns."""
