"""How far the guide flatters: guide quality against nested score, fold by fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.report.figures.display import BLUE, GREY, GUIDE, INK, ORANGE, Display

__all__ = ["OptimismDisplay"]


@dataclass(eq=False)
class OptimismDisplay(Display):
    """A line per fold from the quality that guided its search to the score on the rows it held out [1]_.

    Attributes
    ----------
    guide, nested : ndarray
        Of each fold, in the guide's own measure.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 2, section 2.3.5.

    Examples
    --------
    >>> OptimismDisplay(np.array([0.9, 0.8]), np.array([0.8, 0.8])).describe()
    'Guide quality 0.850 on average over 2 folds, nested score 0.800: the ...
    """

    guide: np.ndarray
    nested: np.ndarray

    @classmethod
    def from_assessment(cls, assessment: Any, *, ax: Any = None) -> OptimismDisplay:
        """Draw the folds of an assessment for which both are known."""
        guide, nested = (
            np.asarray(assessment.folds[key], dtype=float) for key in ("guide", "nested")
        )
        known = np.isfinite(guide) & np.isfinite(nested)
        return cls(guide[known], nested[known]).plot(ax)

    def plot(self, ax: Any = None) -> OptimismDisplay:
        """Draw thin lines for the folds and a thick one for their mean."""
        ax = self._begin(ax, (4.8, 3.2))
        ax.plot([0, 1], [self.guide, self.nested], color=GREY, linewidth=0.9)
        tips = [
            f"fold {i + 1}: guide quality {g:.4g}, nested score {h:.4g}"
            for i, (g, h) in enumerate(self._pairs())
        ]
        self._points(np.zeros(len(self.guide)), self.guide, tips, color=ORANGE, markersize=4)
        self._points(np.ones(len(self.nested)), self.nested, tips, color=BLUE, markersize=4)
        means = self.guide.mean(), self.nested.mean()
        ax.plot([0, 1], means, color=INK, linewidth=2.4)
        ax.annotate(
            f"mean {means[0]:.3f}",
            (0, means[0]),
            (-8, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            color=INK,
            fontsize=9,
        )
        ax.annotate(
            f"mean {means[1]:.3f}",
            (1, means[1]),
            (8, 0),
            textcoords="offset points",
            va="center",
            color=INK,
            fontsize=9,
        )
        ax.set_xlim(-0.45, 1.45)
        ax.set_xticks(
            [0, 1], ["guide quality\n(what the search saw)", "nested score\n(rows held out)"]
        )
        ax.grid(False, axis="x")
        ax.set_xlabel("a line per fold, the thick one their mean")
        ax.set_ylabel("score in the guide's measure")
        return self

    def describe(self) -> str:
        """Say by how much the guide flatters or falls short, and how often."""
        gap = self.guide - self.nested
        mean, n = round(float(gap.mean()), 3), len(gap)
        higher, lower = int((gap > 0).sum()), int((gap < 0).sum())
        said = f"the guide flatters by {mean:.3f}, in {higher} of {n} folds"
        if mean == 0:
            said = f"the two agree on average; the guide is higher in {higher} of {n} folds"
        elif mean < 0:
            said = (
                f"the guide does not flatter: it is lower by {-mean:.3f}, in {lower} of {n} folds"
            )
        means = f"Guide quality {self.guide.mean():.3f} on average over {n} folds, nested score {self.nested.mean():.3f}"
        return f"{means}: {said} ({GUIDE})."

    def _pairs(self) -> Any:
        return zip(self.guide, self.nested)
