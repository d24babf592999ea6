"""What a column of a table is: numbers, truth values, dates, text, or nothing to learn from; and how it is told in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from subsel.data.encoding.cells import is_missing, is_number
from subsel.data.encoding.dates import DATE_PARTS, date_parts, first_day
from subsel.data.names import first_names

__all__ = [
    "ColumnPlan",
    "are_truth_values",
    "is_identifier",
    "is_row_number",
    "misread",
    "plan_column",
    "truth_values",
]

ColumnKind = Literal["number", "truth", "date", "text", "left out"]
FEW, SHARE = (
    20,
    2,
)  # text of more values than 20, and than every second row, tells rows apart and nothing else
MOST_LEVELS = (
    20  # values of a text column that get a column of their own; rarer ones share the last
)
COUNTED = 20  # rows from which whole numbers that differ may number the rows
MOSTLY = 4  # numbers for each word from which a column of text may be one of numbers misread
_ROW_NAMES = {"", "id", "index", "row", "rowid", "row_id", "rownames", "nr", "no", "unnamed: 0"}
_SAID = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
_TWO = [{"true", "false"}, {"yes", "no"}]


@dataclass(frozen=True)
class ColumnPlan:
    """How a column is told in numbers.

    Parameters
    ----------
    name : str
        Of the column.
    kind : {"number", "truth", "date", "text", "left out"}
        What it holds.
    levels : tuple of str
        The values of a text column that get a column each.
    pooled : bool
        Whether rarer values share one column more.
    gaps : bool
        Whether some cells are missing, which one column more says.
    first : int
        The first of its dates, in days since 1970.
    note : str
        What the user should know.

    Examples
    --------
    >>> plan = ColumnPlan("town", "text", ("A", "B"), gaps=True)
    >>> plan.names
    ['town=A', 'town=B', 'town (missing)']
    >>> plan.numbers(np.array(["B", "", "C"], dtype=object))
    array([[ 0.,  1.],
           [nan, nan],
           [ 0.,  0.]])
    """

    name: str
    kind: ColumnKind
    levels: tuple[str, ...] = ()
    pooled: bool = False
    gaps: bool = False
    first: int = 0
    note: str = ""

    @property
    def plain(self) -> bool:
        """Whether it is a column of numbers without gaps."""
        return self.kind == "number" and not self.gaps

    @property
    def names(self) -> list[str]:
        """What its columns are called."""
        told = {
            "date": [f"{self.name} ({part})" for part in DATE_PARTS],
            "text": [f"{self.name}={level}" for level in self.levels]
            + [f"{self.name} (other)"] * self.pooled,
            "left out": [],
        }.get(self.kind, [self.name])
        return told + [f"{self.name} (missing)"] * self.gaps

    @property
    def width(self) -> int:
        """How many columns tell its values."""
        return len(self.names) - self.gaps

    def numbers(self, column: np.ndarray) -> np.ndarray:
        """Its values, one row per cell, NaN where it is missing."""
        if self.kind == "date":
            return date_parts(column, self.first)
        if self.kind == "text":
            return self._levels(column)
        if self.kind == "truth":
            column = truth_values(column)
        return column[:, None]

    def _levels(self, column: np.ndarray) -> np.ndarray:
        place = {level: k for k, level in enumerate(self.levels)}
        codes = np.array([place.get(cell, len(place)) for cell in column], dtype=np.int64)
        told = (codes[:, None] == np.arange(self.width)).astype(float)
        told[[is_missing(cell) for cell in column]] = np.nan
        return told


def plan_column(name: str, column: np.ndarray) -> ColumnPlan:
    """Tell what a column holds, as :func:`subsel.data.encoding.plans.read_column` reads it.

    >>> plan_column("smoker", np.array(["yes", "no", "yes"], dtype=object)).kind
    'truth'
    """
    if column.dtype.kind == "O":
        gaps = any(map(is_missing, column))
        empty = gaps and all(map(is_missing, column))
    else:
        gone = np.isnan(column)  # also where a date is missing
        gaps, empty = bool(gone.any()), bool(gone.all())
    if empty:
        return ColumnPlan(name, "left out", note=f"column {name!r} is empty: left out.")
    if column.dtype.kind == "M":
        note = f"column {name!r} holds dates: read as {', '.join(DATE_PARTS)}."
        return ColumnPlan(name, "date", gaps=gaps, first=first_day(column), note=note)
    if column.dtype.kind == "O":
        return _text_plan(name, column, gaps)
    if is_row_number(name, column):
        return ColumnPlan(name, "left out", note=f"column {name!r} numbers the rows: left out.")
    return ColumnPlan(name, "number", gaps=gaps)


def is_row_number(name: str, column: np.ndarray) -> bool:
    """Whether a column of numbers is called like one of row numbers and holds whole numbers that all differ."""
    if name.strip().lower() not in _ROW_NAMES or len(column) < COUNTED:
        return False
    return bool((column == np.round(column)).all()) and len(np.unique(column)) == len(column)


def is_identifier(n_values: int, n_rows: int) -> bool:
    """Whether text has so many values that it tells rows apart and nothing else."""
    return n_values > max(FEW, n_rows // SHARE)


def truth_values(column: np.ndarray) -> np.ndarray:
    """True and yes as 1, false and no as 0, NaN where a cell is neither."""
    return np.array([_SAID.get(str(cell).strip().lower(), np.nan) for cell in column])


def are_truth_values(column: np.ndarray) -> bool:
    """Whether text says true and false, or yes and no, throughout."""
    return {cell.strip().lower() for cell in set(column) if not is_missing(cell)} in _TWO


def _text_plan(name: str, column: np.ndarray, gaps: bool) -> ColumnPlan:
    if are_truth_values(column):
        return ColumnPlan(name, "truth", gaps=gaps)
    values, counts = np.unique(
        [cell for cell in column if not is_missing(cell)], return_counts=True
    )
    if is_identifier(len(values), len(column)):
        told = (
            misread(name, values)
            or f"text column {name!r} has {len(values)} different values (an identifier?)"
        )
        note = f"{told}: left out."
        return ColumnPlan(name, "left out", note=note)
    pooled = len(values) > MOST_LEVELS
    frequent, note = np.arange(len(values)), ""
    if pooled:
        frequent = np.sort(np.argsort(-counts, kind="stable")[: MOST_LEVELS - 1])
        note = (
            f"text column {name!r} has {len(values)} values: "
            f"the {MOST_LEVELS - 1} most frequent and the others."
        )
    if question := misread(name, values):
        note = f"{question}."
    return ColumnPlan(name, "text", tuple(values[frequent].tolist()), pooled, gaps, note=note)


def misread(name: str, values: np.ndarray) -> str:
    """Ask about a text column that is nearly one of numbers; empty where it is not."""
    words = [value for value in values if not is_number(value) and not is_missing(value)]
    if not words or len(values) - len(words) < MOSTLY * len(words):
        return ""
    shown = first_names(list(map(repr, words)), 3)
    return f"column {name!r} would hold numbers but for {shown}: misread? write NA where a value is missing"
