"""ARD kernels and Laplace's evidence.

They are compared with scikit-learn, finite differences and the dual problem.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime, minimize
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.preprocessing import scale
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.models import ARDKernelClassifier
from subsel.models.bayes import ard_classifier
from subsel.models.bayes.ard_classifier import ARD_KERNELS, Optimum, averaged_relevances
from subsel.models.bayes.laplace import laplace
from subsel.models.bayes.likelihoods import LIKELIHOODS, logistic, trigonometric
from tests.real_tables import real_table

RNG = np.random.default_rng(0)
X = RNG.standard_normal((30, 3))
Y = np.where(X[:, 0] * X[:, 1] + 0.3 * RNG.standard_normal(30) > 0, 1.0, -1.0)


@parametrize_with_checks(
    [
        ARDKernelClassifier(n_starts=1, max_iter=3),
        ARDKernelClassifier("linear", likelihood="logistic", n_starts=2, max_iter=3),
    ]
)
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_likelihoods_add_to_one_and_have_their_derivatives(name):
    """Both classes' probabilities add to one; each derivative is that of the one before."""
    f = np.linspace(-0.9, 0.9, 7)
    likelihood = LIKELIHOODS[name]
    assert_allclose(np.exp(likelihood(1.0, f).value) + np.exp(likelihood(-1.0, f).value), 1)
    for y in (-1.0, 1.0):
        low, here, high = (likelihood(y, f + h) for h in (-1e-5, 0, 1e-5))
        assert_allclose((high.value - low.value) / 2e-5, here.first, atol=1e-7)
        assert_allclose((high.first - low.first) / 2e-5, -here.curvature, atol=1e-7)
        assert_allclose((high.curvature - low.curvature) / 2e-5, -here.third, atol=1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_evidence_and_gradient_equal_scikit_learns(seed):
    """The logistic evidence and its gradient are those of GaussianProcessClassifier.

    Both have the same kernel.
    """
    theta = np.random.default_rng(seed).normal(size=5)
    peer = GaussianProcessClassifier(
        ConstantKernel() * RBF(np.ones(3)) + ConstantKernel(), optimizer=None, max_iter_predict=200
    ).fit(X, Y)
    # theirs: signal, three length scales, offset
    parameters = np.concatenate([[theta[4]], -0.5 * theta[:3], [theta[3]]])
    value, slope = peer.base_estimator_.log_marginal_likelihood(parameters, eval_gradient=True)
    found = laplace(ARD_KERNELS["gaussian"].matrix(theta, X, X), Y, logistic, np.ones(30))
    gradient = ARD_KERNELS["gaussian"].gradient(theta, X, found.slope)
    assert_allclose(found.log_evidence, value, rtol=1e-6)
    assert_allclose(
        gradient, np.concatenate([-0.5 * slope[1:4], slope[4:], slope[:1]]), rtol=1e-3, atol=1e-5
    )


@pytest.mark.parametrize("kernel", ARD_KERNELS)
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_gradient_of_the_evidence_is_that_of_finite_differences(kernel, likelihood):
    """Every parameter's derivative agrees, with weighted rows."""
    rng = np.random.default_rng(1)
    K, weights = ARD_KERNELS[kernel], rng.uniform(0.5, 2, 30)
    theta = np.append(rng.normal(size=3) - 1, K.start(3) - 1)
    jitter = 1e-6 * np.eye(30)

    def evidence(t):
        return laplace(K.matrix(t, X, X) + jitter, Y, LIKELIHOODS[likelihood], weights)

    gradient = K.gradient(theta, X, evidence(theta).slope)
    slow = approx_fprime(theta, lambda t: evidence(t).log_evidence, 1e-5)
    assert_allclose(gradient, slow, rtol=2e-3, atol=2e-4)


def test_trigonometric_mode_solves_the_dual_problem():
    """The weights times the classes are the multipliers of the dual, which are never negative.

    Some are zero.
    """
    K = ARD_KERNELS["gaussian"].matrix(np.array([0.0, 0.0, -2.0, 1.0, 3.0]), X, X) + 1e-6 * np.eye(
        30
    )
    alpha = Y * laplace(K, Y, trigonometric, np.ones(30)).weights

    def dual(a):
        u = 2 * a / np.pi
        value = (
            0.5 * (Y * a) @ K @ (Y * a)
            - a.sum()
            + (4 / np.pi * a * np.arctan(u) - np.log1p(u**2)).sum()
        )
        return value, Y * (K @ (Y * a)) - 1 + 4 / np.pi * np.arctan(u)

    found = minimize(
        dual,
        np.zeros(30),
        jac=True,
        bounds=[(0, None)] * 30,
        options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-9},
    )
    assert (alpha > -1e-8).all()
    assert 0 < (alpha < 1e-8).sum() < 30
    assert_allclose(alpha, found.x, atol=1e-3)
    assert dual(np.maximum(alpha, 0))[0] <= found.fun + 1e-9


@pytest.mark.parametrize("kernel", ARD_KERNELS)
def test_split_relevance_of_a_copy_changes_nothing(kernel):
    """A feature given twice with half its relevance each leaves the evidence.

    Relevance zero is absence.
    """
    K = ARD_KERNELS[kernel]
    others = K.start(3)
    a = np.array([0.5, 1.0, 0.2])
    alone = K.matrix(np.append(np.log(a), others), X, X)
    twice = K.matrix(
        np.append(np.log(np.append(a / [2, 1, 1], 0.25)), others),
        X[:, [0, 1, 2, 0]],
        X[:, [0, 1, 2, 0]],
    )
    assert_allclose(twice, alone, rtol=1e-10)
    without = K.matrix(np.append(np.log(a[:2]), others), X[:, :2], X[:, :2])
    with np.errstate(divide="ignore"):
        assert_allclose(
            K.matrix(np.append(np.log([0.5, 1.0, 0.0]), others), X, X), without, rtol=1e-10
        )


def test_relevances_are_weighted_by_evidence():
    """One start gives its own shares, whatever their common factor.

    Equal evidence gives the plain mean.
    """
    one, two = np.log([1.0, 3.0]), np.log([8.0, 8.0])
    assert_allclose(averaged_relevances([Optimum(-5.0, one + 2.0)], 2), [0.25, 0.75])
    assert_allclose(
        averaged_relevances([Optimum(-5.0, one), Optimum(-5.0, two)], 2), [0.375, 0.625]
    )
    assert_allclose(
        averaged_relevances([Optimum(-5.0, one), Optimum(-5.0 + np.log(3), two)], 2),
        [0.4375, 0.5625],
    )


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_inputs_of_an_exclusive_or_dominate(likelihood):
    """The two inputs whose product decides get nearly all relevance.

    The class of new rows is predicted.
    """
    rng = np.random.default_rng(0)
    table = rng.standard_normal((160, 6))
    y = table[:, 1] * table[:, 4] > 0
    model = ARDKernelClassifier(likelihood=likelihood, n_starts=2, max_iter=60, random_state=0).fit(
        table[:80], y[:80]
    )
    assert model.feature_importances_[[1, 4]].min() > 0.2
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert np.delete(model.feature_importances_, [1, 4]).max() < 1 / 12
    assert model.score(table[80:], y[80:]) > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_madelon(likelihood):
    """On 500 rows of MADELON the eight most relevant of 500 inputs are true ones.

    Other rows are predicted.
    """
    true = np.array(
        [
            28,
            48,
            64,
            105,
            128,
            153,
            241,
            281,
            318,
            336,
            338,
            378,
            433,
            442,
            451,
            453,
            455,
            472,
            475,
            493,
        ]
    )
    with np.load(real_table("madelon.npz")) as data:
        train = data["split"] == data["split_names"].tolist().index("train")
        table, y = scale(data["X"][train].astype(float)), data["y"][train]
    model = ARDKernelClassifier(likelihood=likelihood, n_starts=1, max_iter=40, random_state=0).fit(
        table[:500], y[:500]
    )
    assert np.isin(np.argsort(-model.feature_importances_)[:8], true).all()
    assert model.score(table[500:], y[500:]) > 0.75


@pytest.mark.parametrize("kernel", ARD_KERNELS)
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_inputs_of_any_scale_and_meaningless_labels_give_probabilities(kernel, likelihood):
    """Inputs in thousands or hundredths, separable or random classes.

    The climb ends and probabilities are in range.
    """
    for seed in range(6):
        rng = np.random.default_rng(seed)
        table = rng.standard_normal((20, 2)) * 10.0 ** (seed - 2)
        y = table[:, 0] > table[:, 1] if seed % 2 else np.arange(20) % 3 == 0
        model = ARDKernelClassifier(
            kernel, likelihood=likelihood, n_starts=1, max_iter=20, random_state=seed
        )
        p = model.fit(table, y).predict_proba(table)
        assert ((p >= 0) & (p <= 1)).all()


def test_interruption_keeps_the_finished_starts(monkeypatch):
    """Ctrl-C in the second start leaves the first; in the first it is passed on."""
    climb, calls = ARDKernelClassifier._climb, []

    def interrupted(self, theta):
        calls.append(theta)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return climb(self, theta)

    monkeypatch.setattr(ard_classifier.ARDKernelClassifier, "_climb", interrupted)
    assert len(ARDKernelClassifier(n_starts=5, max_iter=3, random_state=0).fit(X, Y).optima_) == 1
    calls[:] = [None]
    with pytest.raises(KeyboardInterrupt):
        ARDKernelClassifier(n_starts=5, max_iter=3, random_state=0).fit(X, Y)


def test_progress_is_written_after_each_start(capsys):
    """With verbose one line per start tells its evidence."""
    model = ARDKernelClassifier("linear", n_starts=2, max_iter=2, random_state=0, verbose=1).fit(
        X, Y
    )
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[1].startswith(
        f"subsel: start 2 of 2, log evidence {model.optima_[1].log_evidence:.6g}"
    )


@pytest.mark.parametrize(
    "options", [{"kernel": "cubic"}, {"likelihood": "probit"}, {"n_starts": 0}]
)
def test_wrong_arguments_are_named(options):
    """A message names the argument that is out of its range."""
    with pytest.raises(ValueError, match=next(iter(options))):
        ARDKernelClassifier(**options).fit(X, Y)
