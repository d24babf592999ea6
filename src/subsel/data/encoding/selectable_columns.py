"""A table as it was given to a selector: which of its columns may be selected, and how they are told in numbers."""

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

FILLED = {
    "median": "filled by the median or the most frequent value of the training rows, and marked in a column beside",
    "knn": "filled by the five nearest training rows, and marked in a column beside",
    "none": "left as they are, for models that read them",
}


@dataclass(frozen=True, eq=False)
class SelectableTable:
    """What may be selected from a table.

    Parameters
    ----------
    task : Task
        The table as given, with the columns that may be selected.
    columns : ndarray of int
        Their numbers in the whole table.
    encoder : TableEncoder, optional
        What makes numbers of them, not fitted, its plans made; None where they are numbers without gaps.
    origins : SourceColumns
        Which encoded column is made from which of them.
    notes : tuple of str
        What was recognised.
    """

    task: Task
    columns: np.ndarray
    encoder: TableEncoder | None
    origins: SourceColumns
    notes: tuple[str, ...] = ()

    def places(self, what: str, columns: Sequence[int], names: Sequence[str]) -> list[int]:
        """Columns of the whole table as numbers among those that may be selected."""
        place = {int(column): i for i, column in enumerate(self.columns)}
        if gone := [names[column] for column in columns if column not in place]:
            raise ValueError(
                f"{what} names column {gone[0]!r}, which cannot be selected. {' '.join(self.notes)}"
            )
        return [place[column] for column in columns]

    def groups(self, asked: Sequence[Sequence[int]]) -> list[list[int]]:
        """Groups of columns of the whole table, and the columns made from one, as groups of encoded columns."""
        place = {int(column): i for i, column in enumerate(self.columns)}
        return self.origins.groups([[place[c] for c in group if c in place] for group in asked])


def whole_task(X: Any, y: Any, kind: Kind | None = None, **rows: Any) -> Task:
    """The table as it was given, with its gaps; a sparse one must have none.

    >>> whole_task(np.array([[1.0], [np.nan]]), ["u", "v"]).kind
    'classification'
    """
    return Task.of(
        X, y, kind or guess_kind(np.asarray(y)), allow_nan=not sparse.issparse(X), **rows
    )


def receive(
    whole: Task, forbidden: Sequence[int] = (), impute: Impute = "median"
) -> SelectableTable:
    """Leave out what must not or cannot be selected, and plan how the rest is told in numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"town": ["A", "B", "A"], "age": [3, 4, 5], "empty": [None] * 3})
    >>> found = receive(Task.of(frame, [0, 1, 0]))
    >>> found.columns, found.origins.of, found.notes
    (array([0, 1]), array([0, 0, 1]), ("column 'empty' is empty: left out.",))
    """
    columns = np.setdiff1d(np.arange(whole.n_columns), forbidden, assume_unique=True)
    if not len(columns):
        raise ValueError("all columns are forbidden.")
    if sparse.issparse(whole.X) or (
        not is_frame(whole.X) and not np.isnan(whole.X.sum(dtype=float))
    ):
        return SelectableTable(
            whole.columns(columns), columns, None, SourceColumns.same(len(columns))
        )
    plans = plans_of(whole.select(columns))
    kept = [plan for plan in plans if plan.kind != "left out"]
    if not kept:
        raise ValueError(f"no column can be learnt from. {' '.join(plan.note for plan in plans)}")
    columns = columns[[plan.kind != "left out" for plan in plans]]
    notes = (*(plan.note for plan in plans if plan.note), *_gap_notes(kept, impute))
    if all(plan.plain for plan in kept):
        return SelectableTable(
            whole.columns(columns), columns, None, SourceColumns.same(len(columns)), notes
        )
    encoder = TableEncoder(impute, plans=tuple(kept))
    return SelectableTable(
        whole.columns(columns), columns, encoder, SourceColumns.planned(kept), notes
    )


def _gap_notes(plans: Sequence[ColumnPlan], impute: Impute) -> list[str]:
    gaps = [plan.name for plan in plans if plan.gaps]
    if not gaps:
        return []
    shown = first_names(gaps, 5)
    return [f"{len(gaps)} of the columns have missing values ({shown}): {FILLED[impute]}."]


@dataclass(frozen=True, eq=False)
class SourceColumns:
    """For each encoded column, the number of the column it was made from, in order.

    Parameters
    ----------
    of : ndarray of int
        One number per encoded column.

    Examples
    --------
    >>> town_and_age = SourceColumns(np.array([0, 0, 0, 1]))
    >>> town_and_age.made_from([1]), town_and_age.groups(), town_and_age.sizes
    ([3], [[0, 1, 2]], (1, 0, 0, 1))
    """

    of: np.ndarray

    @classmethod
    def planned(cls, plans: Sequence[ColumnPlan]) -> SourceColumns:
        """Those of a table that is encoded by these plans."""
        widths = [len(plan.names) for plan in plans]
        return cls(np.repeat(np.arange(len(widths)), widths))

    @classmethod
    def same(cls, n_columns: int) -> SourceColumns:
        """Those of a table that is not encoded."""
        return cls(np.arange(n_columns))

    def made_from(self, columns: Iterable[int]) -> list[int]:
        """The encoded columns of some of the user's."""
        encoded: list[int] = []
        for column in columns:
            begin = int(np.searchsorted(self.of, column, "left"))
            end = int(np.searchsorted(self.of, column, "right"))
            encoded += range(begin, end)
        return encoded

    def groups(self, asked: Sequence[Sequence[int]] = ()) -> list[list[int]]:
        """Encoded columns that are selected together: those of the groups that were asked for, then those of one column."""
        grouped = {column for group in asked for column in group}
        single = [[column] for column in np.unique(self.of).tolist() if column not in grouped]
        encoded = [sorted(self.made_from(group)) for group in [*asked, *single]]
        return [group for group in encoded if len(group) > 1]

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """What each encoded column adds to the number of the user's columns; None where each is one of them."""
        first = np.diff(self.of, prepend=-1) != 0
        if first.all():
            return None
        return tuple(first.astype(int).tolist())
