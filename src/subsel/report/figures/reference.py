"""Is it better than doing something simple? The nested score beside those of simple procedures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.report.figures.display import BLUE, GREY, MUTED, Display, measure, plain

__all__ = ["ReferenceDisplay"]


@dataclass(eq=False)
class ReferenceDisplay(Display):
    """Nested scores with their intervals: the procedure on top, what is simpler below, or several methods.

    Attributes
    ----------
    names, means, intervals : list of str and ndarray
        Of each procedure.
    scoring : str
        Name of the measure.
    own : int
        How many of the first rows are drawn in front.

    Examples
    --------
    >>> ReferenceDisplay(["ours", "all"], np.array([0.9, 0.8]), np.array([[0.8, 1.0], [0.7, 0.9]]), "accuracy", 1).describe()
    'Nested scores: ours 0.900 (0.800 to 1.000); all 0.800 (0.700 to 0.900).'
    """

    names: list[str]
    means: np.ndarray
    intervals: np.ndarray
    scoring: str
    own: int = 1

    @classmethod
    def from_assessment(cls, assessment: Any, *, ax: Any = None) -> ReferenceDisplay:
        """Draw an assessment and its reference lines."""
        others = assessment.references
        names = ["this selection", *others]
        means = np.array([assessment.performance, *(e.mean for e in others.values())], dtype=float)
        intervals = np.array(
            [assessment.interval, *(e.interval for e in others.values())], dtype=float
        )
        return cls(names, means, intervals, assessment.scoring).plot(ax)

    @classmethod
    def from_comparison(cls, comparison: Any, *, ax: Any = None) -> ReferenceDisplay:
        """Draw the methods of a comparison."""
        table = comparison.table
        intervals = np.column_stack((table["low"], table["high"])).astype(float)
        means = np.asarray(table["score"], dtype=float)
        return cls(list(comparison.names), means, intervals, comparison.scoring, len(means)).plot(
            ax
        )

    def plot(self, ax: Any = None) -> ReferenceDisplay:
        """Draw a point and an interval per procedure."""
        n = len(self.names)
        ax = self._begin(ax, (4.8, 1.1 + 0.32 * n))
        for rows, colour in ((np.arange(self.own), BLUE), (np.arange(self.own, n), GREY)):
            ax.hlines(rows, *self.intervals[rows].T, color=colour, linewidth=3)
        tips = [
            f"{name}: {mean:.4g} ({low:.4g} to {high:.4g})"
            for name, mean, (low, high) in zip(self.names, self.means, self.intervals)
        ]
        self._points(
            self.means[: self.own], np.arange(self.own), tips[: self.own], color=BLUE, markersize=7
        )
        if n > self.own:
            self._points(
                self.means[self.own :],
                np.arange(self.own, n),
                tips[self.own :],
                color=MUTED,
                markersize=7,
            )
            ax.axvline(self.means[0], color=BLUE, linewidth=0.8, linestyle=":")
        ax.set_yticks(np.arange(n), [plain(name) for name in self.names])
        ax.set_ylim(n - 0.5, -0.5)
        ax.grid(False, axis="y")
        ax.set_xlabel(f"nested score ({plain(measure(self.scoring))}), mean and interval")
        return self

    def describe(self) -> str:
        """Say every mean with its interval."""
        rows = zip(self.names, self.means, self.intervals)
        return (
            "Nested scores: "
            + "; ".join(f"{n} {m:.3f} ({a:.3f} to {b:.3f})" for n, m, (a, b) in rows)
            + "."
        )
