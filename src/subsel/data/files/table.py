"""A table read from a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["Originals", "Table"]


@dataclass(frozen=True, eq=False)
class Originals:
    """The columns of a file before they were encoded as numbers.

    Parameters
    ----------
    names : list of str
        All columns that may be selected, in the order of the file.
    columns : dict of str to ndarray of shape (n_rows,)
        The cells of those columns that are no plain numbers: text, truth values, dates, row
        numbers.
    notes : list of str
        The notes on how they became numbers; they are among the notes of the table.
    """

    names: list[str]
    columns: dict[str, np.ndarray]
    notes: list[str]


@dataclass(frozen=True, eq=False)
class Table:
    """A table read from a file: numbers, the target, and the groups of encoded columns.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_rows, n_encoded)
        The columns as numbers, NaN where a value is missing.
    y : ndarray of shape (n_rows,)
        The target, numbers or text.
    names : sequence of str
        The names of the columns of X.
    target : str
        The name of the target.
    groups : dict of str to list of int
        For each column of the file that became other columns: its name, and their numbers in X.
    notes : list of str
        What the user should know about how the file was read.
    row_groups : ndarray of shape (n_rows,), optional
        The group of each row.
    sample_weight : ndarray of shape (n_rows,), optional
        The weight of each row.
    originals : Originals, optional
        The columns before they were encoded; None for formats that hold numbers only.

    Examples
    --------
    >>> Table(np.eye(2), np.array([0, 1]), ["a", "b"], "y").frame().columns.tolist()
    ['a', 'b']
    """

    X: Any
    y: np.ndarray
    names: Sequence[str]
    target: str
    groups: dict[str, list[int]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    row_groups: np.ndarray | None = None
    sample_weight: np.ndarray | None = None
    originals: Originals | None = None

    @property
    def file_columns(self) -> dict[str, list[int]]:
        """For each column of the file that is used, in order, the columns of X it became.

        Examples
        --------
        >>> Table(np.eye(3), np.arange(3), ["a", "b=u", "b=v"], "y", {"b": [1, 2]}).file_columns
        {'a': [0], 'b': [1, 2]}
        """
        origin = {j: name for name, columns in self.groups.items() for j in columns}
        encoded: dict[str, list[int]] = {}
        for j, name in enumerate(self.names):
            encoded.setdefault(origin.get(j, name), []).append(j)
        return encoded

    @property
    def column_names(self) -> Sequence[str]:
        """The names of the columns of the file, in the order of :meth:`as_in_file`."""
        if self.originals is None:
            return self.names
        return self.originals.names

    @property
    def reading_notes(self) -> list[str]:
        """The notes on the file except those on how its columns became numbers."""
        if self.originals is None:
            return list(self.notes)
        encoding_notes = set(self.originals.notes)
        return [note for note in self.notes if note not in encoding_notes]

    @property
    def dates(self) -> dict[str, np.ndarray]:
        """The columns of dates by name, days of shape (n_rows,), NaT where one is missing."""
        if self.originals is None:
            return {}
        columns = self.originals.columns
        return {name: column for name, column in columns.items() if column.dtype.kind == "M"}

    def frame(self) -> Any:
        """Return X as a data frame with names; X itself if it is sparse or pandas is missing."""
        if sparse.issparse(self.X) or (pd := _pandas()) is None:
            return self.X
        return pd.DataFrame(self.X, columns=list(self.names), copy=False)

    def as_in_file(self) -> Any:
        """Return the table as in the file: text, truth values and dates are one column each.

        Examples
        --------
        >>> originals = Originals(["a", "b"], {"b": np.array(["u", "v"], dtype=object)}, [])
        >>> names, groups = ["a", "b=u", "b=v"], {"b": [1, 2]}
        >>> table = Table(np.eye(2, 3), np.arange(2), names, "y", groups, originals=originals)
        >>> table.as_in_file().shape
        (2, 2)
        """
        if self.originals is None or not self.originals.columns:
            return self.frame()
        pd = _pandas()
        if pd is None:
            raise ImportError(
                "a table with text or dates needs pandas: pip install 'subsel[frames]'."
            )
        columns = {name: self.X[:, j] for j, name in enumerate(self.names)}
        columns |= self.originals.columns
        cells = [columns[name] for name in self.originals.names]
        return pd.DataFrame(dict(enumerate(cells))).set_axis(self.originals.names, axis=1)

    def in_order_of_time(self) -> Table:
        """Return the table sorted by its first column of dates, rows without a date last.

        A table without a column of dates is returned as it is.

        Examples
        --------
        >>> days = np.array(["2020-02-01", "2020-01-01"], dtype="M8[D]")
        >>> originals = Originals(["day"], {"day": days}, [])
        >>> table = Table(np.zeros((2, 1)), np.array([5, 6]), ["a"], "y", originals=originals)
        >>> table.in_order_of_time().y
        array([6, 5])
        """
        if not self.dates:
            return self
        days = next(iter(self.dates.values()))
        return self.rows(np.argsort(np.where(np.isnat(days), days.max(), days), kind="stable"))

    def rows(self, rows: np.ndarray) -> Table:
        """Return the table with some of its rows: `rows` is an array of their numbers, in order."""
        changes: dict[str, Any] = {"X": self.X[rows], "y": self.y[rows]}
        if self.row_groups is not None:
            changes["row_groups"] = self.row_groups[rows]
        if self.sample_weight is not None:
            changes["sample_weight"] = self.sample_weight[rows]
        if self.originals is not None:
            columns = {name: column[rows] for name, column in self.originals.columns.items()}
            changes["originals"] = replace(self.originals, columns=columns)
        return replace(self, **changes)


def _pandas() -> Any:
    """Return the module pandas, or None where it is not installed."""
    try:
        import pandas
    except ImportError:
        return None
    return pandas
