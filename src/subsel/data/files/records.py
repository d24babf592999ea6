"""The records of a text table, one after the other, with the line on which each begins."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from subsel.data.files.dialect import Dialect
from subsel.data.files.source import broken, open_text, reading_limit
from subsel.runtime.memory import NotEnoughMemory

__all__ = ["records"]

CELL = 64  # bytes that a cell takes besides its text
LINES = 16  # lines that fit the memory: one that is longer than this share of it is refused
_END = "\0end of the file\0"  # handed to the parser last: it stands alone unless a quote is open


def records(
    path: Path, dialect: Dialect, memory: str | float | None = None
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line and the cells of each record, the header first, blank lines left out.

    A quote that is never closed would swallow all rows after it: it is refused with the line on which it opens. A record
    of another width than the first is refused, too.
    """
    width, before = 0, 0
    try:
        with open_text(path, dialect.encoding) as file:
            reader = csv.reader(
                _lines(path, file, reading_limit(memory)), delimiter=dialect.delimiter
            )
            for row in reader:
                first, before = before + 1, reader.line_num
                if row and row[-1].endswith(_END):
                    _check_quotes_closed(path, first, row != [_END] or first < before)
                elif any(map(str.strip, row)) or len(row) > 1:
                    width = width or len(row)
                    _check_width(path, before, row, width)
                    yield first, row
    except (UnicodeError, csv.Error, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise broken(
            path, "text table", f"line {before + 1}: {error}", "save it as CSV in UTF-8"
        ) from None


def _check_quotes_closed(path: Path, line: int, is_open: bool) -> None:
    if is_open:
        remedy = "close it, or double it inside a cell"
        raise ValueError(f'{path}, line {line}: a quote (") opens and is never closed: {remedy}.')


def _check_width(path: Path, line: int, row: list[str], width: int) -> None:
    if len(row) != width:
        remedy = "mend the line, or quote cells that hold the separator"
        raise ValueError(
            f"{path}, line {line}: {len(row)} cells, the header has {width}: {remedy}."
        )


def _lines(path: Path, file: TextIO, limit: int) -> Iterator[str]:
    most = max(1, limit // LINES)
    while line := file.readline(most):
        if len(line) == most and line[-1] not in "\r\n":
            raise NotEnoughMemory(
                f"{path}: a line of more than {most} characters", LINES * most, limit
            )
        yield line
    yield _END
