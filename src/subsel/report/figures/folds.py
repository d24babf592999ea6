"""Which fold selected which feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.report.figures.display import BLUE, GRID, PAGE, Display, count, plain
from subsel.report.figures.frequency import chance_level, most_frequent

__all__ = ["FoldsDisplay"]

SHOWN = 25


@dataclass(eq=False)
class FoldsDisplay(Display):
    """A map of features by folds: a steady procedure makes full rows, an unsteady one a scatter.

    Attributes
    ----------
    names : list of str
        The features that were ever selected, most frequent first.
    supports : ndarray
        Mask of folds by these features.
    stability : float, optional
        Nogueira's measure on disjoint halves of the rows, None where it is not known.
    chosen : ndarray, optional
        Which of them the final selection holds.
    by_chance : float, optional
        The share of folds that no feature which knows nothing of the target would exceed.

    Examples
    --------
    >>> FoldsDisplay(["a", "b"], np.array([[True, True], [True, False]]), 0.5).describe()
    'Selections of 2 folds: 1 feature in all of them, 2 in at least half, ...
    """

    names: list[str]
    supports: np.ndarray
    stability: float | None
    chosen: np.ndarray | None = None
    by_chance: float | None = None

    @classmethod
    def from_assessment(
        cls, assessment: Any, chosen: Sequence[int] = (), *, ax: Any = None
    ) -> FoldsDisplay:
        """Draw the selections of an assessment; ``chosen`` are the columns of the final selection."""
        supports = np.asarray(assessment.supports, dtype=bool)
        order = np.argsort(-supports.sum(axis=0), kind="stable")
        order = order[supports[:, order].any(axis=0)]
        stability = None
        if assessment.stability is not None:
            stability = assessment.stability.value
        names, chance = [str(assessment.names[j]) for j in order], chance_level(assessment)
        return cls(names, supports[:, order], stability, np.isin(order, chosen), chance).plot(ax)

    def plot(self, ax: Any = None) -> FoldsDisplay:
        """Draw one row per feature, one column per fold."""
        from matplotlib.colors import ListedColormap

        n = min(SHOWN, len(self.names))
        ax = self._begin(ax, (4.8, 1.2 + 0.21 * n))
        mask = self.supports[:, :n].T.astype(float)
        ax.pcolormesh(
            mask, cmap=ListedColormap([GRID, BLUE]), vmin=0, vmax=1, edgecolors=PAGE, linewidth=0.8
        )
        ax.set_yticks(np.arange(n) + 0.5, [self._label(place) for place in range(n)])
        self._tell(n)
        ax.set_ylim(n, 0)
        ax.grid(False)
        ax.tick_params(length=0)
        folds = np.arange(0, len(self.supports), max(1, len(self.supports) // 10))
        ax.set_xticks(folds + 0.5, folds + 1)
        ax.set_xlabel(f"fold (blue: it selected the feature){most_frequent(n, len(self.names))}")
        return self

    def _label(self, place: int) -> str:
        label = f"{plain(self.names[place])}  {self.supports[:, place].mean():.0%}"
        if self.chosen is not None and self.chosen[place]:
            label = f"* {label}"
        return label

    def _tell(self, n: int) -> None:
        """An unseen point at the first fold of each feature that says which folds selected it."""
        folds = [np.flatnonzero(self.supports[:, place]) + 1 for place in range(n)]
        tips = [
            f"{name}: selected by folds {', '.join(map(str, f))}"
            for name, f in zip(self.names, folds)
        ]
        x = [len(self.supports) / 2] * n
        self._points(x, np.arange(n) + 0.5, tips, marker="s", markersize=9, alpha=0.01)

    def describe(self) -> str:
        """Say how many features are in all folds, in most, in one."""
        share = self.supports.mean(axis=0)
        once = int((self.supports.sum(axis=0) == 1).sum())
        text = (
            f"Selections of {len(self.supports)} folds: {count(int((share == 1).sum()), 'feature')} in all of them, "
            f"{int((share >= 0.5).sum())} in at least half, {once} in one only."
        )
        if self.chosen is not None and self.chosen.any():
            text += " A star marks the features of the final selection."
        if self.by_chance is not None and self.by_chance < 0.9:
            text += f" A feature that knows nothing of the target would hardly be in more than {self.by_chance:.0%} of them."
        if self.stability is not None:
            text += f" Stability {self.stability:.2f}, by disjoint halves: folds share rows, and agree more."
        return text
