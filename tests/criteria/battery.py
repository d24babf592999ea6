"""Problems, moves and the refitting oracle shared by the tests of exact evaluators."""

import warnings
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import Pipeline

from subsel.data.folds import make_folds
from subsel.data.task import Task
from subsel.space.candidates import Candidates
from subsel.space.space import Space

SITUATIONS = (
    "balanced",
    "skewed",
    "multi-class",
    "wide",
    "collinear",
    "duplicated",
    "weights",
    "float32",
    "groups",
)


@dataclass
class Problem:
    task: Task
    cv: object
    space: Space

    @cached_property
    def folds(self):
        return make_folds(self.cv, self.task)


def problem(situation, kind="classification", seed=0):
    """A small problem of the named kind."""
    rng = np.random.default_rng([seed, SITUATIONS.index(situation)])
    n, p = (30, 45) if situation == "wide" else (75, 10)
    X = (
        rng.normal(size=(n, p))
        @ (np.eye(p) + 0.3 * rng.normal(size=(p, p)))
        * rng.uniform(0.5, 20, p)
        + 5
    )
    signal = X[:, 0] / X[:, 0].std() - X[:, 1] / X[:, 1].std() + 0.7 * rng.normal(size=n)
    if situation == "collinear":
        X[:, 3] = X[:, 1] - 2 * X[:, 2]
        X[:, 4] = X[:, 1] + 1e-3 * rng.normal(size=n)
    if situation == "duplicated":
        X[:, 5], X[:, 6], X[:, 7] = X[:, 0], 2.5, 2 * X[:, 1]
    y = signal
    if kind == "classification":
        shares = {"skewed": [0.8], "multi-class": [0.3, 0.6]}.get(situation, [0.5])
        y = np.digitize(signal, np.quantile(signal, shares))
    weight = rng.uniform(0.2, 3, n) if situation == "weights" else None
    groups = rng.integers(0, 9, n) if situation == "groups" else None
    X = X.astype(np.float32) if situation == "float32" else X
    cv = GroupKFold(3) if situation == "groups" else 3
    return Problem(Task.of(X, y, kind, sample_weight=weight, groups=groups), cv, Space.of(p))


def refit(model, prob, columns, scoring=None):
    """Return quality and held-out predictions by fitting a clone on each fold.

    The quality is minus infinity where that fails.
    """
    task = prob.task
    X, y = task.matrix[:, columns], task.y
    scorer = check_scoring(model, scoring)
    name = (
        f"{model.steps[-1][0]}__sample_weight" if isinstance(model, Pipeline) else "sample_weight"
    )
    scores, predictions = [], np.empty(len(y), dtype=y.dtype)
    for train, test in zip(prob.folds.train, prob.folds.test):
        weight = {} if task.sample_weight is None else {name: task.sample_weight[train]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                fitted = clone(model).fit(X[train], y[train], **weight)
            except np.linalg.LinAlgError:
                return -np.inf, None
            scores.append(scorer(fitted, X[test], y[test]))
            predictions[test] = fitted.predict(X[test])
    return np.mean(scores), predictions


def agrees(evaluator, quality, model, prob, columns, scoring=None):
    """The evaluator's quality is the refitted one to 1e-9, and its predictions are the same."""
    expected, predictions = refit(model, prob, columns, scoring)
    np.testing.assert_allclose(
        quality, expected, rtol=1e-9, atol=1e-9, err_msg=f"columns {columns}"
    )
    if predictions is None:
        return
    shown = evaluator.explain(columns)
    np.testing.assert_allclose(shown.quality, expected, rtol=1e-9, atol=1e-9)
    if prob.task.kind == "classification":
        np.testing.assert_array_equal(shown.predictions, predictions)
    else:
        np.testing.assert_allclose(shown.predictions, predictions, rtol=1e-7, atol=1e-7)


def check_moves(evaluator, model, prob, seed=0, rounds=2, scoring=None):
    """Additions, removals, swaps and random subsets, each looked at for a few candidates."""
    rng, space = np.random.default_rng(seed), prob.space
    base = space.subset(rng.choice(space.n_units, 3, replace=False))
    for _ in range(rounds):
        for moves in (space.additions, space.removals, space.swaps, None):
            batch = (
                Candidates.of(space, [space.sample(rng, s) for s in (1, 2, 5)])
                if moves is None
                else moves(base)
            )
            qualities = evaluator.evaluate(batch)
            for i in rng.choice(len(batch), 2, replace=False):
                agrees(evaluator, qualities[i], model, prob, space.columns(batch[i]), scoring)
        base = space.flip(base, int(rng.integers(space.n_units)))
        base = base if base.size > 1 else space.subset([0, 1])


def check_walk(evaluator, model, prob, n_moves, every, seed=0):
    """A long walk of single requests: flips and swaps, half of them accepted."""
    rng, space = np.random.default_rng(seed), prob.space
    at = space.subset([0, 1])
    for step in range(1, n_moves + 1):
        units = [int(rng.choice(space.others(at) if at.size < 7 else space.units(at)))]
        if rng.random() < 0.5 and 1 < at.size < 7:
            units = [int(rng.choice(space.units(at))), int(rng.choice(space.others(at)))][
                : int(rng.integers(1, 3))
            ]
        there = space.flip(at, *units)
        if not there.size:
            continue
        quality = evaluator.evaluate(Candidates.of(space, [there]))[0]
        if step % every == 0:
            agrees(evaluator, quality, model, prob, space.columns(there))
        at = there if rng.random() < 0.5 else at
