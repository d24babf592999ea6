"""Parquet files read column by column, page by page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from subsel.data.files.arrow_columns import check_rows, kind_of
from subsel.data.files.source import broken, existing_file
from subsel.data.stored.table import StoredTable
from subsel.runtime.text import one_line

__all__ = [
    "ParquetTable",
]

BUFFER = 1 << 16  # bytes read from the file at a time, for each column
PAGES = (
    1 << 22
)  # bytes that a dictionary and a page take packed and unpacked, at the sizes common writers use
ARROW = (
    2  # times what is asked of it that the allocator of Arrow takes for pieces of about a megabyte
)
CHUNKS = 256  # column chunks that are looked at together
PAGED = (
    "parquet-cpp",
    "parquet-mr",
    "parquet-rs",
)  # writers that cut columns into pages of about a megabyte


class ParquetTable(StoredTable):
    """One or more Parquet files of the same columns, one below the other."""

    def __init__(self, files: Sequence[Path], source: str) -> None:
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            raise ImportError(
                "reading Parquet needs pyarrow: pip install 'subsel[stored]'."
            ) from None
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
            self._check_chunks(file, opened)
            self.reading_bytes = max(self.reading_bytes, BUFFER + ARROW * _held(opened.metadata))

    def _scan(self, columns: list[str], rows: int) -> Iterator[Any]:
        import pyarrow as pa

        for file in self.files:
            opened = self._open(file)
            n_read = 0
            try:
                for batch in opened.iter_batches(rows, columns=columns, use_threads=False):
                    batch.validate(full=True)  # text that is none, places beyond the end
                    n_read += batch.num_rows
                    yield batch
                check_rows(opened.metadata, n_read)
            except Exception as error:
                raise ValueError(
                    f"{file} is broken: {one_line(error, 300)}: write it again."
                ) from None
            finally:
                del opened
                pa.default_memory_pool().release_unused()

    def _open(self, file: Path) -> Any:
        import pyarrow.parquet as parquet

        try:
            opened = parquet.ParquetFile(existing_file(file), pre_buffer=False, buffer_size=BUFFER)
            _ = opened.schema_arrow.names, opened.metadata.created_by  # which may be no text
            groups = [
                opened.metadata.row_group(g).num_rows for g in range(opened.metadata.num_row_groups)
            ]
            check_rows(opened.metadata, sum(groups), min(groups, default=0))
            return opened
        except Exception as error:
            raise broken(file, "Parquet file", error) from None

    def _check_chunks(self, file: Path, opened: Any) -> None:
        """Let the reader look at the description of every column chunk, without reading any.

        The reader turns a damaged description into an error; asking the metadata for it would abort the process.
        """
        columns = range(opened.metadata.num_columns)
        try:
            for group in range(opened.metadata.num_row_groups):
                for first in columns[::CHUNKS]:
                    some = list(columns[first : first + CHUNKS])
                    list(
                        opened.reader.iter_batches(
                            0, row_groups=[group], column_indices=some, use_threads=False
                        )
                    )
        except Exception as error:
            raise broken(file, "Parquet file", error) from None

    def _check_same_columns(self, file: Path, schema: Any) -> None:
        kinds = {field.name: kind_of(field.type) for field in schema}
        for name in dict.fromkeys((*self.names, *kinds)):
            here, first = kinds.get(name, "missing"), self.kinds.get(name, "missing")
            if here != first:
                raise ValueError(
                    f"{file} and {self.files[0]} differ: column {name!r} is {here} here, {first} there."
                )


def _held(metadata: Any) -> int:
    """Bytes that reading a column of any row group holds: no more than the column in it, packed and unpacked."""
    chunks = (
        metadata.row_group(g).column(c)
        for g in range(metadata.num_row_groups)
        for c in range(metadata.num_columns)
    )
    largest = max((c.total_compressed_size + c.total_uncompressed_size for c in chunks), default=0)
    if (metadata.created_by or "").startswith(PAGED):
        return min(largest, PAGES)
    return largest
