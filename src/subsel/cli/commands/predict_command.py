"""``subsel predict``: a saved model on new rows."""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import Any

__all__ = ["add_predict_command"]


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
    from subsel.cli.commands.new_rows import new_rows, read_columns
    from subsel.cli.files import write_csv
    from subsel.result.model_file import load_model
    from subsel.runtime.atomic_files import written_whole
    from subsel.runtime.text import harmless

    saved = load_model(given.model, given.trust)
    table = new_rows(saved, read_columns(given.data), given.data)
    header, rows = _predictions(saved, table, given)
    if given.out is None:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows(map(harmless, row) for row in (header, *rows))
        return 0
    with written_whole(given.out.parent, given.out.name) as (fresh,):
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
