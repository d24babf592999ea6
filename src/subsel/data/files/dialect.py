"""The dialect of a text table: encoding, separator, decimal sign, and whether it has a header."""

from __future__ import annotations

import codecs
import csv
import gzip
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from subsel.data.encoding.cells import is_number
from subsel.data.files.source import open_bytes, unreadable

__all__ = ["Dialect"]

SAMPLE = 1 << 20  # bytes at the beginning of a file from which the encoding is detected
ROWS = 50  # lines at the beginning from which separator, decimal sign and header are detected
_SEPARATORS = {",": "comma", ";": ";", "\t": "tab", "|": "|"}
_MARKS = {
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",
}


@dataclass(frozen=True)
class Dialect:
    r"""How a text table is written.

    Parameters
    ----------
    delimiter : str
        The character between two cells.
    decimal : {".", ","}
        The sign before the fraction of a number.
    encoding : str
        The name of the text encoding, as Python knows it.
    header : bool
        Whether the first line names the columns.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "t.csv")
    ...     _ = path.write_bytes("größe;y\n1,5;0\n2,5;1\n".encode("cp1252"))
    ...     Dialect.of(path).in_words
    'read as ; separated, decimal comma, cp1252'
    """

    delimiter: str = ","
    decimal: str = "."
    encoding: str = "utf-8-sig"
    header: bool = True

    @classmethod
    def of(cls, path: str | Path, **known: Any) -> Dialect:
        """Detect the dialect of a file from its beginning.

        Parameters
        ----------
        path : str or Path
            The file, which may be gzipped.
        **known : str or bool
            Parameters of the dialect that are known; only the others are detected.
        """
        path = Path(path)
        try:
            with open_bytes(path) as file:
                sample = file.read(SAMPLE)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise unreadable(path, "text table", error, "compress it again") from None
        encoding = known.get("encoding") or _encoding(path, sample)
        lines = [
            line for line in sample.decode(encoding, "replace").splitlines(True) if line.strip()
        ][:ROWS]
        delimiter = known.get("delimiter") or _delimiter(lines)
        rows = _rows(lines, delimiter)
        decimal = known.get("decimal") or _decimal(delimiter, rows)
        header = known.get("header", not _is_data(rows[0] if rows else [], decimal))
        return cls(delimiter, decimal, encoding, header)

    @property
    def in_words(self) -> str:
        """A line that names what deviates from most files; empty where nothing does."""
        words = []
        if self.delimiter != ",":
            words.append(f"{_SEPARATORS.get(self.delimiter, self.delimiter)} separated")
        if self.decimal != ".":
            words.append("decimal comma")
        if not self.encoding.startswith("utf-8"):
            words.append(self.encoding)
        if not self.header:
            words.append("without a header")
        if not words:
            return ""
        return f"read as {', '.join(words)}"


def _encoding(path: Path, sample: bytes) -> str:
    """Detect the encoding: a byte order mark decides, else UTF-8 where it decodes, else cp1252."""
    for mark, encoding in _MARKS.items():
        if sample.startswith(mark):
            return encoding
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
        return "utf-8-sig"
    except UnicodeDecodeError as error:
        first_error = error
    try:
        sample.decode("cp1252")
    except UnicodeDecodeError:
        raise unreadable(path, "text table", first_error, "save it as CSV in UTF-8") from None
    if b"\0" in sample:
        raise unreadable(path, "text table", first_error, "save it as CSV in UTF-8")
    return "cp1252"


def _rows(lines: list[str], delimiter: str) -> list[list[str]]:
    """Split lines into cells; return no rows where the CSV parser fails."""
    try:
        return [row for row in csv.reader(lines, delimiter=delimiter) if row]
    except csv.Error:
        return []


def _delimiter(lines: list[str]) -> str:
    """Return the separator that splits the lines into equally many cells, and into most."""

    def fitness(delimiter: str) -> tuple[bool, int]:
        # the last line is left out, since the sample may end within it
        widths = [len(row) for row in _rows(lines, delimiter)] or [0]
        return len(set(widths[:-1] or widths)) == 1 and widths[0] > 1, widths[0]

    return max(_SEPARATORS, key=fitness)


def _decimal(delimiter: str, rows: list[list[str]]) -> str:
    """Return the decimal sign: a comma if it is not the separator and the cells use it."""
    if delimiter != "," and _has_decimal_commas(rows):
        return ","
    return "."


def _has_decimal_commas(rows: list[list[str]]) -> bool:
    """Whether some cells are numbers with a comma and none are numbers with a point."""
    cells = [cell for row in rows[1:] for cell in row]
    commas = any("," in cell and is_number(cell, ",") for cell in cells)
    return commas and not any("." in cell and is_number(cell) for cell in cells)


def _is_data(first: list[str], decimal: str) -> bool:
    """Whether the first line is data, not a header: it holds a fraction, or a number twice."""
    numbers = [cell for cell in first if is_number(cell, decimal)]
    return any(decimal in cell for cell in numbers) or len(set(numbers)) < len(numbers)
