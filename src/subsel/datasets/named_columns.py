"""Tables of named columns, CSV and Parquet: numbers, and text as one column per value."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from subsel.datasets.table import Table
from subsel.registry import did_you_mean
from subsel.stored.table import MISSING

__all__ = []


def read_csv(path: Path, target: str | None) -> Table:
    opener: Callable = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
            first = next((line for line in file if line.strip()), "")
            file.seek(0)
            reader = csv.reader(file, delimiter=max(",;\t|", key=first.count))
            numbered = [(reader.line_num, row) for row in reader if any(map(str.strip, row)) or len(row) > 1]
    except (ValueError, csv.Error, EOFError, gzip.BadGzipFile) as error:
        raise ValueError(f"{path} is not a readable text table: {error}") from None
    if len(numbered) < 2:
        raise ValueError(f"{path} has {'a header and no rows' if numbered else 'no header and no rows'}.")
    (_, header), *lines = numbered
    for number, row in lines:
        if len(row) != len(header):
            raise ValueError(f"{path}, line {number}: {len(row)} cells, the header has {len(header)}.")
    rows = [row for _, row in lines]
    return _from_columns(path, header, [np.array(column) for column in zip(*rows)], target)


def read_parquet(path: Path, target: str | None) -> Table:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise ImportError("reading Parquet needs pyarrow: pip install 'subsel[frames]'.") from None
    try:
        table = parquet.read_table(path)
    except Exception as error:
        raise ValueError(f"{path} is not a readable Parquet file: {error}") from None
    columns = [_arrow_column(path, name, table.column(name)) for name in table.column_names]
    return _from_columns(path, table.column_names, columns, target)


def _arrow_column(path: Path, name: str, column: Any) -> np.ndarray:
    values = column.to_pylist()
    if any(isinstance(v, str) for v in values):
        return np.array(["" if v is None else str(v) for v in values])
    try:
        return np.array([np.nan if v is None else float(v) for v in values])
    except (TypeError, ValueError):
        raise ValueError(
            f"{path}: column {name!r} holds {column.type}: make numbers or text of it, or drop it."
        ) from None


def _from_columns(path: Path, names: Sequence[str], columns: list[np.ndarray], target: str | None) -> Table:
    """Split off the target, turn cells into numbers, encode text."""
    names = [name.strip() for name in names]
    if len(set(names)) < len(names):
        double = next(n for i, n in enumerate(names) if n in names[:i])
        raise ValueError(f"{path}: column name {double!r} occurs twice: rename one.")
    at = _target_index(path, names, target)
    y = _target_values(columns[at], names[at], path)
    parts: list[np.ndarray] = []
    kept: list[str] = []
    groups: dict[str, list[int]] = {}
    notes: list[str] = []
    for j, (name, column) in enumerate(zip(names, columns)):
        if j == at:
            continue
        numbers = _numbers(column)
        if numbers is not None:
            parts.append(numbers[:, None])
            kept.append(name)
            continue
        values, codes = np.unique(column, return_inverse=True)
        if len(values) > max(20, len(column) // 2):
            notes.append(f"text column {name!r} has {len(values)} different values (an identifier?): left out.")
            continue
        groups[name] = list(range(len(kept), len(kept) + len(values)))
        parts.append((codes[:, None] == np.arange(len(values))).astype(float))
        kept += [f"{name}={value}" for value in values]
        notes.append(
            f"text column {name!r} became {len(values)} columns, one per value; a search selects them together."
        )
    if not parts:
        raise ValueError(f"{path}: no column is left beside the target {names[at]!r}.")
    return Table(np.asfortranarray(np.hstack(parts)), y, kept, names[at], groups, notes)


def _target_index(path: Path, names: Sequence[str], target: str | None) -> int:
    if target is None:
        raise ValueError(
            f"name the target column with --target; {path} has {', '.join(names[:8])}{', ...' if len(names) > 8 else ''}."
        )
    if target in names:
        return names.index(target)
    raise ValueError(f"{path} has no column {target!r}. {did_you_mean(target, names, shown=8)}")


def _target_values(column: np.ndarray, name: str, path: Path) -> np.ndarray:
    if column.dtype.kind == "f":
        missing = np.isnan(column)
    else:
        missing = np.array([cell.strip().lower() in MISSING for cell in column])
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise ValueError(
            f"{path}: the target {name!r} is missing in data row {row + 1} ({int(missing.sum())} in all): drop those rows."
        )
    numbers = _numbers(column)
    return column if numbers is None else numbers


def _numbers(column: np.ndarray) -> np.ndarray | None:
    """The column as numbers, NaN where it is missing; None if any cell is text."""
    if column.dtype.kind == "f":
        return column
    try:
        return column.astype(float)
    except ValueError:
        missing = np.array([cell.strip().lower() in MISSING for cell in column])
    try:
        numbers = np.full(len(column), np.nan)
        numbers[~missing] = column[~missing].astype(float)
    except ValueError:
        return None
    return None if missing.all() else numbers
