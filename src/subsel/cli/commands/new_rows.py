"""New rows for a saved model: the columns it reads from a file, in the order it knows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from subsel.data.names import first_names
from subsel.registry.table import did_you_mean
from subsel.result.model_file import SavedModel

__all__ = ["new_rows", "read_columns"]


def read_columns(path: str | Path) -> dict[str, np.ndarray]:
    """Read the columns of a CSV, Parquet or Excel file: numbers as numbers, all else as it is written."""
    from subsel.data.files.source import existing_file

    path = existing_file(Path(path))
    ending = path.name.lower()
    if ending.endswith((".csv", ".csv.gz", ".tsv", ".txt")):
        return _of_text(path)
    if ending.endswith(".parquet"):
        return _of_parquet(path)
    if ending.endswith(".xlsx"):
        from subsel.data.files.excel import sheet_columns
        from subsel.data.files.source import reading_limit

        return dict(zip(*sheet_columns(path, reading_limit(None))))
    raise ValueError(
        f"{path}: the ending must be one of .csv, .csv.gz, .tsv, .txt, .parquet, .xlsx."
    )


def _of_text(path: Path) -> dict[str, np.ndarray]:
    from subsel.data.encoding.cells import to_numbers
    from subsel.data.files.dialect import Dialect
    from subsel.data.files.records import records
    from subsel.data.files.source import reading_limit

    dialect = Dialect.of(path)
    rows = [row for _, row in records(path, dialect, reading_limit(None))]
    header: list[str] = []
    if rows and dialect.header:
        header = rows.pop(0)
    if not rows:
        raise ValueError(f"{path} has no rows.")
    if not dialect.header:
        header = [f"column {j + 1}" for j in range(len(rows[0]))]
    columns: dict[str, np.ndarray] = {}
    for name, cells in zip(header, zip(*rows)):
        numbers = to_numbers(list(cells), dialect.decimal)
        if numbers is None:
            numbers = np.array(cells, dtype=object)
        columns[name.strip()] = numbers
    return columns


def _of_parquet(path: Path) -> dict[str, np.ndarray]:
    try:
        import pandas as pd

        frame = pd.read_parquet(path)
    except ImportError:
        raise ImportError(
            "reading Parquet needs pandas and pyarrow: pip install 'subsel[frames]'."
        ) from None
    except Exception as error:
        raise ValueError(
            f"{path} is not a readable Parquet file: {str(error).splitlines()[0]}"
        ) from None
    return {str(name): frame[name].to_numpy() for name in frame.columns}


def new_rows(saved: SavedModel, columns: Mapping[str, np.ndarray], path: str | Path) -> Any:
    """The table that a model reads: a frame where pandas is there, else numbers.

    Columns that predictions do not depend on may be missing: anything stands in their place.

    Examples
    --------
    >>> saved = SavedModel(None, ("a", "b"), ("b",), ("a", "b"), "y", "regression")
    >>> np.asarray(new_rows(saved, {"b": np.array([5.0, 6.0])}, "new.csv"))
    array([[0., 5.],
           [0., 6.]])
    """
    if missing := [name for name in saved.needed if name not in columns]:
        shown = first_names(list(map(repr, missing)), 5)
        near = did_you_mean(missing[0], columns, shown=8)
        raise ValueError(
            f"{path} lacks {len(missing)} of the {len(saved.needed)} columns the model reads: {shown}. {near}"
        )
    numeric = set(saved.numeric)
    if worded := [
        n for n in saved.needed if n in numeric and np.asarray(columns[n]).dtype.kind not in "iufb"
    ]:
        raise ValueError(
            f"{path}: column {worded[0]!r} held numbers when the model was fitted, and does not here."
        )
    n_rows = len(next(iter(columns.values())))
    needed = set(saved.needed)
    table: dict[str, np.ndarray] = {}
    for name in saved.names:
        if name in needed:
            table[name] = columns[name]
        elif name in numeric:
            table[name] = np.zeros(n_rows)
        else:
            table[name] = np.full(n_rows, None, dtype=object)
    if numeric >= set(saved.names):
        table = {name: np.asarray(values, dtype=float) for name, values in table.items()}
    try:
        import pandas as pd
    except ImportError:
        return np.column_stack(list(table.values()))
    return pd.DataFrame(table)
