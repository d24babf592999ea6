"""Where a command line enters: ``subsel select | assess | compare | rank | resume | inspect | demo | methods``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from subsel.cli.plugins import add_plugin_option, load_named_plugins

__all__ = ["main"]

DONE, FAILED, INTERRUPTED = 0, 1, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; gives 0, 1 (the data or the files were at fault), 2 (the options were), or 130 (interrupted)."""
    typed = list(sys.argv[1:] if argv is None else argv)
    try:
        rest = load_named_plugins(typed)
        given = _parser(typed).parse_args(rest)
        return given.run(given)
    except BrokenPipeError:
        return DONE
    except KeyboardInterrupt:
        print("subsel: interrupted before anything was found", file=sys.stderr)
        return INTERRUPTED
    except (ValueError, OSError, ImportError, TypeError) as error:
        print(f"subsel: error: {error}", file=sys.stderr)
        return FAILED


def _parser(typed: Sequence[str]) -> argparse.ArgumentParser:
    from subsel import __version__
    from subsel.cli.journal_commands import add_journal_commands
    from subsel.cli.methods_command import add_methods_command
    from subsel.cli.rank_command import add_rank_command
    from subsel.cli.selection_commands import add_selection_commands

    parser = argparse.ArgumentParser(prog="subsel", description="Find the few features that matter.")
    parser.add_argument("--version", action="version", version=f"subsel {__version__}")
    add_plugin_option(parser)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    add_selection_commands(commands, typed)
    add_rank_command(commands)
    add_journal_commands(commands)
    add_methods_command(commands)
    return parser
