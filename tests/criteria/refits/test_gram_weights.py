"""Weights of a linear support vector machine from its Gram matrix equal those of the
machine refitted.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.feature_selection import RFE
from sklearn.svm import SVC

from subsel import SubsetSelector
from subsel.criteria import CrossValidated
from subsel.criteria.refits.gram_weights import GramWeights
from subsel.data.task import Task
from subsel.search import RecursiveElimination

MODEL = SVC(kernel="linear", C=0.1, tol=1e-6)


def wide(seed=0, n=24, p=60):
    """More columns than rows."""
    X = np.random.default_rng(seed).normal(size=(n, p))
    return X, np.where(X[:, 0] > X[:, 1], "b", "a")


def refitted(X, y, columns, weight=None):
    return clone(MODEL).fit(X[:, columns], y, weight).coef_[0]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dropped", [1, 7, "half"])
def test_every_step_equals_refitting(dropped, weighted):
    """Down to a single column, whatever leaves at a time, with weights of rows or without."""
    X, y = wide()
    rng = np.random.default_rng(1)
    weight = rng.uniform(0.5, 2, len(y)) if weighted else None
    held, order = GramWeights(MODEL, Task.of(X, y, sample_weight=weight)), rng.permutation(60)
    while len(order):
        columns = np.sort(order)
        expected = refitted(X, y, columns, weight)
        assert_allclose(held.of(columns), expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())
        order = order[: len(order) // 2] if dropped == "half" else order[:-dropped]


def test_jumps_and_forks():
    """A subset that is no part of the last, and forks in turns, are answered as if alone."""
    X, y = wide()
    held = GramWeights(MODEL, Task.of(X, y))
    twins, rng = [held, held.fork()], np.random.default_rng(0)
    for _ in range(6):
        for twin in twins:
            columns = np.sort(rng.choice(60, int(rng.integers(2, 50)), replace=False))
            expected = refitted(X, y, columns)
            assert_allclose(
                twin.of(columns), expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max()
            )


@pytest.mark.parametrize("class_weight", [None, "balanced", {"a": 3.0}])
def test_the_solver_repeats_the_estimator(class_weight):
    """At scikit-learn's own tolerance, with weights of classes: the solver itself is asked."""
    X, y = wide()
    machine = SVC(kernel="linear", class_weight=class_weight)
    held = GramWeights(machine, Task.of(X, y))
    for size in (60, 59, 31, 30, 8):
        expected = clone(machine).fit(X[:, :size], y).coef_[0]
        assert_allclose(
            held.of(np.arange(size)), expected, rtol=1e-3, atol=2e-3 * np.abs(expected).max()
        )
    assert held.solver is not None
    assert held.fork()._full is held._full


def test_machines_that_may_stop_early_stay_with_the_estimator():
    """Which warns of them."""
    X, y = wide()
    held = GramWeights(SVC(kernel="linear", max_iter=2), Task.of(X, y))
    for size in (60, 40):
        with pytest.warns(UserWarning, match="early"):
            held.of(np.arange(size))


def test_digits_are_not_lost_with_a_column_that_dwarfs_the_others():
    """When a column ten million times as large leaves, the products of the rest are summed
    afresh.
    """
    X, y = wide()
    X[:, 5] *= 1e7
    held, rest = GramWeights(MODEL, Task.of(X, y)), np.delete(np.arange(60), 5)
    held._go(np.arange(60))
    held._go(rest)
    assert_allclose(held._here.gram, X[:, rest] @ X[:, rest].T, rtol=1e-12, atol=1e-12)


def test_only_where_it_pays():
    """Other kernels, three classes and long tables are refitted as before."""
    X, y = wide()
    task = Task.of(X, y)
    assert GramWeights.where_it_pays(MODEL, task) is not None
    assert GramWeights.where_it_pays(SVC(), task) is None
    assert GramWeights.where_it_pays(MODEL, Task.of(X, np.arange(24) % 3)) is None
    assert GramWeights.where_it_pays(MODEL, Task.of(X[:, :20], y)) is None


@pytest.mark.parametrize("step", [1, 5])
def test_the_order_is_that_of_scikit_learn(step):
    """The selector keeps what RFE keeps, and the evaluator says that its machine is refitted."""
    X, y = wide()
    selector = SubsetSelector(MODEL, RecursiveElimination(step), n_features=5, cv=2).fit(X, y)
    assert_array_equal(
        selector.support_, RFE(MODEL, n_features_to_select=5, step=step).fit(X, y).support_
    )
    assert CrossValidated(MODEL).bind(Task.of(X, y)).gram is not None
