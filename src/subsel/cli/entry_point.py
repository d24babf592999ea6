"""Where a command line enters: ``subsel select | assess | compare | predict | rank | methods | ...``."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from time import perf_counter, process_time
from typing import Any

from subsel.cli.options import BadOption
from subsel.cli.signals import Signals, handle_signals
from subsel.registry.table import did_you_mean
from subsel.runtime.text import escaped
from subsel.runtime.warning_counts import counted_warnings, in_one_line

__all__ = ["Parser", "main"]

DONE, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; gives 0, 1 (data or files were at fault), 2 (the options were), 130 (Ctrl-C) or 143 (terminated)."""
    began = perf_counter()
    if argv is None:
        argv = sys.argv[1:]
        began -= process_time()  # a process of its own began with its imports
    with handle_signals() as signals:
        return signals.exit_code(_run(list(argv), signals, began))


def _run(typed: list[str], signals: Signals, began: float) -> int:
    try:
        from subsel.cli.commands.plugins import load_named_plugins

        rest = load_named_plugins(typed)
        given = _parser(typed).parse_args(rest)
        given.began = began
        with counted_warnings(
            lambda warning: print(f"subsel: warning: {escaped(warning)}", file=sys.stderr)
        ) as warned:
            code = given.run(given)
        _tell(warned, given, code)
        return code
    except BrokenPipeError:
        return DONE
    except KeyboardInterrupt:
        return _interrupted()
    except Exception as error:
        if (
            signals.received is not None
        ):  # modules whose import was interrupted complain in many ways
            return _interrupted()
        if not isinstance(error, (ValueError, OSError, ImportError, TypeError)):
            raise
        print(f"subsel: error: {escaped(error)}", file=sys.stderr)
        return MISUSED if isinstance(error, BadOption) else FAILED


def _tell(warned: Mapping[str, int], given: argparse.Namespace, code: int) -> None:
    """Tell in one line of the warnings that no job has noted."""
    if (
        warned
        and code == DONE
        and not (getattr(given, "quiet", False) or getattr(given, "json", False))
    ):
        print(f"subsel: {in_one_line(warned)}", file=sys.stderr)


def _interrupted() -> int:
    print("subsel: interrupted before anything was found", file=sys.stderr)
    return INTERRUPTED


def _parser(typed: Sequence[str]) -> argparse.ArgumentParser:
    from subsel import __version__
    from subsel.cli.commands.challenge import add_challenge_command
    from subsel.cli.commands.columns import add_columns_command
    from subsel.cli.commands.journal import add_journal_commands
    from subsel.cli.commands.methods import ELSEWHERE, add_methods_command
    from subsel.cli.commands.plugins import add_plugin_option
    from subsel.cli.commands.predict import add_predict_command
    from subsel.cli.commands.rank import add_rank_command
    from subsel.cli.commands.selection import add_selection_commands
    from subsel.cli.commands.ui import add_ui_command
    from subsel.cli.commands.warm_up import add_warm_up_command

    parser = Parser(
        prog="subsel",
        description="Find the few features that matter.",
        epilog=ELSEWHERE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"subsel {__version__}")
    add_plugin_option(parser)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    add_selection_commands(commands, typed)
    add_predict_command(commands)
    add_rank_command(commands)
    add_journal_commands(commands)
    add_methods_command(commands)
    add_challenge_command(commands)
    add_warm_up_command(commands)
    add_columns_command(commands)
    add_ui_command(commands)
    return parser


class Parser(argparse.ArgumentParser):
    """A parser, as are those of its commands, that leaves nothing over."""

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Parse all there is; what is left over ends the program with this parser's usage."""
        given, unknown = super().parse_known_args(args, namespace)
        if unknown:
            named = next((word for word in unknown if word.startswith("-")), None)
            message = f"not expected: {' '.join(unknown)}."
            if named is not None:
                message += f" {self._near(named)}"
            self.error(message)
        return given, unknown

    def _near(self, option: str) -> str:
        known = dict.fromkeys(re.findall(r"--[\w-]+", self.format_help()))
        return did_you_mean(option.split("=")[0], known, n=1, shown=6)
