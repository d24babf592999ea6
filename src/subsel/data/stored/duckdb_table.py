"""A table, a view or a query of a DuckDB database, streamed in batches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from subsel.data.files.arrow_columns import kind_of
from subsel.data.files.source import unreadable
from subsel.data.names import first_names
from subsel.data.stored.table import StoredTable

__all__ = ["DuckDBTable"]

POOL = 64_000_000  # bytes that DuckDB may allocate for itself


class DuckDBTable(StoredTable):
    """A table, view or query of a database opened read-only; rows come in their stored order.

    Parameters
    ----------
    path : Path
        The database.
    table : str or None
        The name of a table or view, or a query; None raises an error that lists the tables.

    See Also
    --------
    open_table : Opens a file of any format, with an example.
    """

    reading_bytes = 1 << 19  # a compressed block of a column, and the vectors decompressed from it
    scan_bytes = POOL

    def __init__(self, path: Path, table: str | None) -> None:
        try:
            import duckdb
        except ImportError:
            raise ImportError(
                "reading a DuckDB database needs duckdb: pip install 'subsel[stored]'."
            ) from None
        self.path = path
        settings: dict[str, Any] = {
            "memory_limit": f"{POOL // 10**6}MB",
            "threads": "1",
            "preserve_insertion_order": "true",
        }
        try:
            self.connection = duckdb.connect(str(path), read_only=True, config=settings)
            query = "SELECT table_name FROM information_schema.tables ORDER BY table_name"
            tables = [name for (name,) in self.connection.execute(query).fetchall()]
            self.relation = self._relation(table, tables)
            self.source = f"{path} ({table})"
            schema = (
                self.connection.sql(f"SELECT * FROM {self.relation} LIMIT 0")
                .to_arrow_reader()
                .schema
            )
            count = self.connection.execute(f"SELECT count(*) FROM {self.relation}").fetchone()
        except duckdb.Error as error:
            raise unreadable(
                path, "DuckDB database", error, "check the name or query, or save it again"
            ) from None
        self.names = tuple(schema.names)
        self.kinds = {field.name: kind_of(field.type) for field in schema}
        self.n_rows = int(count[0]) if count else 0

    def _scan(self, columns: list[str], rows: int) -> Iterator[Any]:
        import duckdb

        selected = ", ".join(map(_quoted, columns))
        cursor = self.connection.cursor()  # a new one, or a second scan would end the first
        try:
            yield from cursor.sql(f"SELECT {selected} FROM {self.relation}").to_arrow_reader(rows)
        except (duckdb.Error, OSError) as error:
            raise unreadable(self.path, "DuckDB database", error) from None

    def _relation(self, table: str | None, tables: list[str]) -> str:
        """Return what stands after FROM in SQL: the quoted name of a table, or a query."""
        known = first_names(tables, 8) or "none"
        if table is None:
            raise ValueError(f"name the table of {self.path} to read; it has {known}.")
        if table in tables:
            return _quoted(table)
        if " " in table.strip():
            return f"({table.strip().rstrip(';')})"
        raise ValueError(f"{self.path} has no table {table!r}; it has {known}.")


def _quoted(name: str) -> str:
    """Quote a name for SQL."""
    return '"' + name.replace('"', '""') + '"'
