"""Compare several selections on the same folds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from os import PathLike
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from subsel.assessment.estimates import Assessment
from subsel.assessment.folds.fold import Fold, FoldSettings, run_fold
from subsel.assessment.folds.fold_journal import hold
from subsel.assessment.folds.halves import N_PAIRS, run_halves
from subsel.assessment.folds.predictions import Predictions
from subsel.assessment.folds.procedure import Procedure
from subsel.assessment.folds.splits import Split, make_splits, splits_notes
from subsel.assessment.intervals import check_confidence, holm
from subsel.assessment.measures import (
    balanced_error,
    binary_auc,
    pairwise_scores,
    pairwise_wins,
    probe_share,
)
from subsel.assessment.nested import (
    FEWEST_FOLDS,
    deadline_of,
    make_plan,
    make_task,
    seed_and_journal,
)
from subsel.assessment.row_intervals import ScoredFolds
from subsel.assessment.stability_indices import jaccard
from subsel.assessment.summary import scored_folds, summarise
from subsel.data.columns import column_numbers
from subsel.data.task import Task
from subsel.result.pareto import undominated
from subsel.runtime.fold_loop import run_jobs, why_ended
from subsel.runtime.screenful import TextColumns, frame, html_screenful, screenful

__all__ = ["Comparison", "Difference", "compare"]


@dataclass(frozen=True)
class Difference:
    """The score of the first method minus that of the second, on the same folds.

    Attributes
    ----------
    first, second : str
        Names of the methods.
    mean, interval : float and pair of float
        The difference and its interval.
    p_value, p_adjusted : float
        The p-value of the paired test of :func:`compare`, without and with Holm's correction for
        the number of pairs; the corrected one should be reported.
    only_first_wrong, only_second_wrong : int, optional
        The number of rows of the first repeat on which only one method erred; None for regression.

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
    """The results of several methods on the same folds.

    Attributes
    ----------
    names : tuple of str
        The methods.
    table : mapping
        One row per method, as columns: ``name, score, low, high, guide, optimism, error``
        (misclassification rate, or root mean squared error), ``ber, auc`` (classification; auc for
        two classes),
        ``n_features, fraction_features, fraction_probes, stability, seconds, n_evaluations`` (both
        per fold; seconds of selection and fit), ``challenge, on_front``. NaN: not known.
    scores : ndarray of shape (n_methods, n_folds)
        The score of each method in each fold.
    differences : tuple of Difference
        The differences of all pairs of methods.
    pareto : mapping
        ``name, n_features, error, on_front``: on the front if no other method has at most as many
        features and at most the error, and less of one of them.
    agreement : ndarray of shape (n_methods, n_methods)
        The mean Jaccard index of the sets chosen in the same fold; on the diagonal
        that of the sets one method chose in different folds.
    pairwise_wins : ndarray of shape (n_methods, n_methods), optional
        +1 where the row beats the column by the rule of the 2003 challenge, -1
        where it loses; None for regression.
    assessments : mapping
        The complete assessment of each method.
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
    >>> methods = [("few", few), ("all", None)]
    >>> comparison = compare(methods, LinearRegression(), X, X[:, 0], cv=3, random_state=0)
    >>> comparison.names, comparison.table["n_features"].tolist(), comparison.agreement[0, 0]
    (('few', 'all'), [1.0, 3.0], np.float64(1.0))
    """

    names: tuple[str, ...]
    table: Mapping[str, np.ndarray]
    scores: np.ndarray = field(repr=False)
    differences: tuple[Difference, ...]
    pareto: Mapping[str, np.ndarray]
    agreement: np.ndarray = field(repr=False)
    pairwise_wins: np.ndarray | None = field(repr=False)
    assessments: Mapping[str, Assessment] = field(repr=False)
    feature_names: tuple[str, ...] = field(repr=False)
    scoring: str
    kind: str
    confidence: float
    notes: tuple[str, ...]
    interrupted: bool = False

    def method_table(self) -> Any:
        """Give a table with one row per method.

        It is a pandas frame where pandas is installed, otherwise a table that prints.
        """
        return frame(self.table)

    def difference_table(self) -> Any:
        """Give a table with one row per pair of methods, of the same type."""
        return frame(self._pairs())

    def __repr__(self) -> str:
        """Show the methods and their differences on one screen."""
        return screenful(self._sentences(), self._tables())

    def _repr_html_(self) -> str:
        return html_screenful(self._sentences(), self._tables())

    def _sentences(self) -> list[str]:
        level, measure = f"{self.confidence:.0%}", self.scoring.replace("_", " ")
        first = (
            f"{len(self.names)} methods on the same {self.scores.shape[1]} folds: "
            f"{measure}, {level} intervals"
        )
        return [first, *(f"note: {note}" for note in self.notes)]

    def _tables(self) -> dict[str, dict[str, Any]]:
        shown = ("name", "score", "low", "high", "n_features", "stability", "seconds")
        methods = {key: self.table[key] for key in shown if key in self.table}
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


def compare(
    selectors: Sequence[Any],
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    scoring: str | Callable | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    probes: Any = None,
    references: bool = False,
    stability_pairs: int = N_PAIRS,
    confidence: float = 0.95,
    n_jobs: int | None = None,
    random_state: Any = None,
    budget: Any = None,
    journal: str | PathLike[str] | None = None,
    journal_key: str | None = None,
    verbose: int = 0,
) -> Comparison:
    """Assess several selectors on the same folds and test their differences.

    Parameters
    ----------
    selectors : sequence of selectors or of pairs of str and selector
        Selectors, or pairs of a name and a selector; None selects all features. A pipeline that
        ends in a predictor is used without ``estimator``.
    estimator : estimator or None
        The model fitted on every selection; None if each selector is a complete pipeline.
    probes : sequence of columns, optional
        Columns (names, numbers or a mask) that are known to be probes, for the fraction of probes.
    cv, scoring, groups, sample_weight, references, stability_pairs : object
        As in :func:`assess`.
    confidence, n_jobs, random_state, budget, journal, journal_key, verbose : object
        As in :func:`assess`.

    Notes
    -----
    Each pair is compared by Student's test of the differences between the contributions of each
    held-out row to the two scores. Their variance is inflated as for the interval of a score,
    because both procedures share training rows over all folds. Where a measure is not a sum over
    rows, the test is that of Nadeau and Bengio [1]_, for fold scores whose training parts overlap.
    Holm's correction is applied to all pairs. ``docs/calibration.md`` reports how often equal
    procedures are declared different. The score of the challenge [2]_ weights rows by class, so
    that the balanced error decides. Methods that searched with different thoroughness are compared
    by their scores on held-out rows, never by their guides.

    References
    ----------
    .. [1] Nadeau and Bengio, *Inference for the generalization error*, Machine Learning 52, 2003.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 9,
       the score of the challenge.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.feature_selection import SelectKBest
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_wine(return_X_y=True)
    >>> methods = [("two", SelectKBest(k=2)), ("all", None)]
    >>> comparison = compare(methods, GaussianNB(), X, y, cv=5, random_state=0)
    >>> comparison.table["n_features"].tolist(), comparison.differences[0].p_value < 0.05
    ([2.0, 13.0], True)
    """
    begin = perf_counter()
    check_confidence(confidence)
    names, methods = _named(selectors)
    procedures = [_procedure(method, estimator) for method in methods]
    task = make_task(X, y, procedures[0], groups, sample_weight)
    asked = {
        "procedures": methods,
        "model": estimator,
        "scoring": scoring,
        "cv": cv,
        "references": bool(references),
    }
    seed, fold_journal = seed_and_journal(journal, asked, task, random_state, journal_key)
    splits, notes = make_splits(cv, task, seed), [splits_notes(cv, task) for _ in names]
    plans = [
        make_plan(p, task, scoring, splits=splits, seed=seed, notes=n, references=references)
        for p, n in zip(procedures, notes)
    ]
    jobs = ((m, split, i) for i, split in enumerate(splits) for m in range(len(plans)))
    with hold(fold_journal, splits):
        total, deadline = len(splits) * len(plans), deadline_of(budget, begin)
        answers, interrupted = run_jobs(
            _run_fold,
            plans,
            jobs,
            total,
            n_jobs=n_jobs,
            verbose=verbose,
            what="compare",
            journal=fold_journal,
            named=lambda job: names[job[0]],
            deadline=deadline,
            at_least=FEWEST_FOLDS * len(plans),
        )
        if interrupted or len(answers) < total:
            stability_pairs = 0
        halves = [  # the same halves of the rows for all methods
            run_halves(
                plan,
                answers[m :: len(plans)],
                stability_pairs,
                notes[m],
                n_jobs=n_jobs,
                journal=fold_journal,
                deadline=deadline,
                method=m,
            )[0]
            for m, plan in enumerate(plans)
        ]
    n_done = len(answers) // len(plans)
    if n_done == 0:
        raise KeyboardInterrupt
    done = [answers[m : n_done * len(plans) : len(plans)] for m in range(len(plans))]
    ending = []
    if n_done < len(splits):
        ending = [f"{why_ended(interrupted)}: {n_done} of {len(splits)} folds were finished."]
    seconds = perf_counter() - begin
    assessments = [
        summarise(p, splits, d, confidence, notes=n, seconds=seconds, halves=h)
        for p, d, n, h in zip(plans, done, notes, halves)
    ]
    probe_mask = _mask(probes, task)
    compared = _comparison(
        names, plans, splits[:n_done], done, assessments, probes=probe_mask, notes=ending
    )
    return replace(compared, interrupted=interrupted)


def _run_fold(plans: list[FoldSettings], method: int, split: Split, number: int) -> Fold:
    return run_fold(plans[method], split, number)


def _comparison(
    names: tuple[str, ...],
    plans: list[FoldSettings],
    splits: list[Split],
    done: list[list[Fold]],
    found: list[Assessment],
    *,
    probes: np.ndarray | None,
    notes: list[str],
) -> Comparison:
    task, confidence = plans[0].task, found[0].confidence
    scored = [scored_folds(plan, splits, folds) for plan, folds in zip(plans, done)]
    held = [_HeldOut.of(folds, splits, task) for folds in done]
    table = _table(names, held, done, found, probes)
    pairs = None
    if task.kind == "classification":
        features = np.where(np.isnan(table["fraction_features"]), 1.0, table["fraction_features"])
        wrong, rows = (
            np.array([h.wrong[h.repeat == 0] for h in held]),
            held[0].rows[held[0].repeat == 0],
        )
        pairs = pairwise_wins(
            wrong, features, np.nan_to_num(table["fraction_probes"]), task.y[rows]
        )
        table["challenge"] = pairwise_scores(pairs)
    table["on_front"] = _on_front(table["n_features"], table["error"])
    scores = np.array([[fold.score for fold in folds] for folds in done])
    return Comparison(
        names=names,
        table=TextColumns(table),
        scores=scores,
        differences=_differences(names, scored, held, confidence),
        pareto=TextColumns(
            {key: table[key] for key in ("name", "n_features", "error", "on_front")}
        ),
        agreement=_agreement(found),
        pairwise_wins=pairs,
        assessments=dict(zip(names, found)),
        feature_names=tuple(task.names),
        scoring=plans[0].scoring,
        kind=task.kind,
        confidence=confidence,
        notes=tuple(dict.fromkeys([*notes, *(note for a in found for note in a.notes)])),
    )


@dataclass(frozen=True, eq=False)
class _HeldOut:
    """The predictions of one method for every held-out row, fold after fold.

    Attributes
    ----------
    rows, repeat : ndarray of shape (n_held_out,)
        The numbers of the rows, and the repeats in which they were held out.
    truth, predicted : ndarray of shape (n_held_out,)
        The true and the predicted values or labels.
    classes : bool
        Whether the values are labels.
    """

    rows: np.ndarray
    repeat: np.ndarray
    truth: np.ndarray
    predicted: np.ndarray
    classes: bool

    @classmethod
    def of(cls, done: list[Fold], splits: list[Split], task: Task) -> _HeldOut:
        rows = np.concatenate([s.test for s in splits])
        repeat = np.concatenate([np.full(len(s.test), s.repeat) for s in splits])
        predicted = np.concatenate([_predictions(fold).predicted for fold in done])
        return cls(rows, repeat, task.y[rows], predicted, task.kind == "classification")

    @property
    def wrong(self) -> np.ndarray:
        return self.predicted != self.truth

    def error(self, kind: str) -> float:
        if kind == "classification":
            return float(self.wrong.mean())
        return float(np.sqrt(np.mean((self.predicted - self.truth) ** 2)))

    def ber(self, kind: str) -> float:
        """Give the balanced error of all rows tested in a repeat, the mean over repeats."""
        if kind != "classification":
            return np.nan
        parts = [self.repeat == r for r in np.unique(self.repeat)]
        return float(np.mean([balanced_error(self.truth[p], self.predicted[p]) for p in parts]))


def _predictions(fold: Fold) -> Predictions:
    """Give the predictions of a finished fold."""
    assert fold.outputs is not None
    return fold.outputs


def _named(selectors: Sequence[Any]) -> tuple[tuple[str, ...], list[Any]]:
    pairs = [s if isinstance(s, tuple) else (_name(s), s) for s in selectors]
    if not pairs:
        raise ValueError("selectors must hold at least one selector.")
    names: list[str] = []
    for name, _ in pairs:
        names.append(_unused_name(name, names))
    return tuple(names), [selector for _, selector in pairs]


def _unused_name(name: str, names: list[str]) -> str:
    """Give the name, followed by a number where it is already in use."""
    if name not in names:
        return name
    return next(n for i in range(2, 10**9) if (n := f"{name} {i}") not in names)


def _name(selector: Any) -> str:
    if selector is None:
        return "all features"
    if isinstance(selector, Pipeline):
        return " + ".join(name for name, _ in selector.steps)
    method = getattr(selector, "search", getattr(selector, "ranking", None))
    if isinstance(method, str):
        return f"{type(selector).__name__}({method})"
    return type(selector).__name__


def _procedure(selector: Any, estimator: Any) -> Procedure:
    if isinstance(selector, Pipeline) and hasattr(selector, "predict"):
        return Procedure.of(selector, None)
    return Procedure.of(selector, estimator)


def _mask(probes: Any, task: Task) -> np.ndarray | None:
    if probes is None:
        return None
    return np.isin(np.arange(task.n_columns), column_numbers("probes", probes, task.names))


def _table(
    names: tuple[str, ...],
    held: list[_HeldOut],
    done: list[list[Fold]],
    found: list[Assessment],
    probes: np.ndarray | None,
) -> dict[str, np.ndarray]:
    kind, n_columns = found[0].kind, len(found[0].names)
    sizes = np.array([a.sizes.mean() if len(a.sizes) else np.nan for a in found])
    return {
        "name": np.array(names, dtype=object),
        "score": _numbers(a.performance for a in found),
        "low": _numbers(a.interval[0] for a in found),
        "high": _numbers(a.interval[1] for a in found),
        "guide": _numbers(a.guide for a in found),
        "optimism": _numbers(a.optimism for a in found),
        "error": _numbers(h.error(kind) for h in held),
        "ber": _numbers(h.ber(kind) for h in held),
        "auc": _numbers(_auc(folds, h, kind) for folds, h in zip(done, held)),
        "n_features": sizes,
        "fraction_features": sizes / n_columns,
        "fraction_probes": _numbers(_probe_fraction(a, probes) for a in found),
        **_costs(found),
        "challenge": np.full(len(names), np.nan),
    }


def _costs(found: list[Assessment]) -> dict[str, np.ndarray]:
    return {
        "stability": _numbers(None if a.stability is None else a.stability.value for a in found),
        "seconds": _numbers(a.folds["seconds"].mean() for a in found),
        "n_evaluations": _numbers(a.folds["n_evaluations"].mean() for a in found),
    }


def _numbers(values: Iterable[float | None]) -> np.ndarray:
    """Convert to an array of floats, NaN for None."""
    return np.array(list(values), dtype=float)


def _auc(folds: list[Fold], held: _HeldOut, kind: str) -> float | None:
    """Give the area under the ROC curve, the mean over folds.

    It is computed by fold, because the scores of different models need not have a common scale, and
    from labels where a model gives nothing else. None for other than two classes.
    """
    labels = np.unique(held.truth)
    if kind != "classification" or len(labels) != 2:
        return None
    ends = np.cumsum([len(_predictions(fold).predicted) for fold in folds])[:-1]
    truths = np.split(held.truth == labels[1], ends)
    areas = [
        binary_auc(truth, _predictions(fold).confidence_of(labels[1]))
        for truth, fold in zip(truths, folds)
    ]
    known = [area for area in areas if not np.isnan(area)]
    if not known:
        return None
    return float(np.mean(known))


def _probe_fraction(assessment: Assessment, probes: np.ndarray | None) -> float | None:
    if probes is None or assessment.supports is None:
        return None
    return float(np.mean([probe_share(support, probes) for support in assessment.supports]))


def _on_front(sizes: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Mark the methods that no other beats in size or error without being worse in the other.

    Methods with equal size and error are marked together.
    """
    points = list(zip(sizes.tolist(), errors.tolist()))
    front = undominated(
        [point for point in points if not np.isnan(point[0])], losses=lambda point: point
    )
    return np.array([point in front for point in points])


def _differences(
    names: tuple[str, ...], scored: list[ScoredFolds], held: list[_HeldOut], confidence: float
) -> tuple[Difference, ...]:
    pairs = list(combinations(range(len(names)), 2))
    tests = [scored[i].compared(scored[j], confidence) for i, j in pairs]
    adjusted = holm([p for _, _, p in tests])
    return tuple(
        Difference(
            names[i], names[j], gap, interval, p, float(q), *_errors_of_one(held[i], held[j])
        )
        for (i, j), (gap, interval, p), q in zip(pairs, tests, adjusted)
    )


def _errors_of_one(first: _HeldOut, second: _HeldOut) -> tuple[int | None, int | None]:
    """Count the rows of the first repeat on which only the first, or only the second, erred."""
    if not first.classes:
        return None, None
    rows = first.repeat == 0
    a, b = first.wrong[rows], second.wrong[rows]
    return int((a & ~b).sum()), int((b & ~a).sum())


def _agreement(found: list[Assessment]) -> np.ndarray:
    n = len(found)
    table = np.full((n, n), np.nan)
    for i, j in np.ndindex(n, n):
        first, second = found[i].supports, found[j].supports
        if first is not None and second is not None:
            table[i, j] = np.mean([jaccard([a, b]) for a, b in zip(first, second)])
            if i == j:
                table[i, j] = jaccard(first)
    return table
