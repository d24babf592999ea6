"""Networks with one hidden layer, committees and radial basis functions.

They are compared with slow, plain versions.
"""

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression
from sklearn.neural_network import MLPClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.literature.models import (
    MLPCommittee,
    PenalisedMLPClassifier,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
)
from subsel.literature.models.networks.rbf_network import orthogonal_least_squares
from subsel.models.hidden_layer import (
    Training,
    input_curvatures,
    objective,
    small_start,
    train,
    unpack,
)
from subsel.models.penalties import PENALTIES


@parametrize_with_checks(
    [
        PenalisedMLPClassifier(2, max_iter=5),
        MLPCommittee(2, hidden=2, max_iter=20),
        RBFNetworkClassifier(5),
        RBFNetworkRegressor(5),
    ]
)
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def training_of(logistic, penalty="decay", strength=0.3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((20, 4))
    t = (X[:, 0] * X[:, 1] > 0).astype(float) if logistic else X[:, 0] * X[:, 1]
    return Training(X, t, rng.uniform(0.5, 2, 20), logistic, PENALTIES[penalty], strength)


@pytest.mark.parametrize("logistic", [True, False])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_gradient_is_that_of_the_objective(logistic, penalty):
    """Finite differences agree for both losses and all penalties."""
    training = training_of(logistic, penalty)
    theta = np.random.default_rng(1).standard_normal(4 * 3 + 7)
    slow = approx_fprime(theta, lambda q: objective(q, training, 4, 3)[0], 1e-7)
    assert_allclose(objective(theta, training, 4, 3)[1], slow, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("logistic", [True, False])
def test_curvatures_are_second_differences_of_the_loss(logistic):
    """The diagonal of the Hessian agrees with differences of the gradient."""
    training = training_of(logistic, strength=0.0)
    theta = np.random.default_rng(1).standard_normal(4 * 3 + 7)
    slow = np.empty(12)
    for k in range(12):
        low, high = theta.copy(), theta.copy()
        low[k] -= 1e-5
        high[k] += 1e-5
        slow[k] = (
            objective(high, training, 4, 3)[1][k] - objective(low, training, 4, 3)[1][k]
        ) / 2e-5
    assert_allclose(
        input_curvatures(unpack(theta, 4, 3), training).ravel(), slow, rtol=1e-5, atol=1e-6
    )


def test_training_ends_at_a_share_of_the_first_loss():
    """With a goal training ends as soon as it is reached, without at a point of almost no slope."""
    training = training_of(False, strength=1e-3)
    start = small_start(4, 5, np.random.RandomState(0))
    first = training.loss(start(training.X))[0]
    early, n_early = train(training, start, 2000, stop_below=0.5)
    late, n_late = train(training, start, 2000)
    assert training.loss(late(training.X))[0] < training.loss(early(training.X))[0] < 0.5 * first
    assert n_early < n_late


def test_weight_decay_is_scikit_learns_network():
    """With decay, training from scikit-learn's solution does not change its loss."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(float)
    peer = MLPClassifier(
        3, activation="tanh", solver="lbfgs", alpha=0.5, max_iter=5000, tol=1e-10, random_state=0
    )
    peer.fit(X, y)
    training = Training(X, y, np.ones(60), True, PENALTIES["decay"], 0.5)
    theta = np.concatenate(
        [peer.coefs_[0].ravel(), peer.intercepts_[0], peer.coefs_[1].ravel(), peer.intercepts_[1]]
    )
    value, slope = objective(theta, training, 3, 3)
    assert np.abs(slope).max() < 0.05
    trained, _ = train(training, unpack(theta, 3, 3), 100)
    assert objective(np.concatenate([p.ravel() for p in trained]), training, 3, 3)[
        0
    ] == pytest.approx(value, rel=1e-3)


@pytest.mark.parametrize("penalty", ["input-groups", "elimination"])
def test_pruning_penalties_remove_what_does_not_matter(penalty):
    """The weights out of the two inputs that decide stay, those out of the others go."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 6))
    model = PenalisedMLPClassifier(6, penalty=penalty, strength=2.0, random_state=0).fit(
        X, X[:, 1] * X[:, 4] > 0
    )
    norms = model.feature_importances_
    assert norms[[1, 4]].min() > 5 * np.delete(norms, [1, 4]).max()


def test_committee_is_the_mean_of_the_members_that_learnt():
    """Members above the limit are dropped, and the probabilities of the others averaged.

    The number of jobs changes nothing.
    """
    X, y = load_iris(return_X_y=True)
    model = MLPCommittee(6, hidden=2, worst_error=0.03, max_iter=30, random_state=0).fit(X, y)
    kept = int((model.training_errors_ <= max(0.03, model.training_errors_.min())).sum())
    assert len(model.members_) == kept < 6
    assert_allclose(
        model.predict_proba(X), np.mean([m.predict_proba(X) for m in model.members_], axis=0)
    )
    assert all(1 - m.score(X, y) <= max(0.03, model.training_errors_.min()) for m in model.members_)
    with parallel_config("threading"):
        two = MLPCommittee(
            6, hidden=2, worst_error=0.03, max_iter=30, random_state=0, n_jobs=2
        ).fit(X, y)
    assert_array_equal(two.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("seed", range(5))
def test_orthogonal_least_squares_is_greedy_refitting(seed):
    """Each column chosen is the one that leaves the least squared error of a refitted model."""
    rng = np.random.default_rng(seed)
    P, T = rng.standard_normal((15, 8)), rng.standard_normal((15, 2))
    P[:, 3] = P[:, 1] + P[:, 2]
    chosen = []

    def error(j):
        columns = P[:, [*chosen, j]]
        return ((T - columns @ np.linalg.lstsq(columns, T, rcond=None)[0]) ** 2).sum()

    for _ in range(5):
        left = [j for j in range(8) if j not in chosen]
        chosen.append(min(left, key=error))
    assert_array_equal(orthogonal_least_squares(P, T, 5), chosen)


def test_columns_already_spanned_are_passed_over():
    """Copies and sums of chosen columns are never chosen."""
    P = np.column_stack(
        [np.eye(4)[:, :2], np.eye(4)[:, 0] + np.eye(4)[:, 1], np.zeros(4), np.eye(4)[:, 0]]
    )
    assert len(orthogonal_least_squares(P, np.ones((4, 1)), 5)) == 2


def test_network_is_least_squares_on_its_units():
    """Given the centres, the output is a least squares fit of the units with an intercept."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 2)), rng.standard_normal(40)
    model = RBFNetworkRegressor(6, gamma=0.7).fit(X, y)
    units = np.exp(-0.7 * ((X[:, None] - model.centres_) ** 2).sum(axis=-1))
    assert_allclose(model.predict(X), LinearRegression().fit(units, y).predict(units), atol=1e-8)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (PenalisedMLPClassifier(penalty="l0"), "penalty"),
        (PenalisedMLPClassifier(0), "hidden"),
        (MLPCommittee(0), "n_members"),
        (RBFNetworkClassifier(0), "n_centres"),
    ],
)
def test_wrong_arguments_are_named(model, name):
    """A message names the argument that is out of its range."""
    with pytest.raises(ValueError, match=name):
        model.fit(np.eye(4), [0, 1, 0, 1])
