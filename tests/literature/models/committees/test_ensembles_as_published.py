"""Trees, bagging, forests and AdaBoost of scikit-learn have the properties of the literature.

They also serve as selectors.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize_scalar
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import ARDRegression, LinearRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from subsel.embedded import EmbeddedSelector, Importance, OptimalBrainDamage
from subsel.embedded.trees.flat_trees import unseen_rows
from subsel.literature.models import out_of_bag_losses

X, Y = load_breast_cancer(return_X_y=True)
X = X[:200, :8]
Y = Y[:200]


def information(below):
    """What an indicator tells of the classes, in bits."""
    of_one = Y.astype(bool)
    joint = np.array(
        [[np.mean(below & inside), np.mean(~below & inside)] for inside in (of_one, ~of_one)]
    )
    alone = joint.sum(axis=0) * joint.sum(axis=1, keepdims=True)
    return np.sum(joint * np.log2(np.where(joint > 0, joint / np.maximum(alone, 1e-300), 1.0)))


def test_the_first_split_is_the_best_of_all():
    """By entropy the root splits at the column and threshold of most information."""
    tree = DecisionTreeClassifier(criterion="entropy", max_depth=1, random_state=0).fit(X, Y).tree_
    rows = X.astype(np.float32)
    best = max(information(column <= cut) for column in rows.T for cut in np.unique(column)[:-1])
    root = information(rows[:, tree.feature[0]] <= tree.threshold[0])
    assert_allclose(root, best)
    assert_allclose(
        root, tree.impurity[0] - (tree.n_node_samples * tree.impurity)[1:].sum() / len(Y)
    )


TREES = [
    tree(max_depth=3, random_state=0) for tree in (DecisionTreeClassifier, DecisionTreeRegressor)
]


@pytest.mark.parametrize("model", TREES)
def test_a_tree_selects_the_columns_it_asks_for(model):
    """The columns of the tree, and no others, are selected.

    Scores are their shares of the decrease of impurity.
    """
    found = EmbeddedSelector(model, cut="threshold:1e-12").fit(X, Y)
    tree = model.fit(X, Y)
    used = np.unique(tree.tree_.feature[tree.tree_.feature >= 0])
    assert_array_equal(found.get_support(indices=True), used)
    assert_allclose(found.scores_, tree.feature_importances_)


def test_bagging_is_the_mean_of_models_on_bootstrap_samples():
    """Predictions are the mean of models trained on the drawn rows.

    The error saved by averaging is their spread about the mean.
    """
    y = np.random.default_rng(0).standard_normal(200) + X[:, 0]
    bagging = BaggingRegressor(LinearRegression(), 8, random_state=0).fit(X, y)
    outputs = np.array(
        [LinearRegression().fit(X[r], y[r]).predict(X) for r in bagging.estimators_samples_]
    )
    assert_allclose(bagging.predict(X), outputs.mean(axis=0))
    truth = X[
        :, 0
    ]  # the squared error of the mean is the mean error of the members less their spread
    spread = ((outputs - outputs.mean(axis=0)) ** 2).mean()
    assert_allclose(
        ((outputs.mean(axis=0) - truth) ** 2).mean(), ((outputs - truth) ** 2).mean() - spread
    )


def test_a_forest_that_looks_at_all_columns_is_bagging():
    """With as many candidates as columns, every tree is a plain tree on its bootstrap sample."""
    y = np.random.default_rng(0).standard_normal(200) + X[:, 0]
    forest = RandomForestRegressor(5, max_features=None, random_state=0).fit(X, y)
    for member, rows in zip(forest.estimators_, forest.estimators_samples_):
        plain = DecisionTreeRegressor(random_state=member.random_state).fit(X[rows], y[rows])
        assert_allclose(plain.predict(X[rows]), member.predict(X[rows]))


def test_a_third_is_out_of_bag_and_tells_the_error():
    """The share of rows outside is (1 - 1/m)^m.

    The out-of-bag error is near that on fresh rows.
    """
    rng = np.random.default_rng(0)
    table = rng.standard_normal((900, 5))
    y = (table[:, 0] + 0.7 * rng.standard_normal(900) > 0).astype(int)
    forest = RandomForestClassifier(60, oob_score=True, random_state=0).fit(table[:300], y[:300])
    share = np.mean([len(rows) / 300 for rows in unseen_rows(forest, 300)])
    assert_allclose(share, (1 - 1 / 300) ** 300, atol=4 * np.sqrt(0.37 * 0.26 / 300 / 60))
    held_out = forest.score(table[300:], y[300:])
    assert abs(forest.oob_score_ - held_out) < 3 * np.sqrt(0.25 * 0.75 * (1 / 300 + 1 / 600))


def test_rows_outside_the_bags_say_what_bags_lose():
    """The mean loss over bags that lack a row is at least that of their vote."""
    bagging = BaggingRegressor(
        DecisionTreeRegressor(max_depth=4), 40, oob_score=True, random_state=0
    ).fit(X, X[:, 3])
    lost = out_of_bag_losses(bagging, X, X[:, 3])
    assert (lost.n_models > 0).all()
    voted = (bagging.oob_prediction_ - X[:, 3]) ** 2
    assert (lost.mean >= voted - 1e-9).all()


def test_adaboost_is_stagewise_fitting_of_the_exponential_loss():
    """The weight of each round is the best step, and weights of rows follow the loss.

    After a round, its stump is no better than a coin.
    """
    model = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=1), n_estimators=12, random_state=0
    ).fit(X, Y)
    sign, scores, weight = 2 * Y - 1, np.zeros(len(Y)), np.full(len(Y), 1 / len(Y))
    for stump, alpha in zip(model.estimators_, model.estimator_weights_):
        votes, beta = 2 * stump.predict(X) - 1, alpha / 2  # scikit-learn's weight is twice the step
        step = minimize_scalar(
            lambda b, F=scores, v=votes: np.exp(-sign * (F + b * v)).mean(), bounds=(0, 10)
        )
        assert_allclose(beta, step.x, atol=1e-4)
        before = np.exp(-sign * scores).sum()
        scores = scores + beta * votes
        weight = weight * np.exp(-sign * beta * votes)
        weight /= weight.sum()
        assert_allclose(weight, np.exp(-sign * scores) / np.exp(-sign * scores).sum())
        assert_allclose(weight @ (votes != sign), 0.5, atol=1e-9)
        assert np.exp(-sign * scores).sum() < before
    assert_array_equal(model.predict(X), (scores > 0).astype(int))


def test_boosted_stumps_select_a_column_a_round():
    """Kept are the columns of the stumps, six at most."""
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=6, random_state=0)
    found = EmbeddedSelector(model, cut="threshold:1e-12", random_state=0).fit(X, Y)
    stumps = {int(stump.tree_.feature[0]) for stump in model.fit(X, Y).estimators_}
    assert set(found.get_support(indices=True).tolist()) == stumps and len(stumps) <= 6


def test_three_models_that_say_what_they_used_agree_on_what_matters():
    """Three importances put the two columns that matter first.

    They are pruned weights, priors of single inputs, and a forest.
    """
    rng = np.random.default_rng(0)
    table = rng.standard_normal((150, 6))
    f = table[:, 1] + table[:, 4]
    pruned = OptimalBrainDamage(2, hidden=3, random_state=0).fit(table, f)
    assert pruned.get_support(indices=True).tolist() == [1, 4]
    for model, y in ((ARDRegression(), f), (RandomForestRegressor(20, random_state=0), f)):
        assert set(np.argsort(-Importance(model)(table, y))[:2]) == {1, 4}
