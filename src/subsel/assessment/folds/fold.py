"""One outer fold: select, fit and score, with the references and probes that were asked for."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.feature_selection import f_classif, f_regression
from sklearn.metrics import check_scoring
from sklearn.utils import _safe_indexing

from subsel.assessment.false_selections import with_permuted_probes
from subsel.assessment.folds.predictions import Predictions
from subsel.assessment.folds.procedure import (
    FittedProcedure,
    Procedure,
    guide_quality,
    guide_scoring,
    n_evaluations,
    scoring_name,
    was_interrupted,
)
from subsel.assessment.folds.splits import Split
from subsel.data.encoding.encoder import TableEncoder
from subsel.data.encoding.missing_values import without_gaps
from subsel.data.task import Kind, Task, is_frame, of_rows, select_columns
from subsel.runtime.warning_counts import counted_warnings

__all__ = ["Fold", "FoldSettings", "Rows", "reference_columns", "run_fold"]


@dataclass(eq=False)
class FoldSettings:
    """What every fold needs."""

    procedure: Procedure
    task: Task
    scorer: Callable
    scoring: str
    seed: int
    guided: bool = True
    references: bool = False
    n_probes: int = 0


@dataclass(eq=False)
class Fold:
    """What one fold gave."""

    score: float
    nested: float
    guide: float | None
    columns: np.ndarray | None
    seconds: float
    n_evaluations: int | None
    constant: bool
    interrupted: bool
    guide_scoring: str = ""
    references: dict[str, float] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    with_probes: tuple[int, int] | None = None
    outputs: Predictions | None = None
    reference_outputs: dict[str, Predictions] = field(default_factory=dict)
    warned: dict[str, int] = field(default_factory=dict)

    @property
    def size(self) -> int | None:
        """How many columns it selected; None where that cannot be read."""
        if self.columns is None:
            return None
        return len(self.columns)


def run_fold(plan: FoldSettings, split: Split, number: int, y: np.ndarray | None = None) -> Fold:
    """Select, fit and score on one fold (with other labels, if given), and what else was asked for."""
    with counted_warnings() as warned:
        fold = _run_fold(plan, split, number, y)
    fold.warned = dict(warned)
    return fold


def _run_fold(plan: FoldSettings, split: Split, number: int, y: np.ndarray | None) -> Fold:
    rng = np.random.default_rng([plan.seed, number])
    relabelled = y is not None
    if y is None:
        y = plan.task.y
    train, test = (Rows.of(plan.task, rows, y) for rows in (split.train, split.test))
    begin = perf_counter()
    fitted = plan.procedure.fit(train.X, train.y, plan.task.kind, rng, **train.extras)
    seconds = perf_counter() - begin
    held = fitted.transform(test.X)
    fold = Fold(
        score=_score(plan.scorer, fitted.model, held, test),
        nested=np.nan,
        guide=guide_quality(fitted.parts) if plan.guided else None,
        columns=fitted.columns,
        seconds=seconds,
        n_evaluations=n_evaluations(fitted.parts),
        constant=fitted.constant,
        interrupted=was_interrupted(fitted.parts),
    )
    if relabelled or fold.interrupted:
        return fold
    if fold.guide is not None:
        fold.nested, fold.guide_scoring = _nested(fitted, plan.task, held, test)
    if hasattr(fitted.model, "predict"):
        fold.outputs = Predictions.of(fitted.model, held, plan.task)
    if plan.references:
        _add_references(fold, plan, train, test, rng)
    if plan.n_probes and fitted.columns is not None:
        fold.with_probes = _select_beside_probes(plan, train, rng)
    return fold


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows of the task."""

    X: Any
    y: np.ndarray
    extras: dict[str, np.ndarray | None]

    @classmethod
    def of(cls, task: Task, rows: np.ndarray, y: np.ndarray) -> Rows:
        given = {"sample_weight": task.sample_weight, "groups": task.groups}
        extras = {name: of_rows(values, rows) for name, values in given.items()}
        return cls(_safe_indexing(task.X, rows), y[rows], extras)


def _score(scorer: Callable, model: Any, X: Any, rows: Rows) -> float:
    weights = rows.extras["sample_weight"]
    if weights is None:
        return float(scorer(model, X, rows.y))
    return float(scorer(model, X, rows.y, sample_weight=weights))


def _nested(fitted: FittedProcedure, task: Task, X: Any, rows: Rows) -> tuple[float, str]:
    """The score in the guide's own measure, and its name; NaN where it has none that this model can be scored by."""
    scoring = guide_scoring(fitted.parts, task.kind)
    if scoring is None:
        return np.nan, ""
    try:
        return _score(check_scoring(fitted.model, scoring), fitted.model, X, rows), scoring_name(
            scoring
        )
    except (
        AttributeError,
        ValueError,
    ):  # a measure that only the evaluator knows, or that asks for more than labels
        return np.nan, ""


def _add_references(
    fold: Fold, plan: FoldSettings, train: Rows, test: Rows, rng: np.random.Generator
) -> None:
    bare = plan.procedure.bare()
    if bare is None:
        fold.failed["references"] = (
            "the selection is inside the model, which cannot be fitted without it"
        )
        return
    references = reference_columns(train.X, train.y, plan.task.kind, fold.size, rng)
    for name, columns in references.items():
        try:
            given = bare
            if not len(columns):  # other steps may refuse an empty table
                given = Procedure(None, bare.model)
            fitted = given.fit(
                select_columns(train.X, columns), train.y, plan.task.kind, rng, **train.extras
            )
            held = fitted.transform(select_columns(test.X, columns))
            fold.references[name] = _score(plan.scorer, fitted.model, held, test)
            fold.reference_outputs[name] = Predictions.of(fitted.model, held, plan.task)
        except Exception as error:  # a reference must not end an assessment
            fold.failed[name] = str(error).split("\n")[0]


def _select_beside_probes(
    plan: FoldSettings, train: Rows, rng: np.random.Generator
) -> tuple[int, int] | None:
    """How many true columns and how many probes are selected when both are on offer."""
    both, origin = with_permuted_probes(
        train.X, plan.n_probes, rng, mix=not plan.procedure.refers_to_columns
    )
    columns = plan.procedure.select(both, train.y, rng, **train.extras)
    if columns is None:
        return None
    return int((origin[columns] >= 0).sum()), int((origin[columns] < 0).sum())


_F_TESTS = {"classification": f_classif, "regression": f_regression}


def reference_columns(
    X: Any, y: np.ndarray, kind: Kind, size: int | None, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Give the columns of each reference, chosen on the training rows alone.

    All features; the best single one and the ``size`` best ones by the F statistic; as many drawn
    at random. Without a size (a selection that cannot be read) the last two are left out, without
    numeric columns those that are ranked.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0, 5.0], [1.0, 2.0, 5.0], [2.0, 0.0, 5.0], [3.0, 1.5, 5.0]])
    >>> found = reference_columns(X, np.array([0, 0, 1, 1]), "classification", 2, np.random.default_rng(0))
    >>> found["best single feature"].tolist(), found["univariate top-k"].tolist()
    ([0], [0, 1])
    """
    n_columns = X.shape[1]
    order = univariate_order(X, y, kind)
    columns = {"all features": np.arange(n_columns)}
    usable: Any = n_columns
    if order is not None:
        usable = np.sort(order)
        columns["best single feature"] = order[:1]
    if size is not None:
        if order is not None:
            columns["univariate top-k"] = np.sort(order[:size])

        columns["random subset"] = np.sort(rng.choice(usable, size, replace=False))
    return columns


def univariate_order(X: Any, y: np.ndarray, kind: Kind) -> np.ndarray | None:
    """The columns by their F statistic, that of the best of the columns that text or dates become; None if there is none."""
    origin, n_columns = None, X.shape[1]
    if is_frame(X):
        try:
            encoder = TableEncoder().fit(X)
        except ValueError:
            return None
        X, origin = encoder.transform(X), encoder.origin_
    X = without_gaps(X)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Features .* are constant")
        F, _ = _F_TESTS[kind](X, y)
    F = np.nan_to_num(F, nan=-1.0, posinf=np.inf)
    if origin is not None:
        best = np.full(n_columns, -np.inf)
        np.maximum.at(best, origin, F)
        F = best
    return np.argsort(-F, kind="stable")[: int((-np.inf < F).sum())]
