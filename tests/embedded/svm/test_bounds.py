"""Bounds of support vector machines against refits, finite differences and each other."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime, minimize
from sklearn.svm import SVC

from subsel.embedded.svm.bounds import (
    BOUNDS,
    radius_margin,
    span,
    span_leave_one_out,
    variance_margin,
)
from subsel.embedded.svm.dual import enclosing_ball, hard_margin
from subsel.embedded.svm.scaled_kernels import ScaledKernel


def problem(seed=0, n=30, p=4, kernel="rbf", C=5.0):
    """A kernel with quadratic slack, and classes that overlap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    sign = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)
    return X, sign, ScaledKernel(kernel, 0.3), np.eye(n) / C


@pytest.mark.parametrize("seed", range(3))
def test_the_ball_is_the_smallest(seed):
    """The radius is that of a direct search for the centre, and no row lies outside."""
    X = np.random.default_rng(seed).normal(size=(25, 3)) + 5
    square, beta = enclosing_ball(X @ X.T)
    options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 5000}
    direct = minimize(
        lambda c: ((X - c) ** 2).sum(axis=1).max(),
        X.mean(axis=0),
        method="Nelder-Mead",
        options=options,
    )
    assert_allclose(square, direct.fun, rtol=1e-5)
    assert ((X - beta @ X) ** 2).sum(axis=1).max() <= square * (1 + 1e-6)


def test_the_margin_is_that_of_a_linear_machine():
    """Weights from the multipliers are those of scikit-learn's machine of a very large C."""
    X, sign, _, _ = problem()
    X[:, 0] += 2 * sign
    coef, intercept = hard_margin(X @ X.T, sign)
    machine = SVC(kernel="linear", C=1e9, tol=1e-9).fit(X, sign)
    assert_allclose(coef @ X, machine.coef_[0], rtol=1e-4, atol=1e-6)
    assert_allclose(intercept, machine.intercept_[0], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("name", BOUNDS)
def test_gradients_equal_finite_differences(name, kernel):
    """The derivative by each squared scale is that of the bound computed anew a little further
    on.
    """
    X, sign, k, slack = problem(kernel=kernel)
    theta = np.array([1.0, 0.7, 0.4, 1.3])
    gradient = k.slopes(X, theta, BOUNDS[name](k(X, theta) + slack, sign).slope)

    def value(t):
        return BOUNDS[name](k(X, t) + slack, sign).value

    step = 1e-4
    numeric = [(value(theta + step * e) - value(theta - step * e)) / (2 * step) for e in np.eye(4)]
    assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-6 * np.abs(numeric).max())


def test_by_the_price_of_slack():
    """The derivative by 1/C, the diagonal, is the trace of the slope."""
    X, sign, k, slack = problem()
    K = k(X, np.ones(4))
    for bound in (radius_margin, variance_margin):
        slope = np.trace(bound(K + slack, sign).slope)
        numeric = approx_fprime(
            [0.2], lambda c, bound=bound: bound(K + c[0] * np.eye(30), sign).value, 1e-5
        )
        assert_allclose(slope, numeric, rtol=1e-4)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_bounds_in_order(kernel):
    """True errors by leaving out are under 4 R2W2.

    Estimated ones under the span's sum, and that under 4 R2W2.
    """
    for seed in range(6):
        X, sign, k, slack = problem(seed, kernel=kernel)
        K = k(X, np.ones(4)) + slack
        ceiling = 4 * radius_margin(K, sign).value * (1 + 1e-9)
        assert (left_out(K, sign) < 0).sum() <= ceiling
        assert (span_leave_one_out(K, sign) < 0).sum() <= span(K, sign).value <= ceiling


def test_span_counts_the_errors_where_its_theorem_holds():
    """With all rows support vectors, with and without any one, the estimate is the outcome, row
    by row.
    """
    for seed in range(4):
        X, sign, k, slack = problem(seed, n=24, C=0.02)
        K = k(X, np.ones(4)) + slack
        assert (hard_margin(K, sign).coef != 0).all()
        assert_allclose(span_leave_one_out(K, sign), left_out(K, sign), atol=1e-7)
        assert (left_out(K, sign) < 0).sum() <= span(K, sign).value


def test_span_is_exact_while_the_support_vectors_stay():
    """Where the machine trained without a row has the same other support vectors, the estimate
    is its output.
    """
    n_same = 0
    for seed in range(4):
        X, sign, k, slack = problem(seed, n=24, C=0.05)
        K = k(X, np.ones(4)) + slack
        estimated, support = span_leave_one_out(K, sign), hard_margin(K, sign).coef != 0
        for row in range(24):
            others = np.flatnonzero(np.arange(24) != row)
            coef, intercept = hard_margin(K[np.ix_(others, others)], sign[others])
            if ((coef != 0) == support[others]).all():
                n_same += 1
                assert_allclose(
                    sign[row] * (K[row, others] @ coef + intercept), estimated[row], atol=1e-7
                )
    assert n_same > 30


def test_variance_of_a_linear_kernel():
    """It is the trace of the covariance of the scaled inputs."""
    X, sign, _, slack = problem()
    scaled = X * np.array([1.0, 2.0, 0.5, 3.0])
    K = scaled @ scaled.T
    coef = hard_margin(K + slack, sign).coef
    length = coef @ (K + slack) @ coef
    assert_allclose(
        variance_margin(K + slack, sign).value / length,
        scaled.var(axis=0).sum() + 0.2 * (1 - 1 / 30),
    )


def left_out(K, sign):
    """Signed outputs of machines trained without each row."""
    outputs = []
    for row in range(len(K)):
        others = np.flatnonzero(np.arange(len(K)) != row)
        coef, intercept = hard_margin(K[np.ix_(others, others)], sign[others])
        outputs.append(sign[row] * (K[row, others] @ coef + intercept))
    return np.array(outputs)
