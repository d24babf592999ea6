"""Names that occur more than once, told apart by a number."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["numbered", "repeated_note"]


def numbered(names: Sequence[str]) -> tuple[list[str], int]:
    """Tell equal names apart by a number; also how many had to be.

    >>> numbered(["gene", "gene", "other", "gene (2)"])
    (['gene', 'gene (3)', 'other', 'gene (2)'], 1)
    """
    taken, used, numbers = set(names), set(), dict[str, int]()
    told = []
    for name in names:
        unique = name
        while unique in used or (unique != name and unique in taken):
            numbers[name] = numbers.get(name, 1) + 1
            unique = f"{name} ({numbers[name]})"
        used.add(unique)
        told.append(unique)
    return told, len(numbers)


def repeated_note(n_repeated: int) -> str:
    """What the user is told about them."""
    return f"{n_repeated} column names occur more than once: the later ones got a number."
