"""Names of columns: those of columns that came without, and how a name is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

__all__ = ["NumberedNames", "first_names", "numbered", "repeated_note"]


def first_names(names: Sequence[str], most: int) -> str:
    """The first of many names in a row, and dots where there are more.

    >>> first_names(["a", "b", "c"], 2), first_names(["a", "b"], 2)
    ('a, b, ...', 'a, b')
    """
    shown = list(names[:most])
    if len(names) > most:
        shown.append("...")
    return ", ".join(shown)


class NumberedNames(Sequence[str]):
    """The names x0, x1, ... of n columns, which weigh nothing until they are asked for.

    A hundred thousand names as text weigh more than a sparse table of as many columns.

    >>> names = NumberedNames(100_000)
    >>> names[-1], list(names[:3]), names.index("x7")
    ('x99999', ['x0', 'x1', 'x2'], 7)
    """

    __slots__ = ("_numbers",)

    def __init__(self, n: int | range) -> None:
        self._numbers = n if isinstance(n, range) else range(n)

    def __len__(self) -> int:
        """How many names there are."""
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> NumberedNames: ...
    def __getitem__(self, place: Any) -> Any:
        """One name, or a part of them."""
        part = self._numbers[place]
        if isinstance(part, range):
            return NumberedNames(part)
        return f"x{part}"

    def __iter__(self) -> Iterator[str]:
        """Make one after the other."""
        return map("x%d".__mod__, self._numbers)

    def __eq__(self, other: object) -> bool:
        """Whether the other sequence holds the same names."""
        if isinstance(other, NumberedNames):
            return self._numbers == other._numbers
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(ours == theirs for ours, theirs in zip(self, other))

    def __hash__(self) -> int:
        """That of the tuple of names."""
        return hash(tuple(self))

    def __repr__(self) -> str:
        """The first and the last name."""
        if len(self) < 2:
            return f"<{len(self)} names>"
        return f"<{len(self)} names {self[0]} to {self[-1]}>"


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
