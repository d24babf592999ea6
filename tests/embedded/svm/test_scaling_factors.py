"""Scaling factors by descent on bounds: gradients, known answers, backward elimination."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel import SubsetSelector
from subsel.embedded import ScalingFactors, validation_error
from subsel.embedded.svm.bounds import BOUNDS
from subsel.embedded.svm.dual import enclosing_ball, hard_margin
from subsel.embedded.svm.scaled_kernels import ScaledKernel
from tests.real_tables import real_table

MADELON = {
    28,
    48,
    64,
    105,
    128,
    153,
    241,
    281,
    318,
    336,
    338,
    378,
    433,
    442,
    451,
    453,
    455,
    472,
    475,
    493,
}


@parametrize_with_checks(
    [ScalingFactors(max_iter=2), ScalingFactors(bound="variance", kernel="linear", max_iter=2)]
)
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def circle(n=80, p=6, seed=0):
    """Two inputs of six say on which side of a circle a row lies."""
    X = np.random.default_rng(seed).normal(size=(n, p))
    return X, np.where(X[:, 1] ** 2 + X[:, 4] ** 2 > 1.4, 1.0, -1.0)


@pytest.mark.parametrize("bound", ["radius-margin", "variance"])
def test_the_inputs_of_a_circle_have_the_largest_scales(bound):
    """Descent lowers the bound, leaves the two inputs on top, and most others at nothing."""
    X, y = circle()
    model = ScalingFactors(bound=bound).fit(X, y)
    assert set(model.ranking_[:2]) == {1, 4}
    assert model.scales_[model.ranking_[2]] < 0.5 * model.scales_[model.ranking_[1]]
    assert model.bound_ < ScalingFactors(bound=bound, max_iter=0).fit(X, y).bound_


@pytest.mark.parametrize("bound", BOUNDS)
def test_two_are_kept_and_predict(bound):
    """With two asked for, these two are kept, and rows never seen are told apart."""
    X, y = circle(120)
    held, sides = circle(400, seed=1)
    model = ScalingFactors(2, bound=bound).fit(X, y)
    assert model.get_support(indices=True).tolist() == [1, 4]
    assert model.score(held, sides) > 0.9


@pytest.mark.parametrize("bound", BOUNDS)
def test_the_gradient_is_that_of_finite_differences(bound):
    """What descent follows is the derivative of what it minimises."""
    X, y = circle(40)
    model, theta = ScalingFactors(bound=bound), np.array([0.5, 1.2, 0.3, 0.9, 1.5, 0.1])
    _, gradient = model._log_bound(theta, X, y, 6)
    numeric = approx_fprime(theta, lambda t: model._log_bound(t, X, y, 6)[0], 1e-6)
    assert_allclose(gradient, numeric, rtol=1e-3, atol=1e-4)


def test_importances_say_what_removal_does_to_first_order():
    """On unit-variance inputs of a linear machine they are |R2 w2 - |w|2| over the bound.

    This is one step of elimination by weights.
    """
    X, y = circle(60)
    y = np.where(X[:, 1] - X[:, 4] > 0, 1.0, -1.0)
    model = ScalingFactors(bound="variance", kernel="linear", C=1e9, max_iter=0).fit(X, y)
    Z = StandardScaler().fit_transform(X)
    weights = SVC(kernel="linear", C=1e9, tol=1e-10).fit(Z, y).coef_[0]
    length = weights @ weights
    assert_allclose(
        model.feature_importances_, np.abs(length - 6 * weights**2) / (6 * length), rtol=1e-3
    )


def test_a_scale_of_the_table_changes_nothing():
    """Columns are standardised: other units give the same scales and predictions."""
    X, y = circle()
    units = np.array([1e-3, 1.0, 50.0, 7.0, 1e4, 2.0])
    here, there = (
        ScalingFactors(max_iter=5).fit(X, y),
        ScalingFactors(max_iter=5).fit(X * units + 3, y),
    )
    assert_allclose(there.scales_, here.scales_, rtol=1e-4, atol=1e-6)
    assert_allclose(
        there.decision_function(X * units + 3), here.decision_function(X), rtol=1e-4, atol=1e-5
    )


def test_backward_elimination_on_the_bound():
    """Recursive elimination by the importances at scales 1 ends at the two inputs of the circle."""
    X, y = circle(120)
    selector = SubsetSelector(ScalingFactors(max_iter=0), "rfe", n_features=2, cv=3).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [1, 4]


def test_an_unknown_bound_is_refused():
    """The message lists the bounds there are."""
    X, y = circle(20)
    with pytest.raises(
        ValueError, match="bound must be one of radius-margin, variance, span, validation"
    ):
        ScalingFactors(bound="radius").fit(X, y)


@pytest.mark.slow
def test_madelon():
    """Of the 32 inputs of MADELON with the largest Fisher ratio descent on R2W2 keeps eight that
    matter.
    """
    held = np.load(real_table("madelon.npz"))
    X, y, train = held["X"].astype(float), held["y"], held["split"] == 0
    first, second = X[train & (y > 0)], X[train & (y < 0)]
    ratio = (first.mean(axis=0) - second.mean(axis=0)) ** 2 / (
        first.var(axis=0) + second.var(axis=0)
    )
    top, rows = np.sort(np.argsort(-ratio)[:32]), np.flatnonzero(train)[::3]
    model = ScalingFactors(8, C=1.0, gamma=0.1, max_iter=15).fit(X[rows][:, top], y[rows])
    assert set(top[model.support_].tolist()) <= MADELON
    assert model.score(X[~train][:, top], y[~train]) > 0.8


@pytest.mark.parametrize("bound", [*BOUNDS, "validation"])
def test_the_slope_by_the_price_of_slack_is_that_of_finite_differences(bound):
    """With C by its logarithm, beside the squared scales; so for the error on held-out rows."""
    X, y = circle(40)
    model, point = (
        ScalingFactors(bound=bound),
        np.array([0.5, 1.2, 0.3, 0.9, 1.5, 0.1, np.log(3.0)]),
    )
    model._held_out_rows = np.arange(40) % 3 == 0 if bound == "validation" else None
    _, gradient = model._log_bound_and_price(point, X, y, 6)
    numeric = approx_fprime(point, lambda t: model._log_bound_and_price(t, X, y, 6)[0], 1e-6)
    assert_allclose(gradient, numeric, rtol=1e-3, atol=1e-4)


def test_a_price_found_with_the_scales_lowers_the_bound():
    """R2W2 over scales and C is below that over scales alone.

    The radius of a Gaussian kernel is at most 1 + 1/C.
    """
    X, y = circle()
    given, found = ScalingFactors(2).fit(X, y), ScalingFactors(2, tune_C=True).fit(X, y)
    assert given.C_ == 10.0 != found.C_
    assert found.bound_ < given.bound_
    assert found.get_support(indices=True).tolist() == [1, 4]
    K = ScaledKernel("rbf", 1 / 6)(X, np.ones(6)) + np.eye(80) / found.C_
    assert enclosing_ball(K)[0] <= 1 + 1 / found.C_


def test_the_error_on_held_out_rows():
    """Descent on it finds the circle; it is the smoothed share of errors of a machine that never
    saw those rows.
    """
    X, y = circle(120)
    model = ScalingFactors(2, bound="validation", random_state=0).fit(X, y)
    assert model.get_support(indices=True).tolist() == [1, 4]
    assert model.score(*circle(400, seed=1)) > 0.9
    held, K = np.arange(120) % 4 == 0, X @ X.T + np.eye(120)
    coef, intercept = hard_margin(K[np.ix_(~held, ~held)], y[~held])
    outputs = K[np.ix_(held, ~held)] @ coef + intercept
    expected = np.mean(1 / (1 + np.exp(5.0 * y[held] * outputs)))
    assert_allclose(validation_error(K, y, held).value, expected, rtol=1e-10)
    with pytest.raises(ValueError, match="held_out"):
        ScalingFactors(bound="validation", held_out=1.5).fit(X, y)
