"""Names of folders that the server has made itself, and the only ones it opens."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any

from subsel.ui.errors import Refused

__all__ = ["is_identifier", "new_identifier", "place_of"]

_FORM = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")


def new_identifier() -> str:
    """A name that sorts by time and is nobody else's.

    >>> is_identifier(new_identifier()), is_identifier("../secret")
    (True, False)
    """
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{token_hex(4)}"


def is_identifier(text: Any) -> bool:
    """Whether a name is one of these."""
    return isinstance(text, str) and _FORM.fullmatch(text) is not None


def place_of(folder: Path, identifier: Any, proof: str) -> Path:
    """The folder of an identifier, which must hold the file that proves it whole."""
    if not is_identifier(identifier) or not (folder / identifier / proof).is_file():
        raise Refused("there is no such thing here: reload the page.", 404)
    return folder / identifier
