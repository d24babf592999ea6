"""Maximum entropy discrimination: its dual, its conditions, known inputs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded import EntropyDiscrimination, expected_weights
from subsel.embedded.bayes.entropy_discrimination import EntropyDual


@parametrize_with_checks([EntropyDiscrimination(max_iter=6)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def lines(n=60, p=8, seed=0):
    """The third input less the sixth makes the class."""
    X = np.random.default_rng(seed).normal(size=(n, p))
    return X, X[:, 2] - X[:, 5] > 0


@pytest.mark.parametrize("p0", [0.01, 0.5, 1.0])
def test_the_gradient_is_that_of_finite_differences(p0):
    """Of the dual at multipliers between 0 and the price."""
    rng = np.random.default_rng(0)
    dual, a = EntropyDual(rng.normal(size=(10, 4)), p0, 5.0), rng.uniform(0, 2, 10)
    assert_allclose(dual(a)[1], approx_fprime(a, lambda t: dual(t)[0], 1e-7), rtol=1e-4, atol=1e-5)


def test_the_conditions_hold():
    """Multipliers balance; no row has a margin under what its multiplier allows.

    Weights are the expected ones.
    """
    X, y = lines()
    model, sign = EntropyDiscrimination(8, p0=0.1), np.where(y, 1.0, -1.0)
    model.fit(X, y)
    rows = sign[:, None] * (X - X.mean(axis=0)) / X.std(axis=0)
    dual = EntropyDual(rows, 0.1, 5.0)
    a = model._multipliers(dual, sign)
    assert abs(sign @ a) < 1e-8
    assert_allclose(model.weights_, expected_weights(a @ rows, 0.1), rtol=1e-6, atol=1e-8)
    slack = sign * model.decision_function(X) - (1 - 1 / (5.0 - a))
    assert slack.min() > -1e-3
    assert np.abs(slack[a > 1e-3]).max() < 1e-3


def test_inputs_that_do_not_earn_their_keep_vanish():
    """The smaller the prior, the less the six others weigh.

    With prior 1 it is nearly a machine of margin 1.
    """
    X, y = lines()
    others = [0, 1, 3, 4, 6, 7]
    sizes = [
        np.abs(EntropyDiscrimination(p0=p0).fit(X, y).weights_[others]).max()
        for p0 in (1.0, 0.1, 0.001)
    ]
    assert sizes[0] > sizes[1] > sizes[2]
    assert sizes[2] < 0.6 * sizes[0]
    model = EntropyDiscrimination(p0=0.001).fit(X, y)
    assert model.get_support(indices=True).tolist() == [2, 5]
    held, sides = lines(300, seed=1)
    assert model.score(held, sides) > 0.93
    plain, Z = (
        EntropyDiscrimination(p0=1.0, price=1e6).fit(X, y),
        (X - X.mean(axis=0)) / X.std(axis=0),
    )
    hard = SVC(kernel="linear", C=1e9).fit(Z, y).coef_[0]
    assert np.corrcoef(plain.weights_, hard)[0, 1] > 0.98


@pytest.mark.parametrize(("parameter", "value"), [("n_features", 0), ("p0", 0.0), ("price", 1.0)])
def test_what_cannot_be_is_refused(parameter, value):
    """The message names the parameter."""
    with pytest.raises(ValueError, match=parameter):
        EntropyDiscrimination(**{parameter: value}).fit(*lines())
