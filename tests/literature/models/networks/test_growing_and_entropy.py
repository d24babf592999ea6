"""Growing networks, least entropy of errors, and principles of induction.

They are compared with finite differences, closed forms and known bounds.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import check_grad
from scipy.stats import multivariate_normal, norm
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.literature.models import (
    BayesClassifier,
    CascadeCorrelationClassifier,
    CascadeCorrelationRegressor,
    ErrorEntropyRegressor,
    chosen_hypothesis,
)
from subsel.literature.models.bayes.induction import (
    averaged_prediction,
    description_lengths,
    linear_hypothesis,
)
from subsel.literature.models.networks.cascade_correlation import covariation
from subsel.literature.models.networks.least_error_entropy import error_entropy
from subsel.literature.problems import chessboard, one_useful


@parametrize_with_checks(
    [
        CascadeCorrelationClassifier(1, n_candidates=1),
        CascadeCorrelationRegressor(1, n_candidates=1),
        ErrorEntropyRegressor(max_iter=20),
    ]
)
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def test_covariation_and_its_gradient():
    """The value is the sum of absolute covariances times rows.

    The gradient is that of finite differences.
    """
    rng = np.random.default_rng(0)
    Z, E, w = rng.normal(size=(20, 4)), rng.normal(size=(20, 3)), rng.normal(size=4)
    plain = sum(abs(20 * np.cov(np.tanh(Z @ w), E[:, o], bias=True)[0, 1]) for o in range(3))
    assert covariation(w, Z, E)[0] == pytest.approx(plain)
    assert (
        check_grad(lambda w: covariation(w, Z, E)[0], lambda w: covariation(w, Z, E)[1], w) < 1e-5
    )


def test_each_unit_lowers_the_error_and_the_outputs_are_least_squares():
    """The training loss falls with each unit; without units the model is linear regression.

    Residuals are orthogonal to inputs and units.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = np.sin(2 * X[:, 0]) * X[:, 1]
    model = CascadeCorrelationRegressor(5, tol=0, random_state=0).fit(X, y)
    assert len(model.units_) == 5 and (np.diff(model.losses_) < 0).all()
    assert_allclose(model._inputs(X).T @ (y - model.predict(X)), 0, atol=1e-7)
    assert 1 - model.losses_[-1] == pytest.approx(model.score(X, y))
    plain = LinearRegression().fit(X, y)
    assert_allclose(CascadeCorrelationRegressor(0).fit(X, y).predict(X), plain.predict(X))


def test_a_grown_network_solves_what_a_line_cannot():
    """Of the chessboard it learns nearly as much as there is to know."""
    seen, new = chessboard(200, random_state=0), chessboard(1000, random_state=1)
    model = CascadeCorrelationClassifier(8, random_state=0).fit(seen.X, seen.y)
    assert 1 - model.score(new.X, new.y) < new.bayes_error + 0.05
    assert CascadeCorrelationClassifier(0).fit(seen.X, seen.y).score(new.X, new.y) < 0.65


def test_entropy_of_errors_by_its_sum_and_gradient():
    """The value is the integral of the squared Parzen density.

    The gradient is that of finite differences.
    """
    e, width = np.random.default_rng(0).normal(size=7), 0.4
    grid = np.linspace(-6, 6, 4001)
    density = norm.pdf(grid[:, None], e, width).mean(axis=1)
    assert error_entropy(e, width)[0] == pytest.approx(
        -np.log((density**2).sum() * (grid[1] - grid[0]))
    )
    assert (
        check_grad(lambda e: error_entropy(e, width)[0], lambda e: error_entropy(e, width)[1], e)
        < 1e-6
    )
    assert error_entropy(e + 3, width)[0] == pytest.approx(error_entropy(e, width)[0])


def test_least_entropy_beats_least_squares_on_noise_of_two_humps():
    """With bimodal noise the weights are far closer to the truth than those of least squares.

    The errors have mean zero.
    """
    rng = np.random.default_rng(0)
    X, true = rng.normal(size=(120, 2)), np.array([1.0, -2.0])
    y = X @ true + 2 * rng.choice([-1, 1], 120) + 0.1 * rng.normal(size=120)
    found, plain = ErrorEntropyRegressor(width=0.15).fit(X, y), LinearRegression().fit(X, y)
    assert np.abs(found.coef_ - true).max() < 0.25 * np.abs(plain.coef_ - true).max()
    assert (y - found.predict(X)).mean() == pytest.approx(0, abs=1e-9)
    wide = ErrorEntropyRegressor(width=100.0).fit(X, y)  # a wide window sees the variance alone
    assert_allclose(wide.coef_, plain.coef_, atol=1e-3)


def test_likely_probable_and_short():
    """The most probable hypothesis has the shortest code; with a flat prior all three agree.

    Averages are those of Bayes' rule.
    """
    rng = np.random.default_rng(0)
    for _ in range(50):
        likely, prior = np.log(rng.random(6)), np.log(rng.dirichlet(np.ones(6)))
        probable = np.exp(likely + prior)
        assert (
            chosen_hypothesis(likely, prior)
            == chosen_hypothesis(likely, prior, "mdl")
            == probable.argmax()
        )
        assert (
            chosen_hypothesis(likely, prior, "ml") == chosen_hypothesis(likely) == likely.argmax()
        )
        values = rng.random((6, 3))
        assert_allclose(
            averaged_prediction(likely, prior, values), probable @ values / probable.sum()
        )
        assert_allclose(2.0 ** -description_lengths(likely, prior).sum(axis=0), probable)


def test_linear_hypotheses_are_least_squares_and_ridge():
    """Flat priors give least squares, Gaussian ones scikit-learn's ridge.

    Both maximise their posteriors.
    """
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    assert_allclose(
        linear_hypothesis(X, y, 2.0), LinearRegression(fit_intercept=False).fit(X, y).coef_
    )
    w = linear_hypothesis(X, y, 2.0, 0.5)
    assert_allclose(w, Ridge(4.0, fit_intercept=False).fit(X, y).coef_)

    def density(w):
        return norm.logpdf(y, X @ w, np.sqrt(2.0)).sum() + norm.logpdf(w, 0, np.sqrt(0.5)).sum()

    assert all(density(w) > density(w + step) for step in 0.01 * rng.normal(size=(20, 3)))


def test_the_bayes_classifier_is_the_floor():
    """With the densities of two artificial problems, the classifier has their known error.

    The error is estimated by labels and by probabilities; neighbours have a larger one.
    """
    toy = one_useful(4000, random_state=0)
    half = np.array([1 / np.sqrt(2), 0.0])
    densities = [multivariate_normal(sign * half).logpdf for sign in (-1, 1)]
    floor = BayesClassifier(densities, [0.5, 0.5]).fit(toy.X, toy.y)
    assert 1 - floor.score(toy.X, toy.y) == pytest.approx(toy.bayes_error, abs=0.02)
    assert floor.error(toy.X) == pytest.approx(toy.bayes_error, abs=0.01)
    board = chessboard(4000, spread=0.5, random_state=0)

    def corner(X, a, b):
        return multivariate_normal([a, b], 0.25).logpdf(X)

    sides = [
        lambda X, s=s: np.logaddexp(corner(X, 1, s), corner(X, -1, -s)) - np.log(2) for s in (-1, 1)
    ]
    floor = BayesClassifier(sides).fit(board.X, board.y)
    assert floor.error(board.X) == pytest.approx(board.bayes_error, abs=0.005)
    near = KNeighborsClassifier(1).fit(board.X[:300], board.y[:300])
    assert near.score(board.X[300:], board.y[300:]) < floor.score(board.X[300:], board.y[300:])
    assert_array_equal(
        floor.predict(board.X[:9]), floor.classes_[floor.predict_proba(board.X[:9]).argmax(axis=1)]
    )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: chosen_hypothesis([0.0], principle="best"), "principle must be"),
        (lambda: chosen_hypothesis([0.0, 1.0], [0.0]), "lists of the same length"),
        (lambda: linear_hypothesis([[1.0]], [1.0], noise=0.0), "noise and prior must be positive"),
        (lambda: error_entropy([0.0], 0.0), "width must be positive"),
        (
            lambda: ErrorEntropyRegressor(width=-1.0).fit([[1.0], [2.0]], [1.0, 2.0]),
            "width must be positive",
        ),
        (
            lambda: CascadeCorrelationRegressor(-1).fit([[1.0], [2.0]], [1.0, 2.0]),
            "max_units must be",
        ),
        (
            lambda: BayesClassifier([]).fit([[1.0], [2.0]], [1, 2]),
            "one entry for each of the 2 classes",
        ),
    ],
)
def test_bad_arguments_are_named(call, words):
    """An argument out of its domain is named with the value received."""
    with pytest.raises(ValueError, match=words):
        call()
