"""Tables from files: CSV, Parquet, NPZ (no pickles), libsvm, the challenge's; text columns one-hot encoded as groups."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from subsel.names import NumberedNames
from subsel.registry import did_you_mean
from subsel.stored.table import MISSING

__all__ = ["Table", "read_table"]


@dataclass(frozen=True, eq=False)
class Table:
    """A table read from a file: numbers, the target, and which columns came from one text column."""

    X: Any
    y: np.ndarray
    names: Sequence[str]
    target: str
    groups: dict[str, list[int]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def frame(self) -> Any:
        """The table as a data frame where pandas is there, so that names travel; a sparse one as it is."""
        from scipy import sparse

        if sparse.issparse(self.X):
            return self.X
        try:
            import pandas as pd
        except ImportError:
            return self.X
        return pd.DataFrame(self.X, columns=list(self.names), copy=False)


def read_table(path: str | Path, target: str | None = None) -> Table:
    """Read a table and split the target off it; the format is told by the ending of the name.

    Text columns become one column per value, kept together as a group. Empty cells, NA, NaN, null, none and ? are
    missing: NaN in a column of numbers, a value of its own in a column of text.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}.")
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty.")
    endings = [e for e in _READERS if path.name.lower().endswith(e)]
    if not endings:
        raise ValueError(f"{path}: the ending must be one of {', '.join(_READERS)}.")
    return _READERS[endings[0]](path, target)


def _read_csv(path: Path, target: str | None) -> Table:
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


def _read_parquet(path: Path, target: str | None) -> Table:
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


def _read_npz(path: Path, target: str | None) -> Table:
    from zipfile import BadZipFile

    from subsel.datasets.challenge import sparse_from

    try:
        with np.load(path, allow_pickle=False) as file:
            held = {key: file[key] for key in file.files}
    except (ValueError, OSError, EOFError, BadZipFile) as error:
        raise ValueError(f"{path} is not a readable NPZ file without pickles: {error}") from None
    name = target or "y"
    if name not in held:
        raise ValueError(f"{path} has no array {name!r} for the target; it has {', '.join(held)}.")
    if "X" not in held and "indptr" not in held:
        raise ValueError(f"{path} has no array 'X'; it has {', '.join(held)}.")
    try:
        X = held["X"] if "X" in held else sparse_from(held).tocsc()
    except (ValueError, TypeError, IndexError) as error:
        raise ValueError(f"{path} does not hold a sparse matrix: {error}") from None
    if X.ndim != 2:
        raise ValueError(f"{path}: X must be a table of rows and columns, got {X.ndim} dimension(s).")
    X = X.astype(np.float64) if X.dtype.kind in "iub" else X
    if "feature_names" not in held:
        return Table(X, held[name], NumberedNames(X.shape[1]), name)
    names, n_repeated = _numbered(held["feature_names"].astype(str).ravel().tolist())
    if len(names) != X.shape[1]:
        raise ValueError(f"{path} has {len(names)} feature_names for {X.shape[1]} columns.")
    notes = [f"{n_repeated} column names occur more than once: the later ones got a number."] if n_repeated else []
    return Table(X, held[name], names, name, notes=notes)


def _numbered(names: list[str]) -> tuple[list[str], int]:
    """Tell equal names apart by a number, as in ``gene (2)``; also how many had to be."""
    seen: dict[str, int] = {}
    told = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        told.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return told, sum(n > 1 for n in seen.values())


def _read_libsvm(path: Path, target: str | None) -> Table:
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(str(path))
    except ValueError as error:
        raise ValueError(f"{path} is not a readable libsvm file: {error}") from None
    return Table(X.tocsc(), y, NumberedNames(X.shape[1]), target or "y")


def _read_challenge(path: Path, target: str | None) -> Table:
    """The parts that lie beside a ``.param`` file, rows with labels only."""
    from scipy import sparse

    from subsel.datasets.challenge import read_challenge

    data = read_challenge(path.parent, path.name.removesuffix(path.suffix))
    known = data.y != 0
    if not known.any():
        raise ValueError(f"{path}: no row has a label.")
    X = data.X[known]
    notes = [] if known.all() else [f"{int((~known).sum())} rows without a label were left out."]
    names = NumberedNames(X.shape[1])
    return Table(X.tocsc() if sparse.issparse(X) else X, data.y[known], names, target or "label", notes=notes)


_READERS: dict[str, Callable[[Path, str | None], Table]] = {
    ".csv": _read_csv,
    ".csv.gz": _read_csv,
    ".tsv": _read_csv,
    ".txt": _read_csv,
    ".parquet": _read_parquet,
    ".npz": _read_npz,
    ".libsvm": _read_libsvm,
    ".svm": _read_libsvm,
    ".param": _read_challenge,
}
