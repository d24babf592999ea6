"""Boosting whose trees draw columns by weight."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.literature.models import MARTClassifier, MARTRegressor
from subsel.literature.models.trees.sampled_tree import SampledTree, SamplingLaw
from subsel.literature.models.trees.weighted_sampling import (
    ForestHistory,
    FullHistory,
    RecentHistory,
)


@parametrize_with_checks([MARTRegressor(20, n_draws=9, max_depth=4), MARTClassifier(20, n_draws=9)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def table(n=150, p=6, seed=0):
    """A table and a target with an interaction."""
    X = np.random.default_rng(seed).standard_normal((n, p)).astype(np.float32)
    return X, (X[:, 0] * X[:, 1] + X[:, 2]).astype(float)


@pytest.mark.parametrize("weights", [np.ones(150), np.arange(150) % 4 * 1.0])
def test_a_tree_that_sees_all_columns_is_scikit_learns(weights):
    """If all columns are drawn, a tree has the splits and importances of scikit-learn's tree."""
    X, y = table()
    rows = np.flatnonzero(weights)
    tree = SampledTree(3, 8).grow(X, y[:, None], weights, rows, SamplingLaw(np.ones(6), 6), 0)
    tree.set_values(tree.leaves(X[rows]), (weights * y)[rows, None], weights[rows, None])
    peer = DecisionTreeRegressor(max_depth=3, min_samples_leaf=8, random_state=0)
    peer.fit(X[rows], y[rows], sample_weight=weights[rows])
    assert_allclose(tree.predict(X)[:, 0], peer.predict(X), atol=1e-9)
    assert_allclose(
        tree.importances, peer.tree_.compute_feature_importances(normalize=False), atol=1e-9
    )


@pytest.mark.parametrize("sampling", ["full", "recent", "uniform"])
def test_with_all_columns_drawn_it_is_plain_boosting(sampling):
    """With as many draws as columns, every law gives scikit-learn's gradient boosting."""
    X, y = table()
    common = {"n_estimators": 15, "max_depth": 2, "min_samples_leaf": 5, "random_state": 0}
    ours = MARTRegressor(sampling=sampling, n_draws=6, **common).fit(X, y)
    theirs = GradientBoostingRegressor(**common).fit(X, y)
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-6)
    for labels in (y > 0, np.digitize(y, [-0.5, 0.5])):
        ours = MARTClassifier(sampling=sampling, n_draws=6, **common).fit(X, labels)
        theirs = GradientBoostingClassifier(**common).fit(X, labels)
        assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


def test_constant_weights_are_uniform_sampling():
    """A law whose weights never change draws as the uniform one does, tree by tree."""
    X, y = table(p=20)
    rows, law = np.arange(150), SamplingLaw(np.full(20, 3.0), 4)
    for seed in range(5):
        one = SampledTree(3).grow(X, y[:, None], np.ones(150), rows, law, seed)
        two = SampledTree(3).grow(
            X, y[:, None], np.ones(150), rows, SamplingLaw(np.ones(20), 4), seed
        )
        assert_array_equal(one.nodes[2], two.nodes[2])


@pytest.mark.parametrize("sampling", ["full", "recent"])
def test_weights_find_the_one_column_that_matters(sampling):
    """Of 100 columns the one that defines the target is drawn most in the end.

    The error is below that of equal draws.
    """
    X = np.random.default_rng(0).uniform(size=(400, 100))
    y = X[:, 31]
    settings = {"n_draws": 3, "max_depth": 3, "random_state": 0}
    weighted = MARTRegressor(
        120, sampling=sampling, fading=1.0 if sampling == "full" else 0.95, **settings
    )
    uniform = MARTRegressor(120, sampling="uniform", **settings)
    fresh = np.random.default_rng(1).uniform(size=(200, 100))
    weighted, uniform = weighted.fit(X, y), uniform.fit(X, y)
    assert weighted.sampling_weights_.argmax() == 31
    assert_allclose(weighted.sampling_weights_.sum(), 1.0)
    assert (weighted.sampling_weights_ > 0).all()

    def error(model):
        return np.mean((model.predict(fresh) - fresh[:, 31]) ** 2)

    assert error(weighted) < 0.5 * error(uniform)


def test_the_laws_by_hand():
    """Weights follow the formulas for two trees."""
    start, first, second = np.full(4, 2.0), np.array([1.0, 0, 0, 0]), np.array([0.5, 0.5, 0, 0])
    full = FullHistory(SamplingLaw(start.copy(), 2), start, 0.5)
    recent = RecentHistory(SamplingLaw(start.copy(), 2), start, 0.5)
    forest = ForestHistory(SamplingLaw(start.copy(), 2), start, 1.0)
    chance = 1 - (1 - 0.25) ** 2
    forest.learn(first)
    assert_allclose(forest.law.weights, start + first / chance)
    for history in (full, recent):
        history.learn(first)
        history.learn(second)
    assert_allclose(full.law.weights, 2.0 * 0.5**1.0 + first + second)
    assert_allclose(recent.law.weights, 0.02 + 0.5 * first + second)


def test_draws_follow_the_weights():
    """Over many stumps on pure noise the chance of a column to be looked at is that of the law."""
    rng = np.random.default_rng(0)
    law = SamplingLaw(np.array([6.0, 3.0, 1.0]), 1)
    X = rng.standard_normal((20, 3))
    chosen = [
        int(
            SampledTree(1)
            .grow(X, rng.standard_normal((20, 1)), np.ones(20), np.arange(20), law, s)
            .nodes[2][0]
        )
        for s in range(2000)
    ]
    assert_allclose(np.bincount(chosen, minlength=3) / 2000, law.inclusion, atol=0.04)


@pytest.mark.parametrize(
    "options", [{"sampling": "other"}, {"n_draws": 0}, {"subsample": 0}, {"max_depth": 0}]
)
def test_wrong_arguments_are_named(options):
    """A message names the argument that is out of its range."""
    with pytest.raises(ValueError, match=next(iter(options))):
        MARTClassifier(**options).fit(*load_iris(return_X_y=True))
