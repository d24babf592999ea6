"""Definitions of relevance on tables that are known, and the exact splits of risk."""

from itertools import product

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import hinge_loss, log_loss

from subsel.literature.models import LOSSES, regularised_risk
from subsel.literature.models.planes.losses import empirical_risk
from subsel.literature.studies import (
    bias_variance,
    discrete_relevance,
    information_lost,
    margin_bound,
    minimal_subsets,
)
from subsel.models.penalties import PENALTIES
from subsel.ranking.scores.information.bayesian_information import bayesian_information

BITS = np.array(list(product([0, 1], repeat=3)))
X = np.column_stack([BITS, 1 - BITS[:, 1], 1 - BITS[:, 2]])
Y = BITS[:, 0] ^ BITS[:, 1]
BIT = np.log(2)


def test_strong_weak_and_irrelevant():
    """The book's definitions on five bits: the first cannot be spared, the second and its negation replace each other."""
    found = discrete_relevance(X, Y)
    assert [f.kind for f in found] == ["strong", "weak", "irrelevant", "weak", "irrelevant"]
    assert all(f.alone == pytest.approx(0) for f in found)
    assert found[0].beside_all == pytest.approx(BIT)
    assert found[1].beside_all == pytest.approx(0, abs=1e-12) and found[1].most == pytest.approx(
        BIT
    )


def test_what_is_lost_and_what_suffices():
    """Nothing is lost with all columns, all with none; it falls along nested sets; two smallest sets suffice."""
    assert minimal_subsets(X, Y) == [(0, 1), (0, 3)]
    chain = [information_lost(X, Y, range(k)) for k in range(6)]
    assert chain[0] == pytest.approx(BIT) and chain[-1] == 0 and np.all(np.diff(chain) <= 1e-12)
    assert minimal_subsets(X, Y, epsilon=1.0) == [()]


def test_weights_are_probabilities():
    """Rows of weight zero do not exist."""
    weights = (X[:, 2] == 0).astype(float)
    alone = discrete_relevance(X, Y, weights)
    assert [f.kind for f in alone] == [
        f.kind for f in discrete_relevance(X[X[:, 2] == 0], Y[X[:, 2] == 0])
    ]


def test_the_error_is_bias_and_variance():
    """The split is exact, and a ridge trades one for the other."""
    rng = np.random.default_rng(0)

    def draw():
        inputs = rng.normal(size=(15, 8))
        return inputs, inputs @ np.ones(8) + rng.normal(size=15)

    new = rng.normal(size=(20, 8))
    found = {a: bias_variance(Ridge(a), draw, new, new @ np.ones(8), 200) for a in (1e-6, 10.0)}
    for one in found.values():
        assert one.error == pytest.approx(one.squared_bias + one.variance)
        assert one.per_row.shape == (2, 20)
    assert (
        found[10.0].squared_bias > found[1e-6].squared_bias
        and found[10.0].variance < found[1e-6].variance
    )


def test_the_margin_bound_by_its_formula():
    """Written out once more; infinite where the cover is larger than the sample."""
    m, d = 50_000, 64.0
    wanted = 0.1 + np.sqrt(
        2
        / m
        * (d * np.log(34 * np.e * m / d) * np.log2(578 * m) + np.log(8 / 0.05) + 2 * np.log(100))
    )
    assert margin_bound(0.1, m, 1, 100, margin=1.0) == pytest.approx(wanted)
    assert margin_bound(0.0, 100, 3, 100, margin=1.0) == np.inf
    assert (
        margin_bound(0.0, 2_700_000, 2, 100, margin=1.0)
        > 1
        > margin_bound(0.0, 2_900_000, 2, 100, margin=1.0)
    )


def test_losses_are_scikit_learns():
    """Hinge and logistic losses by name; the others by their definitions."""
    rng = np.random.default_rng(0)
    y, f = np.where(rng.random(30) < 0.5, -1.0, 1.0), rng.normal(size=30)
    assert empirical_risk("hinge", y, f) == pytest.approx(hinge_loss(y, f))
    chances = 1 / (1 + np.exp(-f))
    assert empirical_risk("logistic", y, f) == pytest.approx(log_loss(y, chances))
    assert empirical_risk("cross-entropy", (y + 1) / 2, chances) == pytest.approx(
        log_loss(y, chances)
    )
    assert empirical_risk("zero-one", y, f) == np.mean(np.sign(f) != y)
    assert empirical_risk("exponential", y, f, np.arange(30)) == pytest.approx(
        np.average(np.exp(-y * f), weights=range(30))
    )
    assert empirical_risk("insensitive", [0.0, 0.0], [0.05, 0.3]) == pytest.approx(0.1)
    assert all(np.all(loss(y, f) >= 0) for name, loss in LOSSES.items() if name != "cross-entropy")


def test_ridge_minimises_its_regularised_risk():
    """No step from scikit-learn's ridge lowers squared loss with decay; flat priors give least squares."""
    rng = np.random.default_rng(1)
    A, y = rng.normal(size=(40, 3)), rng.normal(size=40)

    def risk(w, a):
        return regularised_risk("squared", y, A @ w, w, 2 * a / 40)

    for alpha, model in (
        (3.0, Ridge(3.0, fit_intercept=False)),
        (0.0, LinearRegression(fit_intercept=False)),
    ):
        w = model.fit(A, y).coef_
        assert all(risk(w, alpha) <= risk(w + 0.01 * rng.normal(size=3), alpha) for _ in range(50))


def test_penalties_at_known_weights():
    """Elimination is the square for small weights and one for large ones; rules are free at -1, 0 and 1."""
    assert PENALTIES["elimination"](np.array([[1e-3]]))[0] == pytest.approx(1e-6, rel=1e-5)
    assert PENALTIES["elimination"](np.array([[1e4]]))[0] == pytest.approx(1.0)
    assert PENALTIES["rules"](np.array([[-1.0, 0.0, 1.0]]))[0] == 0
    assert PENALTIES["rules"](np.array([[0.5]]))[0] > 0


def test_posterior_mean_of_information_by_integration():
    """One value a class each: the mean over draws from the posterior; many rows give the plain estimate."""
    rng = np.random.default_rng(0)
    x, y = np.array([0, 0, 0, 1, 1, 0, 1])[:, None], np.array([0, 0, 1, 1, 1, 0, 0])
    counts = np.array([[3, 1], [1, 2]]) + 0.5
    p = rng.dirichlet(counts.ravel(), 200_000).reshape(-1, 2, 2)
    told = (p * np.log(p / (p.sum(2, keepdims=True) * p.sum(1, keepdims=True)))).sum((1, 2))
    assert bayesian_information(x, y)[0] == pytest.approx(
        told.mean(), abs=4 * told.std() / np.sqrt(len(told))
    )
    alone = bayesian_information(np.zeros((50, 1)), np.arange(50) % 2)
    assert alone[0] == pytest.approx(0, abs=1e-12)
    with pytest.raises(ValueError, match="prior"):
        bayesian_information(x, y, prior=0.0)
