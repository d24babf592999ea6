"""Names of columns: numbered ones, unique ones, and the first of many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

__all__ = ["NumberedNames", "first_names", "numbered", "repeated_note"]


def first_names(names: Sequence[str], most: int) -> str:
    """Return at most `most` names, separated by commas, with dots if there are more.

    >>> first_names(["a", "b", "c"], 2), first_names(["a", "b"], 2)
    ('a, b, ...', 'a, b')
    """
    shown = list(names[:most])
    if len(names) > most:
        shown.append("...")
    return ", ".join(shown)


class NumberedNames(Sequence[str]):
    """The names x0, x1, ... of n columns, each of which is made when it is read.

    A hundred thousand names as text take more memory than a sparse table of as many columns.

    Parameters
    ----------
    n : int or range
        The number of names, or their numbers.

    >>> names = NumberedNames(100_000)
    >>> names[-1], list(names[:3]), names.index("x7")
    ('x99999', ['x0', 'x1', 'x2'], 7)
    """

    __slots__ = ("_numbers",)

    def __init__(self, n: int | range) -> None:
        self._numbers = n if isinstance(n, range) else range(n)

    def __len__(self) -> int:
        """Return the number of names."""
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> NumberedNames: ...
    def __getitem__(self, place: Any) -> Any:
        """Return one name, or a slice of them."""
        part = self._numbers[place]
        if isinstance(part, range):
            return NumberedNames(part)
        return f"x{part}"

    def __iter__(self) -> Iterator[str]:
        """Return an iterator over the names."""
        return map("x%d".__mod__, self._numbers)

    def __eq__(self, other: object) -> bool:
        """Whether the other sequence holds the same names."""
        if isinstance(other, NumberedNames):
            return self._numbers == other._numbers
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(ours == theirs for ours, theirs in zip(self, other))

    def __hash__(self) -> int:
        """Return the hash of the tuple of names."""
        return hash(tuple(self))

    def __repr__(self) -> str:
        """Return the number of names, the first and the last."""
        if len(self) < 2:
            return f"<{len(self)} names>"
        return f"<{len(self)} names {self[0]} to {self[-1]}>"


def numbered(names: Sequence[str]) -> tuple[list[str], int]:
    """Append a number to repeated names; return the unique names and how many were repeated.

    >>> numbered(["gene", "gene", "other", "gene (2)"])
    (['gene', 'gene (3)', 'other', 'gene (2)'], 1)
    """
    original, used, numbers = set(names), set(), dict[str, int]()
    unique_names = []
    for name in names:
        unique = name
        while unique in used or (unique != name and unique in original):
            numbers[name] = numbers.get(name, 1) + 1
            unique = f"{name} ({numbers[name]})"
        used.add(unique)
        unique_names.append(unique)
    return unique_names, len(numbers)


def repeated_note(n_repeated: int) -> str:
    """Return the note for the user that repeated names were numbered."""
    return f"{n_repeated} column names occur more than once: the later ones got a number."
