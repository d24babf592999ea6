"""``subsel ui``: a page to work in, on this machine alone."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

__all__ = ["add_ui_command"]


def add_ui_command(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "ui", help="work in a page of your browser; nothing leaves this machine"
    )
    add = parser.add_argument
    add(
        "--folder",
        type=Path,
        default=Path("subsel-runs"),
        metavar="DIR",
        help="where files and runs are kept (default: subsel-runs)",
    )
    add("--port", type=int, default=0, metavar="N", help="port on 127.0.0.1 (default: a free one)")
    add(
        "--most",
        default="500MB",
        metavar="500MB",
        help="the largest file that may be dropped (default: 500MB)",
    )
    add("--no-browser", dest="browser", action="store_false", help="only print the address")
    parser.set_defaults(run=_serve)


def _serve(given: argparse.Namespace) -> int:
    from subsel.runtime.memory import byte_count

    try:
        from subsel.ui.application import serve
    except ImportError as error:
        raise ImportError(
            f"the page needs starlette and uvicorn ({error.name}): pip install 'subsel[ui]'"
        ) from None
    return serve(
        given.folder, port=given.port, most_bytes=byte_count(given.most), browser=given.browser
    )
