"""The parser of the command line: a mistyped option is answered by the command it was typed for, with the nearest one."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any

from subsel.registry.table import did_you_mean

__all__ = ["Parser"]


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
