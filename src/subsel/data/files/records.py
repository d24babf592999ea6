"""The records of a text table in order, each with the number of the line on which it begins."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from subsel.data.files.dialect import Dialect
from subsel.data.files.source import FILE_REMEDY, open_text, reading_limit, unreadable
from subsel.runtime.memory import NotEnoughMemory

__all__ = ["records"]

CELL_BYTES = 64  # bytes that a cell takes in addition to its text
LINES = 16  # a line of more characters than 1 / LINES of the memory limit in bytes is refused
_END = "\0end of the file\0"  # the last line given to the parser; part of a cell if a quote is open


def records(
    path: Path, dialect: Dialect, memory: str | float | None = None
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the cells of each record; blank lines are left out.

    A quote that is never closed would make one cell of all rows after it; it raises an error that
    names the line on which it opens. A record of another width than the first raises an error, too.

    Parameters
    ----------
    path : Path
        The file.
    dialect : Dialect
        How it is written; where it has a header, this is the first record.
    memory : str or float, optional
        The memory that reading may take; it bounds the length of a line.
    """
    width, last_line = 0, 0
    try:
        with open_text(path, dialect.encoding) as file:
            reader = csv.reader(
                _lines(path, file, reading_limit(memory)), delimiter=dialect.delimiter
            )
            for row in reader:
                first, last_line = last_line + 1, reader.line_num
                if row and row[-1].endswith(_END):
                    _check_quotes_closed(path, first, row != [_END] or first < last_line)
                elif any(map(str.strip, row)) or len(row) > 1:
                    width = width or len(row)
                    _check_width(path, last_line, row, width)
                    yield first, row
    except (UnicodeError, csv.Error, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise unreadable(
            path, "text table", f"line {last_line + 1}: {error}", "save it as CSV in UTF-8"
        ) from None


def _check_quotes_closed(path: Path, line: int, is_open: bool) -> None:
    """Raise an error if a quote that opens on this line is still open at the end of the file."""
    if is_open:
        raise ValueError(
            f'{path}, line {line}: a quote (") opens and is never closed; close it, or double it '
            "if it belongs to a cell."
        )


def _check_width(path: Path, line: int, row: list[str], width: int) -> None:
    """Raise an error if a record has another number of cells than the first."""
    if len(row) != width:
        raise ValueError(
            f"{path}, line {line}: {len(row)} cells were read, but the first line has {width}; "
            "correct the line, or quote cells that hold the separator."
        )


def _lines(path: Path, file: TextIO, limit: int) -> Iterator[str]:
    """Yield the lines of a file and then `_END`; refuse a line that is too long for the limit."""
    most = max(1, limit // LINES)
    while line := file.readline(most):
        if len(line) == most and line[-1] not in "\r\n":
            raise NotEnoughMemory(
                f"{path}: a line of more than {most} characters", LINES * most, limit, FILE_REMEDY
            )
        yield line
    yield _END
