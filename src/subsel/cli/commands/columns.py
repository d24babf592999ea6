"""``subsel columns``: what a file holds, before anything is asked of it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.files.read_table import read_table
from subsel.data.files.table import Table
from subsel.data.task import guess_kind

__all__ = ["add_columns_command", "columns_job"]


def add_columns_command(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "columns", help="show the columns of a file and what was recognised in them"
    )
    parser.add_argument("data", help="CSV, TSV, Excel, Parquet, NPZ or libsvm file")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=_columns)


def _columns(given: argparse.Namespace) -> int:
    from subsel.runtime.text import escaped, one_line

    found = columns_job(given.data)
    if given.json:
        print(json.dumps(found, indent=2))
        return 0
    print(f"{found['rows']} rows, {found['n_columns']} columns")
    for column in found["columns"]:
        line = f"  {one_line(column['name'], 40):<40}  {column['kind']}"
        if column["values"] is not None:
            line += f", {column['values']} different"
        if column["missing"]:
            line += f", {column['missing']} missing"
        print(line)
    for note in found["notes"]:
        print(escaped(f"note: {note}"))
    return 0


OWN_TARGET = (
    ".npz",
    ".libsvm",
    ".svm",
    ".param",
)  # files that say themselves what is to be predicted
MANY = 2_000  # columns of which each is described
_LAST = "-1"


def columns_job(path: str | Path) -> dict[str, Any]:
    """Tell the columns of a table: name, kind, how many values and gaps; the last is taken for the target.

    Parameters
    ----------
    path : str or Path
        The file, as of :func:`subsel.data.files.read_table.read_table`.

    Returns
    -------
    dict
        ``rows``, ``columns`` (a list), ``n_columns``, ``target``, ``own_target`` (whether the file fixes it), ``notes``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "three.csv")
    ...     _ = path.write_text("age,town,ill\\n30,A,no\\n40,B,yes\\n,A,yes\\n")
    ...     found = columns_job(path)
    >>> [(column["name"], column["kind"], column["values"], column["missing"]) for column in found["columns"]]
    [('age', 'numbers', 2, 1), ('town', 'text', 2, 0), ('ill', 'text', 2, 0)]
    """
    own = str(path).lower().endswith(OWN_TARGET)
    table = read_table(path, None if own else _LAST)
    columns = list(table.file_columns.items())
    told = [_column(table, name, places) for name, places in columns[:MANY]]
    return {
        "rows": len(table.y),
        "n_columns": len(columns) + 1,
        "columns": [*told, _target(table)],
        "target": table.target,
        "own_target": own,
        "notes": list(table.notes),
    }


def _column(table: Table, name: str, places: list[int]) -> dict[str, Any]:
    if sparse.issparse(table.X):
        return {"name": name, "kind": "numbers", "values": None, "missing": 0}
    cells = np.asarray(table.X[:, places], dtype=float)
    if len(places) == 1 and table.names[places[0]] == name:
        known = cells[~np.isnan(cells)]
        return {
            "name": name,
            "kind": "numbers",
            "values": len(np.unique(known)),
            "missing": cells.size - known.size,
        }
    missing = int(np.isnan(cells).any(axis=1).sum())
    if any(table.names[place].startswith(f"{name}=") for place in places):
        return {"name": name, "kind": "text", "values": len(places), "missing": missing}
    return {"name": name, "kind": "dates", "values": None, "missing": missing}


def _target(table: Table) -> dict[str, Any]:
    numbers = (
        guess_kind(np.asarray(table.y)) == "regression" or np.asarray(table.y).dtype.kind in "iuf"
    )
    values = len(np.unique(np.asarray(table.y)))
    return {
        "name": table.target,
        "kind": "numbers" if numbers else "text",
        "values": values,
        "missing": 0,
    }
