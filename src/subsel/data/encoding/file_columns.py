"""Encoding of the columns of a file as numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from subsel.data.encoding.dates import DATE_PARTS, date_parts, to_dates
from subsel.data.encoding.kinds import (
    are_truth_values,
    is_identifier,
    is_row_number,
    misread,
    truth_values,
)

__all__ = ["EncodedColumns", "encode"]


@dataclass(frozen=True, eq=False)
class EncodedColumns:
    """The encoding of a column of a file, whose numbers are not computed before ``write``."""

    names: list[str]  # the names of the encoded columns; none if the column is left out
    write: Callable[[np.ndarray], None]  # overwrites an array of shape (n_rows, len(names))
    note: str | None = None  # what the user should know
    original: np.ndarray | None = None  # (n_rows,) the column, if it is no plain numbers


def encode(name: str, column: np.ndarray) -> EncodedColumns:
    """Choose the encoding of a column by its content.

    Text becomes one column per value, text of two truth values one column, dates a group of four.

    Parameters
    ----------
    name : str
        The name of the column.
    column : ndarray of shape (n_rows,)
        Numbers (NaN where missing), days (NaT) or objects that are text ("").

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


def _left_out(note: str, original: np.ndarray) -> EncodedColumns:
    """Return the encoding of a column that is left out."""
    return EncodedColumns([], lambda out: None, note, original)  # noqa: ARG005


def _numbered(name: str, column: np.ndarray) -> EncodedColumns:
    """Encode a column of numbers; one that numbers the rows is left out."""
    if is_row_number(name, column):
        return _left_out(f"column {name!r} numbers the rows: left out.", column)
    return EncodedColumns([name], lambda out: np.copyto(out[:, 0], column))


def _dated(name: str, dates: np.ndarray) -> EncodedColumns:
    """Encode a column of days as the parts of a date."""
    names = [f"{name} ({part})" for part in DATE_PARTS]
    note = (
        f"column {name!r} holds dates: it became {', '.join(DATE_PARTS)}; "
        "a search selects them together."
    )
    return EncodedColumns(names, lambda out: np.copyto(out, date_parts(dates)), note, dates)


def _two_valued(name: str, column: np.ndarray) -> EncodedColumns | None:
    """Encode text of true and false, or yes and no, as 1 and 0; return None for other text."""
    if not are_truth_values(column):
        return None
    return EncodedColumns(
        [name], lambda out: np.copyto(out[:, 0], truth_values(column)), original=column
    )


def _texts(name: str, column: np.ndarray) -> EncodedColumns:
    """Encode text as one column per value, missing text among them; leave out identifiers."""
    values, codes = np.unique(column, return_inverse=True)
    question = misread(name, values)
    if is_identifier(len(values), len(column)):
        note = (
            question or f"text column {name!r} has {len(values)} different values (an identifier?)"
        )
        return _left_out(f"{note}: left out.", column)
    note = (
        f"text column {name!r} became {len(values)} columns, one per value; "
        "a search selects them together"
    )
    if question:
        note += f"; {question}"

    def write(out: np.ndarray) -> None:
        for k in range(len(values)):
            out[:, k] = codes == k

    return EncodedColumns([f"{name}={value}" for value in values], write, f"{note}.", column)
