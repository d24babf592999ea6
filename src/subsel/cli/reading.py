"""How a command reads its table: which columns are no features, how the file is written; and what was recognised."""

from __future__ import annotations

import argparse
import codecs
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subsel.data.files.dialect import Dialect
    from subsel.data.files.table import Table

__all__ = ["Reading", "add_dialect", "add_roles", "recognition_notes", "typed_reading"]

TEXT = (".csv", ".csv.gz", ".tsv", ".txt")
_WORDS = {"tab": "\t", "comma": ",", "semicolon": ";", "bar": "|", "\\t": "\t"}
_KINDS = {
    "number": "numbers",
    "truth": "yes or no",
    "date": "dates",
    "text": "text",
    "left out": "left out",
}


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a table is read, where that is not told from the file.

    Parameters
    ----------
    groups, weights : str, optional
        Columns that say which rows belong together, and how much each counts; by name or position.
    separator : str, optional
        What stands between two cells.
    decimal : {".", ","}, optional
        The sign before the fraction of a number.
    encoding : str, optional
        How characters are written as bytes.
    header : bool, optional
        Whether the first line names the columns.

    Examples
    --------
    >>> Reading(separator="tab").known
    {'delimiter': '\\t'}
    """

    groups: str | None = None
    weights: str | None = None
    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None

    @property
    def known(self) -> dict[str, Any]:
        """What is known of how the file is written."""
        separator = self.separator
        if separator is not None:
            separator = _WORDS.get(separator.lower(), separator)
        told = {
            "delimiter": separator,
            "decimal": self.decimal,
            "encoding": self.encoding,
            "header": self.header,
        }
        return {name: value for name, value in told.items() if value is not None}

    def dialect(self, path: str | Path) -> Dialect | None:
        """How the file is written; None where all is told from the file."""
        from subsel.data.files.dialect import Dialect

        if not self.known:
            return None
        if not str(path).lower().endswith(TEXT):
            raise ValueError(
                f"{path}: separator, decimal sign, encoding and header are those of text files."
            )
        _check(self.known)
        return Dialect.of(Path(path), **self.known)

    def table(self, path: str | Path, target: str | None) -> Table:
        """Read the file."""
        from subsel.data.files.read_table import read_table
        from subsel.data.files.source import existing_file

        dialect = None
        if self.known:
            dialect = self.dialect(existing_file(Path(path)))
        return read_table(path, target, groups=self.groups, weights=self.weights, dialect=dialect)


def add_roles(parser: argparse.ArgumentParser) -> None:
    """Options for the columns that are no features."""
    add = parser.add_argument
    add(
        "--groups",
        metavar="COLUMN",
        help="rows with the same value here stay in one fold; a name, or a position from 1",
    )
    add(
        "--weights", metavar="COLUMN", help="how much each row counts; a name, or a position from 1"
    )


def add_dialect(parser: argparse.ArgumentParser) -> None:
    """Options for how a text file is written."""
    add = parser.add_argument_group(
        "how a text file is written (told from the file by default)"
    ).add_argument
    add(
        "--separator",
        metavar="SIGN",
        help="what stands between cells: comma, semicolon, tab, bar or any sign",
    )
    add("--decimal", choices=[".", ","], help="the sign before the fraction of a number")
    add("--encoding", metavar="NAME", help="utf-8, cp1252, utf-16, ...")
    add(
        "--header",
        action=argparse.BooleanOptionalAction,
        help="whether the first line names the columns",
    )


def typed_reading(given: argparse.Namespace) -> Reading:
    """The options that were typed; those that a command does not have are left open."""
    return Reading(**{field.name: getattr(given, field.name, None) for field in fields(Reading)})


def recognition_notes(table: Table) -> str:
    """What was recognised in a table, in one line.

    Examples
    --------
    >>> import numpy as np
    >>> from subsel.data.files.table import Table
    >>> recognition_notes(Table(np.array([[1.0, np.nan], [2.0, 3.0]]), np.array([0, 1]), ["a", "b"], "y"))
    '2 rows, 2 columns (2 numbers), 1 cell missing'
    """
    from scipy import sparse

    rows, columns = table.X.shape[0], len(table.column_names)
    size = f"{rows} row{'s' * (rows != 1)}, {columns} column{'s' * (columns != 1)}"
    told = [note.rstrip(".") for note in table.reading_notes if note.startswith("read as")]
    if sparse.issparse(table.X):
        return ", ".join([f"{size}, sparse", *told])
    plans, missing = _contents(table)
    kinds = Counter(plan.kind for plan in plans)
    size += (
        f" ({', '.join(f'{kinds[kind]} {word}' for kind, word in _KINDS.items() if kinds[kind])})"
    )
    if missing:
        size += f", {missing} cell{'s' * (missing != 1)} missing"
    return ", ".join([size, *told])


def _contents(table: Table) -> tuple[Any, int]:
    """What each column of the file holds, and how many cells are missing."""
    from subsel.data.encoding.kinds import plan_column

    place = {name: j for j, name in enumerate(table.names)}
    own: Mapping[str, Any] = {}
    if table.originals is not None:
        own = table.originals.columns
    columns = [own[name] if name in own else table.X[:, place[name]] for name in table.column_names]
    plans = [plan_column(name, column) for name, column in zip(table.column_names, columns)]
    return plans, sum(_n_missing(column) for column, plan in zip(columns, plans) if plan.gaps)


def _n_missing(column: Any) -> int:
    """How many cells of a column are missing."""
    from subsel.data.encoding.cells import is_missing

    if column.dtype == object:
        return sum(map(is_missing, column))
    return int((column != column).sum())


def _check(known: dict[str, Any]) -> None:
    if len(known.get("delimiter", ",")) != 1:
        words = ", ".join(word for word in _WORDS if word.isalpha())
        raise ValueError(
            f"--separator must be one sign, or one of {words}; got {known['delimiter']!r}."
        )
    try:
        codecs.lookup(known.get("encoding", "utf-8"))
    except LookupError:
        raise ValueError(
            f"there is no encoding {known['encoding']!r}: utf-8, cp1252 and utf-16 are usual."
        ) from None
