"""A table, a view or a query of a DuckDB database, streamed in batches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from subsel.data.files.arrow_columns import kind_of
from subsel.data.files.source import broken
from subsel.data.names import first_names
from subsel.data.stored.table import StoredTable

__all__ = ["DuckDBTable"]

POOL = 64_000_000  # bytes that DuckDB may hold itself


class DuckDBTable(StoredTable):
    """A table of a database that is opened to read, one thread, in the order in which it was written."""

    reading_bytes = 1 << 19  # a compressed block of a column and vectors of it
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
            held = [name for (name,) in self.connection.execute(query).fetchall()]
            self.relation = self._relation(table, held)
            self.source = f"{path} ({table})"
            schema = (
                self.connection.sql(f"SELECT * FROM {self.relation} LIMIT 0")
                .to_arrow_reader()
                .schema
            )
            counted = self.connection.execute(f"SELECT count(*) FROM {self.relation}").fetchone()
        except duckdb.Error as error:
            raise broken(
                path, "DuckDB database", error, "check the name or query, or write it again"
            ) from None
        self.names = tuple(schema.names)
        self.kinds = {field.name: kind_of(field.type) for field in schema}
        self.n_rows = int(counted[0]) if counted else 0

    def _scan(self, columns: list[str], rows: int) -> Iterator[Any]:
        import duckdb

        wanted = ", ".join(map(_quoted, columns))
        cursor = self.connection.cursor()  # of its own, so that two readings do not end each other
        try:
            yield from cursor.sql(f"SELECT {wanted} FROM {self.relation}").to_arrow_reader(rows)
        except (duckdb.Error, OSError) as error:
            raise broken(self.path, "DuckDB database", error) from None

    def _relation(self, table: str | None, held: list[str]) -> str:
        few = first_names(held, 8)
        if table is None:
            raise ValueError(f"name the table of {self.path} to read; it has {few or 'none'}.")
        if table in held:
            return _quoted(table)
        if " " in table.strip():
            return f"({table.strip().rstrip(';')})"
        raise ValueError(f"{self.path} has no table {table!r}; it has {few or 'none'}.")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
