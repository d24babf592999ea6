"""Bayesian logistic regression against quadrature, rotations and finite differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from scipy.special import expit
from scipy.stats import cauchy, halfnorm, norm
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.feature_selection import SelectFromModel
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.literature.models import BayesianLogisticRegression
from subsel.literature.models.bayes.bayesian_logistic import BROAD, LogisticTarget
from subsel.models.bayes.posterior import effective_sample_size

TINY = {"n_chains": 1, "n_warmup": 10, "n_draws": 10, "n_leapfrog": 3}


@parametrize_with_checks(
    [
        BayesianLogisticRegression(**TINY),
        BayesianLogisticRegression("spherical", random_state=0, **TINY),
    ]
)
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


@pytest.mark.parametrize("spherical", [True, False])
def test_gradient_is_that_of_the_density(spherical):
    """Finite differences agree, for weighted rows and drawn widths."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((12, 4)), rng.integers(0, 2, 12).astype(float)
    target = LogisticTarget(X, y, rng.uniform(0.5, 2, 12), spherical, 1.0)
    target.refresh(rng.standard_normal(5), rng)
    position, gradient = rng.standard_normal(5), np.empty(5)
    target.density(position, gradient)
    slow = approx_fprime(position, lambda q: target.density(q, np.empty(5)), 1e-6)
    assert_allclose(gradient, slow, rtol=1e-4, atol=1e-4)


def prior_of_one_weight(prior, beta):
    """The density of a weight after its widths are integrated out."""
    if prior == "spherical":
        return cauchy.pdf(beta)
    sigma = np.linspace(1e-3, 6, 600)
    return (student.pdf(beta[:, None] / sigma, df=2) / sigma * halfnorm.pdf(sigma)).sum(axis=1) * (
        sigma[1] - sigma[0]
    )


@pytest.mark.parametrize("prior", ["spherical", "heavy-tailed"])
def test_one_input_agrees_with_quadrature(prior):
    """Posterior mean and spread of the weight, and a prediction, are those of a fine grid.

    The tolerance is five standard errors.
    """
    x, y = (
        np.array([-1.5, -1.0, -0.2, 0.3, 0.9, 1.4, 0.1, -0.6]),
        np.array([0, 0, 1, 1, 1, 1, 0, 0]),
    )
    model = BayesianLogisticRegression(
        prior, n_chains=2, n_warmup=500, n_draws=2500, n_leapfrog=8, random_state=0
    )
    model.fit(x[:, None], y)
    a, b = np.linspace(-15, 15, 301), np.linspace(-12, 40, 1041)
    A, B = np.meshgrid(a, b, indexing="ij")
    f = A[..., None] + B[..., None] * x
    density = (
        np.exp((y * f - np.logaddexp(0, f)).sum(axis=-1))
        * norm.pdf(A, scale=BROAD)
        * prior_of_one_weight(prior, b)
    )
    density /= density.sum()
    alphas, betas = (np.stack([chain[:, k] for chain in model.posterior_.chains]) for k in (0, 1))
    for function in (
        lambda a, b: np.tanh(b / 2),
        lambda a, b: b < 2.0,
        lambda a, b: 1 / (1 + np.exp(-a - 0.7 * b)),
    ):
        draws = function(alphas, betas).astype(float)
        error = draws.std() / np.sqrt(effective_sample_size(draws))
        assert error < 0.03
        assert abs(draws.mean() - (density * function(A, B)).sum()) < 5 * error
    assert_allclose(
        model.predict_proba([[0.7]])[0, 1], (1 / (1 + np.exp(-alphas - 0.7 * betas))).mean()
    )


def test_spherical_prior_needs_as_many_coordinates_as_rows():
    """With more columns than rows the reduced model predicts as the full one does.

    This includes rows outside the span of the training rows.
    """
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((6, 9)), np.array([0, 1, 0, 1, 1, 0])
    new = rng.standard_normal((4, 9))
    reduced = BayesianLogisticRegression(
        "spherical", n_warmup=300, n_draws=1500, n_leapfrog=10, random_state=0
    ).fit(X, y)
    assert reduced.directions_.shape == (9, 6)
    # rows of almost no weight span the other directions, so that nothing is reduced
    rows, labels = np.vstack([X, np.eye(9)]), np.append(y, np.arange(9) % 2)
    full = clone(reduced).fit(rows, labels, sample_weight=np.append(np.ones(6), np.full(9, 1e-12)))
    assert full.directions_.shape == (9, 9)
    both = [expit(m.sample_decisions(new)).reshape(2, -1, 4) for m in (reduced, full)]
    variances = [p.var(axis=(0, 1)) / effective_sample_size(p) for p in both]
    gap = np.abs(both[0].mean(axis=(0, 1)) - both[1].mean(axis=(0, 1)))
    assert (np.sqrt(sum(variances)) < 0.03).all()
    assert (gap < 5 * np.sqrt(sum(variances))).all()


@pytest.mark.parametrize("spherical", [True, False])
def test_the_common_width_of_many_inputs_moves(spherical):
    """A few sweeps redraw the width common to 150 inputs if the data do not determine it.

    The width is drawn given the inputs, which alone would hardly change it.
    """
    rng = np.random.default_rng(0)
    target = LogisticTarget(
        rng.standard_normal((6, 150)), np.arange(6) % 2.0, np.full(6, 1e-12), spherical, 0.1
    )
    position, kept = target.start(rng), []
    for _ in range(500):
        target.refresh(position, rng)
        position[1:] = rng.standard_normal(150) / np.sqrt(target._precision[1:])
        kept.append(np.log(target.draw(position)[151]))
    assert effective_sample_size(np.array(kept)[None, :, None])[0] > 60


def test_heavy_tailed_prior_finds_the_relevant_inputs():
    """The two of thirty inputs that separate the classes come first.

    Generic selectors find them too.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 30))
    y = X[:, 4] - 1.5 * X[:, 20] + 0.3 * rng.standard_normal(120) > 0
    model = BayesianLogisticRegression(n_warmup=150, n_draws=150, random_state=0)
    chosen = SelectFromModel(model, max_features=2, threshold=-np.inf).fit(X, y).get_support()
    assert chosen[[4, 20]].all()


@pytest.mark.parametrize("options", [{"prior": "flat"}, {"width": 0.0}, {"n_draws": 0}])
def test_wrong_arguments_are_named(options):
    """A message names the argument that is out of its range."""
    with pytest.raises(ValueError, match=next(iter(options))):
        BayesianLogisticRegression(**options).fit(np.eye(4), [0, 1, 0, 1])
