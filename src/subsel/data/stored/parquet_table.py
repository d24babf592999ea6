"""Parquet files read column by column, page by page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from subsel.data.files.arrow_columns import check_rows, kind_of
from subsel.data.files.source import LONG, existing_file, unreadable
from subsel.data.stored.table import StoredTable
from subsel.runtime.text import one_line

__all__ = [
    "ParquetTable",
]

BUFFER = 1 << 16  # bytes read from the file at a time, for each column
# bytes of a dictionary and a page, compressed and decompressed, at the default sizes of common
# writers
PAGES = 1 << 22
ARROW = 2  # Arrow's allocator takes about twice what it is asked for, in pieces of about a megabyte
CHUNKS = 256  # column chunks whose descriptions are checked at a time
# writers that divide columns into pages of about a megabyte
PAGED = ("parquet-cpp", "parquet-mr", "parquet-rs")


class ParquetTable(StoredTable):
    """One or more Parquet files with the same columns, whose rows follow each other.

    Parameters
    ----------
    files : sequence of Path
        The files, at least one.
    source : str
        The file, folder or pattern that the user named, for messages.

    See Also
    --------
    open_table : Opens a file of any format, with an example.
    """

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
            raise ValueError(f"{source}: column name {double!r} occurs twice; rename one of them.")
        self.kinds = {field.name: kind_of(field.type) for field in schema}
        self.n_rows, self.reading_bytes = 0, BUFFER
        for file in self.files:
            opened = self._open(file)
            self._check_same_columns(file, opened.schema_arrow)
            self.n_rows += opened.metadata.num_rows
            self._check_chunks(file, opened)
            self.reading_bytes = max(
                self.reading_bytes, BUFFER + ARROW * _column_bytes(opened.metadata)
            )

    def _scan(self, columns: list[str], rows: int) -> Iterator[Any]:
        import pyarrow as pa

        for file in self.files:
            opened = self._open(file)
            n_read = 0
            try:
                for batch in opened.iter_batches(rows, columns=columns, use_threads=False):
                    batch.validate(full=True)  # refuses invalid text and offsets out of range
                    n_read += batch.num_rows
                    yield batch
                check_rows(opened.metadata, n_read)
            except Exception as error:
                complaint = one_line(error, LONG).rstrip(".")
                raise ValueError(f"{file} is damaged: {complaint}; save it again.") from None
            finally:
                del opened
                pa.default_memory_pool().release_unused()

    def _open(self, file: Path) -> Any:
        """Open a file and check that its footer agrees with its row groups."""
        import pyarrow.parquet as parquet

        try:
            opened = parquet.ParquetFile(existing_file(file), pre_buffer=False, buffer_size=BUFFER)
            # both raise an error here if they are no valid text
            _ = opened.schema_arrow.names, opened.metadata.created_by
            groups = [
                opened.metadata.row_group(g).num_rows for g in range(opened.metadata.num_row_groups)
            ]
            check_rows(opened.metadata, sum(groups), min(groups, default=0))
            return opened
        except Exception as error:
            raise unreadable(file, "Parquet file", error) from None

    def _check_chunks(self, file: Path, opened: Any) -> None:
        """Let Arrow's reader check the description of every column chunk, without reading data.

        The reader raises an error for a damaged description; the metadata object would abort the
        process.
        """
        columns = range(opened.metadata.num_columns)
        try:
            for group in range(opened.metadata.num_row_groups):
                for first in columns[::CHUNKS]:
                    columns_of_chunk = list(columns[first : first + CHUNKS])
                    list(
                        opened.reader.iter_batches(
                            0,
                            row_groups=[group],
                            column_indices=columns_of_chunk,
                            use_threads=False,
                        )
                    )
        except Exception as error:
            raise unreadable(file, "Parquet file", error) from None

    def _check_same_columns(self, file: Path, schema: Any) -> None:
        """Raise an error if a file has other columns, or columns of other kinds, than the first."""
        kinds = {field.name: kind_of(field.type) for field in schema}
        for name in dict.fromkeys((*self.names, *kinds)):
            here, first = kinds.get(name, "missing"), self.kinds.get(name, "missing")
            if here != first:
                raise ValueError(
                    f"{file} must have the same columns as {self.files[0]}, but column {name!r} is "
                    f"{here} here and {first} there."
                )


def _column_bytes(metadata: Any) -> int:
    """Return a bound on the bytes that reading a column of any row group takes.

    It is the size of the largest column chunk, compressed and decompressed; less where the writer
    is known to divide chunks into pages, since only one page is read at a time.
    """
    chunks = (
        metadata.row_group(g).column(c)
        for g in range(metadata.num_row_groups)
        for c in range(metadata.num_columns)
    )
    largest = max((c.total_compressed_size + c.total_uncompressed_size for c in chunks), default=0)
    if (metadata.created_by or "").startswith(PAGED):
        return min(largest, PAGES)
    return largest
