"""A reason to doubt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["Caution", "caution_line"]


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


def caution_line(caution: Mapping[str, str]) -> str:
    """A caution in one line: its title, and the first sentence of its text.

    Examples
    --------
    >>> caution_line({"level": "serious", "title": "Few rows", "text": "There are 12. Beware of 0.5 more."})
    'Few rows: There are 12.'
    """
    first, _, _ = caution["text"].partition(". ")
    return f"{caution['title']}: {first.removesuffix('.')}."
