"""The perceptron of large margin, and elimination as far as its margin allows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded import PerceptronElimination
from subsel.embedded.planes.perceptron_elimination import spare_columns
from subsel.models import ALMA


@parametrize_with_checks([ALMA(max_epochs=20), PerceptronElimination(max_epochs=20)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def separable(seed=0, n=40, p=6):
    """Two classes with a gap along a direction of two columns."""
    X = np.random.default_rng(seed).normal(size=(3 * n, p))
    X = X[np.abs(X[:, 0] - X[:, 1]) > 0.5][:n]
    return X, np.where(X[:, 0] > X[:, 1], 1, -1)


def largest_margin(rows, p):
    """The largest least product of the rows with weights of unit dual norm, by sequential
    quadratic programming.
    """
    q, start = p / (p - 1), np.append(0.1 * rows.mean(axis=0), 0.0)
    held = [
        {"type": "ineq", "fun": lambda v: rows @ v[:-1] - v[-1]},
        {"type": "ineq", "fun": lambda v: 1 - (np.abs(v[:-1]) ** q).sum()},
    ]
    return minimize(
        lambda v: -v[-1], start, constraints=held, options={"ftol": 1e-12, "maxiter": 1000}
    ).x[-1]


@pytest.mark.parametrize(("p", "alpha"), [(2.0, 0.3), (6.0, 0.5)])
def test_the_margin_is_near_the_largest(p, alpha):
    """At least 1 - alpha of the largest margin through the origin, after no more corrections
    than promised.
    """
    for seed in range(2):
        X, y = separable(seed, p=4)
        largest = largest_margin(y[:, None] * X / np.linalg.norm(X, p, axis=1, keepdims=True), p)
        model = ALMA(p, alpha=alpha, max_epochs=10**4).fit(X, y)
        assert (1 - alpha) * largest <= model.margin_ <= largest * (1 + 1e-6)
        assert (
            model.n_corrections_ <= 2 * (p - 1) / largest**2 * (2 / alpha - 1) ** 2 + 8 / alpha - 4
        )
        assert_allclose((y * model.decision_function(X)).min(), model.margin_)
        assert_allclose(np.linalg.norm(model.coef_[0], p / (p - 1)), 1)


@pytest.mark.parametrize("p", [2.0, 5.0])
def test_spare_columns_cost_no_more_than_their_allowance(p):
    """Without them no row loses more than allowed.

    With the next one as well the bound would be broken.
    """
    alpha, q = 0.5, p / (p - 1)
    for seed in range(2):
        X, y = separable(seed, p=20)
        model = ALMA(p, alpha=alpha, max_epochs=2000).fit(X, y)
        weights, margin = model.coef_[0], model.margin_
        spare = spare_columns(weights, margin, alpha, p)
        assert margin > 0 and 0 < len(spare) < 20
        rows = y[:, None] * X / np.linalg.norm(X, p, axis=1, keepdims=True)
        left = np.delete(np.arange(20), spare)
        assert (rows[:, left] @ weights[left]).min() >= margin * (1 - alpha * (1 - alpha)) - 1e-12
        following = left[np.abs(weights[left]).argmin()]
        assert (np.abs(weights[[*spare, following]]) ** q).sum() > (
            alpha * (1 - alpha) * margin
        ) ** q


def test_few_columns_are_kept_and_they_are_the_right_ones():
    """Of forty columns two matter: they are kept, most others are not, and nobody said how many."""
    X, y = separable(p=40)
    found = PerceptronElimination().fit(X, y)
    assert found.support_[[0, 1]].all() and found.support_.sum() < 20
    assert set(found.ranking_[:2]) == {0, 1}
    assert_array_equal(np.sort(found.ranking_), np.arange(40))
    assert_array_equal(
        np.sort(found.ranking_[: found.support_.sum()]), found.get_support(indices=True)
    )
    assert (
        found.sizes_[0] == 40
        and (np.diff(found.sizes_) < 0).all()
        and found.sizes_[-1] == found.support_.sum()
    )
    assert found.score(X, y) == 1


def test_nothing_leaves_where_nothing_may():
    """At alpha = 1 there is no allowance, and where no plane separates the classes there is no
    margin.
    """
    X, y = separable(p=8)
    assert PerceptronElimination(1.0).fit(X, y).support_.all()
    y[:4] *= -1
    found = PerceptronElimination(max_epochs=5).fit(X, y)
    assert found.margins_[0] < 0 and found.support_.all()


@pytest.mark.parametrize("model", [ALMA(alpha=0.0), ALMA(p=1.5), PerceptronElimination(2.0)])
def test_wrong_arguments_are_named(model):
    """A message names what is out of its range."""
    with pytest.raises(ValueError, match=r"alpha must|p must"):
        model.fit(*separable(n=8))
