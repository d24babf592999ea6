"""``subsel warm-up``: compile ahead what the first search would wait for."""

from __future__ import annotations

import argparse
import time
from typing import Any

__all__ = ["add_warm_up_command"]


def add_warm_up_command(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "warm-up", help="compile what searches need, once per machine, so that none waits"
    )
    parser.set_defaults(run=_warm_up)


def _warm_up(given: argparse.Namespace) -> int:  # noqa: ARG001 (what every command is called with)
    from subsel.cli.commands.warm_up import warm_up

    begin = time.perf_counter()
    for name in warm_up():
        print(f"{name}: ready after {time.perf_counter() - begin:.1f} s", flush=True)
    return 0
