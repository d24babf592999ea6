"""Margins of the nearest-neighbour rule, their evaluation, and Simba."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from scipy.special import expit
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from subsel._loops.neighbours.simba import simba_pass
from subsel.ranking.scores.neighbours import hypothesis_margin as margin
from subsel.ranking.scores.neighbours.hypothesis_margin import (
    margin_evaluation,
    margins,
    mean_distance,
)
from subsel.ranking.scores.neighbours.simba import simba
from tests.oracles import relief as oracle


def problem(seed=0, n=40, p=6, n_classes=3):
    rng = np.random.default_rng(seed)
    y = np.r_[
        np.arange(n_classes), rng.integers(n_classes - 1, size=n - n_classes)
    ]  # the last class has one row
    return rng.normal(size=(n, p)) + y[:, None] * np.linspace(1, 0, p), y


def parity(seed=0, n=300, p=10):
    """The class is the parity of the signs of the first three of ten uniform features."""
    X = np.random.default_rng(seed).uniform(-1, 1, size=(n, p))
    return X, (X[:, :3] > 0).sum(axis=1) % 2


@pytest.mark.parametrize("seed", range(5))
def test_margins_equal_their_definition(seed):
    """Margins are those of loops over all pairs, a row alone in its class having none."""
    X, y = problem(seed)
    weights = np.random.default_rng(seed).normal(size=X.shape[1])
    theta = margins(X, y, weights)
    assert np.flatnonzero(np.isnan(theta)).tolist() == [2]
    assert_allclose(theta[~np.isnan(theta)], oracle.margins(X, y, weights), rtol=1e-12)


def test_margins_do_not_depend_on_the_block(monkeypatch):
    """Rows are worked on in blocks that leave no trace."""
    X, y = problem()
    whole = margins(X, y)
    monkeypatch.setattr(margin, "BLOCK", 7)
    assert_allclose(margins(X, y), whole, rtol=1e-12)


def test_margins_of_duplicates_are_exact():
    """A duplicate of the other class lies at distance exactly zero, however far from the origin."""
    X, y = problem()
    X += 1e6
    X[1] = X[0]
    theta = margins(X, y)
    hits = [
        np.linalg.norm(X[i] - np.delete(X, i, 0)[np.delete(y, i) == y[i]], axis=1).min()
        for i in (0, 1)
    ]
    assert_allclose(theta[:2], np.array(hits) / -2, rtol=1e-9)


def test_evaluation_by_hand():
    """Four points on a line: margins 2, 1.5, 1, 2, with an idle second feature of any weight."""
    X, y = np.array([[0.0, 4.0], [1.0, 4.0], [5.0, 4.0], [7.0, 4.0]]), [0, 0, 1, 1]
    assert margin_evaluation(X, y, [1, 9]) == 6.5
    assert margin_evaluation(X, y, [-2, 0]) == 13
    assert margin_evaluation(X, y, utility="zero-one") == 4
    assert margin_evaluation(X, y, utility="sigmoid", beta=2.0) == pytest.approx(
        expit([4, 3, 2, 4]).sum()
    )


def test_empty_set():
    """Without features every margin is zero: evaluations 0, 0 and half a row each."""
    X, y = problem(n_classes=2)
    y = y.copy()
    y[3] = 1
    for utility, value in (("linear", 0), ("zero-one", 0), ("sigmoid", len(y) / 2)):
        assert margin_evaluation(X, y, np.zeros(X.shape[1]), utility=utility) == value


@pytest.mark.parametrize("seed", range(3))
def test_zero_one_counts_leave_one_out_successes(seed):
    """The zero-one evaluation is n times the leave-one-out accuracy of 1-NN."""
    X, y = parity(seed, n=60)
    accuracy = cross_val_score(KNeighborsClassifier(1), X, y, cv=LeaveOneOut()).mean()
    assert margin_evaluation(X, y, utility="zero-one") == pytest.approx(60 * accuracy)


def test_linear_evaluation_is_homogeneous():
    """Multiplying all weights multiplies the linear evaluation by their common size."""
    X, y = problem()
    w = np.linspace(0.5, 2, X.shape[1])
    assert margin_evaluation(X, y, -3 * w) == pytest.approx(3 * margin_evaluation(X, y, w))


def test_steepness_defaults_to_the_mean_distance():
    """Beta is one over the mean distance of two different rows."""
    X, y = problem()
    pairs = [np.linalg.norm(X[i] - X[j]) for i in range(len(X)) for j in range(i)]
    assert mean_distance(X) == pytest.approx(np.mean(pairs))
    expected = expit(oracle.margins(X, y, np.ones(X.shape[1])) / np.mean(pairs)).sum()
    assert margin_evaluation(X, y, utility="sigmoid") == pytest.approx(expected)


@pytest.mark.parametrize("beta", [0.0, 0.7])
def test_passes_equal_their_definition(beta):
    """A pass of Simba is the chapter's algorithm, duplicates and lone rows included."""
    X, y = problem(n=30)
    X[7] = X[9]
    y[7] = y[9]
    order = np.random.default_rng(1).permutation(30)

    def slope(theta):
        u = expit(beta * theta)
        return beta * u * (1 - u) if beta else 1.0

    expected = oracle.simba_pass(X, y, order, np.ones(X.shape[1]), slope)
    weights = np.ones(X.shape[1])
    simba_pass(X, y, order, weights, beta, 1.0)
    assert_allclose(weights, expected, rtol=1e-10)


def test_a_step_follows_the_gradient():
    """The steps of all rows at the same weights sum to the gradient of the linear evaluation."""
    X, y = problem()
    w = np.linspace(0.5, 1.5, X.shape[1])
    total = np.zeros_like(w)
    for i in range(len(X)):
        stepped = w.copy()
        simba_pass(X, y, np.array([i]), stepped, 0.0, 1.0)
        total += stepped - w
    assert_allclose(
        total, approx_fprime(w, lambda v: margin_evaluation(X, y, v), 1e-7), rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize("utility", ["linear", "sigmoid"])
def test_simba_widens_the_margin(utility):
    """On parity Simba puts the three features first and its weights evaluate better than equal
    ones."""
    X, y = parity()
    scores = simba(X, y, utility=utility, n_passes=3, n_restarts=2, random_state=0)
    assert set(np.argsort(scores)[-3:]) == {0, 1, 2}
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    equal = margin_evaluation(scaled, y, utility=utility)
    assert margin_evaluation(scaled, y, np.sqrt(scores), utility=utility) > equal


def test_simba_keeps_the_best_restart():
    """More restarts from the same generator never end with a smaller evaluation."""
    X, y = parity(n=80)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    reached = [
        margin_evaluation(scaled, y, np.sqrt(simba(X, y, n_restarts=r, random_state=3)))
        for r in (1, 2, 4, 8)
    ]
    assert np.all(np.diff(reached) >= -1e-9)
    assert reached[-1] > reached[0]


def test_simba_is_scaled_and_ignores_constants():
    """Scores are at most 1, a constant feature scores 0, affine changes of features leave scores
    alone."""
    X, y = parity(n=80)
    X = np.column_stack([X, np.full(80, 5.0)])
    scores = simba(X, y, n_restarts=2, random_state=0)
    assert scores.max() == 1 and scores.min() >= 0 and scores[-1] == 0
    changed = X * np.r_[np.linspace(-3, 7, 10), 2] + 4
    assert_allclose(simba(changed, y, n_restarts=2, random_state=0), scores, rtol=1e-7)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda X, y: simba(X, y, utility="zero-one"),
            "utility must be 'linear' or 'sigmoid', got 'zero-one'",
        ),
        (
            lambda X, y: simba(X, y, n_restarts=0),
            "n_passes and n_restarts must be at least 1, got 1 and 0",
        ),
        (lambda X, y: simba(X, y, utility="sigmoid", beta=0.0), "beta must be positive, got 0.0"),
        (lambda X, y: margin_evaluation(X, y, utility="cubic"), "utility must be .* got 'cubic'"),
        (
            lambda X, y: margins(X, y, [1.0]),
            r"weights must have one entry per feature \(6\), got shape \(1,\)",
        ),
        (lambda X, y: margins(X, np.zeros(len(y))), "at least two classes"),
    ],
)
def test_bad_arguments_are_named(call, words):
    """An argument out of its domain is named with the value received."""
    with pytest.raises(ValueError, match=words):
        call(*problem())
