"""A reason to doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Caution"]


@dataclass(frozen=True)
class Caution:
    """A reason to doubt: how grave, in a few words, and in full.

    Examples
    --------
    >>> Caution("note", "Few rows", "There are 12.").level
    'note'
    """

    level: Literal["serious", "note"]
    title: str
    text: str
