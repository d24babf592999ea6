"""The potential support vector machine, and the toys that show what bounded weights are for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.linear_model import Lasso
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded import PotentialSVM
from subsel.embedded.l1.potential_svm import bounded_lasso
from subsel.literature.problems import redundancy
from subsel.literature.problems.redundancy_toys import modes, two_best
from subsel.ranking import fisher


@parametrize_with_checks([PotentialSVM(), PotentialSVM(C=0.1, n_features=1)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def problem(seed, n=40, p=10):
    """Standardised columns, correlated, and a centred target."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) @ (np.eye(p) + 0.5 * rng.standard_normal((p, p)))
    F = (X - X.mean(axis=0)) / X.std(axis=0)
    y = F[:, 0] - F[:, 1] + rng.standard_normal(n)
    return F, y - y.mean()


@pytest.mark.parametrize("shape", [(40, 10), (15, 30)])
def test_without_a_bound_it_is_the_lasso(shape):
    """With C infinite the weights are those of scikit-learn's lasso, and of a model that
    predicts the same.
    """
    F, y = problem(0, *shape)
    for epsilon in (0.02, 0.2):
        theirs = Lasso(alpha=epsilon, tol=1e-12, max_iter=100_000).fit(F, y)
        ours = PotentialSVM(epsilon).fit(F * 3 + 7, y)
        assert_allclose(ours.weights_, theirs.coef_, atol=1e-7)
        assert_allclose(ours.predict(F * 3 + 7), theirs.predict(F), atol=1e-6)


@pytest.mark.parametrize("C", [0.5, 0.1, 0.02])
def test_the_bounded_lasso_is_the_quadratic_programme(C):
    """Weights in a box are those of a general minimiser on positive and negative parts."""
    F, y = problem(1)

    def objective(v):
        left = y - F @ (v[:10] - v[10:])
        gradient = F.T @ left
        return left @ left / 2 + 4 * v.sum(), np.concatenate((4 - gradient, 4 + gradient))

    best = minimize(
        objective,
        np.zeros(20),
        jac=True,
        bounds=[(0, C)] * 20,
        options={"ftol": 1e-16, "gtol": 1e-12},
    )
    found = bounded_lasso(np.ascontiguousarray(F.T), y, 4.0, C)
    assert_allclose(found, best.x[:10] - best.x[10:], atol=1e-5)


def test_products_with_the_error_stay_within_epsilon():
    """Without slack no product exceeds epsilon, those of kept features reach it, and both
    programmes have one value.
    """
    F, y = problem(2)
    epsilon, m = 0.1, len(y)
    a = PotentialSVM(epsilon).fit(F, y).weights_
    products = F.T @ (F @ a - y) / m
    assert np.abs(products).max() <= epsilon + 1e-9
    assert_allclose(np.abs(products[a != 0]), epsilon, atol=1e-9)
    dual = ((F @ a) @ (F @ a) / 2 - y @ (F @ a)) / m + epsilon * np.abs(a).sum()
    assert (F @ a) @ (F @ a) / (2 * m) == pytest.approx(-dual)
    assert not PotentialSVM(np.abs(F.T @ y).max() / m * 1.0001).fit(F, y).get_support().any()


def test_a_small_bound_is_the_correlation_filter():
    """As C falls to 0 exactly the features are kept whose product with the target exceeds
    epsilon.
    """
    F, y = problem(3)
    for epsilon in (0.05, 0.2, 0.5):
        kept = PotentialSVM(epsilon, C=1e-9).fit(F, y).get_support()
        assert_array_equal(kept, np.abs(F.T @ y) / len(y) > epsilon)


def test_the_books_four_points():
    """A feature without correlation is kept where it is needed, one of high correlation left out
    where it is not.

    Tables of four rows of the book; what it says holds as epsilon falls to 0, at large epsilon the
    contrary does.
    """
    f1, f2 = np.array([-2.0, 2, -2, 2]), np.array([3.0, -3, 1, -1])
    needed = PotentialSVM(0.001 / 4).fit(np.column_stack((f1, f2)), f1 + f2)
    assert abs(np.corrcoef(f1, f1 + f2)[0, 1]) < 1e-12
    assert_allclose(needed.weights_, [2.0, 2.236], atol=5e-3)
    assert PotentialSVM(1 / 4).fit(np.column_stack((f1, f2)), f1 + f2).get_support(
        indices=True
    ).tolist() == [1]
    g = np.array([[0.0, -1, 0], [1, 1, 0], [-1, 0, -1], [1, 0, 1]])
    t = g[:, 1] + g[:, 2]
    assert np.corrcoef(g[:, 0], t)[0, 1] == pytest.approx(0.905, abs=1e-3)
    assert_allclose(PotentialSVM(0.001 / 4).fit(g, t).weights_, [0.0008, 0.707, 0.706], atol=1e-3)
    assert PotentialSVM(3 / 4).fit(g, t).get_support(indices=True).tolist() == [0]


def test_smaller_bounds_let_more_of_the_redundant_features_in():
    """Of the six relevant features of the redundancy toy the lasso finds between three and four,
    a small C over five.
    """
    found = []
    for C in (10.0, 0.2, 0.05):
        draws = [redundancy(200, random_state=seed) for seed in range(20)]
        kept = [
            PotentialSVM(C=C, n_features=6).fit(d.X, d.y).get_support(indices=True) for d in draws
        ]
        found.append(np.mean([np.isin(columns, np.arange(6)).sum() for columns in kept]))
    assert found[0] < found[1] < found[2]
    assert found[0] < 4.3 < 4.9 < found[2]


def test_two_features_are_taken_from_two_groups():
    """From 30 points the two largest weights complete each other in most draws, a correlation's
    two best in hardly any.

    Published: 73 against 5 of 100 draws. It takes weights at an epsilon well under the one at
    which two features are left; at that one the second often repeats the first. What the book
    draws its spreads from is not stated, and standardised columns do not depend on it.
    """
    pairs = {"weights": 0, "two left": 0, "correlation": 0}
    for seed in range(40):
        draw = two_best(30, random_state=seed)
        orders = {
            "weights": PotentialSVM(0.1).fit(draw.X, draw.y).ranking_[:2],
            "two left": PotentialSVM(n_features=2).fit(draw.X, draw.y).get_support(indices=True),
            "correlation": np.argsort(-fisher(draw.X, draw.y))[:2],
        }
        for name, pair in orders.items():
            pairs[name] += len(pair) == 2 and min(pair) < 3 <= max(pair) < 6
    assert pairs["correlation"] <= 8
    assert pairs["two left"] >= 18
    assert pairs["weights"] >= 28


def test_a_number_of_features_is_met():
    """So many columns are kept as were asked for, by the size of the weights."""
    F, y = problem(4, 60, 20)
    for n in (1, 5, 12, 20):
        found = PotentialSVM(n_features=n).fit(F, y)
        assert found.get_support().sum() == n
        assert_array_equal(np.sort(found.ranking_[:n]), found.get_support(indices=True))


def test_whole_weights_are_repeated_rows_and_classes_are_predicted():
    """Weighted rows count as repeated ones; two classes by name come back as names."""
    draw = redundancy(80, random_state=0)
    y, weight = np.where(draw.y > 0, "up", "down"), np.random.default_rng(0).integers(0, 3, 80)
    weighted = PotentialSVM(0.1).fit(draw.X, y, sample_weight=weight)
    repeated = PotentialSVM(0.1).fit(np.repeat(draw.X, weight, axis=0), np.repeat(y, weight))
    assert_allclose(weighted.weights_, repeated.weights_, atol=1e-8)
    assert_array_equal(weighted.predict(draw.X), repeated.predict(draw.X))
    assert (weighted.predict(draw.X) == y).mean() > 0.7


def test_toys_follow_their_laws():
    """In the groups that follow the label the means are as stated, elsewhere 0.

    In each mode four other features follow the label.
    """
    draw = redundancy(40_000, 8, flipped=0.0, random_state=0)
    assert_allclose(
        (draw.X * draw.y[:, None]).mean(axis=0)[:6], np.tile([0.5, 1.0, 1.5], 2), atol=0.05
    )
    assert draw.X[:, 7].std() == pytest.approx(20, rel=0.02)
    turned = redundancy(40_000, 6, random_state=0)
    assert (turned.y != draw.y[:1]).any()
    assert_allclose(
        (turned.X * turned.y[:, None]).mean(axis=0), 0.6 * np.tile([0.5, 1.0, 1.5], 2), atol=0.05
    )
    mixed = modes(40_000, 30, random_state=0)
    assert_allclose((mixed.X * mixed.y[:, None]).mean(axis=0)[:20], 0.4, atol=0.05)
    with pytest.raises(ValueError, match="n_features"):
        redundancy(10, 5)
    with pytest.raises(ValueError, match="n_features"):
        modes(10, 19)
