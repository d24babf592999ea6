"""Tables of named columns, CSV and Parquet: numbers, and text as one column per value."""

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
from subsel.data.files.records import CELL, records
from subsel.data.files.source import broken, demand, reading_limit
from subsel.data.files.table import Originals, Table
from subsel.data.names import numbered, repeated_note
from subsel.registry.table import did_you_mean
from subsel.runtime.memory import NotEnoughMemory
from subsel.runtime.text import escaped

__all__ = []

BATCH = 1 << 10  # rows of Parquet that are read at a time


def read_csv(path: Path, wanted: ReadOptions) -> Table:
    dialect = wanted.dialect or Dialect.of(path)
    limit, needed = reading_limit(wanted.memory), 0
    rows: list[list[str]] = []
    for _, row in records(path, dialect, limit):
        needed += sum(map(len, row)) + CELL * len(row)
        if needed > limit:
            raise NotEnoughMemory(
                f"{path}: reading more than the first {len(rows)} rows", needed, limit
            )
        rows.append(row)
    header: list[str] = []
    if rows and dialect.header:
        header = rows.pop(0)
    elif rows:
        header = [f"column {j + 1}" for j in range(len(rows[0]))]
    if not rows:
        raise ValueError(f"{path} has {'a header' if header else 'no header'} and no rows.")
    columns = [_text_column(list(cells), dialect) for cells in zip(*rows)]
    table = _from_columns(path, header, columns, wanted, limit)
    if dialect.in_words:
        return replace(table, notes=[dialect.in_words + ".", *table.notes])
    return table


def _text_column(cells: list[str], dialect: Dialect) -> np.ndarray:
    values = to_numbers(cells, dialect.decimal)
    if values is None:
        return np.array(cells, dtype=object)
    return values


def read_parquet(path: Path, wanted: ReadOptions) -> Table:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise ImportError("reading Parquet needs pyarrow: pip install 'subsel[frames]'.") from None
    limit = reading_limit(wanted.memory)
    try:
        file = parquet.ParquetFile(path, pre_buffer=False)
        columns = file.metadata.num_columns
        demand(path, "reading it whole", CELL * file.metadata.num_rows * columns, limit)
        table = _within(path, file, limit)
        check_rows(file.metadata, table.num_rows)
    except NotEnoughMemory:
        raise
    except Exception as error:
        raise broken(path, "Parquet file", error) from None
    held = [
        _arrow_column(path, name, column) for name, column in zip(table.column_names, table.columns)
    ]
    return _from_columns(path, table.column_names, held, wanted, limit)


def read_excel(path: Path, wanted: ReadOptions) -> Table:
    limit = reading_limit(wanted.memory)
    names, columns = sheet_columns(path, limit)
    return _from_columns(path, names, columns, wanted, limit)


def _within(path: Path, file: Any, limit: int) -> Any:
    """Read batch by batch: a dictionary of long texts may unfold to any size."""
    import pyarrow as pa

    batches: list[Any] = []
    held = 0
    for batch in file.iter_batches(BATCH, use_threads=False):
        batch.validate(full=True)
        held += batch.nbytes
        demand(path, f"reading more than {len(batches) * BATCH} rows", held, limit)
        batches.append(batch)
    return pa.Table.from_batches(batches, file.schema_arrow)


def _arrow_column(path: Path, name: str, column: Any) -> np.ndarray:
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
        f"{path}: column {name!r} holds {column.type}: make numbers or text of it, or drop it."
    )


def _from_columns(
    path: Path, names: Sequence[str], columns: list[np.ndarray], wanted: ReadOptions, memory: float
) -> Table:
    """Split off the target, and write the other columns as numbers once it is known that they fit."""
    names, n_repeated = numbered([name.strip() for name in names])
    if wanted.target is None:
        few = ", ".join(names[:8])
        if len(names) > 8:
            few += ", ..."
        raise ValueError(f"name the target column with --target; {path} has {escaped(few)}.")
    at = _index(path, names, wanted.target)
    y = _target_values(columns[at], names[at], path, memory)
    aside = {role: _index(path, names, column) for role, column in wanted.roles.items()}
    features = [j for j in range(len(names)) if j != at and j not in aside.values()]
    planned = {names[j]: encode(names[j], columns[j]) for j in features}
    X, groups = _written(path, planned, names[at], len(y), memory)
    kept = [name for encoded in planned.values() for name in encoded.names]
    told = [encoded.note for encoded in planned.values() if encoded.note]
    notes = list(told)
    if n_repeated:
        notes.insert(0, repeated_note(n_repeated))
    originals = {
        name: encoded.original for name, encoded in planned.items() if encoded.original is not None
    }
    row_groups = weight = None
    if "groups" in aside:
        row_groups = columns[aside["groups"]]
    if "weights" in aside:
        weight = _weights(path, columns[aside["weights"]], names[aside["weights"]])
    own = Originals(list(planned), originals, told)
    return Table(X, y, kept, names[at], groups, notes, row_groups, weight, own)


def _written(
    path: Path, planned: dict[str, EncodedColumns], target: str, n_rows: int, memory: float
) -> tuple[np.ndarray, dict[str, list[int]]]:
    """The columns side by side, and which of them came from one column of the file."""
    n_columns = sum(len(encoded.names) for encoded in planned.values())
    if not n_columns:
        raise ValueError(f"{path}: no column is left beside the target {target!r}.")
    demand(
        path, f"a table of {n_rows} rows and {n_columns} columns", 8 * n_rows * n_columns, memory
    )
    X, groups, begin = np.empty((n_rows, n_columns), order="F"), {}, 0
    for name, encoded in planned.items():
        end = begin + len(encoded.names)
        encoded.write(X[:, begin:end])
        if encoded.names and encoded.names != [name]:
            groups[name] = list(range(begin, end))
        begin = end
    return X, groups


def _index(path: Path, names: Sequence[str], column: str) -> int:
    """The place of a column given by its name, or by its position counted from 1, where -1 is the last."""
    if column in names:
        return names.index(column)
    if re.fullmatch(r"[1-9][0-9]{0,8}|-1", column) and int(column) <= len(names):
        return (int(column) - (int(column) > 0)) % len(names)
    raise ValueError(
        f"{path} has no column {column!r}. {escaped(did_you_mean(column, names, shown=8))}"
    )


def _weights(path: Path, column: np.ndarray, name: str) -> np.ndarray:
    if column.dtype.kind != "f" or not (np.isfinite(column).all() and (column >= 0).all()):
        raise ValueError(f"{path}: the weights {name!r} must be numbers, non-negative and finite.")
    return column


def _target_values(column: np.ndarray, name: str, path: Path, memory: float) -> np.ndarray:
    text = column.dtype.kind == "O"
    if text:
        missing = np.array([is_missing(cell) for cell in column], dtype=bool)
    else:
        missing = np.isnan(column)
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise ValueError(
            f"{path}: the target {name!r} is missing in data row {row + 1} ({int(missing.sum())} in all): drop those rows."
        )
    if not text:
        return column
    demand(
        path, f"the text of the target {name!r}", 4 * len(column) * max(map(len, column)), memory
    )
    return column.astype(str)
