"""What each further feature buys: the front of quality against size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.ranking.one_standard_error import smallest_within
from subsel.report.figures.display import (
    BLUE,
    GREEN,
    GUIDE,
    MUTED,
    ORANGE,
    Display,
    count,
    legend,
    named,
    stretch,
)
from subsel.result.result import Result

__all__ = ["FrontDisplay"]


@dataclass(eq=False)
class FrontDisplay(Display):
    """Guide quality of the undominated subsets against their size, and nested scores beside it.

    Attributes
    ----------
    sizes, qualities, features : ndarray and list
        Of each subset of the front, smallest first.
    chosen_size, chosen_quality, chosen_features : int and float and list of str
        What the selector uses.
    best_quality, standard_error : float and float, optional
        Of the best subset; the error is None where it is not known.
    nested_sizes, nested_scores : ndarray
        Of each outer fold in the guide's own measure; empty where there is no assessment.

    Examples
    --------
    >>> sizes, qualities = np.array([1, 2]), np.array([0.8, 0.9])
    >>> features, none = [["a"], ["a", "b"]], np.zeros(0)
    >>> FrontDisplay(sizes, qualities, features, 2, 0.9, ["a", "b"], 0.9, 0.05, none, none).one_se_size
    2
    """

    sizes: np.ndarray
    qualities: np.ndarray
    features: list[list[str]]
    chosen_size: int
    chosen_quality: float
    chosen_features: list[str]
    best_quality: float
    standard_error: float | None
    nested_sizes: np.ndarray
    nested_scores: np.ndarray

    @classmethod
    def from_result(cls, result: Result, assessment: Any = None, *, ax: Any = None) -> FrontDisplay:
        """Draw the front of a run; with an assessment also the nested score of each fold."""
        front = [f for f in result.front if np.isfinite(f.quality)]
        errors = [f.standard_error for f in front if f.standard_error is not None]
        nested_sizes = nested_scores = np.zeros(0)
        if assessment is not None:
            known = ~np.isnan(assessment.folds["nested"])
            nested_sizes = assessment.folds["size"][known]
            nested_scores = assessment.folds["nested"][known]
        return cls(
            np.array([f.size for f in front], dtype=int),
            np.array([f.quality for f in front], dtype=float),
            [_named(result, f.columns) for f in front],
            len(result.chosen),
            float(result.chosen_quality),
            _named(result, result.chosen),
            float(result.best_quality),
            errors[-1] if errors else None,
            nested_sizes,
            nested_scores,
        ).plot(ax)

    @property
    def one_se_size(self) -> int | None:
        """The smallest size within one standard error of the best, where the error is known."""
        if self.standard_error is None:
            return None
        return int(
            self.sizes[smallest_within(self.qualities, self.best_quality, self.standard_error)]
        )

    def plot(self, ax: Any = None) -> FrontDisplay:
        """Draw the front as points joined by a line, the chosen subset as a star."""
        ax = self._begin(ax)
        ax.plot(self.sizes, self.qualities, color=BLUE, linewidth=1)
        self._points(self.sizes, self.qualities, self._tips(), color=BLUE, label="guide quality")
        tip = (
            f"chosen: {count(self.chosen_size, 'feature')}, guide quality {self.chosen_quality:.4g}: "
            f"{named(self.chosen_features)}"
        )
        if np.isfinite(self.chosen_quality):
            star = {"marker": "*", "markersize": 14, "color": ORANGE, "label": "chosen"}
            self._points([self.chosen_size], [self.chosen_quality], [tip], **star)
        if len(self.nested_sizes):
            self._draw_nested()
        if self.standard_error is not None:
            bar = self.best_quality - self.standard_error
            ax.axhline(
                bar, color=MUTED, linestyle="--", linewidth=1, label="best less one standard error"
            )
        ax.xaxis.get_major_locator().set_params(integer=True)
        stretch(ax, self.sizes)
        ax.set_xlabel("size (number of features)")
        ax.set_ylabel("quality" if len(self.nested_sizes) else "guide quality")
        legend(ax)
        return self

    def describe(self) -> str:
        """Say where the front begins and ends, and what was chosen."""
        if not len(self.sizes):
            return "No eligible subset was evaluated."
        text = (
            f"Guide quality against size: from {self.qualities[0]:.4g} with {count(self.sizes[0], 'feature')} to "
            f"{self.qualities[-1]:.4g} with {self.sizes[-1]}. Chosen: {count(self.chosen_size, 'feature')} at "
            f"{self.chosen_quality:.4g} ({GUIDE})."
        )
        if self.one_se_size is not None:
            text += f" The smallest subset within one standard error of the best has {self.one_se_size}."
        if len(self.nested_sizes):
            text += self._on_held_out_rows()
        return text

    def _on_held_out_rows(self) -> str:
        return (
            f" On rows held out, the same procedure chose {self.nested_sizes.min():.0f} to "
            f"{self.nested_sizes.max():.0f} features and scored {self.nested_scores.mean():.4g} on average."
        )

    def _draw_nested(self) -> None:
        tips = [
            f"a fold chose {count(int(s), 'feature')}: nested score {q:.4g}"
            for s, q in zip(self.nested_sizes, self.nested_scores)
        ]
        label = "nested score of a fold"
        self._points(
            self.nested_sizes, self.nested_scores, tips, marker="x", color=GREEN, label=label
        )

    def _tips(self) -> list[str]:
        return [
            f"{count(size, 'feature')}, guide quality {quality:.4g}: {named(features)}"
            for size, quality, features in zip(self.sizes, self.qualities, self.features)
        ]


def _named(result: Result, columns: np.ndarray) -> list[str]:
    return [str(name) for name in result._named(columns)]
