"""How much kernel machines and networks used their inputs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC, SVR

from subsel import SubsetSelector
from subsel.models.relevance import margin_relevance, model_relevance


def table(n=60, p=5, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, p))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


@pytest.mark.parametrize(
    ("kernel", "settings"),
    [("rbf", {"gamma": 0.3}), ("poly", {"gamma": 0.5, "degree": 3, "coef0": 1.0}), ("linear", {})],
)
def test_the_change_of_the_margin_by_definition(kernel, settings):
    """Recompute the kernel without each input, multipliers kept."""
    X, y = table()
    model = SVC(kernel=kernel, **settings).fit(X, y)
    S, a = model.support_vectors_, model.dual_coef_[0]
    whole = a @ pairwise_kernels(S, metric=kernel, **settings) @ a
    expected = [
        abs(whole - a @ pairwise_kernels(np.delete(S, p, 1), metric=kernel, **settings) @ a)
        for p in range(5)
    ]
    assert_allclose(margin_relevance(model), expected, rtol=1e-8)


def test_a_linear_kernel_gives_squared_weights():
    """Also for a quantity."""
    X, y = table()
    for model in (SVC(kernel="linear").fit(X, y), SVR(kernel="linear").fit(X, X[:, 0])):
        assert_allclose(margin_relevance(model), model.coef_[0] ** 2, rtol=1e-8)


def test_several_classes_sum_their_machines_against_the_rest():
    """Pairs of classes are refused with the remedy."""
    X, _ = table()
    y = np.digitize(X[:, 2], [-0.5, 0.5])
    rest = OneVsRestClassifier(SVC(gamma=0.2)).fit(X, y)
    assert_allclose(
        margin_relevance(rest), sum(margin_relevance(each) for each in rest.estimators_)
    )
    assert_allclose(model_relevance(rest), margin_relevance(rest))
    with pytest.raises(ValueError, match="OneVsRestClassifier"):
        margin_relevance(SVC().fit(X, y))
    with pytest.raises(ValueError, match="got 'sigmoid'"):
        margin_relevance(SVC(kernel="sigmoid").fit(X, y > 0))


def test_elimination_by_the_margin_finds_inputs_that_act_together():
    """A product of two inputs among ten, which no linear weight shows."""
    X, y = table(200, 10, seed=1)
    found = SubsetSelector(SVC(gamma=0.1, C=10), "rfe", n_features=2).fit(X, y)
    assert set(found.get_support(indices=True)) == {0, 1}


def test_a_network_says_what_leaves_its_inputs():
    """The norm over hidden units of the weights out of each input."""
    X, y = table()
    model = MLPClassifier(4, max_iter=30, random_state=0)
    with pytest.warns(Warning):
        model.fit(X, y)
    assert_allclose(model_relevance(model), np.linalg.norm(model.coefs_[0], axis=1))


def test_the_slope_of_a_penalised_objective_by_a_scale_is_the_squared_weight():
    """dG/dsigma_p = -2 lambda w_p^2 at sigma = 1.

    It is compared with differences of the retrained objective of ridge.
    """
    X, _ = table()
    y, penalty = X @ [1.0, -2.0, 0.5, 0.0, 3.0] + 0.1 * X[:, 0] ** 2, 2.0

    def objective(scales):
        model = Ridge(alpha=penalty, fit_intercept=False).fit(X * scales, y)
        return np.sum((y - model.predict(X * scales)) ** 2) + penalty * np.sum(model.coef_**2)

    weights = Ridge(alpha=penalty, fit_intercept=False).fit(X, y).coef_
    for p in range(5):
        step = 1e-5 * np.eye(5)[p]
        slope = (objective(1 + step) - objective(1 - step)) / 2e-5
        assert slope == pytest.approx(-2 * penalty * weights[p] ** 2, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_linear_model_needs_no_mask_of_its_own(size):
    """The best over weights and masks is the best over weights with so many that are not zero.

    It is found by enumeration.
    """
    from itertools import combinations

    X, _ = table(30, 6)
    y = X @ [1.0, -1.0, 0.3, 0.0, 2.0, 0.0] + 0.2 * X[:, 1] ** 2

    def masked(mask):
        """All weights free, the mask inside the model.

        The penalty sends the weights behind a zero to zero.
        """
        model = Ridge(alpha=0.5, fit_intercept=False).fit(X * mask, y)
        return np.sum((y - model.predict(X * mask)) ** 2) + 0.5 * np.sum(
            model.coef_**2
        ), model.coef_

    def sparse(columns):
        model = Ridge(alpha=0.5, fit_intercept=False).fit(X[:, columns], y)
        return np.sum((y - model.predict(X[:, columns])) ** 2) + 0.5 * np.sum(model.coef_**2)

    subsets = list(combinations(range(6), size))
    values = [masked(np.isin(np.arange(6), s).astype(float)) for s in subsets]
    assert min(v for v, _ in values) == pytest.approx(min(sparse(list(s)) for s in subsets))
    assert all(np.count_nonzero(np.abs(w) > 1e-12) <= size for _, w in values)
