"""A CSV file read in blocks; a pass over it on opening counts the rows and detects the kinds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from subsel.data.encoding.cells import MISSING
from subsel.data.files.arrow_columns import ColumnKind
from subsel.data.files.dialect import Dialect
from subsel.data.files.records import records
from subsel.data.files.source import open_bytes, unreadable
from subsel.data.stored.table import StoredTable

__all__ = ["CSVTable"]

BLOCK = 1 << 20  # bytes of text read at a time
LONGEST = 1 << 26  # bytes that a line may have at most
# Arrow compares words for missing cells exactly, so that it needs each spelling of them
_FORMS = (str.lower, str.upper, str.capitalize, str.title)


class CSVTable(StoredTable):
    """A CSV, TSV or text file, plain or gzipped.

    Cells are missing, and numbers recognised, as in :func:`subsel.data.read_table`.

    Parameters
    ----------
    path : Path
        The file.

    Attributes
    ----------
    dialect : Dialect
        How the file is written.
    written_names : dict of str to str
        For each column name, stripped of blanks, the name in the file.
    block : int
        The bytes of text that Arrow reads at a time; a line must fit into them.

    See Also
    --------
    open_table : Opens a file of any format, with an example.
    """

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
        self.written_names: dict[str, str] = {}
        longest = self._check_quotes()
        self.block = max(BLOCK, 8 * longest)
        self.scan_bytes = 8 * self.block  # blocks that are read ahead, as text and as cells
        self.written_names = self._read_names()
        self.names = tuple(self.written_names)
        self.kinds = dict.fromkeys(self.names, "number")
        self._detect_kinds()

    def _scan(self, columns: list[str], rows: int) -> Iterator[Any]:
        for batch in self._blocks({name: self.kinds[name] for name in columns}):
            batch = batch.rename_columns(columns)
            for begin in range(0, batch.num_rows, rows):
                yield batch.slice(begin, rows)

    def _detect_kinds(self) -> None:
        """Set `n_rows` and `kinds`: a column with a cell that is no number, or empty, is text."""
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
            raise ValueError(
                f"{self.path} must hold at least one row of data, but it has a header and no rows."
            )
        self.n_rows = n_rows
        self.kinds.update({name: "text" for name, n in n_missing.items() if n == n_rows})

    def _read_names(self) -> dict[str, str]:
        """Return the column names, stripped of blanks, and for each the name in the file."""
        try:
            written_names = self._reader({}).schema.names
        except UnicodeDecodeError as error:
            raise self._file_error(error) from None
        if not self.dialect.header:
            return {f"column {j + 1}": name for j, name in enumerate(written_names)}
        names = [name.strip() for name in written_names]
        if len(set(names)) < len(names):
            double = next(n for i, n in enumerate(names) if n in names[:i])
            raise ValueError(
                f"{self.path}: column name {double!r} occurs twice; rename one of them."
            )
        return dict(zip(names, written_names))

    def _check_quotes(self) -> int:
        """Check that every quote is closed, and return the bytes of the longer of two first lines.

        Arrow would read everything after an open quote as one cell.
        """
        with open_bytes(self.path) as file:
            longest = max(len(file.readline(LONGEST)) for _ in range(2))
            file.seek(0)
            quoted = any(b'"' in block for block in iter(lambda: file.read(BLOCK), b""))
        if longest == LONGEST:
            raise unreadable(
                self.path,
                "text table",
                f"it has a line of more than {LONGEST} bytes",
                "save it as Parquet",
            )
        if quoted:
            for _ in records(self.path, self.dialect):
                pass
        return longest

    def _blocks(self, kinds: dict[str, ColumnKind]) -> Iterator[Any]:
        """Yield the blocks of the file as record batches of these columns, read as these kinds."""
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
            raise self._file_error(error) from None

    def _reader(self, kinds: dict[str, ColumnKind]) -> Any:
        """Open Arrow's reader of these columns; all columns where `kinds` is empty."""
        import pyarrow as pa
        from pyarrow import csv

        types = {"number": pa.float64(), "text": pa.string()}
        convert = csv.ConvertOptions(
            column_types={self.written_names[name]: types[kind] for name, kind in kinds.items()},
            include_columns=[self.written_names[name] for name in kinds],
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
            raise self._file_error(error) from None

    def _file_error(self, error: Exception) -> Exception:
        """Return our error for one of Arrow's, which names the column or the unreadable file."""
        message = str(error)
        if found := re.search(
            r"In CSV column #(\d+)(?:, line \d+)?: .*?invalid value '(.*)'", message, re.DOTALL
        ):
            return _NotANumber(
                int(found[1]), f"{self.path}: column {int(found[1]) + 1} holds {found[2]!r}."
            )
        return unreadable(
            self.path, "text table", message, "correct the line, or save the table as Parquet"
        )


class _NotANumber(ValueError):
    """A cell is no number in a column (counted from 0) that was read as numbers."""

    def __init__(self, column: int, message: str) -> None:
        self.column = column
        super().__init__(message)
