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
    """The columns of a file as they are in it.

    Parameters
    ----------
    names : list of str
        All its columns that may be selected, in order.
    columns : dict
        Those that are no plain numbers: text, truth values, dates, row numbers.
    notes : list of str
        What the table tells of how they became numbers.
    """

    names: list[str]
    columns: dict[str, np.ndarray]
    notes: list[str]


@dataclass(frozen=True, eq=False)
class Table:
    """A table read from a file: numbers, the target, and which columns came from one text column.

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
        """Of each column of the file that is used, in order, the columns of X it became.

        Examples
        --------
        >>> Table(np.eye(3), np.arange(3), ["a", "b=u", "b=v"], "y", {"b": [1, 2]}).file_columns
        {'a': [0], 'b': [1, 2]}
        """
        origin = {j: name for name, columns in self.groups.items() for j in columns}
        found: dict[str, list[int]] = {}
        for j, name in enumerate(self.names):
            found.setdefault(origin.get(j, name), []).append(j)
        return found

    @property
    def column_names(self) -> Sequence[str]:
        """The names of the columns of the file, in the order of :meth:`as_in_file`."""
        if self.originals is None:
            return self.names
        return self.originals.names

    @property
    def reading_notes(self) -> list[str]:
        """What is noted of the file, beside how its columns became numbers."""
        if self.originals is None:
            return list(self.notes)
        told = set(self.originals.notes)
        return [note for note in self.notes if note not in told]

    @property
    def dates(self) -> dict[str, np.ndarray]:
        """The columns of dates."""
        if self.originals is None:
            return {}
        columns = self.originals.columns
        return {name: column for name, column in columns.items() if column.dtype.kind == "M"}

    def frame(self) -> Any:
        """The numbers as a data frame where pandas is there, so that names travel; a sparse table as it is."""
        if sparse.issparse(self.X) or (pd := _pandas()) is None:
            return self.X
        return pd.DataFrame(self.X, columns=list(self.names), copy=False)

    def as_in_file(self) -> Any:
        """The table as the file has it: text, truth values and dates as they are, one column each.

        Examples
        --------
        >>> own = Originals(["a", "b"], {"b": np.array(["u", "v"], dtype=object)}, [])
        >>> table = Table(np.eye(2, 3), np.arange(2), ["a", "b=u", "b=v"], "y", {"b": [1, 2]}, originals=own)
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
        """The rows by their first column of dates, those without one last; as they are where there is no such column.

        Examples
        --------
        >>> own = Originals(["day"], {"day": np.array(["2020-02-01", "2020-01-01"], dtype="M8[D]")}, [])
        >>> Table(np.zeros((2, 4)), np.array([5, 6]), list("abcd"), "y", originals=own).in_order_of_time().y
        array([6, 5])
        """
        if not self.dates:
            return self
        days = next(iter(self.dates.values()))
        return self.rows(np.argsort(np.where(np.isnat(days), days.max(), days), kind="stable"))

    def rows(self, rows: np.ndarray) -> Table:
        """The same table with some of the rows, in this order."""
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
    try:
        import pandas
    except ImportError:
        return None
    return pandas
