"""Adaptive scaling: its gradient, its convex case, known inputs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded import AdaptiveScaling, convex_scaling


@parametrize_with_checks([AdaptiveScaling(max_iter=2)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def circle(n=80, p=6, seed=0):
    """Two inputs of six say on which side of a circle a row lies."""
    X = np.random.default_rng(seed).normal(size=(n, p))
    return X, np.where(X[:, 1] ** 2 + X[:, 4] ** 2 > 1.4, 1.0, -1.0)


@pytest.mark.parametrize("norm", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_gradient_is_that_of_finite_differences(kernel, norm):
    """Through the norm, which all scales share."""
    X, y = circle(40)
    model, free = (
        AdaptiveScaling(norm=norm, kernel=kernel),
        np.array([0.5, 1.2, 0.3, 0.9, 1.5, 0.1]),
    )
    numeric = approx_fprime(free, lambda u: model._objective(u, X, y)[0], 1e-6)
    assert_allclose(
        model._objective(free, X, y)[1], numeric, rtol=1e-3, atol=1e-4 * np.abs(numeric).max()
    )


def test_a_linear_machine_of_norm_two_is_the_convex_programme():
    """Squared scales are those of the linear programme, and the value half its squared 1-norm of
    weights.
    """
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 8))
    y = np.sign(X[:, 0] + 0.5 * X[:, 1])
    X = StandardScaler().fit_transform(X)
    X[:, 0] += 0.3 * y
    Z = StandardScaler().fit_transform(X)
    model = AdaptiveScaling(kernel="linear", size=1.0, C=1e8, max_iter=500).fit(Z, y)
    assert_allclose(model.objective_, 5.57705, rtol=1e-3)
    assert_allclose(model.scales_**2, convex_scaling(Z, y), atol=0.02)


def test_the_circle_is_found_and_smaller_norms_keep_fewer():
    """Scales keep the norm they are given; those of the two inputs are the largest."""
    X, y = circle(100)
    kept = []
    for norm in (1.0, 2.0):
        model = AdaptiveScaling(norm=norm).fit(X, y)
        assert set(model.ranking_[:2]) == {1, 4}
        assert_allclose((model.scales_**norm).sum(), 6.0, rtol=1e-6)
        kept.append(np.count_nonzero(model.scales_ > 0.05 * model.scales_.max()))
    assert 2 <= kept[0] <= kept[1] <= 6
    assert AdaptiveScaling(2).fit(X, y).score(*circle(300, seed=1)) > 0.9


@pytest.mark.parametrize("parameter", ["norm", "size"])
def test_what_cannot_be_is_refused(parameter):
    """The message names the parameter."""
    with pytest.raises(ValueError, match=parameter):
        AdaptiveScaling(**{parameter: 0.0}).fit(*circle())


@pytest.mark.parametrize("norm", [1.0, 2.0])
def test_a_step_that_leads_to_nothing_is_no_end(norm):
    """Where all free values are 0, as at the corner of the bounds, all columns count alike."""
    rng = np.random.default_rng(0)
    Z, target = rng.standard_normal((12, 3)), np.where(np.arange(12) % 2, 1.0, -1.0)
    model = AdaptiveScaling(norm=norm)
    (value, slope), (expected, _) = (
        model._objective(free, Z, target) for free in (np.zeros(3), np.ones(3))
    )
    assert value == expected and np.isfinite(slope).all()
    assert_allclose(model._normed(np.zeros(3))[0], model._normed(np.ones(3))[0])
