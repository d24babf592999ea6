"""``subsel warm-up``: compile ahead what the first search would wait for."""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

__all__ = ["add_warm_up_command"]


def add_warm_up_command(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "warm-up", help="compile what searches need, once per machine, so that none waits"
    )
    parser.add_argument("--background", action="store_true", help=argparse.SUPPRESS)
    parser.set_defaults(run=_warm_up)


def _warm_up(given: argparse.Namespace) -> int:
    os.environ["SUBSEL_COMPILE"] = "now"
    from subsel._loops.readiness import give_up
    from subsel.warm_up import warm_up

    if given.background and hasattr(os, "nice"):
        os.nice(10)
    begin = time.perf_counter()
    try:
        for name in warm_up():
            if not given.background:
                print(f"{name}: ready after {time.perf_counter() - begin:.1f} s", flush=True)
    finally:
        give_up()
    return 0
