"""Impurity importances of trees and ensembles, and retraining without a column."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from subsel.data.probes import replace_by_probes
from subsel.embedded import class_importances, impurity_importances, noised_out

X, Y = load_iris(return_X_y=True)


def test_made_to_sum_to_one_they_are_scikit_learns():
    """Of a tree, a boosted model and forests the importances agree with scikit-learn's up to
    scale.
    """
    tree = DecisionTreeClassifier(random_state=0).fit(X, Y)
    boosted = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X, Y)
    forest = RandomForestRegressor(5, random_state=0).fit(X[:, :3], X[:, 3])
    for model in (tree, boosted, forest):
        found = impurity_importances(model)
        if model is forest:  # scikit-learn scales every tree of a forest before the mean
            parts = [t.tree_.compute_feature_importances() for t in forest.estimators_]
            assert_allclose(
                np.mean(parts, axis=0) / np.sum(np.mean(parts, axis=0)), forest.feature_importances_
            )
            assert_allclose(
                found, np.mean([impurity_importances(t) for t in forest.estimators_], axis=0)
            )
        else:
            assert_allclose(found / found.sum(), model.feature_importances_)


@pytest.mark.parametrize("depth", [1, 3, None])
def test_they_sum_to_the_impurity_lost(depth):
    """Summed over columns they are the impurity of the root less that of the leaves by their
    shares.
    """
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, Y)
    t = tree.tree_
    leaves = t.children_left < 0
    left = (t.weighted_n_node_samples * t.impurity)[leaves].sum() / t.weighted_n_node_samples[0]
    assert_allclose(impurity_importances(tree).sum(), t.impurity[0] - left)


def test_classes_average_to_the_whole():
    """The mean over classes is the importance of the whole.

    Two classes have one column, forests none.
    """
    model = GradientBoostingClassifier(n_estimators=4, random_state=0).fit(X, Y)
    assert_allclose(class_importances(model).mean(axis=1), impurity_importances(model))
    two = GradientBoostingClassifier(n_estimators=4, random_state=0).fit(X[:100], Y[:100])
    assert class_importances(two).shape == (4, 1)
    with pytest.raises(ValueError, match="GradientBoostingClassifier"):
        class_importances(RandomForestClassifier(3).fit(X, Y))


def test_retraining_is_cross_validation_on_a_shuffled_table():
    """The loss of a column is the fall of cross_val_score, on the same folds, with it shuffled."""
    model, folds = LogisticRegression(max_iter=1000), KFold(4, shuffle=True, random_state=0)
    found = noised_out(model, X, Y, cv=folds, n_repeats=2, random_state=7)
    seed, whole = np.random.RandomState(7).randint(2**31), cross_val_score(model, X, Y, cv=folds)
    for j in range(4):
        tables = [replace_by_probes(X, [j], np.random.default_rng([seed, j, r])) for r in range(2)]
        losses = np.concatenate([whole - cross_val_score(model, Z, Y, cv=folds) for Z in tables])
        assert_allclose(found.importances[j], losses.mean(), atol=1e-12)
        assert_allclose(found.standard_errors[j], losses.std(ddof=1) / np.sqrt(8), atol=1e-12)


def test_a_substitute_saves_the_learner():
    """Of two equal columns neither is missed, while one that stands alone is.

    Workers and tables change nothing.
    """
    rng = np.random.default_rng(0)
    table = rng.standard_normal((80, 4))
    table[:, 1] = table[:, 0]
    y = table[:, 0] + table[:, 2]
    found = noised_out(Ridge(1e-6), table, y, random_state=0)
    assert (np.abs(found.importances[[0, 1, 3]]) < 0.05).all() and found.importances[2] > 0.3
    again = noised_out(Ridge(1e-6), table, y, random_state=0, n_jobs=2)
    assert_array_equal(again.importances, found.importances)
    weighted = noised_out(Ridge(1e-6), table, y, random_state=0, sample_weight=np.full(80, 2.0))
    assert_allclose(weighted.importances, found.importances, atol=1e-6)
    assert noised_out(Ridge(), sparse.csr_array(table), y, random_state=0).importances[2] > 0.3
