"""The solver without its checks gives, digit for digit, what the estimator gives."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC, LinearSVC

from subsel.criteria import CrossValidated
from subsel.criteria.refits.cross_validated import FitFailed
from subsel.criteria.refits.libsvm import LinearSolver
from subsel.data.task import Task
from subsel.space.candidates import Candidates
from subsel.space.space import Space

TABLES = {
    "long": lambda rng: rng.normal(size=(60, 8)),
    "wide": lambda rng: rng.normal(size=(24, 40)),
    "column by column": lambda rng: np.asfortranarray(rng.normal(size=(30, 12))),
    "single precision": lambda rng: rng.normal(size=(30, 12)).astype(np.float32),
    "whole numbers": lambda rng: rng.integers(-3, 4, size=(40, 9)),
    "constants": lambda rng: np.hstack([rng.normal(size=(30, 3)), np.ones((30, 4))]),
    "duplicates": lambda rng: np.tile(rng.normal(size=(15, 4)), (2, 3)),
    "shifted": lambda rng: 5.0 + rng.normal(size=(30, 6)),
    "frame": lambda rng: pd.DataFrame(rng.normal(size=(30, 6))),
    "sparse": lambda rng: sparse.random(30, 50, 0.2, "csr", random_state=0),
}
MACHINES = {
    "plain": SVC(kernel="linear"),
    "balanced": SVC(kernel="linear", class_weight="balanced", C=0.3),
    "weighted class": SVC(kernel="linear", class_weight={"no": 3.0}, tol=1e-5, shrinking=False),
}


def labels(X, rng):
    first = X[:, [0]].toarray() if sparse.issparse(X) else np.asarray(X)[:, [0]]
    return np.where(first[:, 0] + rng.normal(size=len(first)) > first.mean(), "yes", "no")


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("table", TABLES)
def test_qualities_equal_cross_val_score(table, machine):
    """Whatever the table and the settings, every quality is that of scikit-learn, to the
    last digit.
    """
    rng = np.random.default_rng(0)
    X, model = TABLES[table](rng), MACHINES[machine]
    y, space = labels(X, rng), Space.of(X.shape[1])
    evaluator = CrossValidated(model, cv=3).bind(Task.of(X, y))
    assert evaluator.solver is not None
    subsets = [
        space.subset(np.sort(rng.choice(X.shape[1], size, replace=False))) for size in (1, 2, 3, 5)
    ]
    found = evaluator.evaluate(Candidates.of(space, subsets))
    for quality, subset in zip(found, subsets):
        columns = space.columns(subset)
        part = X.iloc[:, columns] if table == "frame" else X[:, columns]
        assert quality == cross_val_score(clone(model), part, y, cv=3).mean()
        assert quality == evaluator.explain(columns).quality


def test_folds_that_lack_a_class_are_left_to_the_estimator():
    """Which says that it cannot be fitted."""
    X, y = np.random.default_rng(0).normal(size=(12, 3)), np.repeat([0, 1], 6)
    space, halves = Space.of(3), [(np.arange(6), np.arange(6, 12))]
    evaluator = CrossValidated(SVC(kernel="linear"), cv=halves).bind(
        Task.of(X, y, "classification")
    )
    with pytest.warns(FitFailed, match="number of classes"):
        assert_array_equal(evaluator.evaluate(Candidates.of(space, [space.full()])), [-np.inf])


@pytest.mark.parametrize("invalid", [{"C": -1.0}, {"tol": 0.0}, {"class_weight": {"no": "much"}}])
def test_settings_that_the_estimator_refuses_are_left_to_it(invalid):
    """So that the user reads its own message."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 4))
    task, space = Task.of(X, labels(X, rng)), Space.of(4)
    evaluator = CrossValidated(SVC(kernel="linear", **invalid), cv=2).bind(task)
    with pytest.warns(FitFailed):
        assert_array_equal(evaluator.evaluate(Candidates.of(space, [space.full()])), [-np.inf])


def test_others_are_left_to_the_estimator():
    """Other kernels and machines, three classes, limited iterations, rows without weight.

    Qualities by another scoring.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 5))
    y, linear = labels(X, rng), SVC(kernel="linear")
    task = Task.of(X, y)
    assert LinearSolver.if_supported(linear, task) is not None
    for other in (SVC(), SVC(kernel="linear", max_iter=10), LinearSVC()):
        assert LinearSolver.if_supported(other, task) is None
    assert LinearSolver.if_supported(linear, Task.of(X, np.arange(24) % 3)) is None
    some = Task.of(X, y, sample_weight=np.arange(24.0))
    assert LinearSolver.if_supported(linear, some) is None
    weighted = Task.of(X, y, sample_weight=1 + np.arange(24.0))
    assert CrossValidated(linear).bind(weighted).solver is None
    assert CrossValidated(linear, scoring="f1_macro").bind(task).solver is None
    assert CrossValidated(linear).bind(task).traits.certain
    assert not CrossValidated(linear, scoring="f1_macro").bind(task).traits.certain


def test_the_solver_says_nothing(capfd):
    """Long trainings print no dots, also after an estimator that does."""
    rng = np.random.default_rng(0)
    X, y = 300 * rng.normal(size=(30, 4)), np.arange(30) % 2
    SVC(kernel="linear", verbose=True).fit(X, y)
    assert "..." in capfd.readouterr().out
    LinearSolver(SVC(kernel="linear")).accuracy(
        Task.of(X, y), np.arange(4), np.arange(30), np.arange(30)
    )
    assert capfd.readouterr().out == ""
