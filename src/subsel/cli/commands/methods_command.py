"""``subsel methods``: every search, criterion, ranking, order, cut, embedded method and recipe; one of them in full."""

from __future__ import annotations

import argparse
import json
from typing import Any

__all__ = ["add_methods_command"]

ELSEWHERE = """\
from Python:
  from subsel import AutoSelector              whole procedures race, the best is fitted; predicts
  from subsel.report import write_report       one page about a selection, an assessment or a comparison
  from subsel.report import FrontDisplay, ...  pictures as scikit-learn's Displays: .from_result, .from_assessment
"""


def add_methods_command(commands: Any) -> None:
    """Add the command to a parser."""
    from subsel.cli.commands.methods import KINDS

    parser = commands.add_parser(
        "methods",
        help="list every method with its source, search them by a word, or tell one in full",
        epilog=ELSEWHERE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "word",
        nargs="*",
        help="a key, here or elsewhere (relieff, f_classif, forward), or a word to look for",
    )
    parser.add_argument("--kind", choices=KINDS, help="only methods of this kind")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=_methods)


def _methods(given: argparse.Namespace) -> int:
    from subsel.cli.commands.methods import found_methods, method_page
    from subsel.runtime.text import escaped

    word = " ".join(given.word)
    rows, exactly = found_methods(word, given.kind)
    if not rows:
        raise ValueError(
            f"no method is called or mentions {escaped(word)!r}; `subsel methods` lists them all."
        )
    if given.json:
        print(json.dumps(rows, indent=2))
    elif exactly:
        print("\n\n\n".join(method_page(row["kind"], row["key"]) for row in rows))
    else:
        _show(rows)
    return 0


def _show(rows: list[dict[str, Any]]) -> None:
    """One line each, by kind."""
    for kind in dict.fromkeys(row["kind"] for row in rows):
        print(kind)
        for row in (r for r in rows if r["kind"] == kind):
            line = f"  {row['key']:<24} {row['summary']}"
            if row["aliases"]:
                line += f" Also: {', '.join(row['aliases'])}."
            if row["source"]:
                line += f" [{row['source']}]"
            print(line)
