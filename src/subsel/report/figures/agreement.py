"""How alike chosen sets are, pair by pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.report.figures.display import Display, colour_bar, plain

__all__ = ["AgreementDisplay"]

MOST_NUMBERS = 12


@dataclass(eq=False)
class AgreementDisplay(Display):
    """A heat map of Jaccard indices: shared features over features in either set.

    Attributes
    ----------
    names : list of str
        Of the sets (methods, or folds).
    values : ndarray
        Sets by sets, between 0 and 1; NaN where not known.
    what : str
        What the sets belong to.

    Examples
    --------
    >>> AgreementDisplay(["a", "b"], np.array([[1.0, 0.4], [0.4, 1.0]]), "method").describe()
    'Agreement (Jaccard index) of 2 methods: between different ones from ...
    """

    names: list[str]
    values: np.ndarray
    what: str

    @classmethod
    def from_comparison(cls, comparison: Any, *, ax: Any = None) -> AgreementDisplay:
        """Draw how alike the sets of several methods are; on the diagonal those of one method in different folds."""
        return cls(
            list(comparison.names), np.asarray(comparison.agreement, dtype=float), "method"
        ).plot(ax)

    @classmethod
    def from_assessment(cls, assessment: Any, *, ax: Any = None) -> AgreementDisplay:
        """Draw how alike the selections of the folds are."""
        Z = np.asarray(assessment.supports, dtype=float)
        shared, sizes = Z @ Z.T, Z.sum(axis=1)
        union = sizes[:, None] + sizes - shared
        values = np.divide(shared, union, out=np.ones_like(shared), where=union > 0)
        return cls([str(i + 1) for i in range(len(Z))], values, "fold").plot(ax)

    def plot(self, ax: Any = None) -> AgreementDisplay:
        """Draw the heat map; with numbers in it if there is room."""
        n = len(self.names)
        ax = self._begin(ax, (4.8, 4.0))
        mesh = ax.pcolormesh(self.values, cmap="cividis", vmin=0, vmax=1)
        ax.set_aspect("equal")
        ax.grid(False)
        ax.set_ylim(n, 0)
        if n <= MOST_NUMBERS:
            self._write_numbers(ax)
            self._write_names(ax)
        ax.set(xlabel=self.what, ylabel=self.what)
        colour_bar(ax, mesh, "Jaccard index (1: the same features)")
        return self

    def describe(self) -> str:
        """Say the range of the agreement between different sets."""
        off = self.values[~np.eye(len(self.names), dtype=bool)]
        off = off[~np.isnan(off)]
        if not len(off):
            return "There are no two sets to compare."
        return (
            f"Agreement (Jaccard index) of {len(self.names)} {self.what}s: between different ones from "
            f"{off.min():.2f} to {off.max():.2f}, {off.mean():.2f} on average."
        )

    def _write_names(self, ax: Any) -> None:
        places, labels = np.arange(len(self.names)) + 0.5, [plain(name, 16) for name in self.names]
        ax.set_xticks(places, labels, rotation=40 if self.what == "method" else 0, ha="right")
        ax.set_yticks(places, labels)

    def _write_numbers(self, ax: Any) -> None:
        for (i, j), value in np.ndenumerate(self.values):
            if not np.isnan(value):
                colour = "#fefefe" if value < 0.5 else "#010101"
                ax.text(
                    j + 0.5,
                    i + 0.5,
                    f"{value:.2f}",
                    ha="center",
                    va="center",
                    fontsize=8,
                    color=colour,
                )
