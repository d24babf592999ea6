"""A reason to doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Caution"]


@dataclass(frozen=True)
class Caution:
    """A reason to doubt: how grave, in a few words, and in full."""

    level: Literal["serious", "note"]
    title: str
    text: str
