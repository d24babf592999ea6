"""Cells of text tables: numbers, missing values or text, recognised as pandas does."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

__all__ = ["MISSING", "is_missing", "is_number", "to_numbers"]

# words for a missing value, in lower case
MISSING = frozenset(
    ["", "na", "nan", "-nan", "n/a", "#n/a", "#na", "#n/a n/a", "<na>", "null", "none", "?"]
)
MISSING |= {"1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"}
_NUMBER = re.compile(
    r"[ \t]*[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|infinity)[ \t]*",
    re.IGNORECASE | re.ASCII,
)


def is_missing(cell: str) -> bool:
    """Whether a cell is empty or holds a word for a missing value.

    >>> [is_missing(cell) for cell in ("", " NA ", "0")]
    [True, True, False]
    """
    return cell.strip().lower() in MISSING


def is_number(cell: str, decimal: str = ".") -> bool:
    """Whether a cell is a number: ASCII digits without thousands separators, blanks around it.

    >>> [is_number(cell) for cell in ("-1.5e3", " 7 ", "1_000", "１２", "0x10")]
    [True, True, False, False, False]
    >>> is_number("1,5", decimal=","), is_number("1.5", decimal=",")
    (True, False)
    """
    if decimal != ".":
        if "." in cell:
            return False
        cell = cell.replace(decimal, ".")
    return _NUMBER.fullmatch(cell) is not None


def to_numbers(cells: Sequence[str], decimal: str = ".") -> np.ndarray | None:
    """Convert cells to an array of numbers of shape (len(cells),), NaN where a cell is missing.

    Returns None if any cell is text, or if all are missing.

    >>> to_numbers(["1", "?", "2.5"]), to_numbers(["1", "two"]), to_numbers(["", ""])
    (array([1. , nan, 2.5]), None, None)
    """
    numbers = np.full(len(cells), np.nan)
    any_number = False
    for i, cell in enumerate(cells):
        if is_number(cell, decimal):
            numbers[i], any_number = float(cell.replace(decimal, ".")), True
        elif not is_missing(cell):
            return None
    if not any_number:
        return None
    return numbers
