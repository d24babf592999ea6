"""A CSV file read in blocks; one pass when it is opened counts the rows and tells numbers from text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from subsel.data.encoding.cells import MISSING
from subsel.data.files.arrow_columns import ColumnKind
from subsel.data.files.dialect import Dialect
from subsel.data.files.records import records
from subsel.data.files.source import broken, open_bytes
from subsel.data.stored.table import StoredTable

__all__ = ["CSVTable"]

BLOCK = 1 << 20  # bytes of text read at a time
LONGEST = 1 << 26  # bytes of a line
_FORMS = (
    str.lower,
    str.upper,
    str.capitalize,
    str.title,
)  # Arrow knows missing cells by their exact writing


class CSVTable(StoredTable):
    """A CSV, TSV or text file, plain or gzipped, with a header; missing cells are those of the file reader."""

    reading_bytes = 0

    def __init__(self, path: Path) -> None:
        try:
            import pyarrow.csv  # noqa: F401
        except ImportError:
            raise ImportError(
                "reading a CSV in batches needs pyarrow: pip install 'subsel[stored]'."
            ) from None
        self.path, self.source = path, str(path)
        self.dialect = Dialect.of(path)
        self.notes = []
        if self.dialect.in_words:
            self.notes.append(f"{self.dialect.in_words}.")
        self.written: dict[str, str] = {}
        longest = self._check_quotes()
        self.block = max(BLOCK, 8 * longest)
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
        try:
            written = self._reader({}).schema.names
        except UnicodeDecodeError as error:
            raise self._named(error) from None
        if not self.dialect.header:
            return {f"column {j + 1}": name for j, name in enumerate(written)}
        names = [name.strip() for name in written]
        if len(set(names)) < len(names):
            double = next(n for i, n in enumerate(names) if n in names[:i])
            raise ValueError(f"{self.path}: column name {double!r} occurs twice: rename one.")
        return dict(zip(names, written))

    def _check_quotes(self) -> int:
        """Where cells are quoted, see that every quote is closed: Arrow would take the rest of the file for one cell.

        Gives the length of the longest of the first lines.
        """
        with open_bytes(self.path) as file:
            longest = max(len(file.readline(LONGEST)) for _ in range(2))
            file.seek(0)
            quoted = any(b'"' in block for block in iter(lambda: file.read(BLOCK), b""))
        if longest == LONGEST:
            raise broken(
                self.path,
                "text table",
                f"a line of more than {LONGEST} bytes",
                "write it as Parquet",
            )
        if quoted:
            for _ in records(self.path, self.dialect):
                pass
        return longest

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
        except (pa.ArrowException, OSError, UnicodeError) as error:
            raise self._named(error) from None

    def _reader(self, kinds: dict[str, ColumnKind]) -> Any:
        import pyarrow as pa
        from pyarrow import csv

        types = {"number": pa.float64(), "text": pa.string()}
        convert = csv.ConvertOptions(
            column_types={self.written[name]: types[kind] for name, kind in kinds.items()},
            include_columns=[self.written[name] for name in kinds],
            decimal_point=self.dialect.decimal,
            null_values=sorted({form(word) for word in MISSING for form in _FORMS} | {"NaN"}),
            strings_can_be_null=False,
        )
        read = csv.ReadOptions(
            block_size=self.block,
            use_threads=False,
            encoding=self.dialect.encoding.replace("-sig", ""),
            autogenerate_column_names=not self.dialect.header,
        )
        parse = csv.ParseOptions(delimiter=self.dialect.delimiter, newlines_in_values=True)
        try:
            return csv.open_csv(
                self.path, read_options=read, parse_options=parse, convert_options=convert
            )
        except (pa.ArrowException, OSError, UnicodeError) as error:
            raise self._named(error) from None

    def _named(self, error: Exception) -> Exception:
        message = str(error)
        if found := re.search(
            r"In CSV column #(\d+)(?:, line \d+)?: .*?invalid value '(.*)'", message, re.DOTALL
        ):
            return _NotANumber(
                int(found[1]), f"{self.path}: column {int(found[1]) + 1} holds {found[2]!r}."
            )
        return broken(
            self.path, "text table", message, "mend the line, or save the table as Parquet"
        )


class _NotANumber(ValueError):
    """A cell that is no number in a column read as numbers."""

    def __init__(self, column: int, message: str) -> None:
        self.column = column
        super().__init__(message)
