"""One outer fold: select, fit and score, with references and probes where requested."""

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
    """The settings common to all folds.

    Attributes
    ----------
    procedure : Procedure
        The selection and the model.
    task : Task
        The data.
    scorer : callable
        ``scorer(model, X, y)``, as in scikit-learn.
    scoring : str
        The name of the measure.
    seed : int
        The seed of the assessment.
    guided : bool
        Whether the guide quality is recorded.
    references : bool
        Whether references are fitted.
    n_probes : int
        The number of probes.
    """

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
    """The results of one fold.

    Attributes
    ----------
    score, nested : float
        The score on the held-out rows, in the measure of the assessment and in that of the guide.
    guide : float, optional
        The quality that guided the selection.
    columns : ndarray of int, optional
        The selected columns; None where they cannot be read.
    seconds : float
        The time of selection and fit.
    n_evaluations : int, optional
        The number of subsets that were evaluated.
    constant : bool
        Whether nothing was selected, so that the model is a constant.
    interrupted : bool
        Whether the user ended the search.
    guide_scoring : str
        The name of the measure of the guide.
    references : dict
        The scores of the references by name.
    failed : dict
        Why references, or the procedure, could not be fitted, by name.
    with_probes : tuple of int, optional
        The numbers of true columns and of probes selected from the table with probes.
    outputs : Predictions, optional
        The predictions for the held-out rows.
    reference_outputs : dict
        Those of the references, by name.
    warned : dict
        The warnings, by how often they occurred.
    """

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
        """The number of selected columns; None where it cannot be read."""
        if self.columns is None:
            return None
        return len(self.columns)


def run_fold(plan: FoldSettings, split: Split, number: int, y: np.ndarray | None = None) -> Fold:
    """Select, fit and score on one fold, with references and probes where requested.

    ``y`` replaces the labels of the task, for a permutation test.
    """
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
    """Some rows of the task.

    Attributes
    ----------
    X : table
        The rows.
    y : ndarray of shape (n_rows,)
        Their labels or values.
    extras : dict
        Their ``sample_weight`` and ``groups``, None where there are none.
    """

    X: Any
    y: np.ndarray
    extras: dict[str, np.ndarray | None]

    @classmethod
    def of(cls, task: Task, rows: np.ndarray, y: np.ndarray) -> Rows:
        """Take rows by number; ``y`` holds the labels of all rows."""
        given = {"sample_weight": task.sample_weight, "groups": task.groups}
        extras = {name: of_rows(values, rows) for name, values in given.items()}
        return cls(_safe_indexing(task.X, rows), y[rows], extras)


def _score(scorer: Callable, model: Any, X: Any, rows: Rows) -> float:
    weights = rows.extras["sample_weight"]
    if weights is None:
        return float(scorer(model, X, rows.y))
    return float(scorer(model, X, rows.y, sample_weight=weights))


def _nested(fitted: FittedProcedure, task: Task, X: Any, rows: Rows) -> tuple[float, str]:
    """Give the score in the measure of the guide, and its name.

    NaN where the guide has no measure by which this model can be scored.
    """
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
    """Fit and score the references; writes scores, outputs and failures into ``fold``."""
    bare = plan.procedure.bare()
    if bare is None:
        fold.failed["references"] = (
            "the selection is inside the model, which cannot be fitted without it"
        )
        return
    references = reference_columns(train.X, train.y, plan.task.kind, fold.size, rng)
    for name, columns in references.items():
        try:
            procedure = bare
            if not len(columns):  # other steps may refuse an empty table
                procedure = Procedure(None, bare.model)
            fitted = procedure.fit(
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
    """Count the true columns and the probes selected from the table with probes."""
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

    The references are all features, the best single one and the ``size`` best ones by the F
    statistic, and as many drawn at random. Without a size, where the selection cannot be read, the
    last two are left out; without columns that can be ranked, the ranked ones.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0, 5.0], [1.0, 2.0, 5.0], [2.0, 0.0, 5.0], [3.0, 1.5, 5.0]])
    >>> y, rng = np.array([0, 0, 1, 1]), np.random.default_rng(0)
    >>> columns = reference_columns(X, y, "classification", 2, rng)
    >>> columns["best single feature"].tolist(), columns["univariate top-k"].tolist()
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
    """Order the columns by their F statistic, the largest first.

    A column of text or dates has the best statistic of its encoded columns. None if no column can
    be encoded as numbers.
    """
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
