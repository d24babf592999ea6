"""Options for reading a table: target, groups, weights, dialect and memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from subsel.data.files.dialect import Dialect

__all__ = ["ReadOptions"]


@dataclass(frozen=True)
class ReadOptions:
    """Options for reading a table, as :func:`subsel.data.read_table` documents them.

    Examples
    --------
    >>> ReadOptions("y", weights="w").roles
    {'weights': 'w'}
    """

    target: str | None = None
    groups: str | None = None
    weights: str | None = None
    memory: str | float | None = None
    dialect: Dialect | None = None

    @property
    def roles(self) -> dict[str, str]:
        """The columns besides the target that are no features: ``{"groups": name, ...}``."""
        columns = {"groups": self.groups, "weights": self.weights}
        return {role: column for role, column in columns.items() if column is not None}

    def refuse_roles(self, path: Path) -> None:
        """Raise an error if groups or weights are named for a format without column names."""
        for role in self.roles:
            raise ValueError(
                f"{path}: {role} can be named only in CSV, Parquet and Excel files, "
                f"whose columns have names; leave {role} out."
            )
