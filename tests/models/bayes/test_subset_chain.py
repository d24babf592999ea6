"""Chains over subsets against enumeration and quadrature; voting Gibbs; relevance vectors."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal, norm
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.literature.models import (
    BayesianLogisticRegression,
    RelevanceVectorClassifier,
    VotingGibbs,
)
from subsel.models.bayes.posterior import effective_sample_size
from subsel.models.bayes.subset_chain import Conjugate, visit_subsets
from subsel.models.kernels import gaussian

TINY = BayesianLogisticRegression(n_chains=1, n_warmup=10, n_draws=10, n_leapfrog=3)


@parametrize_with_checks([VotingGibbs(TINY, n_votes=5), RelevanceVectorClassifier(max_iter=10)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def centred(m, n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, n))
    return X - X.mean(axis=0), rng


@pytest.mark.parametrize("subset", [(0,), (1, 2), (0, 1, 2)])
def test_probability_of_a_subset_is_the_integral_over_its_weights(subset):
    """With a noise of 1 the ratio to no inputs is one of two normal densities of the target."""
    X, rng = centred(7, 3)
    y = rng.standard_normal(7)
    y -= y.mean()
    model = Conjugate(X, g=4.0, inclusion=0.2, known_noise=True)
    mask = np.isin(np.arange(3), subset)
    A = X[:, mask]
    covariance = np.eye(7) + 4.0 * A @ np.linalg.inv(A.T @ A) @ A.T
    exact = multivariate_normal.logpdf(y, cov=covariance) - multivariate_normal.logpdf(
        y, cov=np.eye(7)
    )
    found = model.log_posterior(mask, y) - model.log_posterior(np.zeros(3, dtype=bool), y)
    assert_allclose(found, exact + len(subset) * np.log(0.25), rtol=1e-8)


def test_visits_match_enumeration():
    """Every input and every subset is visited in proportion to its exact probability.

    The tolerance is five standard errors.
    """
    X, rng = centred(25, 5)
    X[:, 3] = X[:, 0] + 0.5 * X[:, 3]
    y = 0.6 * X[:, 0] + 0.4 * X[:, 2] + rng.standard_normal(25)
    model = Conjugate(X, g=25.0, inclusion=0.4)
    subsets = np.array(list(product([False, True], repeat=5)))
    exact = np.exp([model.log_posterior(s, y) for s in subsets])
    exact /= exact.sum()
    visits = visit_subsets(model, y, 100, 1500, np.random.default_rng(0))
    codes = visits.subsets @ 2 ** np.arange(4, -1, -1)
    often = np.flatnonzero(exact > 0.02)
    draws = np.column_stack([visits.subsets, codes[:, None] == often]).astype(float)
    expected = np.concatenate([exact @ subsets, exact[often]])
    error = draws.std(axis=0) / np.sqrt(effective_sample_size(draws[None]))
    assert (error < 0.05).all()
    assert (np.abs(draws.mean(axis=0) - expected) < 5 * error).all()


def test_two_classes_match_quadrature():
    """In probit regression the four subsets of two inputs are visited as integrals say."""
    X, rng = centred(14, 2, seed=1)
    y = (X[:, 0] + rng.standard_normal(14) > 0).astype(float)
    g, sign = 5.0, 2 * y - 1
    alpha = np.linspace(-4, 4, 41)
    exact = []
    for mask in ([0, 0], [1, 0], [0, 1], [1, 1]):
        A = X[:, np.array(mask, dtype=bool)]
        axes = [np.linspace(-4, 4, 33)] * A.shape[1]
        betas = np.array(list(product(*axes))).reshape(33 ** A.shape[1], A.shape[1])
        prior = np.ones(1)
        if A.shape[1]:
            prior = multivariate_normal.pdf(betas, cov=g * np.linalg.inv(A.T @ A)).reshape(-1)
            prior = prior / prior.sum()
        f = sum(A[:, k] * betas[:, k, None] for k in range(A.shape[1])) + np.zeros((len(betas), 14))
        likelihood = [np.exp(norm.logcdf(sign * (f + a)).sum(axis=1)) @ prior for a in alpha]
        exact.append(np.sum(likelihood))
    exact = np.array(exact) / np.sum(exact)
    visits = visit_subsets(
        Conjugate(X, g, known_noise=True), y, 100, 1500, np.random.default_rng(0), classes=True
    )
    draws = (visits.subsets @ [1, 2])[:, None] == np.arange(4)
    error = draws.std(axis=0) / np.sqrt(effective_sample_size(draws[None].astype(float)))
    assert (error < 0.05).all()
    assert (np.abs(draws.mean(axis=0) - exact) < 5 * error).all()


def test_subsets_of_dependent_columns_have_finite_probabilities():
    """Copies and constants explain nothing more, and cost an input."""
    X, rng = centred(10, 2)
    model = Conjugate(np.column_stack([X, X[:, 0], np.zeros(10)]), g=10.0)
    y = X[:, 0] + 0.1 * rng.standard_normal(10)
    alone = model.log_posterior(np.array([True, False, False, False]), y)
    for other in ([True, False, True, False], [True, False, False, True]):
        assert_allclose(alone - model.log_posterior(np.array(other), y), 0.5 * np.log(11))


def test_votes_are_those_of_the_draws():
    """The share is that of the drawn models whose log odds are positive."""
    X, rng = centred(40, 3)
    y = X[:, 0] + 0.5 * rng.standard_normal(40) > 0
    model = VotingGibbs(TINY, n_votes=7, random_state=0).fit(X, y)
    draws = model.estimator_.posterior_.draws[model.votes_]
    votes = draws[:, :1] + draws[:, 1:4] @ X.T > 0
    assert len(set(model.votes_)) == 7
    assert_allclose(model.predict_proba(X)[:, 1], votes.mean(axis=0))
    assert_array_equal(model.predict(X), votes.sum(axis=0) > 3)


def test_relevance_vectors_alone_decide():
    """The function is the sum over few rows of weight times kernel; the others do not matter."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 2))
    y = (X**2).sum(axis=1) > 1.2
    model = RelevanceVectorClassifier().fit(X, y)
    f = gaussian(X, X[model.support_]) @ model.dual_coef_ + model.intercept_
    assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-f)))
    assert 1 <= len(model.support_) < 20
    assert model.score(X, y) > 0.9


def test_wrong_arguments_are_named():
    """A message names the argument that is out of its range."""
    with pytest.raises(ValueError, match="n_votes"):
        VotingGibbs(TINY, n_votes=0).fit(np.eye(4), [0, 1, 0, 1])
