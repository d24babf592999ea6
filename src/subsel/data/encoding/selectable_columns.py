"""The columns of a table that may be selected, and their encoding as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.encoding.encoder import Impute, TableEncoder
from subsel.data.encoding.kinds import ColumnPlan
from subsel.data.encoding.plans import plans_of
from subsel.data.names import first_names
from subsel.data.task import Kind, Task, guess_kind, is_frame

__all__ = ["SelectableTable", "SourceColumns", "receive", "whole_task"]

FILLED = {  # ends of sentences on columns with missing values
    "median": "filled by the median or the most frequent value of the training rows, "
    "and marked in a further column",
    "knn": "filled by the five nearest training rows, and marked in a further column",
    "none": "left as they are, for models that accept them",
}


@dataclass(frozen=True, eq=False)
class SelectableTable:
    """The columns of a table that may be selected, before they are encoded.

    Parameters
    ----------
    task : Task
        The given table, with only the columns that may be selected.
    columns : ndarray of int of shape (n_selectable,)
        The numbers of these columns in the whole table, ascending.
    encoder : TableEncoder or None
        The encoder of these columns, with plans, not fitted; None if all are numbers without gaps.
    origins : SourceColumns
        For each encoded column, which of these columns it is made from.
    notes : tuple of str
        What was recognised, and what was left out.
    """

    task: Task
    columns: np.ndarray
    encoder: TableEncoder | None
    origins: SourceColumns
    notes: tuple[str, ...] = ()

    def places(self, what: str, columns: Sequence[int], names: Sequence[str]) -> list[int]:
        """Convert numbers of columns in the whole table to positions among the selectable ones.

        Parameters
        ----------
        what : str
            The argument that names the columns, for the error if one cannot be selected.
        columns : sequence of int
            The numbers of columns in the whole table.
        names : sequence of str
            The names of all columns of the whole table.
        """
        position = {int(column): i for i, column in enumerate(self.columns)}
        if excluded := [names[column] for column in columns if column not in position]:
            raise ValueError(
                f"{what} names column {excluded[0]!r}, which cannot be selected. "
                f"{' '.join(self.notes)}"
            )
        return [position[column] for column in columns]

    def groups(self, groups: Sequence[Sequence[int]]) -> list[list[int]]:
        """Convert groups of columns of the whole table to groups of encoded columns.

        The encoded columns of a single column are a group, too.
        """
        position = {int(column): i for i, column in enumerate(self.columns)}
        selectable = [[position[c] for c in group if c in position] for group in groups]
        return self.origins.groups(selectable)


def whole_task(X: Any, y: Any, kind: Kind | None = None, **rows: Any) -> Task:
    """Return the task of a table with gaps; a sparse table must have none.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_rows, n_columns)
        The table.
    y : array-like of shape (n_rows,)
        The target.
    kind : {"classification", "regression"}, optional
        What the target holds, by default guessed.
    **rows : array-like of shape (n_rows,) or None
        ``sample_weight`` and ``groups``.

    Examples
    --------
    >>> whole_task(np.array([[1.0], [np.nan]]), ["u", "v"]).kind
    'classification'
    """
    return Task.of(
        X, y, kind or guess_kind(np.asarray(y)), allow_nan=not sparse.issparse(X), **rows
    )


def receive(
    whole: Task, forbidden: Sequence[int] = (), impute: Impute = "median"
) -> SelectableTable:
    """Leave out columns that must not or cannot be selected, and plan the encoding of the others.

    Parameters
    ----------
    whole : Task
        The whole table.
    forbidden : sequence of int
        The numbers of columns that must not be selected.
    impute : {"median", "knn", "none"}
        How gaps are filled, as in :class:`TableEncoder`.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"town": ["A", "B", "A"], "age": [3, 4, 5], "empty": [None] * 3})
    >>> table = receive(Task.of(frame, [0, 1, 0]))
    >>> table.columns, table.origins.of, table.notes
    (array([0, 1]), array([0, 0, 1]), ("column 'empty' is empty: left out.",))
    """
    columns = np.setdiff1d(np.arange(whole.n_columns), forbidden, assume_unique=True)
    if not len(columns):
        raise ValueError(
            f"forbidden must leave a column that can be selected, but names all {whole.n_columns}."
        )
    if sparse.issparse(whole.X) or (
        not is_frame(whole.X) and not np.isnan(whole.X.sum(dtype=float))
    ):
        return SelectableTable(
            whole.columns(columns), columns, None, SourceColumns.same(len(columns))
        )
    plans = plans_of(whole.select(columns))
    selectable = [plan for plan in plans if plan.kind != "left out"]
    if not selectable:
        raise ValueError(
            "X must have a column that can be selected, but all are left out. "
            f"{' '.join(plan.note for plan in plans)}"
        )
    columns = columns[[plan.kind != "left out" for plan in plans]]
    notes = (*(plan.note for plan in plans if plan.note), *_gap_notes(selectable, impute))
    if all(plan.plain for plan in selectable):
        return SelectableTable(
            whole.columns(columns), columns, None, SourceColumns.same(len(columns)), notes
        )
    encoder = TableEncoder(impute, plans=tuple(selectable))
    return SelectableTable(
        whole.columns(columns), columns, encoder, SourceColumns.planned(selectable), notes
    )


def _gap_notes(plans: Sequence[ColumnPlan], impute: Impute) -> list[str]:
    """Return at most one note, on the columns with missing values and what fills these."""
    gaps = [plan.name for plan in plans if plan.gaps]
    if not gaps:
        return []
    shown = first_names(gaps, 5)
    return [f"{len(gaps)} of the columns have missing values ({shown}): {FILLED[impute]}."]


@dataclass(frozen=True, eq=False)
class SourceColumns:
    """For each encoded column, the number of the column it was made from.

    Parameters
    ----------
    of : ndarray of int of shape (n_encoded,)
        The number of the source column of each encoded column, ascending.

    Examples
    --------
    >>> town_and_age = SourceColumns(np.array([0, 0, 0, 1]))
    >>> town_and_age.made_from([1]), town_and_age.groups(), town_and_age.sizes
    ([3], [[0, 1, 2]], (1, 0, 0, 1))
    """

    of: np.ndarray

    @classmethod
    def planned(cls, plans: Sequence[ColumnPlan]) -> SourceColumns:
        """Return the source columns of a table that is encoded by these plans."""
        widths = [len(plan.names) for plan in plans]
        return cls(np.repeat(np.arange(len(widths)), widths))

    @classmethod
    def same(cls, n_columns: int) -> SourceColumns:
        """Return the source columns of a table that is not encoded."""
        return cls(np.arange(n_columns))

    def made_from(self, columns: Iterable[int]) -> list[int]:
        """Return the numbers of the encoded columns that were made from these columns."""
        encoded: list[int] = []
        for column in columns:
            begin = int(np.searchsorted(self.of, column, "left"))
            end = int(np.searchsorted(self.of, column, "right"))
            encoded += range(begin, end)
        return encoded

    def groups(self, groups: Sequence[Sequence[int]] = ()) -> list[list[int]]:
        """Return the groups of encoded columns that a search selects together.

        First come those of the given groups of columns, then those of single columns.
        """
        grouped = {column for group in groups for column in group}
        single = [[column] for column in np.unique(self.of).tolist() if column not in grouped]
        encoded = [sorted(self.made_from(group)) for group in [*groups, *single]]
        return [group for group in encoded if len(group) > 1]

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """The size of each encoded column, in columns of the user; None if all sizes are 1.

        The first column made from a source column has size 1, the others 0.
        """
        first = np.diff(self.of, prepend=-1) != 0
        if first.all():
            return None
        return tuple(first.astype(int).tolist())
