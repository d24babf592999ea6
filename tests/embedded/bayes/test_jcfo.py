"""Joint classifier and feature optimisation.

A posterior that never falls, a sparse probit by a convex solver, known inputs.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate, sparse, stats
from scipy.optimize import approx_fprime, minimize
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded import JCFO
from subsel.embedded.bayes.jcfo import SparseProbit, hidden_outputs
from subsel.embedded.svm.scaled_kernels import ScaledKernel


@parametrize_with_checks([JCFO(max_iter=10)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def lines(n=60, p=8, seed=0):
    """The third input less the sixth makes the class."""
    X = np.random.default_rng(seed).normal(size=(n, p))
    return X, X[:, 2] - X[:, 5] > 0


@pytest.mark.parametrize("value", [-30.0, -2.0, 0.3, 4.0])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_hidden_outputs_are_means_of_one_side_of_a_bell(value, sign):
    """The mean of a normal variable given its sign, by integrating its density.

    Far out in the tail, the oracle is the law of the tail.
    """
    found = hidden_outputs(np.array([value]), np.array([sign]))[0]
    if sign * value < -20:
        assert sign * found == pytest.approx(-1.0 / (sign * value), rel=1e-2)
        return
    side = (0, np.inf) if sign > 0 else (-np.inf, 0)
    mass = integrate.quad(lambda z: stats.norm.pdf(z - value), *side)[0]
    assert found == pytest.approx(
        integrate.quad(lambda z: z * stats.norm.pdf(z - value), *side)[0] / mass, rel=1e-6
    )


@pytest.mark.parametrize("penalty", [0.3, 2.0])
def test_with_scales_of_one_it_is_the_sparse_probit_classifier(penalty):
    """Whose posterior is concave: the rounds end where a bounded solver with split weights does."""
    X, y = lines(25, 6)
    K, sign = ScaledKernel("rbf", 0.3)(X, np.ones(6)), np.where(y, 1.0, -1.0)
    found = SparseProbit.start(K, sign)
    for _ in range(3000):
        found = found.step(K, hidden_outputs(found.values(K), sign), penalty)

    def loss(parts):
        beta = parts[:25] - parts[25:50]
        margins = sign * (K @ beta + parts[50])
        pull = -sign * np.exp(stats.norm.logpdf(margins) - stats.norm.logcdf(margins))
        slope = np.r_[K @ pull + penalty, -K @ pull + penalty, pull.sum()]
        return -stats.norm.logcdf(margins).sum() + penalty * parts[:50].sum(), slope

    bounds = [(0, None)] * 50 + [(None, None)]
    best = minimize(
        loss,
        np.zeros(51),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-9},
    )
    assert -best.fun == pytest.approx(found.log_posterior(K, sign, penalty), abs=1e-5)
    assert_allclose(found.beta, best.x[:25] - best.x[25:50], atol=2e-2)
    assert (np.abs(found.beta) < 1e-6).sum() > 10


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("seed", range(4))
def test_the_posterior_never_falls(kernel, seed):
    """On random tables with random penalties, more columns than rows among them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(24, (3, 6, 30, 12)[seed]))
    y = X[:, 0] + 0.5 * rng.normal(size=24) > 0
    rows, inputs = 10 ** rng.uniform(-1, 1, 2)
    model = JCFO(kernel=kernel, row_penalty=rows, input_penalty=inputs, tol=0.0, max_iter=30).fit(
        X, y
    )
    assert len(model.posteriors_) == model.n_iter_
    assert (np.diff(model.posteriors_) >= -1e-6 * np.abs(model.posteriors_[1:])).all()


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_the_gradient_is_that_of_finite_differences(kernel):
    """Of what the scales descend."""
    rng = np.random.default_rng(0)
    Z, outputs, beta, theta = (
        rng.normal(size=(9, 3)),
        rng.normal(size=9),
        rng.normal(size=9),
        rng.uniform(0.2, 2, 3),
    )
    model = JCFO(kernel=kernel)
    model._kernel = ScaledKernel(kernel, 0.4)
    numeric = approx_fprime(theta, lambda t: model._loss(Z, outputs, beta, t)[0], 1e-7)
    assert_allclose(model._loss(Z, outputs, beta, theta)[1], numeric, rtol=1e-4, atol=1e-4)


def test_scales_of_a_linear_kernel_need_no_descent():
    """Those of the lasso are no worse than those of a long descent of the same loss."""
    X, y = lines(40, 6)
    outputs, classifier = (
        np.where(y, 1.5, -1.0),
        SparseProbit(np.random.default_rng(1).normal(size=40) / 40, 0.0),
    )
    model = JCFO()
    model._kernel = ScaledKernel("linear")
    theta, moved = model._rescaled(X, outputs, np.ones(6), classifier)
    descended = minimize(
        lambda t: model._loss(X, outputs, classifier.beta, t),
        np.ones(6),
        jac=True,
        bounds=[(0, None)] * 6,
    )
    assert model._loss(X, outputs, classifier.beta, theta)[0] <= descended.fun + 1e-4
    assert moved.intercept == pytest.approx(
        (outputs - model._kernel(X, theta) @ classifier.beta).mean()
    )


def test_known_inputs_are_found():
    """Two of eight in a line, two of eight on a circle; the others have no scale at all."""
    X, y = lines()
    model = JCFO().fit(X, y)
    assert (
        model.get_support(indices=True).tolist() == [2, 5]
        and (model.scales_[[0, 1, 3, 4, 6, 7]] == 0).all()
    )
    held, sides = lines(300, seed=1)
    assert model.score(held, sides) > 0.95
    assert_allclose(model.predict_proba(held).sum(axis=1), 1.0)
    assert ((model.predict_proba(held)[:, 1] > 0.5) == model.predict(held)).all()
    circle = (X[:, [1, 4]] ** 2).sum(axis=1) > 2
    assert set(JCFO(kernel="rbf").fit(X, circle).ranking_[:2]) == {1, 4}


def test_a_number_of_inputs_and_a_sparse_table():
    """So many are kept, and the model is that of these alone; a sparse table gives the same."""
    X, y = lines()
    model = JCFO(3, input_penalty=0.1).fit(X, y)
    assert model.support_.sum() == 3 and model.support_[[2, 5]].all()
    held, _ = lines(20, seed=2)
    changed = np.where(model.support_, held, 100.0)
    assert_allclose(model.decision_function(changed), model.decision_function(held))
    again = JCFO(3, input_penalty=0.1).fit(sparse.csr_array(X), y)
    assert_allclose(again.decision_function(sparse.csr_array(held)), model.decision_function(held))


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("n_features", 9), ("row_penalty", 0.0), ("input_penalty", -1.0), ("kernel", "sigmoid")],
)
def test_what_cannot_be_is_refused(parameter, value):
    """The message names the parameter."""
    with pytest.raises(ValueError, match=parameter):
        JCFO(**{parameter: value}).fit(*lines())
