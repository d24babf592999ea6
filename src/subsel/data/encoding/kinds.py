"""The kind of a column: numbers, truth values, dates, text, or nothing that can be selected."""

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
# text identifies rows if it has more than FEW values and more than one per SHARE rows
FEW, SHARE = 20, 2
MOST_LEVELS = 20  # columns of a text column at most; rarer values share the last one
FEWEST_NUMBERED = 20  # rows from which distinct whole numbers may be row numbers
NUMBERS_PER_WORD = 4  # distinct numbers per word from which text may be numbers that were misread
_ROW_NAMES = {"", "id", "index", "row", "rowid", "row_id", "rownames", "nr", "no", "unnamed: 0"}
_TRUTH = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
_TWO = [{"true", "false"}, {"yes", "no"}]


@dataclass(frozen=True)
class ColumnPlan:
    """The content of a column and its encoding as numbers.

    Parameters
    ----------
    name : str
        The name of the column.
    kind : {"number", "truth", "date", "text", "left out"}
        What the column holds.
    levels : tuple of str
        The values of a text column that have an encoded column each.
    pooled : bool
        Whether a further column indicates all other values.
    gaps : bool
        Whether some cells are missing, which a further column indicates.
    first : int
        The first of the dates, in days since 1970.
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
        """Whether the column holds numbers without gaps."""
        return self.kind == "number" and not self.gaps

    @property
    def names(self) -> list[str]:
        """The names of the encoded columns."""
        if self.kind == "date":
            names = [f"{self.name} ({part})" for part in DATE_PARTS]
        elif self.kind == "text":
            names = [f"{self.name}={level}" for level in self.levels]
            if self.pooled:
                names.append(f"{self.name} (other)")
        elif self.kind == "left out":
            names = []
        else:
            names = [self.name]
        if self.gaps:
            names.append(f"{self.name} (missing)")
        return names

    @property
    def width(self) -> int:
        """The number of encoded columns without the one that indicates gaps."""
        return len(self.names) - self.gaps

    def numbers(self, column: np.ndarray) -> np.ndarray:
        """Encode cells as an array of shape (n_rows, width), NaN where a cell is missing."""
        if self.kind == "date":
            return date_parts(column, self.first)
        if self.kind == "text":
            return self._levels(column)
        if self.kind == "truth":
            column = truth_values(column)
        return column[:, None]

    def _levels(self, column: np.ndarray) -> np.ndarray:
        """Encode text as indicators of the levels, the last one of all others if `pooled`."""
        position = {level: k for k, level in enumerate(self.levels)}
        codes = np.array([position.get(cell, len(position)) for cell in column], dtype=np.int64)
        indicators = (codes[:, None] == np.arange(self.width)).astype(float)
        indicators[[is_missing(cell) for cell in column]] = np.nan
        return indicators


def plan_column(name: str, column: np.ndarray) -> ColumnPlan:
    """Recognise what a column holds, and choose its encoding.

    Parameters
    ----------
    name : str
        The name of the column.
    column : ndarray of shape (n_rows,)
        Numbers (NaN where missing), days (NaT) or objects that are text (""), as
        :func:`subsel.data.encoding.plans.read_column` returns them.

    Examples
    --------
    >>> plan_column("smoker", np.array(["yes", "no", "yes"], dtype=object)).kind
    'truth'
    """
    if column.dtype.kind == "O":
        gaps = any(map(is_missing, column))
        empty = gaps and all(map(is_missing, column))
    else:
        missing = np.isnan(column)  # true for NaN and for NaT
        gaps, empty = bool(missing.any()), bool(missing.all())
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
    """Whether a column is called as row numbers usually are, and holds distinct whole numbers."""
    if name.strip().lower() not in _ROW_NAMES or len(column) < FEWEST_NUMBERED:
        return False
    return bool((column == np.round(column)).all()) and len(np.unique(column)) == len(column)


def is_identifier(n_values: int, n_rows: int) -> bool:
    """Whether text has so many distinct values that it only identifies rows."""
    return n_values > max(FEW, n_rows // SHARE)


def truth_values(column: np.ndarray) -> np.ndarray:
    """Encode true and yes as 1, false and no as 0, and anything else as NaN."""
    return np.array([_TRUTH.get(str(cell).strip().lower(), np.nan) for cell in column])


def are_truth_values(column: np.ndarray) -> bool:
    """Whether all cells of text that are not missing are true and false, or yes and no."""
    return {cell.strip().lower() for cell in set(column) if not is_missing(cell)} in _TWO


def _text_plan(name: str, column: np.ndarray, gaps: bool) -> ColumnPlan:
    """Choose the encoding of a column of text, which may hold truth values or identifiers."""
    if are_truth_values(column):
        return ColumnPlan(name, "truth", gaps=gaps)
    values, counts = np.unique(
        [cell for cell in column if not is_missing(cell)], return_counts=True
    )
    if is_identifier(len(values), len(column)):
        reason = (
            misread(name, values)
            or f"text column {name!r} has {len(values)} different values (an identifier?)"
        )
        return ColumnPlan(name, "left out", note=f"{reason}: left out.")
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
    """Return a question to the user about a text column that is nearly one of numbers, else ""."""
    words = [value for value in values if not is_number(value) and not is_missing(value)]
    if not words or len(values) - len(words) < NUMBERS_PER_WORD * len(words):
        return ""
    shown = first_names(list(map(repr, words)), 3)
    return (
        f"column {name!r} would hold numbers but for {shown}: misread? "
        "write NA where a value is missing"
    )
