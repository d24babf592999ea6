"""What a comparison found: plain data, small enough to pickle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from subsel.assessment.estimates import Assessment
from subsel.runtime.screenful import frame, html_screenful, screenful

__all__ = ["Comparison", "Difference"]


@dataclass(frozen=True)
class Difference:
    """Score of the first method minus that of the second, on the same folds.

    Attributes
    ----------
    first, second : str
        Names of the methods.
    mean, interval : float and pair of float
        Difference and its interval.
    p_value, p_adjusted : float
        The paired test of :func:`compare`, and Holm's correction for the number of pairs: read the second.
    only_first_wrong, only_second_wrong : int, optional
        Rows of the first repeat on which one alone erred; None for regression.

    Examples
    --------
    >>> gap = Difference("few", "all", -0.02, (-0.05, 0.01), 0.2, 0.4, 3, 5)
    >>> gap.interval[0] < 0 < gap.interval[1]
    True
    """

    first: str
    second: str
    mean: float
    interval: tuple[float, float]
    p_value: float
    p_adjusted: float
    only_first_wrong: int | None
    only_second_wrong: int | None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Several methods on the same folds.

    Attributes
    ----------
    names : tuple of str
        The methods.
    table : mapping
        One row per method, as columns: ``name, score, low, high, guide, optimism, error`` (misclassification rate, or
        root mean squared error), ``ber, auc`` (classification; auc for two classes), ``n_features, fraction_features,
        fraction_probes, stability, seconds, n_evaluations`` (both per fold; seconds of selection and fit),
        ``challenge, on_front``. NaN: not known.
    scores : ndarray
        Methods by folds.
    differences : tuple of Difference
        Every pair of methods.
    pareto : mapping
        ``name, n_features, error, on_front``: on the front if no other method has at most as many features and at most
        the error, and less of one of them.
    agreement : ndarray
        Methods by methods, mean Jaccard index of the sets chosen in the same fold; on the diagonal that of the sets
        one method chose in different folds.
    challenge_pairs : ndarray, optional
        Methods by methods, +1 where the row beats the column by the rule of the 2003 challenge, -1 where it loses;
        None for regression.
    assessments : mapping
        The whole assessment of each method.
    feature_names, notes : tuple of str
        As in :class:`Assessment`.
    scoring, kind : str
        As in :class:`Assessment`.
    confidence : float
        As in :class:`Assessment`.
    interrupted : bool
        As in :class:`Assessment`.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from subsel import RankingSelector, compare
    >>> X = np.random.default_rng(0).standard_normal((40, 3))
    >>> few = RankingSelector("pearson", cut="k:1")
    >>> found = compare([("few", few), ("all", None)], LinearRegression(), X, X[:, 0], cv=3, random_state=0)
    >>> found.names, found.table["n_features"].tolist(), found.agreement[0, 0]
    (('few', 'all'), [1.0, 3.0], np.float64(1.0))
    """

    names: tuple[str, ...]
    table: Mapping[str, np.ndarray]
    scores: np.ndarray = field(repr=False)
    differences: tuple[Difference, ...]
    pareto: Mapping[str, np.ndarray]
    agreement: np.ndarray = field(repr=False)
    challenge_pairs: np.ndarray | None = field(repr=False)
    assessments: Mapping[str, Assessment] = field(repr=False)
    feature_names: tuple[str, ...] = field(repr=False)
    scoring: str
    kind: str
    confidence: float
    notes: tuple[str, ...]
    interrupted: bool = False

    def method_table(self) -> Any:
        """One row per method: a frame of pandas where that is installed, else a table that prints."""
        return frame(self.table)

    def difference_table(self) -> Any:
        """One row per pair of methods, likewise."""
        return frame(self._pairs())

    def __repr__(self) -> str:
        """Say how the methods did, and which differences are more than chance, in a screenful."""
        return screenful(self._said(), self._shown())

    def _repr_html_(self) -> str:
        return html_screenful(self._said(), self._shown())

    def _said(self) -> list[str]:
        level, measure = f"{self.confidence:.0%}", self.scoring.replace("_", " ")
        first = f"{len(self.names)} methods on the same {self.scores.shape[1]} folds: {measure}, {level} intervals"
        return [first, *(f"note: {note}" for note in self.notes)]

    def _shown(self) -> dict[str, dict[str, Any]]:
        told = ("name", "score", "low", "high", "n_features", "stability", "seconds")
        methods = {key: self.table[key] for key in told if key in self.table}
        tables: dict[str, dict[str, Any]] = {"methods:": methods}
        if self.differences:
            tables["differences, first minus second (p by Holm):"] = self._pairs()
        return tables

    def _pairs(self) -> dict[str, list]:
        return {
            "first": [d.first for d in self.differences],
            "second": [d.second for d in self.differences],
            "difference": [d.mean for d in self.differences],
            "low": [d.interval[0] for d in self.differences],
            "high": [d.interval[1] for d in self.differences],
            "p": [d.p_adjusted for d in self.differences],
        }
