"""The mixture of Gaussians with class probabilities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.literature.models import ClassMixture


@parametrize_with_checks([ClassMixture(max_iter=3)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def cube(n, seed, d=3):
    """Flat clusters on the vertices of a cube, every second one of the other class."""
    law, rng = np.random.default_rng(0), np.random.default_rng(seed)
    shapes, owner = law.uniform(-1, 1, size=(2**d, d, d)), law.permutation(2**d) % 2
    cluster = rng.integers(2**d, size=n)
    vertices = 2.0 * (cluster[:, None] >> np.arange(d) & 1) - 1
    return 1.5 * vertices + np.einsum(
        "ni,nij->nj", rng.normal(size=(n, d)), shapes[cluster]
    ), owner[cluster]


def test_decisions_are_the_log_odds_of_the_mixture():
    """The sum over components of share, density and chance, by scipy's densities."""
    X, y = cube(300, 1)
    model = ClassMixture().fit(X, y)
    parts = [
        s * multivariate_normal(m, C).pdf(X)
        for s, m, C in zip(model.shares_, model.means_, model.covariances_)
    ]
    second, first = model.positive_ @ parts, (1 - model.positive_) @ parts
    assert_allclose(model.decision_function(X), np.log(second / first), rtol=1e-6, atol=1e-8)
    assert_allclose(model.predict_proba(X)[:, 1], second / (first + second), rtol=1e-6)


def test_no_step_loses_likelihood():
    """Without shrinkage each step of expectation and maximisation gains."""
    model = ClassMixture(shrinkage=0, tol=0.0).fit(*cube(600, 2))
    assert np.diff(model.log_likelihood_).min() > -1e-3 and len(model.log_likelihood_) > 5


def test_shapes_of_clusters_are_worth_knowing():
    """Where clusters have shapes of their own, the mixture errs less than neighbours do."""
    X, y = cube(800, 3)
    more, their = cube(2000, 4)

    def error(model):
        return 1 - model.fit(X, y).score(more, their)

    assert error(ClassMixture()) < 0.8 * error(KNeighborsClassifier(7))


def test_parameters_are_checked():
    """Each message names the rule and the value."""
    X, y = cube(50, 0)
    for given, said in (
        ({"shrinkage": -1}, "shrinkage must not"),
        ({"least": 0.5}, "least must lie"),
    ):
        with pytest.raises(ValueError, match=said):
            ClassMixture(**given).fit(X, y)
    with pytest.raises(ValueError, match=r"at most 10 columns .*, got 11"):
        ClassMixture().fit(np.random.default_rng(0).normal(size=(30, 11)), np.arange(30) % 2)
