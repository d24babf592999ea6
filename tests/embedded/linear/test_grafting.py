"""Grafting, and polynomials grown by Gram-Schmidt and pruned."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.linear_model import ElasticNet, Lasso, LinearRegression, LogisticRegression
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded import MonomialRegression, grafting
from subsel.embedded.linear.monomials import leave_one_out_elimination, leave_one_out_error


@parametrize_with_checks(
    [MonomialRegression(n_terms=3, prune="loo"), MonomialRegression(1, n_terms=2)]
)
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def problem(seed=0, n=80, p=20):
    """Two columns of twenty make the target."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + 2
    return X, X[:, 2] - X[:, 5] + 0.5 * rng.standard_normal(n)


@pytest.mark.parametrize("l1", [0.02, 0.1, 0.5])
def test_grafting_ends_at_the_lasso(l1):
    """With the L1 penalty alone the final model is the lasso's."""
    X, y = problem()
    path, model = (
        grafting(X, y, l1=l1, scale=False),
        Lasso(l1, tol=1e-12, max_iter=100_000).fit(X, y),
    )
    assert_allclose(path.coef, model.coef_, atol=1e-6)
    assert path.intercept == pytest.approx(model.intercept_, abs=1e-5)
    assert set(np.flatnonzero(model.coef_).tolist()) <= set(path.features.tolist())


def test_grafting_ends_at_the_l1_logistic_regression():
    """With two classes the final model is that of an L1 logistic regression whose intercept is
    free.
    """
    X, y = problem()
    z = (y > 0).astype(int)
    options = {"penalty": "l1"} if LogisticRegression().penalty == "l2" else {"l1_ratio": 1.0}
    model = LogisticRegression(
        solver="saga", C=1 / (80 * 0.05), tol=1e-10, max_iter=100_000, **options
    ).fit(X, z)
    path = grafting(X, z, l1=0.05, scale=False)
    assert_allclose(path.coef, model.coef_[0], atol=1e-5)
    assert path.intercept == pytest.approx(model.intercept_[0], abs=1e-4)


def test_both_penalties_are_those_of_the_elastic_net():
    """With squared and absolute weights penalised the final model is the elastic net's."""
    X, y = problem()
    path = grafting(X, y, l1=0.06, l2=0.02, scale=False)
    model = ElasticNet(alpha=0.1, l1_ratio=0.6, tol=1e-12, max_iter=100_000).fit(X, y)
    assert_allclose(path.coef, model.coef_, atol=1e-6)


def test_the_first_feature_has_the_largest_gradient_and_a_large_penalty_takes_none():
    """At the empty model the gradients are mean products with the centred target."""
    X, y = problem()
    gradient = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())) / len(y)
    path = grafting(X, y, 1, scale=False)
    assert path.features[0] == gradient.argmax()
    assert path.scores[0] == pytest.approx(gradient.max())
    assert len(grafting(X, y, l1=gradient.max() * 1.0001, scale=False)) == 0


def test_a_price_per_feature_keeps_the_worthy_ones():
    """With l0 above what noise gains and below what the two columns gain, those two are left.

    With a huge one none.
    """
    X, y = problem()
    assert set(grafting(X, y, l1=1e-4, l0=0.05).features.tolist()) == {2, 5}
    assert len(grafting(X, y, l1=1e-4, l0=100.0)) == 0


def test_grafting_of_sparse_and_weighted_tables():
    """A sparse table gives the model of the dense one, weights that of repeated rows.

    Unknown losses are refused.
    """
    X, y = problem()
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    dense, thin = grafting(X, y, l1=0.1), grafting(sparse.csr_array(X), y, l1=0.1)
    assert_array_equal(thin.features, dense.features)
    assert_allclose(thin.coef, dense.coef, atol=1e-5)
    weighted = grafting(X, y, l1=0.1, sample_weight=weight)
    repeated = grafting(np.repeat(X, weight, axis=0), np.repeat(y, weight), l1=0.1)
    assert_allclose(weighted.coef, repeated.coef, atol=1e-6)
    with pytest.raises(ValueError, match="loss"):
        grafting(X, y, loss="hinge")


@pytest.mark.parametrize("prune", ["fisher", "loo"])
def test_the_polynomial_is_found(prune):
    """A product, a square and a column are recovered, and nothing else is read.

    The model predicts.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 6))
    y = 2 * X[:, 1] * X[:, 3] + X[:, 0] ** 2 - X[:, 4] + 0.05 * rng.standard_normal(300)
    model = MonomialRegression(2, n_terms=10, prune=prune, alpha=1e-4).fit(X[:200], y[:200])
    terms = {tuple(power) for power in model.powers_.tolist()}
    assert {(0, 1, 0, 1, 0, 0), (2, 0, 0, 0, 0, 0), (0, 0, 0, 0, 1, 0)} <= terms
    assert len(terms) == 3 or prune == "loo"
    assert len(terms) <= len(model.grown_) == 10
    assert np.mean((model.predict(X[200:]) - y[200:]) ** 2) < 0.01
    assert_allclose(model.predict(sparse.csr_array(X[:5])), model.predict(X[:5]))


def test_leave_one_out_is_refitting():
    """The closed form is the error of as many refits as there are rows, and elimination follows
    it.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((25, 5))
    y = X[:, 0] + 0.5 * rng.standard_normal(25)

    def refit(columns):
        return -cross_val_score(
            LinearRegression(), X[:, columns], y, cv=LeaveOneOut(), scoring="neg_mean_squared_error"
        ).mean()

    assert leave_one_out_error(X, y) == pytest.approx(refit(list(range(5))))
    kept = leave_one_out_elimination(X, y).tolist()
    assert 0 in kept
    assert all(refit([c for c in kept if c != k]) > refit(kept) for k in kept if len(kept) > 1)
    assert leave_one_out_error(X[:5], y[:5]) == np.inf


def test_few_rows_take_few_terms():
    """No more terms are grown than rows allow; an unknown rule is refused."""
    X, y = problem(n=6, p=8)
    for prune in ("fisher", "loo"):
        assert len(MonomialRegression(2, prune=prune).fit(X, y).grown_) == 3
    with pytest.raises(ValueError, match="prune must be"):
        MonomialRegression(prune="x").fit(X, y)
