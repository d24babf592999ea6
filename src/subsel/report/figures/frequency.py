"""How often each feature is selected when the rows change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from scipy.stats import binom

from subsel.report.figures.display import (
    BLUE,
    GREY,
    GRID,
    INK,
    ORANGE,
    PAGE,
    Display,
    count,
    legend,
    plain,
)

__all__ = ["FoldsDisplay", "FrequencyDisplay"]

SHOWN = 25


@dataclass(eq=False)
class FrequencyDisplay(Display):
    """Share of folds that selected each feature, with intervals, against what noise reaches [1]_.

    Attributes
    ----------
    names, frequency, interval : list of str and ndarray
        Of every feature that was ever selected, most frequent first.
    chosen : ndarray
        Which of them the final selection holds.
    noise : float
        Frequency that, with a chance of 95%, none of as many noise features as there are columns exceeds, if folds
        drew independently. They share rows, so that noise that happens to fit recurs: the true level is higher.
    noise_from : str
        ``"probes"`` carried through the procedure, or ``"chance"`` (sets of the same sizes drawn at random).
    n_folds : int
        Selections that were counted.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, introduction, section 4.3.

    Examples
    --------
    >>> interval = np.array([[0.7, 1.0], [0.2, 0.8]])
    >>> FrequencyDisplay(["a", "b"], np.array([1.0, 0.5]), interval, np.array([True, False]), 0.3, "chance", 10).describe()
    'Of 2 features that any of 10 folds selected, 2 were selected more ...
    """

    names: list[str]
    frequency: np.ndarray
    interval: np.ndarray
    chosen: np.ndarray
    noise: float
    noise_from: str
    n_folds: int

    @classmethod
    def from_assessment(
        cls, assessment: Any, chosen: Sequence[int] = (), *, ax: Any = None
    ) -> FrequencyDisplay:
        """Draw the frequencies of an assessment; ``chosen`` are the columns of the final selection."""
        frequency = assessment.frequency
        order = np.argsort(-frequency, kind="stable")
        order = order[frequency[order] > 0]
        n_folds, found = len(assessment.sizes), assessment.false_selections
        return cls(
            [str(assessment.names[j]) for j in order],
            frequency[order],
            assessment.frequency_interval[order],
            np.isin(order, chosen),
            chance_level(assessment),
            "chance" if found is None else "probes",
            n_folds,
        ).plot(ax)

    def plot(self, ax: Any = None) -> FrequencyDisplay:
        """Draw one bar per feature, the most frequent on top."""
        n = min(SHOWN, len(self.names))
        ax = self._begin(ax, (4.8, 1.6 + 0.21 * n))
        where, share, chosen = np.arange(n), self.frequency[:n], self.chosen[:n]
        ax.axvspan(
            0, self.noise, color=ORANGE, alpha=0.15, linewidth=0, label="what chance alone reaches"
        )
        _bars(ax, where[chosen], share[chosen], BLUE, "in the final selection")
        _bars(ax, where[~chosen], share[~chosen], GREY, "not in it")
        reach = np.abs(self.interval[:n].T - share)
        ax.errorbar(share, where, xerr=reach, fmt="none", ecolor=INK, elinewidth=0.9, capsize=2)
        ax.set_yticks(where, [plain(name) for name in self.names[:n]])
        ax.set(ylim=(n - 0.4, -0.6), xlim=(0, 1.02))
        more = most_frequent(n, len(self.names))
        ax.set_xlabel(f"share of {self.n_folds} folds that selected it{more}")
        ax.grid(False, axis="y")
        legend(ax)
        return self

    def describe(self) -> str:
        """Say what is selected often, and how much of the final selection stands above noise."""
        above = int((self.frequency > self.noise).sum())
        final = self.frequency[self.chosen]
        text = (
            f"Of {len(self.names):,} features that any of {self.n_folds} folds selected, {above:,} were "
            "selected more often "
            f"than the most frequent noise feature would be ({self.noise:.0%}, by {self.noise_from})."
        )
        if len(final):
            ever = f"{final.max():.0%}"
            if final.min() < final.max():
                ever = f"{final.min():.0%} to {ever}"
            text += f" Those of them in the final selection were selected in {ever} of the folds."
        return text


def _bars(ax: Any, where: np.ndarray, share: np.ndarray, colour: str, label: str) -> None:
    """Draw bars, named in the legend if there are any."""
    if len(where):
        ax.barh(where, share, color=colour, height=0.7, label=label)


def chance_level(assessment: Any) -> float:
    """The share of folds that features which know nothing hardly exceed: by probes where there are some, else by chance."""
    found, n_columns = assessment.false_selections, len(assessment.frequency)
    rate = fmean(assessment.sizes) / n_columns
    if found is not None:
        rate = found.probe_frequency
    return noise_level(min(1.0, rate), len(assessment.sizes), n_columns)


def most_frequent(n: int, n_features: int) -> str:
    """A line for the label of an axis that shows n of the features; empty where it shows all."""
    if n == n_features:
        return ""
    return f"\n(the {n} most frequent of {n_features:,} features)"


def noise_level(rate: float, n_folds: int, n_columns: int) -> float:
    """The share of folds that none of so many noise features exceeds, with a chance of 95%.

    Examples
    --------
    >>> noise_level(0.001, 10, 1), noise_level(0.001, 10, 5000)
    (0.0, 0.2)
    """
    return float(binom.ppf(0.95 ** (1 / n_columns), n_folds, rate) / n_folds)


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
