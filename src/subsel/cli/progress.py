"""``--progress FILE``: a command that another program watches."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

__all__ = ["add_progress_option", "watched"]

Run = Callable[[argparse.Namespace], int]


def add_progress_option(parser: argparse.ArgumentParser) -> None:
    """Add the option to a parser."""
    parser.add_argument(
        "--progress",
        type=Path,
        metavar="FILE",
        help="for a program that watches: append each step to FILE as a line of JSON, and print nothing but errors",
    )


def watched(run: Run) -> Run:
    """The same command, its beginning, steps and end told to the file that ``--progress`` names."""

    def run_watched(given: argparse.Namespace) -> int:
        if given.progress is None:
            return run(given)
        from subsel.runtime.events import emit, events_to

        given.quiet = True
        with events_to(given.progress):
            emit("begin", pid=os.getpid())
            try:
                code = run(given)
            except BaseException as error:
                emit("end", code=None, error=_words(error))
                raise
            emit("end", code=code, error=None)
        return code

    return run_watched


def _words(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "interrupted before anything was found"
    if isinstance(error, ValueError | OSError | ImportError | TypeError):
        return str(error)
    return f"{type(error).__name__}: {error}"
