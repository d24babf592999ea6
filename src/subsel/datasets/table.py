"""A table read from a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Table"]


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

    def frame(self) -> Any:
        """The table as a data frame where pandas is there, so that names travel; a sparse one as it is."""
        from scipy import sparse

        if sparse.issparse(self.X):
            return self.X
        try:
            import pandas as pd
        except ImportError:
            return self.X
        return pd.DataFrame(self.X, columns=list(self.names), copy=False)
