"""``subsel columns``: what a file holds, before anything is asked of it."""

from __future__ import annotations

import argparse
import json
from typing import Any

__all__ = ["add_columns_command"]


def add_columns_command(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "columns", help="show the columns of a file and what was recognised in them"
    )
    parser.add_argument("data", help="CSV, TSV, Excel, Parquet, NPZ or libsvm file")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=_columns)


def _columns(given: argparse.Namespace) -> int:
    from subsel.cli.commands.columns_job import columns_job
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
