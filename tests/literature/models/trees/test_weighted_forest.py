"""A forest whose trees draw columns by weight."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.literature.models import WeightedForestClassifier, WeightedForestRegressor
from subsel.literature.models.trees.sampled_tree import SampledTree, SamplingLaw
from subsel.literature.models.trees.weighted_sampling import ForestHistory

RANDOM = {
    "check_sample_weight_equivalence_on_dense_data": (
        "bootstrap samples of weighted and of repeated rows differ"
    )
}


@parametrize_with_checks(
    [WeightedForestRegressor(12, n_draws=20), WeightedForestClassifier(12, n_draws=20)],
    expected_failed_checks=lambda estimator: RANDOM,
)
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes except that of weights as repeats of rows.

    Its own forests do not pass that one either.
    """
    check(estimator)


def test_on_indicators_a_tree_is_a_gini_tree():
    """A tree on indicators of all classes predicts what scikit-learn's classification tree does."""
    X = np.random.default_rng(0).standard_normal((300, 4)).astype(np.float32)
    y = np.digitize(X[:, 0] + X[:, 1] * X[:, 2], [-0.6, 0.5])
    indicators = (y[:, None] == np.arange(3)) * 1.0
    tree = SampledTree(3, 20).grow(
        X, indicators, np.ones(300), np.arange(300), SamplingLaw(np.ones(4), 4), 0
    )
    tree.set_values(tree.leaves(X), indicators, np.ones((300, 3)))
    peer = DecisionTreeClassifier(max_depth=3, min_samples_leaf=20, random_state=0).fit(X, y)
    assert_allclose(tree.predict(X), peer.predict_proba(X), atol=1e-9)
    assert_allclose(
        tree.importances, peer.tree_.compute_feature_importances(normalize=False), atol=1e-9
    )


def test_weights_gain_alike_however_often_a_column_is_drawn():
    """The mean gain of a column does not depend on its present weight.

    Its importance in trees that draw it is fixed here.
    """
    rng = np.random.default_rng(0)
    for weight in (0.2, 3.0):
        law = SamplingLaw(np.array([weight, 1.0, 1.0]), 2)
        gains = []
        for _ in range(4000):
            seen = rng.random() < law.inclusion[0]
            history = ForestHistory(SamplingLaw(law.weights.copy(), 2), law.weights, 1.0)
            history.learn(np.array([1.0 * seen, 0, 0]))
            gains.append(history.law.weights[0] - weight)
        assert_allclose(np.mean(gains), 1.0, atol=5 * np.std(gains) / np.sqrt(4000))


def test_it_finds_the_columns_that_matter():
    """Of 60 columns the two that make the classes are drawn most in the end; a seed repeats."""
    X = np.random.default_rng(0).uniform(size=(200, 60))
    y = (X[:, 11] + X[:, 40] > 1).astype(int)
    found = WeightedForestClassifier(60, random_state=0).fit(X, y)
    assert set(np.argsort(-found.sampling_weights_)[:2]) == {11, 40}
    assert_allclose(found.predict_proba(X).sum(axis=1), 1.0)
    again = WeightedForestClassifier(60, random_state=0).fit(X, y)
    assert_array_equal(again.predict_proba(X), found.predict_proba(X))


@pytest.mark.parametrize(
    "options", [{"n_estimators": 0}, {"n_draws": 0}, {"start": 0}, {"max_depth": 0}]
)
def test_wrong_arguments_are_named(options):
    """A message names the argument that is out of its range."""
    with pytest.raises(ValueError, match=next(iter(options))):
        WeightedForestClassifier(**options).fit(*load_iris(return_X_y=True))
