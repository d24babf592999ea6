"""What an assessment found: plain data, small enough to pickle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from subsel.assessment.false_selections import FalseSelections
from subsel.assessment.permutation import Permutation
from subsel.assessment.stability_indices import Stability
from subsel.runtime.screenful import frame, html_screenful, screenful

__all__ = ["Assessment", "Estimate"]


@dataclass(frozen=True, eq=False)
class Estimate:
    """A mean over the folds, its confidence interval, and the fold scores it is the mean of.

    Examples
    --------
    >>> Estimate(0.8, (0.7, 0.9), np.array([0.7, 0.9])).mean
    0.8
    """

    mean: float
    interval: tuple[float, float]
    scores: np.ndarray = field(repr=False)


@dataclass(frozen=True, eq=False)
class Assessment:
    """How good the whole procedure is, how far the guide flatters it, and how steady its choice is.

    The numbers speak of the *procedure* (selection and model) trained on as many rows as a fold
    trains on, not of one chosen subset.

    Attributes
    ----------
    performance, interval : float and pair of float
        Score on rows that neither selection nor model saw, and its confidence interval: the mean
        over the folds, but of R2 the pooled one (q2: one less squared errors over squared distances
        from the mean, of all held-out rows). For accuracies, areas under the curve, log loss, R2,
        squared and absolute errors the interval comes from the held-out rows (groups of rows taken
        whole), widened by how far models of different repeats disagree; for other measures from the
        folds, corrected for the overlap of their training parts.
    guide : float, optional
        Mean quality by which the search was guided (never an estimate of performance), None where
        there is none.
    optimism : float, optional
        Mean of guide minus nested score *in the guide's own measure*, ``guide_scoring``; None where
        that is not known.
    folds : mapping
        One row per fold, as columns: ``repeat, fold, score, guide, nested`` (the score in the
        guide's measure), ``size, seconds, n_evaluations, n_train, n_test``; NaN where not known.
    sizes : ndarray
        Number of selected columns per fold; empty where the selection cannot be read.
    supports : ndarray, optional
        Mask of folds by columns, which columns each fold selected; None where it cannot be read.
    frequency, frequency_interval : ndarray, optional
        Share of folds that selected each column, and Wilson's interval as if folds were fresh
        samples (columns by 2). Folds share rows: the share is higher, the interval narrower than
        fresh samples would give. None where the selection cannot be read.
    stability : Stability, optional
        How alike selections from disjoint halves of the rows are, which is how alike those of fresh
        samples of that size would be; None where it was not asked for, or the selection cannot be
        read.
    false_selections : FalseSelections, optional
        How many selected columns are expected to be false, if probes were asked for.
    permutation : Permutation, optional
        The test with shuffled labels, if asked for.
    references : mapping
        ``"all features"``, ``"best single feature"``, ``"univariate top-k"``, ``"random subset"``,
        as far as they could be computed, on the same folds.
    names : tuple of str
        The names of the columns.
    notes : tuple of str
        Sentences the user should read.
    scoring : str
        Name of the measure; larger is better.
    kind : str
        ``"classification"`` or ``"regression"``.
    confidence : float
        Level of all intervals.
    n_rows, n_folds : int
        Rows of the table; folds that were asked for (``folds`` holds those that were finished).
    seconds : float
        How long it took.
    interrupted : bool
        Whether the user ended it before all that was asked for was done.
    held_out : mapping, optional
        What was predicted for the rows that folds held out, as columns:
        ``row, repeat, true, predicted``; None where the folds kept no predictions.
    guide_scoring : str
        Name of the guide's measure; empty where it is no score of predictions.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from subsel import RankingSelector, assess
    >>> X = np.random.default_rng(0).standard_normal((40, 3))
    >>> found = assess(RankingSelector("pearson", cut="k:1"), LinearRegression(), X, X[:, 0], cv=4, random_state=0)
    >>> found.performance, found.frequency_table()["feature"].tolist(), found.frequency.tolist()
    (1.0, ['x0'], [1.0, 0.0, 0.0])
    """

    performance: float
    interval: tuple[float, float]
    guide: float | None
    optimism: float | None
    folds: Mapping[str, np.ndarray]
    sizes: np.ndarray
    supports: np.ndarray | None = field(repr=False)
    frequency: np.ndarray | None = field(repr=False)
    frequency_interval: np.ndarray | None = field(repr=False)
    stability: Stability | None
    false_selections: FalseSelections | None
    permutation: Permutation | None
    references: Mapping[str, Estimate]
    names: tuple[str, ...] = field(repr=False)
    notes: tuple[str, ...]
    scoring: str
    kind: str
    confidence: float
    n_rows: int
    n_folds: int
    seconds: float
    interrupted: bool = False
    held_out: Mapping[str, np.ndarray] | None = field(default=None, repr=False)
    guide_scoring: str = ""

    def frequency_table(self) -> Any:
        """The columns that were ever selected, most frequent first: a pandas frame, or a table that prints."""
        return frame(self.often())

    def often(self) -> dict[str, list]:
        """The columns of :meth:`frequency_table`."""
        if self.frequency is None or self.frequency_interval is None:
            return {"feature": [], "frequency": [], "low": [], "high": []}
        order = np.argsort(-self.frequency, kind="stable")
        order = order[self.frequency[order] > 0]
        return {
            "feature": [self.names[j] for j in order],
            "frequency": self.frequency[order].tolist(),
            "low": self.frequency_interval[order, 0].tolist(),
            "high": self.frequency_interval[order, 1].tolist(),
        }

    def __repr__(self) -> str:
        """Say the main numbers, and what folds selected most often, in a screenful."""
        return screenful(self._said(), self._shown())

    def _repr_html_(self) -> str:
        return html_screenful(self._said(), self._shown())

    def _shown(self) -> dict[str, dict[str, list]]:
        if self.frequency is None:
            return {}
        return {"selected by folds, most often first:": self.often()}

    def __str__(self) -> str:
        """Say the main numbers in a few lines."""
        return "\n".join(self._said())

    def _said(self) -> list[str]:
        level, measure = f"{self.confidence:.0%}", self.scoring.replace("_", " ")
        n_folds = len(self.folds["score"])
        lines = [
            f"{measure} {self.performance:.3f} ({level} interval {_span(self.interval)}), {n_folds} folds"
        ]
        if self.guide is not None:
            line = f"guide quality {self.guide:.3f}"
            if self.guide_scoring not in ("", self.scoring):
                line += f" ({self.guide_scoring})"
            if self.optimism is not None:
                line += f": {_too_good(self.optimism)}"
            lines.append(line)
        if len(self.sizes):
            lines.append(
                f"{self.sizes.min()} to {self.sizes.max()} of {len(self.names)} features selected"
            )
        if self.stability is not None:
            steady = f"stability {self.stability.value:.3f} ({level} interval {_span(self.stability.interval)})"
            lines.append(f"{steady}, {self.stability.basis}")
        if self.false_selections is not None:
            lines.append(f"about {self.false_selections.expected:.1f} of them false, by probes")
        if self.permutation is not None:
            lines.append(
                f"p-value {self.permutation.p_value:.3f} by {len(self.permutation.scores)} shufflings of the labels"
            )
        lines += [f"{name}: {estimate.mean:.3f}" for name, estimate in self.references.items()]
        return [*lines, *(f"note: {note}" for note in self.notes)]


def _span(interval: tuple[float, float]) -> str:
    return f"{interval[0]:.3f} to {interval[1]:.3f}"


def _too_good(optimism: float) -> str:
    """By how much a guide quality is above what held-out rows say, or below it."""
    if round(optimism, 3) > 0:
        return f"too good by {optimism:.3f}"
    if round(optimism, 3) < 0:
        return f"{-optimism:.3f} lower than the folds say"
    return "as the folds say"
