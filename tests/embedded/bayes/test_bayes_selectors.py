"""Selectors on Bayesian models: sparse weights, elimination, a walk down a ranking, posterior
relevances.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import ARDRegression, Lasso, LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded import ARDElimination, ForwardWalk, PosteriorSelector, SparseBayesianSelector
from subsel.literature.models import BayesianLogisticRegression
from subsel.models import ARDKernelClassifier, BayesianNetworkClassifier

TINY = {"n_chains": 1, "n_warmup": 5, "n_draws": 5, "n_leapfrog": 3}
QUICK = ARDKernelClassifier("linear", n_starts=1, max_iter=3, random_state=0)


@parametrize_with_checks(
    [
        SparseBayesianSelector(),
        ARDElimination(1, DecisionTreeClassifier(max_depth=2, random_state=0)),
        PosteriorSelector([DecisionTreeClassifier(max_depth=2)], n_features=1),
        ForwardWalk(Ridge(), Ridge(), cv=2),
    ]
)
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def problem(n=6, m=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, n))
    return X, X[:, 1] - X[:, 3] + 0.2 * rng.standard_normal(m) > 0


def test_regression_weights_are_scikit_learns():
    """For a numeric target the relevances are ARDRegression's weights on standardised columns."""
    X, y = load_diabetes(return_X_y=True)
    selector = SparseBayesianSelector().fit(X, y)
    peer = np.abs(ARDRegression().fit(StandardScaler().fit_transform(X), y).coef_)
    assert_allclose(selector.feature_importances_, peer)
    assert_array_equal(selector.support_, peer > 0)


def test_classes_are_taken_one_against_the_rest():
    """Three classes are ranked by the largest weight in any of three models."""
    X, y = load_iris(return_X_y=True)
    selector = SparseBayesianSelector(n_features=2).fit(X, y)
    single = [SparseBayesianSelector().fit(X, y == k).feature_importances_ for k in range(3)]
    assert_allclose(selector.feature_importances_, np.max(single, axis=0))
    assert selector.support_.sum() == 2


def test_elimination_leaves_one_of_two_copies():
    """A copied input shares relevance with its twin; one of them goes early and the other stays."""
    X, y = problem(n=4)
    table = np.column_stack([X, X[:, 1]])
    selector = ARDElimination(2, ARDKernelClassifier("linear", n_starts=1, random_state=0)).fit(
        table, y
    )
    assert selector.support_[3]
    assert selector.support_[[1, 4]].sum() == 1
    assert sorted(selector.ranking_) == list(range(5))
    assert_array_equal(np.sort(selector.ranking_[:2]), np.flatnonzero(selector.support_))


def test_elimination_without_removal_is_one_fit():
    """Keeping all columns ranks by the relevances of one model."""
    X, y = problem()
    selector = ARDElimination(6, QUICK).fit(X, y)
    once = ARDKernelClassifier("linear", n_starts=1, max_iter=3, random_state=0)
    relevances = once.fit(StandardScaler().fit_transform(X), y).feature_importances_
    assert_allclose(selector.feature_importances_, relevances)
    assert_array_equal(selector.ranking_, np.argsort(-relevances, kind="stable"))


def test_walk_takes_a_prefix_with_the_best_score():
    """Scores are the learner's on prefixes of the ranking.

    The walk ends one standard error under the best, or at the end.
    """
    X, y = problem()
    walk = ForwardWalk(LogisticRegression(), LogisticRegression(), cv=4).fit(X, y)
    assert set(walk.ranking_[:2]) == {1, 3}
    for k, score in enumerate(walk.scores_, 1):
        assert_allclose(
            score, cross_val_score(LogisticRegression(), X[:, walk.ranking_[:k]], y, cv=4).mean()
        )
    assert walk.n_features_ == 1 + np.argmax(walk.scores_)
    assert_array_equal(np.flatnonzero(walk.support_), np.sort(walk.ranking_[: walk.n_features_]))
    end = len(walk.scores_)
    best = cross_val_score(LogisticRegression(), X[:, walk.ranking_[: walk.n_features_]], y, cv=4)
    fallen = walk.scores_[-1] < walk.scores_.max() - best.std(ddof=1) / 2
    assert end == 6 or fallen


def test_walk_on_one_perfect_input_takes_it_alone():
    """A first input that explains a numeric target leaves nothing to gain."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    assert ForwardWalk(Lasso(0.1), LinearRegression()).fit(X, X[:, 2]).get_support(
        indices=True
    ).tolist() == [2]


def test_best_place_in_any_order_counts():
    """With several models an input's place is its best one; copies of one model change nothing."""
    X, y = problem()
    models = [BayesianLogisticRegression(**TINY, random_state=k) for k in (0, 1)]
    selector = PosteriorSelector(models, n_features=3).fit(X, y)
    orders = [np.argsort(-r, kind="stable").tolist() for r in selector.relevances_]
    best = [min(order.index(j) for order in orders) for j in range(6)]
    assert_allclose(1 / selector.feature_importances_ - 1, best)
    single = PosteriorSelector(models[:1], n_features=3).fit(X, y)
    assert_array_equal(
        PosteriorSelector(models[:1] * 2, n_features=3).fit(X, y).ranking_, single.ranking_
    )
    assert_array_equal(single.ranking_, np.argsort(-single.relevances_[0], kind="stable"))


def test_relevant_inputs_of_the_networks_posterior_are_kept():
    """The two inputs that decide are kept out of six."""
    X, y = problem(m=120)
    network = BayesianNetworkClassifier((4, 2), n_warmup=60, n_draws=30, n_leapfrog=20)
    assert (
        PosteriorSelector([network], n_features=2, random_state=0).fit(X, y).support_[[1, 3]].all()
    )


@pytest.mark.parametrize(
    "selector",
    [SparseBayesianSelector(0), ARDElimination(7), PosteriorSelector([QUICK], n_features=9)],
)
def test_wrong_sizes_are_named(selector):
    """A message names the number that is out of its range."""
    X, y = problem()
    with pytest.raises(ValueError, match="n_features"):
        selector.fit(X, y)
