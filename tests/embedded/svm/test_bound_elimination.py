"""Backward elimination on bounds: what is dropped is what the bound misses least."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import spearmanr
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded import BoundElimination
from subsel.embedded.svm.bound_elimination import bounds_without
from subsel.embedded.svm.bounds import BOUNDS, kept_multipliers
from subsel.embedded.svm.scaled_kernels import ScaledKernel


@parametrize_with_checks([BoundElimination(bound="variance", rule="kept", kernel="linear")])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def circle(n=50, p=6, seed=0):
    """Two inputs of six say on which side of a circle a row lies."""
    X = np.random.default_rng(seed).normal(size=(n, p))
    return X, np.where(X[:, 1] ** 2 + X[:, 4] ** 2 > 1.4, 1.0, -1.0)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_a_kernel_without_an_input_is_that_of_the_others(kernel):
    """Divided out, subtracted or computed anew; also where an input lies far out."""
    X, _ = circle(12)
    X[0, 2] = 60.0
    k, theta = ScaledKernel(kernel, 0.3), np.array([1.0, 0.5, 0.2, 1.0, 2.0, 0.0])
    for t in range(6):
        others = np.delete(np.arange(6), t)
        assert_allclose(
            k.without(X, theta, k(X, theta), t),
            k(X[:, others], theta[others]),
            rtol=1e-6,
            atol=1e-9,
        )


@pytest.mark.parametrize("bound", BOUNDS)
def test_every_step_drops_what_retraining_misses_least(bound):
    """At each size the bound of all machines without one input is least for the one dropped, and
    is the next of the path.
    """
    X, y = circle(40)
    found, Z = BoundElimination(2, bound=bound).fit(X, y), StandardScaler().fit_transform(X)
    kernel, left = ScaledKernel("rbf", 1 / 6), list(range(6))
    for step, dropped in enumerate(found.ranking_[:1:-1].tolist()):
        values = {}
        for t in left:
            others = [column for column in left if column != t]
            K = kernel(Z[:, others], np.ones(len(others))) + np.eye(40) / 10
            values[t] = BOUNDS[bound](K, y).value
        assert min(values, key=values.get) == dropped
        assert_allclose(found.bounds_[step + 1], values[dropped], rtol=1e-6)
        left.remove(dropped)
    assert_array_equal(np.sort(found.ranking_[:2]), left)


@pytest.mark.parametrize("bound", BOUNDS)
def test_the_circle_is_found_with_multipliers_kept(bound):
    """Without training a machine for every input.

    The worth of inputs then orders them much as retraining does.
    """
    X, y = circle()
    model = BoundElimination(2, bound=bound, rule="kept").fit(X, y)
    assert_array_equal(np.sort(model.ranking_[:2]), [1, 4])
    assert model.score(*circle(300, seed=1)) > 0.9
    kernel = ScaledKernel("rbf", 1 / 6)
    worth = [bounds_without(kernel, X, y, 0.1, bound, rule) for rule in ("retrained", "kept")]
    assert spearmanr(*worth).statistic > 0.5


@pytest.mark.parametrize("bound", ["radius-margin", "variance"])
def test_kept_multipliers_bound_from_below_and_agree_to_first_order(bound):
    """At the kernel they belong to they give the bound itself, elsewhere no more, and their
    slope is that of the bound.
    """
    X, y = circle(30)
    K = ScaledKernel("rbf", 0.2)(X, np.ones(6)) + np.eye(30) / 5
    value, here = kept_multipliers(K, y, bound), BOUNDS[bound](K, y)
    assert_allclose(value(K), here.value, rtol=1e-7)
    change = ScaledKernel("rbf", 0.1)(X, np.ones(6)) - K + np.eye(30) / 5
    assert value(K + change) <= BOUNDS[bound](K + change, y).value * (1 + 1e-9)
    slope = (value(K + 1e-5 * change) - value(K - 1e-5 * change)) / 2e-5
    assert_allclose(slope, (here.slope * change).sum(), rtol=1e-5)


def test_slopes_and_the_size_of_least_bound():
    """By slope of a linear machine the useless go first.

    With no number given the path ends where its bound is least.
    """
    X, _ = circle(60)
    y = np.where(X[:, 1] - X[:, 4] > 0, 1.0, -1.0)
    model = BoundElimination(2, kernel="linear", rule="slope", bound="span").fit(X, y)
    assert_array_equal(np.sort(model.ranking_[:2]), [1, 4])
    free = BoundElimination(kernel="linear", bound="span").fit(X, y)
    assert free.support_.sum() == 6 - np.flatnonzero(free.bounds_ == free.bounds_.min())[-1]
    with pytest.raises(ValueError, match="rule must be one of"):
        BoundElimination(rule="some").fit(X, y)
