"""Golub's ratio and elimination by a linear machine on nested sizes, against scikit-learn's elimination."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification
from sklearn.feature_selection import RFE
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from subsel.literature.recipes import (
    ReferenceCell,
    baseline_curve,
    baseline_rankers,
    reference_cells,
    reference_curve,
    reference_errors,
    rfe_svm_order,
)
from subsel.literature.recipes.baseline_rankers import log_spaced_sizes
from subsel.ranking import signal_to_noise


def problem(n_classes=2):
    X, y = make_classification(60, 12, n_informative=4, n_classes=n_classes, random_state=0)
    return StandardScaler().fit_transform(X), y


@given(st.integers(1, 10_000), st.integers(1, 40))
def test_sizes_are_many_different_and_about_even(n_features, n_sizes):
    """There are as many as asked for, or as features; they grow from 1 to all, and never by more than their ratio."""
    sizes = log_spaced_sizes(n_features, n_sizes)
    assert len(sizes) == min(n_features, n_sizes) and sizes[-1] == n_features
    assert (np.diff(sizes) > 0).all()
    if len(sizes) > 1:
        assert sizes[0] == 1
        ratio = n_features ** (1 / (len(sizes) - 1))
        assert (sizes[1:] <= np.maximum(sizes[:-1] + 1, (sizes[:-1] + 0.5) * ratio + 0.5)).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_by_one_it_is_scikit_learns_elimination(n_classes):
    """The order is that in which scikit-learn's elimination drops columns."""
    X, y = problem(n_classes)
    peer = RFE(SVC(kernel="linear"), n_features_to_select=1, step=1).fit(X, y)
    assert_array_equal(rfe_svm_order(X, y), np.argsort(peer.ranking_))


def test_large_steps_pass_through_the_sizes():
    """With sizes, the first columns of the order are what refitting at each size keeps."""
    X, y = problem()
    sizes, kept = [2, 5, 12], np.arange(12)
    order = rfe_svm_order(X, y, sizes=sizes)
    for size in (5, 2):
        weights = np.abs(SVC(kernel="linear").fit(X[:, kept], y).coef_[0])
        kept = np.sort(kept[np.argsort(weights)[-size:]])
        assert_array_equal(np.sort(order[:size]), kept)


def test_halving_agrees_on_the_top_few():
    """Where weights are well apart, dropping half at a time keeps the same first columns as one at a time."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 32)), np.arange(80) % 2
    X[:, [3, 8, 21]] += np.outer(y, [4.0, 3.0, 2.0])
    halves = rfe_svm_order(X, y, C=0.01, sizes=2 ** np.arange(6))
    assert set(halves[:3]) == set(rfe_svm_order(X, y, C=0.01)[:3]) == {3, 8, 21}


def test_the_curve_is_that_of_refitting_in_each_fold():
    """Each point is the mean over folds of a machine on the columns that the fold's own ranking puts first."""
    X, y = problem()
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    machine = make_pipeline(StandardScaler(), SVC(kernel="linear"))
    found = baseline_curve(X, y, n_sizes=4, cv=folds)
    assert_array_equal(found.sizes, log_spaced_sizes(12, 4))
    for place, size in enumerate(found.sizes):
        scores = []
        for train, test in folds.split(X, y):
            first = np.argsort(-signal_to_noise(X[train], y[train]), kind="stable")[:size]
            fold = [(np.arange(len(train)), np.arange(len(train), len(y)))]
            rows = np.r_[train, test]
            scores += list(
                cross_val_score(
                    machine, X[rows][:, first], y[rows], cv=fold, scoring="balanced_accuracy"
                )
            )
        assert_allclose(found.scores[place], np.mean(scores))


def test_elimination_and_a_grid_of_machines():
    """Elimination finds the informative columns, a grid of machines may evaluator, and a wrong ranker is named."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 20)), np.arange(60) % 2
    X[:, 3] += 5 * y
    grid = GridSearchCV(SVC(kernel="linear"), {"C": [0.1, 1.0]}, cv=2)
    assert baseline_curve(X, y, "rfe", grid, n_sizes=3, cv=2).scores[0] > 0.9
    with pytest.raises(ValueError, match="ranker must be"):
        baseline_curve(X, y, "relief")


@pytest.mark.parametrize("ranker", ["golub", "rfe"])
def test_the_best_machine_is_searched_at_every_size(ranker):
    """Each point is the least error of any cell on the first columns, with the cell that has it."""
    X, y = problem()
    cells = [cell for cell in reference_cells() if cell.C == 1.0][::13]
    curve = reference_curve(X, y, ranker, n_sizes=3, cv=2, cells=cells)
    assert_array_equal(curve.sizes, log_spaced_sizes(12, 3))
    scores = (
        np.argsort(-signal_to_noise(X, y), kind="stable")
        if ranker == "golub"
        else rfe_svm_order(X, y, 1.0, [1, 3, 12])
    )
    assert_array_equal(curve.order, scores)
    for size, error, best in zip(curve.sizes, curve.errors, curve.cells):
        errors = {cell: reference_errors(X[:, curve.order[:size]], y, cell, 2)[0] for cell in cells}
        assert error == min(errors.values()) == errors[best]


def test_all_machines_are_searched_unless_some_are_given(monkeypatch):
    """All 72 are asked at every size, and the best of them is named."""
    wanted, asked = ReferenceCell("rows", "poly3", 0.1), []

    def told(X, y, cells, cv):
        asked.extend((X.shape[1], cell) for cell in cells)
        return {cell: ((0.0 if cell == wanted else 0.5), 1.0) for cell in cells}

    monkeypatch.setattr(baseline_rankers, "reference_study", told)
    curve = reference_curve(*problem(), n_sizes=2)
    assert (
        asked == [(size, cell) for size in (1, 12) for cell in reference_cells()]
        and len(asked) == 144
    )
    assert curve.cells == [wanted, wanted] and curve.errors.tolist() == [0.0, 0.0]
