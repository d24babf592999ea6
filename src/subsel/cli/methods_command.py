"""``subsel methods``: every search, criterion and ranking, a line each."""

from __future__ import annotations

import argparse
import json
from typing import Any

__all__ = ["add_methods_command"]


def add_methods_command(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser("methods", help="list every search, criterion and ranking with its source")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=_methods)


def _methods(given: argparse.Namespace) -> int:
    from subsel.cli.methods import method_table

    rows = method_table()
    if given.json:
        print(json.dumps(rows, indent=2))
        return 0
    for kind in dict.fromkeys(row["kind"] for row in rows):
        print(kind)
        for row in (r for r in rows if r["kind"] == kind):
            source = f" [{row['source']}]" if row["source"] else ""
            names = f" Also: {', '.join(row['aliases'])}." if row["aliases"] else ""
            print(f"  {row['key']:<24} {row['summary']}{names}{source}")
    return 0
