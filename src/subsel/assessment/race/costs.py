"""Expected cost in seconds of a fit, as a function of the shape of the table only."""

from __future__ import annotations

from collections.abc import Callable
from math import log2, sqrt
from typing import NamedTuple

__all__ = ["EVALUATION", "FIT", "TableShape"]


class TableShape(NamedTuple):
    """The shape of a table, on which a cost in seconds depends.

    Parameters
    ----------
    rows : int
        The number of rows of a training part.
    columns : int
        The number of columns that the step reads.
    classes : int, default=2
        The number of classes; 1 for regression.
    """

    rows: int
    columns: int
    classes: int = 2

    @property
    def outputs(self) -> int:
        """The number of outputs of a linear model for a row."""
        return self.classes if self.classes > 2 else 1

    @property
    def splits(self) -> float:
        """The work of growing a tree: columns per split times rows, over all depths.

        A split considers the square root of the number of columns for classification, a third of
        the columns for regression.
        """
        considered = sqrt(self.columns) if self.classes > 1 else self.columns / 3
        return self.rows * log2(self.rows + 2) * considered


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
"""Cost in seconds of one fit on one core of a common machine (2026).

The constants are fitted to the measurements of ``benchmarks/costs.py``.
"""

EVALUATION: dict[str, Callable[[TableShape], float]] = {
    "ridge": lambda s: 2e-6 + 5e-4 / s.columns + 1.4e-8 * s.rows * s.outputs,
    "naive Bayes": lambda s: 5e-6 + 1.5e-3 / s.columns + 4e-8 * s.rows * s.classes,
    "linear discriminant": lambda s: 3e-6 + 8e-4 / s.columns + 3e-8 * s.rows * s.classes,
    "nearest neighbours": lambda s: 7e-5 + 1.8e-10 * s.rows**2,
}
"""Cost in seconds of one evaluation with five folds by an exact evaluator.

``columns`` is the number of columns that are searched.
"""
