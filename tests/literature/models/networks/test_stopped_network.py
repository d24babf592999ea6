"""A network trained row by row and stopped by other rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded import ImportanceElimination, output_sensitivity
from subsel.literature.models import StoppedNetwork
from subsel.literature.models.networks.stopped_network import Layers, Rows, propagate_back


@parametrize_with_checks([StoppedNetwork(3, passes=30, rate=0.1, random_state=0)])
def test_stopped_network_is_a_good_scikit_learn_citizen(estimator, check):
    check(estimator)


def parity(n=600, p=2, seed=0):
    X = np.random.default_rng(seed).uniform(-1, 1, size=(n, p))
    return X, X[:, 0] * X[:, 1] > 0


def squared_error(w, x, t, n_hidden):
    """Of one row, for all weights in one vector: those into units, out of units, then biases."""
    n = n_hidden * len(x)
    U, v, a, c = w[:n].reshape(n_hidden, -1), w[n : n + n_hidden], w[n + n_hidden : -1], w[-1]
    return 0.5 * (np.tanh(v @ np.tanh(U @ x + a) + c) - t) ** 2


@pytest.mark.parametrize("decay", [0.0, 0.3])
def test_a_step_is_against_the_gradient_and_decay_orthogonal_to_it(decay):
    """Of three rows in their order, by differences of the squared error; biases do not decay."""
    rng = np.random.default_rng(1)
    X, t = rng.normal(size=(3, 4)), np.array([1.0, -1.0, 1.0])
    U, a, v, c = rng.normal(size=(2, 4)), rng.normal(size=2), rng.normal(size=2), 0.3
    w, n = np.concatenate([U.ravel(), v, a, [c]]), 10
    for i in (2, 0, 1):
        steps = 1e-6 * np.eye(len(w))
        g = (
            np.array(
                [
                    squared_error(w + s, X[i], t[i], 2) - squared_error(w - s, X[i], t[i], 2)
                    for s in steps
                ]
            )
            / 2e-6
        )
        beside = w[:n] - g[:n] * (g[:n] @ w[:n]) / (g[:n] @ g[:n])
        assert abs(beside @ g[:n]) < 1e-9
        w = w - 0.05 * g
        w[:n] -= 0.05 * decay * beside
    rows, order = Rows(X, t, (X**2).sum(axis=1)), np.array([2, 0, 1])
    c = propagate_back(rows, Layers(U, a, v), c, order, 0.05, decay)
    assert_allclose(np.concatenate([U.ravel(), v, a, [c]]), w, rtol=1e-6)


def test_the_weights_with_the_least_error_on_other_rows_are_kept():
    """Longer training cannot increase the validation error of the result.

    That error is the one of the weights returned, over all decays.
    """
    (X, y), stopping = parity(), parity(200, seed=1)
    errors = []
    for decay in (0.001, 0.5, (0.001, 0.5)):
        model = StoppedNetwork(6, rate=0.1, decay=decay, passes=60, random_state=0).fit(
            X, y, stopping=stopping
        )
        output = 2 * model.predict_proba(stopping[0])[:, 1] - 1
        assert model.error_ == pytest.approx(np.mean((output - np.where(stopping[1], 1, -1)) ** 2))
        errors.append(model.error_)
    assert errors[2] == min(errors[:2]) and model.decay_ == 0.001 and model.score(*stopping) > 0.9
    short = StoppedNetwork(6, rate=0.1, decay=0.001, passes=5, random_state=0).fit(
        X, y, stopping=stopping
    )
    assert short.error_ >= errors[0] and short.n_passes_ <= 5


def test_moved_columns_are_those_of_plain_predictions():
    """The function returned predicts rows with other values in a column as `predict_proba` does."""
    X, y = parity(60, 5)
    model = StoppedNetwork(4, rate=0.1, passes=20, random_state=0).fit(X, y)
    values, expected = np.array([-0.5, 0.0, 2.0]), []
    for value in values:
        rows = X.copy()
        rows[:, 3] = value
        expected.append(model.predict_proba(rows))
    assert_allclose(model.moving(X)(3, values), expected)

    class Plain:
        predict_proba = staticmethod(model.predict_proba)

    assert_allclose(output_sensitivity(model, X, 7), output_sensitivity(Plain(), X, 7))


def test_an_elimination_stops_the_network_by_the_rows_that_score_it():
    """Two columns whose product tells are found among twenty."""
    X, y = parity(600, 20, seed=3)
    found = ImportanceElimination(
        StoppedNetwork(8, rate=0.05), drop=0.2, n_values=5, random_state=0
    ).fit(X, y)
    assert set(found.get_support(indices=True)) == {0, 1}
    assert max(found.scores_) > 0.9
