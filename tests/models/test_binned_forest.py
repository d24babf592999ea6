"""Forests on levels of columns."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.data.intervals.equal import level_edges
from subsel.embedded import Boruta
from subsel.models import BinnedForestClassifier, BinnedForestRegressor

WHOLE = {"bootstrap": False, "max_features": None, "random_state": 0}
RNG = np.random.default_rng(0)
TABLE = np.round(RNG.standard_normal((150, 5)), 1)


@parametrize_with_checks(
    [BinnedForestClassifier(5, bootstrap=False), BinnedForestRegressor(5, bootstrap=False)]
)
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes.

    Rows drawn with repetition know no equivalent of whole weights.
    """
    check(estimator)


@pytest.mark.parametrize("weight", [None, np.arange(150) % 3 + 0.5])
def test_with_a_level_for_every_value_a_tree_is_scikit_learns(weight):
    """One tree that sees all rows and columns predicts, and shares the impurity, as scikit-learn's.

    Leaves kept large.
    """
    y = TABLE[:, 0] + TABLE[:, 1] * TABLE[:, 2] + 0.01 * RNG.standard_normal(150)
    size = {"max_depth": 4, "min_samples_leaf": 8}
    ours = BinnedForestRegressor(1, n_levels=100, **size, **WHOLE).fit(TABLE, y, weight)
    peer = DecisionTreeRegressor(random_state=0, **size).fit(TABLE, y, weight)
    assert_allclose(ours.predict(TABLE), peer.predict(TABLE))
    assert_allclose(ours.feature_importances_, peer.feature_importances_)
    codes = np.digitize(y, [-1, 1])
    ours = BinnedForestClassifier(1, n_levels=100, **size, **WHOLE).fit(TABLE, codes, weight)
    peer = DecisionTreeClassifier(random_state=0, **size).fit(TABLE, codes, weight)
    assert_allclose(ours.predict_proba(TABLE), peer.predict_proba(TABLE))


@pytest.mark.parametrize(
    "values", [RNG.standard_normal(50), np.repeat([0.0, 1, 2, 3, 9], [40, 1, 1, 1, 7]), np.zeros(5)]
)
def test_levels_hold_about_as_many_rows(values):
    """Cuts rise, lie at or between values, and leave no level empty.

    A level takes its share of rows up to ties.
    """
    for n_levels in (2, 3, 4, 8, 60):
        edges = level_edges(values, n_levels)
        codes = np.searchsorted(edges, values)
        assert (np.diff(edges) > 0).all() and len(edges) < n_levels
        assert_array_equal(np.unique(codes), np.arange(len(edges) + 1))
        for k, edge in enumerate(edges):
            assert_array_equal(codes <= k, values <= edge)
        if len(np.unique(values)) == len(values):
            assert np.ptp(np.bincount(codes)) <= 1


def test_few_levels_cut_between_quantiles_only():
    """With four levels every threshold is a quartile.

    New rows are sent the way their values say.
    """
    X, fresh = RNG.standard_normal((80, 3)), RNG.standard_normal((50, 3))
    forest = BinnedForestRegressor(1, n_levels=4, **WHOLE).fit(X, X[:, 1] ** 2)
    (tree,) = forest.trees_
    assert_allclose([len(edges) for edges in forest.edges_], 3)
    by_hand = []
    for row in fresh:
        node = 0
        while tree.left[node] >= 0:
            edge = forest.edges_[tree.column[node]][tree.cut[node]]
            node = tree.left[node] if row[tree.column[node]] <= edge else tree.right[node]
        by_hand.append(tree.values[node, 0])
    assert_array_equal(forest.predict(fresh), by_hand)


def test_importances_are_those_of_a_forest():
    """Over many trees importances are near scikit-learn's, and a seed repeats."""
    X = RNG.standard_normal((200, 8))
    y = (X[:, 0] + 0.5 * X[:, 3] > 0).astype(int)
    ours = BinnedForestClassifier(150, max_depth=4, random_state=0).fit(X, y)
    peer = RandomForestClassifier(150, max_depth=4, random_state=0).fit(X, y)
    assert_allclose(ours.feature_importances_, peer.feature_importances_, atol=0.04)
    again = BinnedForestClassifier(150, max_depth=4, random_state=0).fit(X, y)
    assert_array_equal(again.feature_importances_, ours.feature_importances_)


def test_boruta_reads_it():
    """The columns that matter beat their shadows in every round."""
    X = RNG.standard_normal((120, 10))
    found = Boruta(BinnedForestClassifier(30, max_depth=5), max_iter=12, random_state=0).fit(
        X, X[:, 2] + X[:, 7] > 0
    )
    assert (found.hits_[[2, 7]] == found.n_iter_).all() and found.hits_.sum() < 40


@pytest.mark.parametrize(
    "options",
    [
        {"n_levels": 1},
        {"n_levels": 256},
        {"max_features": 9},
        {"max_features": 0},
        {"n_estimators": 0},
    ],
)
def test_wrong_arguments_are_named(options):
    """A message names the argument that is out of its range."""
    with pytest.raises(ValueError, match=next(iter(options))):
        BinnedForestRegressor(**options).fit(TABLE, TABLE[:, 0])
