"""The best scores of a ranking, and where noise ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.report.figures.display import BLUE, GREY, ORANGE, Display, legend, plain

__all__ = ["RankingDisplay"]

SHOWN = 25


@dataclass(eq=False)
class RankingDisplay(Display):
    """Scores as bars, best first, the kept ones darker, with the scores that probes reach [1]_.

    Attributes
    ----------
    names, scores, kept : list of str and ndarray
        Of each column, best first.
    probe_scores : ndarray
        Of columns that know nothing; empty where there were none.
    evidence : str
        What the cut used.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 2.

    Examples
    --------
    >>> RankingDisplay(["a", "b"], np.array([2.0, 0.5]), np.array([True, False]), np.zeros(0), "p-values").describe()
    '1 of 2 columns kept (p-values). Best: a, b.'
    """

    names: list[str]
    scores: np.ndarray
    kept: np.ndarray
    probe_scores: np.ndarray
    evidence: str

    @classmethod
    def from_selector(
        cls, selector: Any, names: Sequence[str] | None = None, *, ax: Any = None
    ) -> RankingDisplay:
        """Draw a fitted :class:`subsel.RankingSelector`."""
        if names is None:
            names = getattr(selector, "feature_names_in_", None)
        order = selector.ranking_
        labels = [f"x{j}" if names is None else str(names[j]) for j in order]
        probes = np.zeros(0)
        if selector.probe_scores_ is not None:
            probes = selector.probe_scores_[np.isfinite(selector.probe_scores_)]
        return cls(
            labels, selector.scores_[order], selector.support_[order], probes, selector.evidence_
        ).plot(ax)

    def plot(self, ax: Any = None) -> RankingDisplay:
        """Draw the best columns that have a score; infinite ones stick out."""
        n = min(SHOWN, max(1, int(np.sum(~np.isnan(self.scores)))))
        ax = self._begin(ax, (4.8, 1.6 + 0.21 * n))
        finite = self.scores[np.isfinite(self.scores)]
        largest = np.abs(finite).max(initial=0.0) or 1.0
        lengths = np.nan_to_num(
            self.scores[:n], nan=0.0, posinf=1.1 * largest, neginf=-1.1 * largest
        )
        where, kept = np.arange(n), self.kept[:n]
        for mask, colour, label in ((kept, BLUE, "kept"), (~kept, GREY, "not kept")):
            if mask.any():
                ax.barh(where[mask], lengths[mask], color=colour, height=0.7, label=label)
        if len(self.probe_scores):
            twentieth, best = np.quantile(self.probe_scores, 0.95), self.probe_scores.max()
            ax.axvline(twentieth, color=ORANGE, linestyle=":", label="one probe in 20 reaches this")
            ax.axvline(
                best,
                color=ORANGE,
                linestyle="--",
                label=f"best of {len(self.probe_scores):,} probes",
            )
        ax.set_yticks(where, [plain(name) for name in self.names[:n]])
        ax.set_ylim(n - 0.4, -0.6)
        ax.grid(False, axis="y")
        label = "score (no unit)"
        if n < len(self.names):
            label += f"\n(the {n} best of {len(self.names):,})"
        ax.set_xlabel(label)
        legend(ax)
        return self

    def describe(self) -> str:
        """Say how many were kept, on what evidence, and which are best."""
        best = ", ".join(self.names[:5])
        text = f"{int(self.kept.sum()):,} of {len(self.names):,} columns kept ({self.evidence}). Best: {best}."
        if len(self.probe_scores):
            above = int((self.scores > self.probe_scores.max()).sum())
            text += f" {above:,} score higher than every one of {len(self.probe_scores):,} probes."
        return text
