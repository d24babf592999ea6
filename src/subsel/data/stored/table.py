"""Tables that stay on disk (Parquet, CSV, DuckDB) and are read in batches."""

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
    r"""A table on disk, of which only the names, kinds and number of rows are loaded.

    Attributes
    ----------
    source : str
        The file, folder, pattern or database, for messages.
    names : tuple of str
        The names of the columns, in order.
    kinds : dict of str to str
        The kind of each column: ``"number"``, ``"text"`` or ``"other"`` (dates, lists, ...).
    n_rows : int
        The number of rows.
    reading_bytes : int
        The bytes that reading takes for each column that is read, without those of its batches.
    scan_bytes : int
        The bytes that reading takes however many columns are read.
    notes : sequence of str
        What the user should know about how the table was read.

    Examples
    --------
    >>> import tempfile, os
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "three.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("age,town,y\n30,A,0\n40,B,1\n50,A,1\n")
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
        """Yield Arrow record batches of at most `rows` rows, in the order of the table.

        Parameters
        ----------
        columns : sequence of str
            The columns of the batches, in this order.
        rows : int
            The largest number of rows of a batch.
        """
        for name in columns:
            self.check_column(name)
        if rows < 1:
            raise ValueError(f"rows must be at least 1, got {rows}.")
        return (batch.select(list(columns)) for batch in self._scan(list(columns), rows))

    @abstractmethod
    def _scan(self, columns: list[str], rows: int) -> Iterator[Any]:
        """Yield record batches with these columns, in any order, of at most `rows` rows."""

    def check_column(self, name: str) -> None:
        """Raise an error, which suggests similar names, if the table has no column of this name."""
        if name in self.kinds:
            return
        near = escaped(did_you_mean(name, self.names, shown=8))
        raise ValueError(f"{self.source} has no column {name!r}. {near}")

    def sample_value(self, name: str) -> Any:
        """Return the first value of a column that is not missing, for messages; None if all are."""
        for batch in self.scan([name], 1024):
            for value in batch.column(0).drop_null()[:1]:
                try:
                    return value.as_py()
                except (OverflowError, ValueError):  # a date that Python does not know
                    return str(value.type)
        return None


def open_table(source: str | Path, table: str | None = None) -> StoredTable:
    r"""Open a stored table without loading it.

    Parameters
    ----------
    source : str or Path
        A Parquet file, a folder of them or a pattern (``"part-*.parquet"``); a CSV, TSV or text
        file, plain or gzipped; a DuckDB database (``.duckdb``, ``.ddb`` or ``.db``).
    table : str, optional
        For a database, the name of a table or view, or a query (``SELECT ...``), which must give
        its rows in the same order every time.

    Returns
    -------
    StoredTable
        The names and kinds of the columns, and the number of rows.

    Examples
    --------
    >>> import tempfile, os
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "three.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("age,town,y\n30,A,0\n40,B,1\n50,A,1\n")
    >>> table = open_table(path)
    >>> table.n_rows, table.kinds
    (3, {'age': 'number', 'town': 'text', 'y': 'number'})
    """
    path, text = Path(source), str(source)
    if text.lower().endswith((".duckdb", ".ddb", ".db")):
        from subsel.data.stored.duckdb_table import DuckDBTable

        return DuckDBTable(existing_file(path), table)
    if table is not None:
        raise ValueError(
            f"table={table!r} names a table of a DuckDB database (.duckdb, .ddb or .db), "
            f"but {text} is not one; leave table out."
        )
    if text.lower().endswith((".csv", ".csv.gz", ".tsv", ".txt")):
        from subsel.data.stored.csv_table import CSVTable

        return CSVTable(existing_file(path))
    from subsel.data.stored.parquet_table import ParquetTable

    if path.is_dir():
        files = sorted(path.rglob("*.parquet"))
        if not files:
            raise ValueError(f"the folder {text} holds no .parquet file; name a folder with some.")
    elif glob.has_magic(text) and not path.exists():
        files = sorted(map(Path, glob.glob(text, recursive=True)))
        if not files:
            raise FileNotFoundError(f"no file matches {text}; check the pattern.")
    else:
        files = [existing_file(path)]
        if path.suffix.lower() not in (".parquet", ".pq"):
            raise ValueError(
                f"{text}: a stored table must be a .parquet, .csv, .csv.gz, .tsv, .txt or .duckdb "
                "file; convert the file."
            )
    return ParquetTable(files, text)
