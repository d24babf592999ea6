"""Readers of tables with named columns: CSV, Parquet and Excel."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from subsel.data.encoding.cells import is_missing, to_numbers
from subsel.data.encoding.file_columns import EncodedColumns, encode
from subsel.data.files.arrow_columns import check_rows, kind_of, numbers, texts
from subsel.data.files.dialect import Dialect
from subsel.data.files.excel import sheet_columns
from subsel.data.files.options import ReadOptions
from subsel.data.files.records import CELL_BYTES, records
from subsel.data.files.source import FILE_REMEDY, reading_limit, require_memory, unreadable
from subsel.data.files.table import Originals, Table
from subsel.data.names import first_names, numbered, repeated_note
from subsel.registry.table import did_you_mean
from subsel.runtime.memory import NotEnoughMemory
from subsel.runtime.text import escaped

__all__ = []

BATCH = 1 << 10  # rows of a Parquet file that are read at a time


def read_csv(path: Path, options: ReadOptions) -> Table:
    """Read a text table, and note what is unusual in how it is written."""
    dialect = options.dialect or Dialect.of(path)
    limit, needed = reading_limit(options.memory), 0
    rows: list[list[str]] = []
    for _, row in records(path, dialect, limit):
        needed += sum(map(len, row)) + CELL_BYTES * len(row)
        if needed > limit:
            raise NotEnoughMemory(
                f"{path}: reading more than {len(rows)} rows", needed, limit, FILE_REMEDY
            )
        rows.append(row)
    header: list[str] = []
    if rows and dialect.header:
        header = rows.pop(0)
    elif rows:
        header = [f"column {j + 1}" for j in range(len(rows[0]))]
    if not rows:
        content = "has a header and no rows" if header else "has no rows"
        raise ValueError(f"{path} must hold at least one row of data, but it {content}.")
    columns = [_text_column(list(cells), dialect) for cells in zip(*rows)]
    table = _table(path, header, columns, options, limit)
    if dialect.in_words:
        return replace(table, notes=[dialect.in_words + ".", *table.notes])
    return table


def _text_column(cells: list[str], dialect: Dialect) -> np.ndarray:
    """Return cells as an array of numbers if all of them are or are missing, else of text."""
    values = to_numbers(cells, dialect.decimal)
    if values is None:
        return np.array(cells, dtype=object)
    return values


def read_parquet(path: Path, options: ReadOptions) -> Table:
    """Read a Parquet file; its footer tells beforehand how much memory its cells need at least."""
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise ImportError("reading Parquet needs pyarrow: pip install 'subsel[frames]'.") from None
    limit = reading_limit(options.memory)
    try:
        file = parquet.ParquetFile(path, pre_buffer=False)
        columns = file.metadata.num_columns
        least = CELL_BYTES * file.metadata.num_rows * columns
        require_memory(path, "reading all of it", least, limit)
        table = _read_batches(path, file, limit)
        check_rows(file.metadata, table.num_rows)
    except NotEnoughMemory:
        raise
    except Exception as error:
        raise unreadable(path, "Parquet file", error) from None
    names = table.column_names
    values = [_arrow_column(path, name, column) for name, column in zip(names, table.columns)]
    return _table(path, names, values, options, limit)


def read_excel(path: Path, options: ReadOptions) -> Table:
    """Read the first sheet of an Excel workbook."""
    limit = reading_limit(options.memory)
    names, columns = sheet_columns(path, limit)
    return _table(path, names, columns, options, limit)


def _read_batches(path: Path, file: Any, limit: int) -> Any:
    """Read a Parquet file batch by batch, and stop where the batches exceed the limit.

    The size of the file is no bound: a dictionary of long texts may expand to any size.
    """
    import pyarrow as pa

    batches: list[Any] = []
    n_bytes = 0
    for batch in file.iter_batches(BATCH, use_threads=False):
        batch.validate(full=True)
        n_bytes += batch.nbytes
        require_memory(path, f"reading more than {len(batches) * BATCH} rows", n_bytes, limit)
        batches.append(batch)
    return pa.Table.from_batches(batches, file.schema_arrow)


def _arrow_column(path: Path, name: str, column: Any) -> np.ndarray:
    """Convert a column of an Arrow table to days, text or float64; refuse other types."""
    import pyarrow as pa

    kind = kind_of(column.type)
    if pa.types.is_timestamp(column.type) or pa.types.is_date(column.type):
        return column.cast(pa.timestamp("s"), safe=False).to_numpy().astype("M8[D]")
    if kind == "text":
        return np.array(texts(column).to_pylist(), dtype=object)
    try:
        if kind == "number":
            return np.array(numbers(column.combine_chunks()), dtype=float)
    except (TypeError, ValueError):
        pass
    raise ValueError(
        f"{path}: column {name!r} must hold numbers, text or dates, got {column.type}; "
        "convert or drop it."
    )


def _table(
    path: Path, names: Sequence[str], columns: list[np.ndarray], options: ReadOptions, memory: float
) -> Table:
    """Split off the target, and write the other columns as numbers if these fit the memory.

    Parameters
    ----------
    path : Path
        The file, for messages.
    names : sequence of str
        The names of its columns; repeated ones are numbered.
    columns : list of ndarray of shape (n_rows,)
        Their cells: float64 (NaN where missing), days (NaT) or objects that are text ("").
    options : ReadOptions
        The target, and the columns of groups and weights.
    memory : float
        The number of bytes that the result may take.
    """
    names, n_repeated = numbered([name.strip() for name in names])
    if options.target is None:
        raise ValueError(
            f"name the target column with --target; {path} has the columns "
            f"{escaped(first_names(names, 8))}."
        )
    target = _column_index(path, names, options.target)
    y = _target_values(columns[target], names[target], path, memory)
    role_columns = {
        role: _column_index(path, names, column) for role, column in options.roles.items()
    }
    no_features = {target, *role_columns.values()}
    features = [j for j in range(len(names)) if j not in no_features]
    encodings = {names[j]: encode(names[j], columns[j]) for j in features}
    X, groups = _matrix(path, encodings, names[target], len(y), memory)
    encoded_names = [name for encoded in encodings.values() for name in encoded.names]
    encoding_notes = [encoded.note for encoded in encodings.values() if encoded.note]
    notes = list(encoding_notes)
    if n_repeated:
        notes.insert(0, repeated_note(n_repeated))
    originals = {
        name: encoded.original
        for name, encoded in encodings.items()
        if encoded.original is not None
    }
    row_groups = sample_weight = None
    if "groups" in role_columns:
        row_groups = columns[role_columns["groups"]]
    if "weights" in role_columns:
        j = role_columns["weights"]
        sample_weight = _weights(path, columns[j], names[j])
    as_in_file = Originals(list(encodings), originals, encoding_notes)
    return Table(
        X, y, encoded_names, names[target], groups, notes, row_groups, sample_weight, as_in_file
    )


def _matrix(
    path: Path, encodings: dict[str, EncodedColumns], target: str, n_rows: int, memory: float
) -> tuple[np.ndarray, dict[str, list[int]]]:
    """Write the encoded columns into one matrix, after its size was found to fit the memory.

    Returns
    -------
    X : ndarray of shape (n_rows, n_encoded), Fortran order
        The encoded columns.
    groups : dict of str to list of int
        For each column of the file that became other columns: their numbers in X.
    """
    n_columns = sum(len(encoded.names) for encoded in encodings.values())
    if not n_columns:
        raise ValueError(f"{path}: no column is left to select from besides the target {target!r}.")
    require_memory(
        path, f"a table of {n_rows} rows and {n_columns} columns", 8 * n_rows * n_columns, memory
    )
    X, groups, begin = np.empty((n_rows, n_columns), order="F"), {}, 0
    for name, encoded in encodings.items():
        end = begin + len(encoded.names)
        encoded.write(X[:, begin:end])
        if encoded.names and encoded.names != [name]:
            groups[name] = list(range(begin, end))
        begin = end
    return X, groups


def _column_index(path: Path, names: Sequence[str], column: str) -> int:
    """Return the index of a column given by its name or position.

    Positions count from 1; -1 is the last column.
    """
    if column in names:
        return names.index(column)
    if re.fullmatch(r"[1-9][0-9]{0,8}|-1", column) and int(column) <= len(names):
        return (int(column) - (int(column) > 0)) % len(names)
    raise ValueError(
        f"{path} has no column {column!r}. {escaped(did_you_mean(column, names, shown=8))}"
    )


def _weights(path: Path, column: np.ndarray, name: str) -> np.ndarray:
    """Return a column of weights if it holds finite non-negative numbers; refuse it otherwise."""
    valid = column.dtype.kind == "f" and np.isfinite(column) & (column >= 0)
    if not np.all(valid):
        row = int(np.argmin(valid))
        raise ValueError(
            f"{path}: the weights {name!r} must be numbers, finite and non-negative, "
            f"got {escaped(column[row])!r} in data row {row + 1}."
        )
    return column


def _target_values(column: np.ndarray, name: str, path: Path, memory: float) -> np.ndarray:
    """Return the target as numbers or fixed-width text; refuse missing values."""
    text = column.dtype.kind == "O"
    if text:
        missing = np.array([is_missing(cell) for cell in column], dtype=bool)
    else:
        missing = np.isnan(column)
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise ValueError(
            f"{path}: the target {name!r} is missing in data row {row + 1} "
            f"({int(missing.sum())} rows in all); drop these rows."
        )
    if not text:
        return column
    require_memory(
        path, f"the text of the target {name!r}", 4 * len(column) * max(map(len, column)), memory
    )
    return column.astype(str)
