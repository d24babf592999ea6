"""Error against number of features, for several methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.report.figures.display import BLUE, GREY, INK, Display, legend, plain, stretch

__all__ = ["ParetoDisplay"]


@dataclass(eq=False)
class ParetoDisplay(Display):
    """Each method as a point; those that no other beats on both counts are on the front.

    Attributes
    ----------
    names, n_features, error, on_front : list of str and ndarray
        Of each method.
    error_name : str
        What the error is.

    Examples
    --------
    >>> front = np.array([True, True, False])
    >>> ParetoDisplay(["a", "b", "c"], np.array([2.0, 5, 6]), np.array([0.2, 0.1, 0.3]), front, "error rate").describe()
    'Error rate against number of features: a: 2 features, error 0.2, on ...
    """

    names: list[str]
    n_features: np.ndarray
    error: np.ndarray
    on_front: np.ndarray
    error_name: str

    @classmethod
    def from_comparison(cls, comparison: Any, *, ax: Any = None) -> ParetoDisplay:
        """Draw the methods of a comparison."""
        pareto = comparison.pareto
        what = "root mean squared error on held-out rows"
        if comparison.kind == "classification":
            what = "error rate on held-out rows"
        columns = (np.asarray(pareto[key]) for key in ("n_features", "error", "on_front"))
        sizes, error, front = columns
        return cls(
            list(pareto["name"]), sizes.astype(float), error.astype(float), front.astype(bool), what
        ).plot(ax)

    def plot(self, ax: Any = None) -> ParetoDisplay:
        """Draw one point per method with its name beside it."""
        ax = self._begin(ax)
        order = np.argsort(self.n_features[self.on_front])
        ax.plot(
            self.n_features[self.on_front][order],
            self.error[self.on_front][order],
            color=BLUE,
            linewidth=1,
        )
        for mask, colour, label in (
            (self.on_front, BLUE, "on the front"),
            (~self.on_front, GREY, "another is no worse on both counts"),
        ):
            if mask.any():
                tips = [t for t, m in zip(self._tips(), mask) if m]
                self._points(
                    self.n_features[mask],
                    self.error[mask],
                    tips,
                    color=colour,
                    markersize=8,
                    label=label,
                )
        for name, x, y in zip(self.names, self.n_features, self.error):
            ax.annotate(
                plain(name, 20), (x, y), (6, 5), textcoords="offset points", fontsize=9, color=INK
            )
        stretch(ax, self.n_features)
        ax.margins(0.15)
        ax.set_xlabel("mean number of features over the folds")
        ax.set_ylabel(self.error_name)
        legend(ax)
        return self

    def describe(self) -> str:
        """Say every method's error and size."""
        return (
            f"{self.error_name.capitalize()} against number of features: "
            + "; ".join(self._tips())
            + "."
        )

    def _tips(self) -> list[str]:
        rows = zip(self.names, self.n_features, self.error, self.on_front)
        return [
            f"{n}: {k:.3g} features, error {e:.4g}{', on the front' if f else ''}"
            for n, k, e, f in rows
        ]
