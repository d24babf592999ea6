"""Orders from pursuit and from L1 penalties."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LinearRegression, lars_path, lasso_path
from sklearn.preprocessing import StandardScaler

import subsel.embedded.orders
from subsel import RankingSelector
from subsel.embedded import (
    CPLSelector,
    l1_logistic,
    l1_squared_hinge,
    lars,
    lasso,
    omp,
    one_norm_svm,
)
from subsel.embedded.design import unit_columns
from subsel.ranking.registry import ORDERS

X, Y = load_diabetes(return_X_y=True)
Z = StandardScaler().fit_transform(X)
L1 = [
    "lasso",
    "huber-lasso",
    "l1-squared-hinge",
    "l1-huberized-hinge",
    "l1-logistic",
    "one-norm-svm",
]
HERE = sorted(
    {e.key for e in ORDERS.values() if e.function.__name__ in subsel.embedded.orders.__all__}
)


def two_classes(seed, n=60, p=12):
    """Columns of different means and spreads, classes from two of them with errors."""
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((n, p)) * rng.choice([1.0, 20.0], p) + rng.choice([0.0, 5.0], p)
    z = (table - table.mean(axis=0)) / table.std(axis=0)
    return table, (z[:, 2] - z[:, 5] + 0.7 * rng.standard_normal(n) > 0).astype(int)


def residual(columns):
    """What least squares on some columns leaves of the target."""
    return Y - (
        LinearRegression().fit(X[:, columns], Y).predict(X[:, columns]) if columns else Y.mean()
    )


def test_pursuit_takes_the_nearest_to_the_residual():
    """Every step takes the largest squared cosine with the residual of a refit, which is the
    score.
    """
    path, taken = omp(X, Y), []
    for j, score in zip(path.features, path.scores):
        left = residual(taken)
        cosines = (Z.T @ left) ** 2 / (len(Y) * (left @ left))
        cosines[taken] = 0
        assert j == np.argmax(cosines)
        assert score == pytest.approx(cosines[j])
        taken.append(int(j))
    assert sorted(taken) == list(range(10))
    squares = [residual(taken[:k]) @ residual(taken[:k]) for k in range(11)]
    assert (np.diff(squares) <= 1e-6).all()


def test_an_orthonormal_design_is_ordered_by_products():
    """Where columns are orthonormal, pursuit, least angles and the lasso go by the size of the
    products with y.
    """
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(np.column_stack((np.ones(40), rng.standard_normal((40, 6)))))[0][:, 1:]
    y = Q @ [3.0, -6, 1, 5, -2, 4] + 0.1 * rng.standard_normal(40)
    expected = np.argsort(-np.abs(Q.T @ y))
    for take in (omp, lars, lasso):
        assert_array_equal(take(Q, y).features, expected)


def test_least_angles_and_the_lasso_are_those_of_scikit_learn():
    """The orders, and the penalties at which columns come in, are those of ``lars_path`` on
    standardised columns.
    """
    for take, method in ((lars, "lar"), (lasso, "lasso")):
        alphas, _, coefs = lars_path(Z, Y - Y.mean(), method=method)
        first = [np.argmax(coefs[j] != 0) - 1 for j in range(10)]
        expected = np.argsort(first, kind="stable")
        path = take(X, Y)
        assert_array_equal(path.features, expected[: len(path)])
        assert_allclose(path.scores, alphas[np.array(first)[path.features]])


def test_the_lasso_comes_in_where_coordinate_descent_lets_it_in():
    """Just above the score of a column ``lasso_path`` gives it no weight, just below it does."""
    path = lasso(X, Y, scale=False)
    table = X - X.mean(axis=0)
    for j, alpha in zip(path.features, path.scores):
        _, coefs, _ = lasso_path(
            table, Y - Y.mean(), alphas=[1.001 * alpha, 0.999 * alpha], tol=1e-10, max_iter=100_000
        )
        assert coefs[j, 0] == 0
        assert coefs[j, 1] != 0


def test_l1_logistic_begins_at_the_largest_gradient():
    """No column comes in above the largest gradient of the empty model, and the first is the one
    that has it.
    """
    table, y = two_classes(0)
    z = unit_columns(table, centre=True)
    gradient = np.abs(z.T @ (y - y.mean())) / len(y)
    path = l1_logistic(table, y)
    assert path.features[0] == np.argmax(gradient)
    assert path.scores[0] <= gradient.max()
    assert path.scores[0] >= 0.85 * gradient.max()


def test_the_one_norm_machine_is_the_linear_programme():
    """At several penalties the machine behind the order has the value of the programme written
    out.
    """
    table, y = two_classes(1, n=30, p=6)
    z = unit_columns(table)
    sign, n, p = 2.0 * y - 1, len(y), 6
    path = one_norm_svm(table, y)
    for lam in path.scores[[0, 2, 4]] * n:
        A = np.column_stack((sign[:, None] * z, -sign[:, None] * z, sign, -sign, np.eye(n)))
        cost = np.concatenate((np.full(2 * p, lam), [0, 0], np.ones(n)))
        written = linprog(cost, A_ub=-A, b_ub=-np.ones(n))
        model = CPLSelector(lam, scale=False).fit(z, y)
        assert model.criterion_ == pytest.approx(written.fun, rel=1e-6)
        taken = path.features[path.scores * n >= lam * (1 - 1e-9)]
        assert set(np.flatnonzero(model.coef_[0]).tolist()) <= set(taken.tolist())


def test_a_thin_margin_stands_on_its_two_columns():
    """Ten points and five columns, classes told apart by x0 + x1 = 0: noise comes in after both."""
    rng = np.random.default_rng(2)
    table = rng.uniform(-1, 1, (10, 5))
    y = (table[:, 0] + table[:, 1] > 0).astype(int)
    table[:, :2] += 0.7 * (2 * y - 1)[:, None]
    assert set(one_norm_svm(table, y, 2, scale=False).features.tolist()) == {0, 1}


@pytest.mark.parametrize("key", L1)
def test_whole_weights_repeat_rows(key):
    """The path is that of the table with its rows repeated, rows of weight zero left out."""
    table, y = two_classes(3)
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    take = ORDERS[key].function
    weighted = take(table, y, sample_weight=weight)
    repeated = take(np.repeat(table, weight, axis=0), np.repeat(y, weight))
    n = 5  # further on the liblinear grid the last digits of its tolerance decide
    assert_array_equal(weighted.features[:n], repeated.features[:n])
    assert_allclose(weighted.scores[:n], repeated.scores[:n], rtol=1e-7)


@pytest.mark.parametrize("key", L1)
def test_scale_and_place_of_columns_do_not_matter(key):
    """A column in other units, from another zero, comes in at the same place.

    Unless scaling is switched off.
    """
    table, y = two_classes(4)
    take = ORDERS[key].function
    other = table * np.geomspace(0.01, 100, 12)
    assert_array_equal(take(table, y, 4).features, take(other, y, 4).features)
    assert_array_equal(take(table, y, 4).features, take(sparse.csr_array(table), y, 4).features)


@pytest.mark.parametrize("key", HERE)
def test_names_of_classes_do_not_matter(key):
    """Two classes may be text; three are refused by the machines of two."""
    table, y = two_classes(5)
    take = ORDERS[key].function
    assert_array_equal(
        take(table, np.where(y, "yes", "no"), 3).features, take(table, y, 3).features
    )
    if not ORDERS[key].regression:
        with pytest.raises(ValueError, match="two classes"):
            take(table, np.arange(len(y)) % 3)


@pytest.mark.parametrize("key", HERE)
def test_orders_go_through_the_selector(key):
    """Every order is found by its name and keeps the number asked for."""
    table, y = load_breast_cancer(return_X_y=True)
    selector = RankingSelector(key, cut=3).fit(table[::4], y[::4])
    assert selector.get_support().sum() == 3


def test_a_constant_target_takes_nothing():
    """Where there is nothing to fit the path is empty."""
    for take in (omp, lars, lasso):
        assert len(take(X, np.full(len(Y), 3.0))) == 0


def test_the_squared_hinge_and_its_huberized_form_agree_without_outliers():
    """While no margin is below the knot both give one path."""
    table, y = two_classes(6)
    plain, robust = (
        l1_squared_hinge(table, y, 3),
        ORDERS["l1-huberized-hinge"].function(table, y, 3, delta=-1e6),
    )
    assert_array_equal(plain.features, robust.features)
    assert_allclose(plain.scores, robust.scores)
