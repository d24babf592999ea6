"""Text made safe for a terminal, a page or a spreadsheet."""

from __future__ import annotations

from typing import Any

__all__ = ["escaped", "harmless", "one_line"]


def escaped(text: Any) -> str:
    r"""Replace control characters, which could change a screen or a page, by their escapes.

    >>> print(escaped("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    return "".join(map(_printable, str(text)))


def _printable(character: str) -> str:
    if character.isprintable():
        return character
    return character.encode("unicode_escape").decode()


def harmless(cell: Any) -> Any:
    """Return a cell for a CSV file, with an apostrophe before text that would run as a formula.

    >>> harmless("=cmd|' /C calc'!A0"), harmless("age"), harmless(-1.5)
    ("'=cmd|' /C calc'!A0", 'age', -1.5)
    """
    if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{cell}"
    return cell


def one_line(name: Any, width: int) -> str:
    r"""Return a name in one line of at most `width` characters, without control characters.

    Long names are cut in the middle, since they often differ at their ends.

    >>> one_line("length\n(cm), of the petal", 16)
    'length ... petal'
    """
    text = escaped(" ".join(str(name).split()))
    if len(text) <= width:
        return text
    tail = (width - 3) // 2
    return f"{text[: width - 3 - tail]}...{text[len(text) - tail :]}"
