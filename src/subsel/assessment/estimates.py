"""The result of an assessment: plain data, small enough to pickle."""

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
    """A mean over folds, its confidence interval, and the scores of the folds.

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
    """The assessment of a procedure: its performance, its optimism and its stability.

    The numbers describe the *procedure*, selection and model, trained on as many rows as a fold
    has, not one selected subset.

    Attributes
    ----------
    performance, interval : float and pair of float
        The score on rows that neither selection nor model saw, and its confidence interval. It is
        the mean over folds, but R2 is pooled over all held-out rows (q2). For accuracies, areas
        under the curve, log loss, R2, squared and absolute errors the interval comes from the
        held-out rows (or groups of rows), widened by the disagreement of models of different
        repeats; for other measures it comes from the folds, corrected for the overlap of their
        training parts.
    guide : float, optional
        The mean quality by which the search was guided, which is never an estimate of performance;
        None where there is none.
    optimism : float, optional
        The mean of guide minus nested score *in the guide's own measure*, ``guide_scoring``; None
        where that is not known.
    folds : mapping
        One row per fold, as columns: ``repeat, fold, score, guide, nested`` (the score in the
        guide's measure), ``size, seconds, n_evaluations, n_train, n_test``; NaN where not known.
    sizes : ndarray
        Number of selected columns per fold; empty where the selection cannot be read.
    supports : ndarray, optional
        The columns that each fold selected, shape (n_folds, n_columns); None where the selection
        cannot be read.
    frequency, frequency_interval : ndarray, optional
        Share of folds that selected each column, and Wilson's interval as if folds were fresh
        samples (columns by 2). Folds share rows: the share is higher, the interval narrower than
        fresh samples would give. None where the selection cannot be read.
    stability : Stability, optional
        The stability of selections from disjoint halves of the rows, which is that of independent
        samples of that size; None where it was not requested, or the selection cannot be read.
    false_selections : FalseSelections, optional
        The estimated number of false selections, if probes were requested.
    permutation : Permutation, optional
        The test with shuffled labels, if requested.
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
        The number of rows of the table, and of requested folds; ``folds`` holds those that were
        finished.
    seconds : float
        The duration of the assessment.
    interrupted : bool
        Whether the user ended the assessment early.
    held_out : mapping, optional
        The predictions for the held-out rows, as columns:
        ``row, repeat, true, predicted``; None where the folds have no predictions.
    guide_scoring : str
        Name of the guide's measure; empty where it is no score of predictions.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from subsel import RankingSelector, assess
    >>> X = np.random.default_rng(0).standard_normal((40, 3))
    >>> selector = RankingSelector("pearson", cut="k:1")
    >>> a = assess(selector, LinearRegression(), X, X[:, 0], cv=4, random_state=0)
    >>> a.performance, a.frequency_table()["feature"].tolist(), a.frequency.tolist()
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
        """Give a table of the columns that were ever selected, most frequent first.

        It is a pandas frame where pandas is installed, otherwise a table that prints.
        """
        return frame(self.often())

    def often(self) -> dict[str, list]:
        """Give the table of :meth:`frequency_table` as a mapping from its columns to lists."""
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
        """Show the main numbers and the most frequent selections on one screen."""
        return screenful(self._sentences(), self._tables())

    def _repr_html_(self) -> str:
        return html_screenful(self._sentences(), self._tables())

    def _tables(self) -> dict[str, dict[str, list]]:
        if self.frequency is None:
            return {}
        return {"selected by folds, most often first:": self.often()}

    def __str__(self) -> str:
        """Describe the main numbers in a few lines."""
        return "\n".join(self._sentences())

    def _sentences(self) -> list[str]:
        level, measure = f"{self.confidence:.0%}", self.scoring.replace("_", " ")
        n_folds = len(self.folds["score"])
        lines = [
            f"{measure} {self.performance:.3f} ({level} interval {_span(self.interval)}), "
            f"{n_folds} folds"
        ]
        if self.guide is not None:
            line = f"guide quality {self.guide:.3f}"
            if self.guide_scoring not in ("", self.scoring):
                line += f" ({self.guide_scoring})"
            if self.optimism is not None:
                line += f": {_optimism_text(self.optimism)}"
            lines.append(line)
        if len(self.sizes):
            lines.append(
                f"{self.sizes.min()} to {self.sizes.max()} of {len(self.names)} features selected"
            )
        if self.stability is not None:
            interval = f"{level} interval {_span(self.stability.interval)}"
            lines.append(
                f"stability {self.stability.value:.3f} ({interval}), {self.stability.basis}"
            )
        if self.false_selections is not None:
            lines.append(f"about {self.false_selections.expected:.1f} of them false, by probes")
        if self.permutation is not None:
            lines.append(
                f"p-value {self.permutation.p_value:.3f} by {len(self.permutation.scores)} "
                "shufflings of the labels"
            )
        lines += [f"{name}: {estimate.mean:.3f}" for name, estimate in self.references.items()]
        return [*lines, *(f"note: {note}" for note in self.notes)]


def _span(interval: tuple[float, float]) -> str:
    return f"{interval[0]:.3f} to {interval[1]:.3f}"


def _optimism_text(optimism: float) -> str:
    """Describe by how much a guide quality is above or below the score on held-out rows."""
    if round(optimism, 3) > 0:
        return f"too good by {optimism:.3f}"
    if round(optimism, 3) < 0:
        return f"{-optimism:.3f} lower than the folds say"
    return "as the folds say"
