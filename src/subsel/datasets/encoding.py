"""Columns of a file as numbers: text one column per value, two-valued text one column, dates a group of four."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from subsel.datasets.dates import DATE_PARTS, date_parts, to_dates
from subsel.stored.cells import is_missing, is_number

__all__ = ["Encoded", "encode"]

FEW, SHARE = 20, 2  # text of more values than 20, and than every second row, is left out
MOSTLY = 4  # numbers for each word from which a column of text may be one of numbers misread
COUNTED = 20  # rows from which numbers 1, 2, 3, ... are taken for those of the rows
_ROW_NAMES = {"", "id", "index", "row", "rowid", "row_id", "rownames", "nr", "no", "unnamed: 0"}
_TWO = [{"true", "false"}, {"yes", "no"}]


@dataclass(frozen=True, eq=False)
class Encoded:
    """A column of the file in the making: what its columns will be called, how they are written, what to tell."""

    names: list[str]
    write: Callable[[np.ndarray], None]
    note: str | None = None


def encode(name: str, column: np.ndarray) -> Encoded:
    """Plan the numbers of a column; nothing of the size of the table is made before ``write``.

    Examples
    --------
    >>> planned = encode("town", np.array(["B", "A", "B"], dtype=object))
    >>> planned.names
    ['town=A', 'town=B']
    >>> X = np.empty((3, 2))
    >>> planned.write(X)
    >>> X[:, 1]
    array([1., 0., 1.])
    """
    if column.dtype.kind == "M":
        return _dated(name, column)
    if column.dtype.kind != "O":
        return _numbered(name, column)
    if (dates := to_dates(column)) is not None:
        return _dated(name, dates)
    return _two_valued(name, column) or _texts(name, column)


def _left_out(note: str) -> Encoded:
    return Encoded([], lambda out: None, note)


def _numbered(name: str, column: np.ndarray) -> Encoded:
    if name.lower() in _ROW_NAMES and len(column) >= COUNTED and (np.diff(column) == 1).all():
        return _left_out(f"column {name!r} numbers the rows: left out.")
    return Encoded([name], lambda out: np.copyto(out[:, 0], column))


def _dated(name: str, dates: np.ndarray) -> Encoded:
    names = [f"{name} ({part})" for part in DATE_PARTS]
    note = f"column {name!r} holds dates: it became {', '.join(DATE_PARTS)}; a search selects them together."
    return Encoded(names, lambda out: np.copyto(out, date_parts(dates)), note)


def _two_valued(name: str, column: np.ndarray) -> Encoded | None:
    """True and false, yes and no: one column of 1 and 0, NaN where it is missing."""
    told = {str(value).strip().lower() for value in set(column) if not is_missing(value)}
    if told not in _TWO:
        return None
    said = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
    values = np.array([said.get(str(cell).strip().lower(), np.nan) for cell in column])
    return Encoded([name], lambda out: np.copyto(out[:, 0], values))


def _texts(name: str, column: np.ndarray) -> Encoded:
    values, codes = np.unique(column, return_inverse=True)
    question = _question(name, values)
    if len(values) > max(FEW, len(column) // SHARE):
        told = question or f"text column {name!r} has {len(values)} different values (an identifier?)"
        return _left_out(f"{told}: left out.")
    note = f"text column {name!r} became {len(values)} columns, one per value; a search selects them together."
    note = f"{note[:-1]}; {question}." if question else note

    def write(out: np.ndarray) -> None:
        for k in range(len(values)):
            out[:, k] = codes == k

    return Encoded([f"{name}={value}" for value in values], write, note)


def _question(name: str, values: np.ndarray) -> str:
    """Ask about a column that is nearly one of numbers: it may be misread."""
    words = [value for value in values if not is_number(value) and not is_missing(value)]
    if len(values) - len(words) < MOSTLY * len(words):
        return ""
    shown = ", ".join(map(repr, words[:3])) + (", ..." if len(words) > 3 else "")
    return f"column {name!r} would hold numbers but for {shown}: misread? write NA where a value is missing"
