"""Parquet files read column by column, page by page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from subsel.names import one_line
from subsel.stored.source import broken, existing_file
from subsel.stored.table import StoredTable, kind_of

__all__ = ["ParquetTable"]

BUFFER = 1 << 16  # bytes read from the file at a time, for each column
PAGES = 1 << 22  # bytes that a dictionary and a page take packed and unpacked, at the sizes common writers use
ARROW = 2  # times what is asked of it that the allocator of Arrow takes for pieces of about a megabyte
PAGED = ("parquet-cpp", "parquet-mr", "parquet-rs")  # writers that cut columns into pages of about a megabyte


class ParquetTable(StoredTable):
    """One or more Parquet files of the same columns, one below the other."""

    def __init__(self, files: Sequence[Path], source: str) -> None:
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            raise ImportError("reading Parquet needs pyarrow: pip install 'subsel[stored]'.") from None
        self.source, self.files = source, tuple(files)
        opened = self._open(self.files[0])
        schema = opened.schema_arrow
        self.names = tuple(schema.names)
        if len(set(self.names)) < len(self.names):
            double = next(n for i, n in enumerate(self.names) if n in self.names[:i])
            raise ValueError(f"{source}: column name {double!r} occurs twice: rename one.")
        self.kinds = {field.name: kind_of(field.type) for field in schema}
        self.n_rows, self.reading_bytes = 0, BUFFER
        for file in self.files:
            opened = self._open(file)
            self._check_same_columns(file, opened.schema_arrow)
            self.n_rows += opened.metadata.num_rows
            self.reading_bytes = max(self.reading_bytes, BUFFER + ARROW * _held(opened.metadata))

    def _scan(self, columns: list[str], rows: int) -> Iterator[Any]:
        import pyarrow as pa

        for file in self.files:
            opened = self._open(file)
            try:
                yield from opened.iter_batches(rows, columns=columns, use_threads=False)
            except Exception as error:
                raise ValueError(f"{file} is broken: {one_line(error, 300)}: write it again.") from None
            finally:
                del opened
                pa.default_memory_pool().release_unused()

    def _open(self, file: Path) -> Any:
        import pyarrow.parquet as parquet

        try:
            opened = parquet.ParquetFile(existing_file(file), pre_buffer=False, buffer_size=BUFFER)
            _ = opened.schema_arrow.names, opened.metadata.created_by  # which may be no text
            return opened
        except Exception as error:
            raise broken(file, "Parquet file", error) from None

    def _check_same_columns(self, file: Path, schema: Any) -> None:
        kinds = {field.name: kind_of(field.type) for field in schema}
        for name in dict.fromkeys((*self.names, *kinds)):
            here, first = kinds.get(name, "missing"), self.kinds.get(name, "missing")
            if here != first:
                raise ValueError(f"{file} and {self.files[0]} differ: column {name!r} is {here} here, {first} there.")


def _held(metadata: Any) -> int:
    """Bytes that reading a column of any row group holds: no more than the column in it, packed and unpacked."""
    chunks = (
        metadata.row_group(g).column(c) for g in range(metadata.num_row_groups) for c in range(metadata.num_columns)
    )
    largest = max((c.total_compressed_size + c.total_uncompressed_size for c in chunks), default=0)
    paged = (metadata.created_by or "").startswith(PAGED)
    return min(largest, PAGES) if paged else largest
