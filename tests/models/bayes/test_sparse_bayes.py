"""Sparse Bayesian classification against dense algebra and the fixed point of its rule."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.models import ARDClassifier
from subsel.models.bayes.sparse_bayes import penalised_logistic


@parametrize_with_checks([ARDClassifier(max_iter=20)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def data(m, n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, n))
    y = (X[:, 0] - X[:, 1] + rng.standard_normal(m) > 0).astype(float)
    return X, y, rng


@pytest.mark.parametrize(("m", "n"), [(40, 6), (8, 8), (12, 30)])
def test_mode_and_determination_are_those_of_dense_algebra(m, n):
    """The gradient vanishes at the mode.

    The determination is one minus the precision times the diagonal of the inverse.
    """
    X, y, rng = data(m, n)
    weights, beta = rng.uniform(0.5, 2, m), rng.uniform(0.1, 5, n)
    w, gamma = penalised_logistic(X, y, weights, beta)
    p = expit(X @ w)
    assert_allclose(X.T @ (weights * (y - p)), beta * w, atol=1e-7)
    hessian = X.T @ ((weights * p * (1 - p))[:, None] * X) + np.diag(beta)
    assert_allclose(gamma, 1 - beta * np.diag(np.linalg.inv(hessian)), atol=1e-9)


def test_equal_precisions_are_scikit_learns_ridge_logistic():
    """With one precision for all weights the mode is that of l2-penalised logistic regression."""
    X, y, _ = data(60, 5)
    w, _ = penalised_logistic(X, y, np.ones(60), np.full(5, 2.0))
    peer = LogisticRegression(C=0.5, fit_intercept=False, tol=1e-10, max_iter=1000).fit(X, y)
    assert_allclose(w, peer.coef_[0], rtol=1e-5)


def test_rule_has_reached_its_fixed_point():
    """Kept weights satisfy precision times square equal determination, which lies between 0 and 1.

    The others are zero.
    """
    X, y, _ = data(300, 12)
    model = ARDClassifier(max_iter=3000, tol=1e-7).fit(X, y)
    kept = np.isfinite(model.precisions_)
    assert kept[[0, 1]].all()
    assert 2 <= kept.sum() < 12
    assert_allclose(
        model.precisions_[kept] * model.coef_[0, kept] ** 2, model.determination_[kept], rtol=1e-4
    )
    assert ((model.determination_ >= 0) & (model.determination_ <= 1)).all()
    assert (model.coef_[0, ~kept] == 0).all()


def test_relevant_inputs_are_found_among_many():
    """With more inputs than rows the two relevant ones have the largest weights."""
    X, y, _ = data(100, 150, seed=3)
    weight = np.abs(ARDClassifier().fit(X, y).coef_[0])
    assert set(np.argsort(-weight)[:2]) == {0, 1}
    assert np.count_nonzero(weight) < 40


def test_constant_and_repeated_columns_and_separable_classes():
    """Constants get no weight; perfect separation and copies still give finite answers."""
    X, _, _ = data(40, 3)
    table = np.column_stack([X, np.ones(40), X[:, 0]])
    model = ARDClassifier().fit(table, X[:, 0] > 0)
    assert np.isfinite(model.coef_).all()
    assert abs(model.coef_[0, 3]) < 1e-6 or model.coef_[0, 3] == 0
    assert model.score(table, X[:, 0] > 0) == 1


def test_wrong_arguments_are_named():
    """A message names the argument that is out of its range."""
    with pytest.raises(ValueError, match="max_iter"):
        ARDClassifier(max_iter=0).fit(np.eye(4), [0, 1, 0, 1])
