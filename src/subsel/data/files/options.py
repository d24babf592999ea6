"""What is asked of a file: the columns that are no features, how it is written, and the memory it may take."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from subsel.data.files.dialect import Dialect

__all__ = ["ReadOptions"]


@dataclass(frozen=True)
class ReadOptions:
    """What is asked of a file; the parameters are those of :func:`subsel.data.read_table`.

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
        """The columns beside the target that are no features, by what they are."""
        named = {"groups": self.groups, "weights": self.weights}
        return {role: column for role, column in named.items() if column is not None}

    def refuse_roles(self, path: Path) -> None:
        """Refuse groups and weights where columns have no names."""
        for role in self.roles:
            raise ValueError(
                f"{path}: {role} are named in tables with a header (CSV, Parquet, Excel)."
            )
