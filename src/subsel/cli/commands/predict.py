"""``subsel predict``: a saved model on new rows."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from subsel.data.names import first_names
from subsel.registry.table import did_you_mean
from subsel.result.model_file import SavedModel

__all__ = ["add_predict_command", "new_rows", "read_columns"]


def add_predict_command(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "predict", help="predict new rows with the model.skops that `subsel select` wrote"
    )
    add = parser.add_argument
    add(
        "model",
        type=Path,
        metavar="MODEL",
        help="model.skops; it holds no code, and types that are not known are refused",
    )
    add(
        "data",
        metavar="DATA",
        help="CSV, TSV, Parquet or Excel file with the columns that were selected",
    )
    add(
        "--out",
        type=Path,
        metavar="FILE",
        help="where to write the predictions (default: print them)",
    )
    add(
        "--trust",
        action="append",
        default=[],
        metavar="TYPE",
        help="a further type that may be made from the file",
    )
    add("--quiet", action="store_true", help="print nothing but predictions and errors")
    parser.set_defaults(run=_predict)


def _predict(given: argparse.Namespace) -> int:
    from subsel.cli.files import write_csv
    from subsel.result.model_file import load_model
    from subsel.runtime.atomic_files import atomic_write
    from subsel.runtime.text import harmless

    saved = load_model(given.model, given.trust)
    table = new_rows(saved, read_columns(given.data), given.data)
    header, rows = _predictions(saved, table, given)
    if given.out is None:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows(map(harmless, row) for row in (header, *rows))
        return 0
    with atomic_write(given.out.parent, given.out.name) as (fresh,):
        write_csv(fresh, header, rows)
    if not given.quiet:
        print(f"{len(rows):,} rows predicted; written: {given.out}")
    return 0


def _predictions(
    saved: Any, table: Any, given: argparse.Namespace
) -> tuple[list[str], list[list[Any]]]:
    """Number of the row, prediction, and the probability of each class where the model tells it."""
    try:
        found = saved.model.predict(table)
        chances = None
        if hasattr(saved.model, "predict_proba"):
            chances = saved.model.predict_proba(table)
    except ValueError as error:
        raise ValueError(f"{given.data}: {str(error).splitlines()[0]}") from None
    rows = [[number, _plain(value)] for number, value in enumerate(found, 1)]
    header = ["row", saved.target]
    if chances is not None:
        header += [f"probability of {label}" for label in _classes(saved.model)]
        rows = [
            [*row, *(round(float(chance), 6) for chance in line)]
            for row, line in zip(rows, chances)
        ]
    return header, rows


def _plain(value: Any) -> Any:
    """A prediction as Python's own number or text."""
    if hasattr(value, "item"):
        return value.item()
    return value


def _classes(model: Any) -> list[Any]:
    """The classes of a model, which may stand behind a choice of columns."""
    while not hasattr(model, "classes_"):
        model = model.model
    return model.classes_.tolist()


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
