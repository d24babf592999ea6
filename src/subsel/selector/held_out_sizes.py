"""The number of columns, compared on rows that took part in no search.

In every outer fold the complete search runs on the training part; the best subset of each size is
fitted there and scored on the held-out rows. The search on all rows then gives the subset of the
chosen size.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from subsel.criteria.base import Criterion
from subsel.criteria.exact import exact_criterion
from subsel.criteria.scoring.scoring import NotExact, Scoring, find_scoring
from subsel.data.folds import make_folds, shuffled_folds
from subsel.data.routing import weight_arguments
from subsel.data.size_rules import HeldOutScores, beats_no_columns, per_group
from subsel.data.task import Task
from subsel.result.result import Result, SelectedSubset
from subsel.runtime.fold_loop import run_jobs

__all__ = ["SizeCurve", "compare_sizes", "has_held_out_sizes", "outer_folds"]

MOST_FOLDS = (
    10  # a splitter of more folds, such as leave-one-out, would repeat the search too often
)
Search = Callable[[Task, int], Result]


@dataclass(frozen=True, eq=False)
class SizeCurve:
    """Held-out score of each number of columns, and the number chosen from it.

    Parameters
    ----------
    sizes : ndarray of shape (n_sizes,)
        Numbers of columns, 0 first: the model without columns.
    scores : ndarray of shape (n_sizes,)
        Mean held-out score, larger is better. It guided the choice of the size, so that the score
        of the chosen size is not an estimate of performance.
    standard_errors : ndarray of shape (n_sizes,)
        Standard errors of the paired differences to the best size.
    measure : str
        Name of the score.
    best : int
        The size of the best score.
    chosen : int
        The size chosen by the rule.
    beats_constant : bool
        Whether the chosen number, before it was perhaps set to 0, beats the model without columns.
    interrupted : bool
        Whether the user ended the comparison before all folds were done.

    Examples
    --------
    >>> scores, errors = np.array([-1.0, -0.5, -0.49]), np.array([0.2, 0.03, 0.0])
    >>> curve = SizeCurve(np.arange(3), scores, errors, "neg_mean_squared_error", 2, 1, True)
    >>> curve.chosen
    1
    """

    sizes: np.ndarray
    scores: np.ndarray
    standard_errors: np.ndarray
    measure: str
    best: int
    chosen: int
    beats_constant: bool
    interrupted: bool = False


class Measure(NamedTuple):
    """How held-out outputs are compared.

    Parameters
    ----------
    scoring : Scoring
        A score of held-out outputs.
    proper : bool
        Whether it is a mean over rows of a proper loss.
    """

    scoring: Scoring
    proper: bool


class PathScores(NamedTuple):
    """What one outer fold knows of the sizes.

    Parameters
    ----------
    rows : ndarray of shape (n_held_out,)
        Row numbers.
    values : ndarray of shape (n_held_out, n_sizes) or (1, n_sizes)
        The score of each row, or of all of them where it is no mean over rows; sizes from 0.
    score : float
        The best mean, shown as the fold ends.
    """

    rows: np.ndarray
    values: np.ndarray
    score: float


@dataclass(frozen=True)
class _Shared:
    """What all outer folds use."""

    task: Task
    search: Search
    model: Any
    measure: Measure
    folds: list[tuple[np.ndarray, np.ndarray]]
    high: int


def has_held_out_sizes(model: Any) -> bool:
    """Whether sizes can be compared on held-out rows, which needs a model that predicts."""
    return hasattr(model, "fit") or (hasattr(model, "cv") and hasattr(model, "scoring"))


def outer_folds(cv: Any, task: Task, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The outer folds: those of ``cv``, or five shuffled ones where it gives none or too many.

    Parameters
    ----------
    cv : int, splitter or None
        As of the selector. Pairs of rows cannot be split again within a training part.
    task : Task
        The problem.
    seed : int
        Seed of shuffled folds.
    """
    if cv is None:
        return shuffled_folds(task, seed)
    if isinstance(cv, list | tuple):
        raise ValueError(
            "choose='cv' repeats the search within each training part, which fixed pairs of rows "
            "cannot split: pass cv as a number or a splitter."
        )
    folds = make_folds(cv, task)
    if len(folds) > MOST_FOLDS:
        return shuffled_folds(task, seed)
    return list(zip(folds.train, folds.test))


def compare_sizes(
    task: Task,
    search: Search,
    model: Any,
    *,
    scoring: Any,
    folds: list[tuple[np.ndarray, np.ndarray]],
    bounds: tuple[int, int],
    one_se: bool,
    n_jobs: int | None = None,
    verbose: int = 0,
    journal: Any = None,
) -> SizeCurve:
    """Search in every outer fold and choose the number of columns on its held-out rows.

    Parameters
    ----------
    task : Task
        All rows.
    search : callable
        ``search(part, fold)`` runs the complete search on the rows of a training part.
    model : estimator or Criterion
        What predicts, fitted on the training part with the columns of each size.
    scoring : object
        The score that the search maximises. Accuracies are compared by the Brier score where the
        model gives probabilities: they move in steps of a row, and their best of many sizes
        flatters itself.
    folds : list of (train, test)
        The outer folds.
    bounds : tuple of int
        The least and the greatest number of columns; at least 0 allows none.
    one_se : bool
        Choose the smallest size within one standard error of the best, not the best.
    n_jobs, verbose, journal : object
        As of `run_jobs`.

    Returns
    -------
    SizeCurve
        The curve and the choice, from the folds that are done where the user ended it early.
    """
    low, high = bounds
    measure = _measure(task, model, scoring)
    shared = _Shared(task, search, model, measure, folds, high)
    paths, interrupted = run_jobs(
        _path_scores,
        shared,
        ((fold,) for fold in range(len(folds))),
        len(folds),
        n_jobs=n_jobs,
        what="number of columns",
        verbose=verbose,
        journal=journal,
    )
    if len(paths) < 2:
        raise KeyboardInterrupt
    scores = _scores_by_size(task, measure, paths)
    first = max(low, 1)
    best = scores.best(first)
    chosen = scores.smallest_near(best, first) if one_se else best
    beats = beats_no_columns(scores, chosen, proper=measure.proper)
    if low == 0 and not beats:
        chosen = 0
    _, errors = scores.differences(best)
    return SizeCurve(
        scores.sizes, scores.means(), errors, measure.scoring.name, best, chosen, beats, interrupted
    )


def _measure(task: Task, model: Any, scoring: Any) -> Measure:
    """The score by which sizes are compared."""
    asked = find_scoring(scoring, task)
    if task.kind == "regression":
        if asked is None or asked.name in ("r2", "neg_root_mean_squared_error"):
            asked = find_scoring("neg_mean_squared_error", task)
        assert asked is not None
        return Measure(asked, asked.by_row is not None)
    if asked is not None and asked.needs != "labels":
        return Measure(asked, asked.by_row is not None)
    exact = exact_criterion(model, None, 5) if hasattr(model, "fit") else model
    gives = getattr(exact, "gives", ())
    proper = None
    if "probability" in gives or hasattr(model, "predict_proba"):
        proper = find_scoring("neg_brier_score", task)
    elif "codes" in gives:
        proper = find_scoring("code_error", task)
    if proper is not None:
        return Measure(proper, True)
    if asked is None:
        asked = find_scoring("accuracy", task)
    assert asked is not None
    return Measure(asked, False)


def _path_scores(shared: _Shared, fold: int) -> PathScores:
    """Search on the training part of a fold; score the best subset of each size on the others."""
    train, test = shared.folds[fold]
    result = shared.search(shared.task.rows(train), fold)
    best = {found.size: found for found in result.by_size}
    values = [_constant(shared, train, test)]
    last: SelectedSubset | None = None
    score_of = _scorer(shared, train, test)
    for size in range(1, shared.high + 1):
        found = best.get(size, last)  # a size that was not visited takes the best smaller one
        if found is None:
            values.append(values[0])
        elif found is last:
            values.append(values[-1])
        else:
            values.append(score_of(np.asarray(found.columns)))
        last = found
    table = np.stack(values, axis=1)
    return PathScores(test, table, float(table.mean(axis=0).max()))


def _scorer(
    shared: _Shared, train: np.ndarray, test: np.ndarray
) -> Callable[[np.ndarray], np.ndarray]:
    """Give a function that scores columns on held-out rows, exactly where possible."""
    scoring, folds = shared.measure.scoring, [(train, test)]
    try:
        if isinstance(shared.model, Criterion) and not hasattr(shared.model, "fit"):
            changes: dict[str, Any] = {"cv": folds, "scoring": scoring.name}
            if getattr(shared.model, "criterion", None) is not None:
                changes["criterion"] = None
            evaluator = replace(shared.model, **changes).bind(shared.task)  # type: ignore[type-var]
        else:
            exact = exact_criterion(shared.model, scoring.name, folds)
            if exact is None:
                raise NotExact("no exact criterion")
            evaluator = exact.bind(shared.task)
    except NotExact:
        return lambda columns: _refitted(shared, train, test, columns)

    def explained(columns: np.ndarray) -> np.ndarray:
        found = evaluator.explain(columns)
        if found.row_scores is not None:
            return found.row_scores[test]
        return np.array(found.fold_scores)

    return explained


def _refitted(
    shared: _Shared, train: np.ndarray, test: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """Scores (n_held_out,) or (1,) of a model fitted on these columns of the training part."""
    task, needs = shared.task, shared.measure.scoring.needs
    X = task.select(columns)
    if getattr(X, "format", None) == "csc":
        X = X.tocsr()
    weights = task.row_weights[train] if task.weighted else None
    model = clone(shared.model)
    model.fit(_safe_indexing(X, train), task.y[train], **weight_arguments(model, weights))
    held_out = _safe_indexing(X, test)
    if needs == "values":
        outputs = model.predict(held_out)
    elif needs == "labels":
        outputs = np.searchsorted(task.classes, model.predict(held_out))
    elif needs == "decision" and hasattr(model, "decision_function"):
        outputs = model.decision_function(held_out)
    else:
        outputs = np.zeros((len(test), len(task.classes)))
        outputs[:, np.searchsorted(task.classes, model.classes_)] = model.predict_proba(held_out)
        if needs == "decision":
            outputs = outputs[:, 1]
    return _scored(shared, test, outputs)


def _constant(shared: _Shared, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Score the model without columns: the mean of the quantity, or the shares of classes."""
    task, needs = shared.task, shared.measure.scoring.needs
    weights = task.row_weights[train]
    if needs == "values":
        outputs = np.full(len(test), np.average(task.y[train].astype(float), weights=weights))
    else:
        share = np.bincount(task.codes[train], weights, minlength=len(task.classes))
        share = share / share.sum()
        if needs == "labels":
            outputs = np.full(len(test), int(share.argmax()))
        elif needs == "decision":
            outputs = np.zeros(len(test))
        else:
            outputs = np.tile(share, (len(test), 1))
            if needs == "codes":
                outputs = 2 * outputs - 1
                if len(share) == 2:
                    outputs = outputs[:, 1:]
    return _scored(shared, test, outputs)


def _scored(shared: _Shared, test: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    """The score of each row, or of all rows where it is no mean over rows."""
    scoring, task = shared.measure.scoring, shared.task
    truth = (task.codes if task.kind == "classification" else task.y)[test]
    if scoring.by_row is not None:
        return scoring.by_row(truth, outputs[None])[0]
    return scoring(truth, outputs[None])


def _scores_by_size(task: Task, measure: Measure, paths: list[PathScores]) -> HeldOutScores:
    """Collect the scores of all folds: a unit is a row, a group of rows, or a fold."""
    sizes = np.arange(paths[0].values.shape[1])
    if measure.scoring.by_row is None:
        values = np.concatenate([path.values for path in paths])
        return HeldOutScores(sizes, values, np.ones(len(values)))
    rows = np.concatenate([path.rows for path in paths])
    seen, place, counts = np.unique(rows, return_inverse=True, return_counts=True)
    values = np.zeros((len(seen), len(sizes)))
    np.add.at(values, place.ravel(), np.concatenate([path.values for path in paths]))
    values /= counts[:, None]
    weights = np.ones(len(seen))
    if task.groups is None:
        return HeldOutScores(sizes, values, weights)
    return HeldOutScores(sizes, *per_group(values, weights, np.asarray(task.groups)[seen]))
