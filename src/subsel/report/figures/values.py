"""The values of the chosen few, by class or against the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.encoding.plans import coded
from subsel.data.task import is_frame, select_columns
from subsel.report.figures.display import BLUE, INK, MUTED, Display, dress, plain

__all__ = ["ValuesDisplay"]

MOST_FEATURES, MOST_CLASSES, MOST_POINTS = 6, 8, 150


@dataclass(eq=False)
class ValuesDisplay(Display):
    """One panel per feature: values by class as boxes and dots, or against a numeric target.

    Attributes
    ----------
    values : ndarray
        Rows by features.
    y, kind, names, target : ndarray and str and list of str
        The target, whether it is classes or numbers, and what all are called.

    Examples
    --------
    >>> y = np.array(["u", "u", "v", "v"])
    >>> ValuesDisplay.read(np.array([[1.0], [2.0], [5.0], [6.0]]), y, [0], ["a"], "kind", "classification").describe()
    'Medians by kind: a 1.5 for u, 5.5 for v.'
    """

    values: np.ndarray
    y: np.ndarray
    kind: str
    names: list[str]
    target: str

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any,
        columns: Sequence[int],
        *,
        names: Sequence[str] | None = None,
        target: str = "target",
        kind: str = "classification",
        axes: Any = None,
    ) -> ValuesDisplay:
        """Draw the first few of some columns of a table."""
        return cls.read(X, y, columns, names, target, kind).plot(axes)

    @classmethod
    def read(
        cls,
        X: Any,
        y: Any,
        columns: Sequence[int],
        names: Sequence[str] | None,
        target: str,
        kind: str,
    ) -> ValuesDisplay:
        """Take the first few of some columns of a table, without drawing them yet."""
        columns = list(columns)[:MOST_FEATURES]
        values = _dense(select_columns(X, columns))
        labels = [str(names[j]) if names is not None else f"x{j}" for j in columns]
        return cls(values.astype(float), np.asarray(y), kind, labels, target)

    def plot(self, axes: Any = None) -> ValuesDisplay:
        """Draw into one axes per feature, or into a new figure."""
        n = len(self.names)
        if axes is None:
            axes = _grid(n)
        self.ax_ = np.asarray(axes, dtype=object).ravel()
        self.figure_, self.tips_ = self.ax_[0].figure, {}
        for ax in self.ax_[n:]:
            ax.set_visible(False)
        draw = self._against_target
        if self.kind == "classification":
            draw = self._by_class
        for ax, name, column in zip(self.ax_, self.names, self.values.T):
            dress(ax)
            draw(ax, column)
            ax.set_title(plain(name, 26), fontsize=10)
            ax.tick_params(labelsize=8)
        return self

    def describe(self) -> str:
        """Give the median of each feature in each class, or its rank correlation with the target."""
        if self.kind == "classification":
            medians = [f"{n} {self._medians(x)}" for n, x in zip(self.names, self.values.T)]
            return f"Medians by {self.target}: {'; '.join(medians)}."
        from scipy.stats import spearmanr

        correlations = [spearmanr(x, self.y, nan_policy="omit").statistic for x in self.values.T]
        each = "; ".join(f"{n} {r:+.2f}" for n, r in zip(self.names, correlations))
        return f"Rank correlation with {self.target}: {each}."

    def _medians(self, column: np.ndarray) -> str:
        """The median of a column in each class."""
        medians = [(c, np.nanmedian(column[self.y == c])) for c in self._classes()]
        return ", ".join(f"{median:.4g} for {c}" for c, median in medians)

    def _classes(self) -> list[Any]:
        """The classes, the largest of them if there are many."""
        classes, counts = np.unique(self.y, return_counts=True)
        return classes[np.sort(np.argsort(-counts, kind="stable")[:MOST_CLASSES])].tolist()

    def _by_class(self, ax: Any, column: np.ndarray) -> None:
        rng = np.random.default_rng(0)  # only shifts dots sideways
        classes = self._classes()
        parts = [column[(self.y == c) & ~np.isnan(column)] for c in classes]
        thick = {"color": INK, "linewidth": 1.2}
        ax.boxplot(
            parts,
            widths=0.5,
            showfliers=False,
            medianprops={**thick, "linewidth": 2.4},
            boxprops=thick,
            whiskerprops=thick,
            capprops=thick,
        )
        for place, part in enumerate(parts, 1):
            if len(part) > MOST_POINTS // 2:
                part = rng.choice(part, MOST_POINTS // 2, replace=False)
            x = place + rng.uniform(-0.18, 0.18, len(part))
            ax.plot(x, part, "o", color=BLUE, markersize=2.4, alpha=0.55, markeredgewidth=0)
        ax.set_xticks(range(1, len(classes) + 1), [plain(c, 12) for c in classes])
        ax.set_ylabel("value (table's unit)", fontsize=8)
        ax.set_xlabel(plain(self.target, 20), fontsize=8)
        ax.grid(False, axis="x")

    def _against_target(self, ax: Any, column: np.ndarray) -> None:
        shown = np.random.default_rng(0).permutation(len(column))[: 2 * MOST_POINTS]
        ax.plot(
            column[shown],
            self.y[shown],
            "o",
            color=BLUE,
            markersize=2.6,
            alpha=0.6,
            markeredgewidth=0,
        )
        ax.set_xlabel("value (table's unit)", fontsize=8)
        ax.set_ylabel(plain(self.target, 20), fontsize=8, color=MUTED)


def _dense(values: Any) -> np.ndarray:
    """A table of any kind as an array of numbers."""
    if sparse.issparse(values):
        return values.toarray()
    if is_frame(values):
        return coded(values)
    return np.asarray(values)


def _grid(n: int) -> Any:
    """Axes for so many pictures, three in a row."""
    from matplotlib import pyplot

    rows = -(-n // 3)
    return pyplot.subplots(
        rows, min(n, 3), figsize=(9, 2.7 * rows), layout="constrained", squeeze=False
    )[1]
