"""Committees of a cross-validation, losses of rows outside the bags, and the kernel of a forest."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, BaggingRegressor, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedKFold, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.literature.models import FoldCommittee, LocalCommittee, forest_kernel, out_of_bag_losses
from subsel.literature.models.committees.fold_committee import best_less_spread, repeated_losses

QUICK_MEMBERS = [LogisticRegression(), DecisionTreeClassifier(random_state=0)]


@parametrize_with_checks(
    [
        FoldCommittee(cv=3, random_state=0),
        LocalCommittee(QUICK_MEMBERS, n_neighbors=5, cv=2, random_state=0),
    ]
)
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def test_the_committee_is_the_models_of_the_cross_validation():
    """Its scores are those of scikit-learn's cross-validation.

    Its prediction is the majority of models fitted without each fold.
    """
    X, y = load_iris(return_X_y=True)
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    committee = FoldCommittee(KNeighborsClassifier(3), cv=folds).fit(X, y)
    assert_allclose(committee.scores_, cross_val_score(KNeighborsClassifier(3), X, y, cv=folds))
    votes = np.array(
        [clone(KNeighborsClassifier(3)).fit(X[a], y[a]).predict(X) for a, _ in folds.split(X, y)]
    )
    most = np.array([np.bincount(column, minlength=3).argmax() for column in votes.T])
    clear = np.array([np.sort(np.bincount(column, minlength=3))[-2:] for column in votes.T])
    decided = clear[:, 0] < clear[:, 1]
    assert (committee.predict(X)[decided] == most[decided]).all()


def test_votes_may_be_weighed_by_competence_near_the_row():
    """The prediction is that of a slow loop over rows and members.

    The weight of a member is its share of correct predictions on the nearest held-out rows.
    """
    X, y = load_iris(return_X_y=True)
    X, y = X[50:, :2], y[50:]
    folds = StratifiedKFold(2, shuffle=True, random_state=1)
    committee = FoldCommittee(DecisionTreeClassifier(random_state=0), cv=folds, competence=5).fit(
        X, y
    )
    plain = FoldCommittee(DecisionTreeClassifier(random_state=0), cv=folds).fit(X, y)
    votes = np.zeros((100, 3))
    for member, (_, test) in zip(plain.members_, folds.split(X, y)):
        right, predicted = member.predict(X[test]) == y[test], member.predict(X)
        for i, row in enumerate(X):
            near = np.argsort(((X[test] - row) ** 2).sum(axis=1), kind="stable")[:5]
            votes[i, predicted[i]] += (right[near].sum() + 1) / 7
    clear = (
        np.diff(np.sort(votes, axis=1)[:, -2:], axis=1)[:, 0] > 0.31
    )  # beyond what a tie of distances can turn
    assert clear.sum() > 40
    assert (committee.predict(X)[clear] == votes.argmax(axis=1)[clear]).all()
    assert (committee.predict(X) != plain.predict(X)).any()
    with pytest.raises(ValueError, match="competence"):
        FoldCommittee(competence=0).fit(X, y)


def test_shuffled_labels_score_at_chance():
    """The error that comes for free is nested: on permuted labels about one half."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 5)), rng.permutation(np.repeat([0, 1], 200))
    assert (
        abs(FoldCommittee(LogisticRegression(), random_state=0).fit(X, y).scores_.mean() - 0.5)
        < 4 * 0.5 / 20
    )


def test_of_equal_means_the_steadier_is_taken():
    """And with no weight of the spread the larger mean."""
    scores = [[0.8, 1.0, 0.6], [0.79, 0.80, 0.78]]
    assert best_less_spread(scores) == 1 and best_less_spread(scores, a=0.0) == 0


@pytest.mark.parametrize("regression", [False, True])
def test_out_of_bag_losses_by_a_loop(regression):
    """Mean and spread over the bags that lack a row."""
    X, y = load_iris(return_X_y=True)
    kind = BaggingRegressor if regression else BaggingClassifier
    bagging = kind(n_estimators=15, max_features=0.5, random_state=0).fit(X, y)
    found = out_of_bag_losses(bagging, X, y)
    for row in (0, 77, 130):
        losses = []
        for member, rows, columns in zip(
            bagging.estimators_, bagging.estimators_samples_, bagging.estimators_features_
        ):
            if row not in rows:
                predicted = member.predict(X[[row]][:, columns])[0]
                losses.append(
                    (predicted - y[row]) ** 2 if regression else float(predicted != y[row])
                )
        assert found.n_models[row] == len(losses)
        assert_allclose(
            [found.mean[row], found.spread[row]], [np.mean(losses), np.std(losses, ddof=1)]
        )


def test_repeated_losses_count_every_repeat_once_and_show_a_wrong_label():
    """As many models as repeats judge a row; a flipped label loses most."""
    X, y = load_iris(return_X_y=True)
    y = y.copy()
    y[3] = 2
    found = repeated_losses(
        KNeighborsClassifier(5), X, y, RepeatedKFold(n_splits=5, n_repeats=6, random_state=0)
    )
    assert (found.n_models == 6).all() and found.mean[3] == 1.0 and found.mean[:50].sum() == 1.0


def test_the_kernel_of_a_forest_by_following_two_rows():
    """Shared nodes over the longer way, tree by tree; symmetric, positive, one on the diagonal."""
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(7, random_state=0).fit(X, y)
    K = forest_kernel(forest, X[:40], X[40:90])
    for i, j in ((0, 0), (3, 17), (39, 49)):
        shares = []
        for tree in forest.estimators_:
            a, b = (set(tree.decision_path(X[[r]]).indices) for r in (i, 40 + j))
            shares.append(len(a & b) / max(len(a), len(b)))
        assert K[i, j] == pytest.approx(np.mean(shares))
    whole = forest_kernel(forest, X)
    assert_allclose(whole, whole.T)
    assert_allclose(np.diagonal(whole), 1.0)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    lone = RandomForestClassifier(
        1, bootstrap=False, max_features=None, max_depth=2, random_state=0
    ).fit(X, y)
    same = tree.apply(X)[:, None] == tree.apply(X)
    assert ((forest_kernel(lone, X, least=3) > 0) <= same).all()


def test_members_count_where_they_are_right():
    """Competence is the share of correct held-out predictions nearby.

    Two models, each correct on one side, are correct on both.
    """
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(200, 2))
    y = np.where(X[:, 0] > 0, X[:, 1] > 0, X[:, 1] < 0).astype(int)
    halves = [_OneWay(1), _OneWay(-1)]
    committee = LocalCommittee(halves, n_neighbors=9, random_state=0).fit(X, y)
    assert_allclose(committee.right_, np.column_stack([model.predict(X) == y for model in halves]))
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    nearest = np.argsort(((scaled[:5, None] - scaled) ** 2).sum(axis=2), axis=1)[:, :9]
    assert_allclose(committee.competence(X[:5]), committee.right_[nearest].mean(axis=1))
    clear = np.abs(X[:, 0]) > 0.3
    assert (committee.predict(X)[clear] == y[clear]).all()
    with pytest.raises(ValueError, match="n_neighbors"):
        LocalCommittee(n_neighbors=0).fit(X, y)


class _OneWay(ClassifierMixin, BaseEstimator):
    """Calls positive what lies above zero in the second column, or below."""

    def __init__(self, sign=1):
        self.sign = sign

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (self.sign * X[:, 1] > 0).astype(int)
