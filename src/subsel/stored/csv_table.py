"""A CSV file read in blocks; one pass when it is opened counts the rows and tells numbers from text."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from subsel.stored.table import MISSING, ColumnKind, StoredTable

__all__ = ["CSVTable"]

BLOCK = 1 << 20  # bytes of text read at a time
_FORMS = (str.lower, str.upper, str.capitalize, str.title)  # Arrow knows missing cells by their exact writing


class CSVTable(StoredTable):
    """A CSV, TSV or text file, plain or gzipped, with a header; missing cells are those of the file reader."""

    reading_bytes = 0

    def __init__(self, path: Path) -> None:
        try:
            import pyarrow.csv  # noqa: F401
        except ImportError:
            raise ImportError("reading a CSV in batches needs pyarrow: pip install 'subsel[stored]'.") from None
        self.path, self.source = path, str(path)
        opener: Any = gzip.open if path.suffix == ".gz" else open
        try:
            with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
                header, first = file.readline(), file.readline()
        except (UnicodeDecodeError, EOFError, OSError) as error:
            raise ValueError(f"{path} is not a readable text table: {error}") from None
        self.delimiter = max(",;\t|", key=header.count)
        self.block = max(BLOCK, 8 * max(len(header), len(first)))
        self.scan_bytes = 8 * self.block  # blocks read ahead as text and the cells made of them
        self.written = self._written_names()
        self.names = tuple(self.written)
        self.kinds = dict.fromkeys(self.names, "number")
        self._read_through()

    def _scan(self, columns: list[str], rows: int) -> Iterator[Any]:
        for batch in self._blocks({name: self.kinds[name] for name in columns}):
            batch = batch.rename_columns(columns)
            for begin in range(0, batch.num_rows, rows):
                yield batch.slice(begin, rows)

    def _read_through(self) -> None:
        """Count the rows; a column with a cell that is no number, or without any number, is text."""
        while True:
            n_rows, n_missing = 0, dict.fromkeys(self.names, 0)
            try:
                for batch in self._blocks(self.kinds):
                    n_rows += batch.num_rows
                    for name, column in zip(self.kinds, batch.columns):
                        n_missing[name] += column.null_count
                break
            except _NotANumber as found:
                self.kinds[self.names[found.column]] = "text"
        if n_rows == 0:
            raise ValueError(f"{self.path} has a header and no rows.")
        self.n_rows = n_rows
        self.kinds.update({name: "text" for name, n in n_missing.items() if n == n_rows})

    def _written_names(self) -> dict[str, str]:
        """The names as they are used, without blanks around them, and as they are written."""
        written = self._reader({}).schema.names
        names = [name.strip() for name in written]
        if len(set(names)) < len(names):
            double = next(n for i, n in enumerate(names) if n in names[:i])
            raise ValueError(f"{self.path}: column name {double!r} occurs twice: rename one.")
        return dict(zip(names, written))

    def _blocks(self, kinds: dict[str, ColumnKind]) -> Iterator[Any]:
        import pyarrow as pa

        try:
            reader = self._reader(kinds)
            while True:
                try:
                    batch = reader.read_next_batch()
                except StopIteration:
                    return
                yield batch
        except (pa.ArrowInvalid, OSError) as error:
            raise self._named(error) from None

    def _reader(self, kinds: dict[str, ColumnKind]) -> Any:
        import pyarrow as pa
        from pyarrow import csv

        types = {"number": pa.float64(), "text": pa.string()}
        convert = csv.ConvertOptions(
            column_types={self.written[name]: types[kind] for name, kind in kinds.items()},
            include_columns=[self.written[name] for name in kinds],
            null_values=sorted({form(word) for word in MISSING for form in _FORMS} | {"NaN"}),
            strings_can_be_null=False,
        )
        read = csv.ReadOptions(block_size=self.block, use_threads=False)
        parse = csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True)
        try:
            return csv.open_csv(self.path, read_options=read, parse_options=parse, convert_options=convert)
        except (pa.ArrowInvalid, OSError) as error:
            raise self._named(error) from None

    def _named(self, error: Exception) -> Exception:
        message = str(error)
        if found := re.search(r"In CSV column #(\d+)(?:, line \d+)?: .*?invalid value '(.*)'", message):
            return _NotANumber(int(found[1]), f"{self.path}: column {int(found[1]) + 1} holds {found[2]!r}.")
        return ValueError(f"{self.path} is not a readable text table: {message}")


class _NotANumber(ValueError):
    """A cell that is no number in a column read as numbers."""

    def __init__(self, column: int, message: str) -> None:
        self.column = column
        super().__init__(message)
