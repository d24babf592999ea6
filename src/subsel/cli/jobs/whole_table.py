"""A table as ``subsel rank`` shows it to a score: whole columns of the file, text and dates in parts or as names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.files.table import Table
from subsel.data.names import first_names
from subsel.ranking.original_columns.joint_columns import joint_columns
from subsel.ranking.original_columns.parts import Parts
from subsel.ranking.registry import Score

__all__ = ["WholeTable", "best_parts", "ranking_notes"]

OF_A_SEARCH = "; a search selects them together"


@dataclass(frozen=True, eq=False)
class WholeTable:
    """The columns of a file that can be ranked, and how they are told in numbers.

    Parameters
    ----------
    X : ndarray or sparse matrix
        The numbers.
    names : sequence of str
        The columns of the file.
    numbers : ndarray of int
        Their places in the file, the target and other columns that are no features aside.
    parts : Parts
        Which columns of numbers make a column of the file.
    part_names : sequence of str
        What the columns of numbers are called.
    options : dict
        What the score must be told of columns of names.
    notes : list of str
        What the user should know.
    """

    X: Any
    names: Sequence[str]
    numbers: np.ndarray
    parts: Parts
    part_names: Sequence[str]
    options: dict[str, Any]
    notes: list[str]

    @classmethod
    def of(cls, table: Table, entry: Any, joint: bool = True) -> WholeTable:
        """Tell a table as a score best reads it; ``joint`` says that text may become one column of names."""
        if sparse.issparse(table.X) or not table.groups:
            parts = Parts(np.arange(table.X.shape[1]))
            return cls(
                table.X,
                table.names,
                _places(table, table.names),
                parts,
                table.names,
                {},
                list(table.notes),
            )
        made = table.file_columns
        names, order = list(made), [j for columns in made.values() for j in columns]
        parts = Parts(np.repeat(np.arange(len(made)), list(map(len, made.values()))))
        X, part_names = table.X[:, order], [table.names[j] for j in order]
        options: dict[str, Any] = {}
        if joint and isinstance(entry, Score):
            text = np.array([name in table.groups and name not in table.dates for name in names])
            X, fewer, options = joint_columns(entry.function, X, parts, text)
            part_names = _named(fewer, parts, names, part_names)
            parts = fewer
        notes = ranking_notes(table.notes, dict(zip(names, parts.widths.tolist())))
        return cls(X, names, _places(table, names), parts, part_names, options, notes)


def best_parts(selector: Any, part_names: Sequence[str]) -> dict[int, str]:
    """Of each column with several parts how many these are and which of them is best."""
    widths = selector.parts_.widths
    several = np.flatnonzero(widths > 1).tolist()
    return {j: f"best of {widths[j]} parts: {part_names[selector.best_part_[j]]}" for j in several}


def ranking_notes(notes: Sequence[str], widths: Mapping[str, int]) -> list[str]:
    """What is noted of a table, without what only a search does, and how columns in several parts are scored.

    >>> ranking_notes(["column 'a' is empty: left out."], {"town": 3})[1]
    "a column that is told in parts ('town' in 3) scores as the best of them; its p-value is multiplied by their number."
    """
    kept = [note for note in notes if OF_A_SEARCH not in note or ": misread?" in note]
    several = [f"{name!r} in {width}" for name, width in widths.items() if width > 1]
    if not several:
        return kept
    told = f"a column that is told in parts ({first_names(several, 5)}) scores as the best of them"
    return [*kept, f"{told}; its p-value is multiplied by their number."]


def _named(
    fewer: Parts, parts: Parts, names: Sequence[str], part_names: Sequence[str]
) -> list[str]:
    """What the columns of numbers are called where text became one of them."""
    called: list[str] = []
    for j, name in enumerate(names):
        if fewer.widths[j] == parts.widths[j]:
            called += [part_names[i] for i in parts.columns([j])]
        else:
            called.append(name)
    return called


def _places(table: Table, names: Sequence[str]) -> np.ndarray:
    if (
        names is table.column_names
    ):  # of a sparse table maybe millions, which nobody has spelt out yet
        return np.arange(len(names))
    place = {name: j for j, name in enumerate(table.column_names)}
    return np.array([place.get(name, j) for j, name in enumerate(names)])
