"""Data, moves and refits that the evaluators of this folder are held against."""

import warnings

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GroupKFold

from subsel.data.folds import make_folds
from subsel.data.task import Task
from subsel.space.candidates import Candidates
from subsel.space.space import Space
from subsel.testing.criterion import moves, walk

__all__ = [
    "CLASSES",
    "QUANTITIES",
    "check_judge",
    "check_walk",
    "make_task",
    "moves",
    "refit",
    "walk",
]
CLASSES = [
    "balanced",
    "skewed",
    "multi-class",
    "n<p",
    "collinear",
    "duplicated",
    "float32",
    "groups",
]
QUANTITIES = [
    "regression",
    "regression n<p",
    "regression collinear",
    "regression float32",
    "regression groups",
]


def make_task(case: str, seed: int = 0) -> tuple[Task, object]:
    """The data of a case, and its splitter."""
    rng = np.random.default_rng([seed, len(case)])
    n, p = (24, 40) if "n<p" in case else (60, 9)
    X = rng.normal(size=(n, p))
    if "collinear" in case:
        X[:, 4] = X[:, 0] + X[:, 1]
    if "duplicated" in case:
        X[:, 5], X[:, 6] = X[:, 0], X[:, 0]
    signal = X[:, 0] - X[:, 1] + 0.7 * rng.normal(size=n)
    X = X.astype(np.float32) if "float32" in case else X
    groups = np.arange(n) // 4 if "groups" in case else None
    cv = GroupKFold(3) if groups is not None else 3
    if "regression" in case:
        return Task.of(X, signal, "regression", groups=groups), cv
    cuts = {"skewed": [0.85], "multi-class": [0.3, 0.6]}.get(case, [0.5])
    return Task.of(X, np.digitize(signal, np.quantile(signal, cuts)), groups=groups), cv


def refit(model, task: Task, cv, columns: np.ndarray, score=None) -> tuple[float, np.ndarray]:
    """Mean fold score and held-out predictions of a model fitted anew on every fold."""
    X, folds = task.matrix[:, columns], make_folds(cv, task)
    predictions, scores = np.full(task.n_rows, np.nan), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for train, test in zip(folds.train, folds.test):
            fitted = clone(model).fit(X[train], task.y[train])
            predictions[test] = fitted.predict(X[test])
            scores.append(
                fitted.score(X[test], task.y[test])
                if score is None
                else score(fitted, X[test], task.y[test])
            )
    return float(np.mean(scores)), predictions


def check_judge(criterion, model, task: Task, cv, rng: np.random.Generator, score=None) -> None:
    """Every kind of move gives the quality, and every subset the predictions, of refitting."""
    evaluator, space = criterion.bind(task), Space.of(task.n_columns)
    for kind, candidates in moves(space, rng).items():
        wanted = [refit(model, task, cv, columns, score)[0] for columns in candidates.columns()]
        np.testing.assert_allclose(
            evaluator.evaluate(candidates), wanted, rtol=1e-9, atol=1e-9, err_msg=kind
        )
    for columns in candidates.columns():
        found = evaluator.explain(columns).predictions
        np.testing.assert_allclose(found, refit(model, task, cv, columns)[1], rtol=1e-7, atol=1e-7)


def check_walk(criterion, model, task: Task, cv, n_moves: int, every: int, score=None) -> None:
    """Along a walk of single requests the qualities and predictions stay those of refitting."""
    evaluator, space = criterion.bind(task), Space.of(task.n_columns)
    for step, subset in enumerate(walk(space, np.random.default_rng(n_moves), n_moves), start=1):
        quality = evaluator.evaluate(Candidates.of(space, [subset]))[0]
        if step % every == 0:
            columns = space.columns(subset)
            wanted, predictions = refit(model, task, cv, columns, score)
            np.testing.assert_allclose(quality, wanted, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(
                evaluator.explain(columns).predictions, predictions, rtol=1e-7, atol=1e-7
            )
