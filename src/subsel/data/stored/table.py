"""Tables that stay where they are stored, Parquet, CSV or DuckDB: known by name and kind, read in batches."""

from __future__ import annotations

import glob
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from subsel.data.files.arrow_columns import ColumnKind
from subsel.data.files.source import existing_file
from subsel.registry.table import did_you_mean
from subsel.runtime.text import escaped

__all__ = [
    "StoredTable",
    "open_table",
]


class StoredTable(ABC):
    """A table on disk: what it holds is known, nothing of it is loaded.

    Attributes
    ----------
    source : str
        Where it is, for messages.
    names : tuple of str
        The columns, in order.
    kinds : dict of str
        Of each column ``"number"``, ``"text"`` or ``"other"`` (dates, lists, ...).
    n_rows : int
        Number of rows.
    reading_bytes : int
        Memory that reading holds for each column that is being read, batches apart.
    scan_bytes : int
        Memory that reading holds whatever the columns.
    notes : sequence of str
        What the user should know of how it was read.

    Examples
    --------
    >>> import tempfile, os
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "three.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("age,town,y\\n30,A,0\\n40,B,1\\n50,A,1\\n")
    >>> table = open_table(path)
    >>> table.names, table.n_rows
    (('age', 'town', 'y'), 3)
    """

    source: str
    names: tuple[str, ...]
    kinds: dict[str, ColumnKind]
    n_rows: int
    reading_bytes: int
    scan_bytes: int = 0
    notes: Sequence[str] = ()

    def scan(self, columns: Sequence[str], rows: int) -> Iterator[Any]:
        """Yield Arrow record batches of the columns in the order asked, of at most so many rows in the order of the table."""
        for name in columns:
            self.check_column(name)
        if rows < 1:
            raise ValueError(f"rows must be at least 1, got {rows}.")
        return (batch.select(list(columns)) for batch in self._scan(list(columns), rows))

    @abstractmethod
    def _scan(self, columns: list[str], rows: int) -> Iterator[Any]: ...

    def check_column(self, name: str) -> None:
        """Refuse a name that the table does not have, with those that come near."""
        if name in self.kinds:
            return
        raise ValueError(
            f"{self.source} has no column {name!r}. {escaped(did_you_mean(name, self.names, shown=8))}"
        )

    def sample_value(self, name: str) -> Any:
        """The first value of a column that is not missing, for messages."""
        for batch in self.scan([name], 1024):
            for value in batch.column(0).drop_null()[:1]:
                try:
                    return value.as_py()
                except (OverflowError, ValueError):  # a date that Python does not know
                    return str(value.type)
        return None


def open_table(source: str | Path, table: str | None = None) -> StoredTable:
    """Open a stored table without loading it.

    Parameters
    ----------
    source : str
        A Parquet file, a folder of them or a pattern (``"part-*.parquet"``); a CSV, TSV or text file, plain or
        gzipped; a DuckDB database (``.duckdb``, ``.ddb`` or ``.db``).
    table : str, optional
        For a database, the name of a table or view, or a query (``SELECT ...``, which must give its rows in the same
        order every time).

    Examples
    --------
    >>> import tempfile, os
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "three.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("age,town,y\\n30,A,0\\n40,B,1\\n50,A,1\\n")
    >>> table = open_table(path)
    >>> table.n_rows, table.kinds
    (3, {'age': 'number', 'town': 'text', 'y': 'number'})
    """
    path, text = Path(source), str(source)
    if text.lower().endswith((".duckdb", ".ddb", ".db")):
        from subsel.data.stored.duckdb_table import DuckDBTable

        return DuckDBTable(existing_file(path), table)
    if table is not None:
        raise ValueError(f"table={table!r} names a table of a DuckDB database, {text} is not one.")
    if text.lower().endswith((".csv", ".csv.gz", ".tsv", ".txt")):
        from subsel.data.stored.csv_table import CSVTable

        return CSVTable(existing_file(path))
    from subsel.data.stored.parquet_table import ParquetTable

    if path.is_dir():
        files = sorted(path.rglob("*.parquet"))
        if not files:
            raise ValueError(f"the folder {text} holds no .parquet file.")
    elif glob.has_magic(text) and not path.exists():
        files = sorted(map(Path, glob.glob(text, recursive=True)))
        if not files:
            raise FileNotFoundError(f"no file matches {text}.")
    else:
        files = [existing_file(path)]
        if path.suffix.lower() not in (".parquet", ".pq"):
            raise ValueError(
                f"{text}: a stored table is a .parquet, .csv, .csv.gz, .tsv, .txt or .duckdb file."
            )
    return ParquetTable(files, text)
