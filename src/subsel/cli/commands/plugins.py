"""``--plugin MODULE``: modules that add searches, criteria, scores or estimators, imported before keys are read."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from subsel.registry.table import PLUGINS, load_plugins

__all__ = ["add_plugin_option", "load_named_plugins"]


def add_plugin_option(parser: argparse.ArgumentParser) -> None:
    """Add the option to a parser; it may be given several times."""
    parser.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="MODULE",
        help="import a module that adds searches, criteria, scores or estimators (also: the variable SUBSEL_PLUGINS)",
    )


def load_named_plugins(typed: Sequence[str]) -> list[str]:
    """Import the plugins that a command line and SUBSEL_PLUGINS name; gives the command line without them.

    A plugin may lie in the working directory.
    """
    parser = argparse.ArgumentParser(prog="subsel", add_help=False, allow_abbrev=False)
    add_plugin_option(parser)
    given: Any
    given, rest = parser.parse_known_args(list(typed))
    if os.getcwd() not in sys.path:
        if given.plugin:
            sys.path.insert(0, os.getcwd())
        elif os.environ.get(
            PLUGINS
        ):  # set for a whole shell: what lies about must not hide what is installed
            sys.path.append(os.getcwd())
    load_plugins(given.plugin)
    return rest
