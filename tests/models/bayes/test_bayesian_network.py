"""The Bayesian network against finite differences, its own prior and the book's toys."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime
from scipy.special import expit
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import scale
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.models import BayesianNetworkClassifier
from subsel.models.bayes import bayesian_network as network_target
from subsel.models.bayes.bayesian_network import ARD_SHAPE, NetworkTarget, layers, network_output
from subsel.models.bayes.chains import Chain, Sampling, sample_posterior
from subsel.models.bayes.posterior import effective_sample_size
from tests.real_tables import real_table

TINY = {"n_chains": 1, "n_warmup": 10, "n_draws": 10, "n_leapfrog": 3}


@parametrize_with_checks([BayesianNetworkClassifier((3, 2), **TINY)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def target_of(seed=0, m=15, n=4, weight=1.0):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((m, n)), rng.integers(0, 2, m).astype(float)
    return NetworkTarget(X, y, weight * rng.uniform(0.5, 2, m), (3, 2), 1.0, 0), rng


def test_gradient_is_that_of_the_density():
    """Finite differences agree at random weights under drawn widths."""
    target, rng = target_of()
    target.refresh(rng.standard_normal(target.size), rng)
    position, gradient = rng.standard_normal(target.size), np.empty(target.size)
    target.density(position, gradient)
    slow = approx_fprime(position, lambda q: target.density(q, np.empty(target.size)), 1e-6)
    assert_allclose(gradient, slow, rtol=1e-4, atol=1e-4)


def test_output_is_that_of_scikit_learns_network():
    """With the same weights scikit-learn's multilayer perceptron gives the same probabilities."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 5))
    peer = MLPClassifier(
        (3, 2), activation="tanh", max_iter=50, solver="sgd", learning_rate_init=1e-6, tol=1e9
    ).fit(X, X[:, 0] > 0)
    parts = [
        peer.coefs_[0],
        peer.intercepts_[0],
        peer.coefs_[1],
        peer.intercepts_[1],
        peer.coefs_[2],
        peer.intercepts_[2],
    ]
    net = layers(np.concatenate([p.ravel() for p in parts]), 5, 3, 2)
    assert_allclose(1 / (1 + np.exp(-network_output(X, net))), peer.predict_proba(X)[:, 1])


def test_without_data_the_prior_is_sampled():
    """Rows of no weight leave the prior.

    Weights in units of their widths are standard normal, widths as drawn directly.
    """

    def make():
        return target_of(weight=1e-12)[0]

    posterior = sample_posterior(make, Sampling(2, 200, 1000, 5), random_state=0)
    draws = np.stack(posterior.chains)
    sigma = draws[..., -4:]
    units = draws[..., :12].reshape(2, -1, 4, 3) / sigma[..., None]
    rng = np.random.default_rng(0)
    common = np.abs(rng.standard_normal(100_000))
    direct = np.sqrt(ARD_SHAPE) * common / np.sqrt(rng.gamma(ARD_SHAPE, size=100_000))
    checks = [(units**2, 1.0)] + [(sigma < q, (direct < q).mean()) for q in (0.3, 1.0, 3.0)]
    for values, expected in checks:
        values = values.astype(float).reshape(2, len(draws[0]), -1)
        size = effective_sample_size(values)
        error = values.std(axis=(0, 1)) / np.sqrt(size)
        assert (size > 50).all()
        assert (np.abs(values.mean(axis=(0, 1)) - expected) < 5 * error).all()


def test_weights_and_labels_drawn_in_turn_keep_the_prior(monkeypatch):
    """Weights and widths keep their prior distribution if labels are drawn after each sweep.

    The labels come from the network. The weights drawn for labels explain them as well as labels
    drawn for weights are explained.
    """
    monkeypatch.setattr(network_target, "BROAD", 1.0)
    rng = np.random.default_rng(0)
    X = 2 * rng.standard_normal((6, 2))
    target = NetworkTarget(X, rng.integers(0, 2, 6).astype(float), np.ones(6), (2, 1), 1.0, 0)
    chain, kept = Chain(target, rng, n_leapfrog=4, step=0.5), []
    for _ in range(3000):
        chain.sweep()
        net = layers(chain.position, 2, 2, 1)
        f = network_output(X, net)
        fit = (
            (target.y - expit(f)) * np.tanh(f)
        ).mean()  # do new weights go with the labels they were drawn for?
        target.y[:] = rng.random(6) < expit(f)
        a, V, _, w = (other.precision for other in target.others)
        units = (
            net.U.T**2 * target.inputs.precisions,
            net.a**2 * a,
            net.V**2 * V,
            net.w**2 * w,
            net.c**2,
        )
        width = target.inputs.precisions**-0.5
        kept.append(
            [(u < 1).mean() for u in units] + [(width < 0.5).mean(), (width < 2).mean(), fit]
        )
    values = np.array(kept)
    direct = np.abs(rng.standard_normal(200_000)) * np.sqrt(
        ARD_SHAPE / rng.gamma(ARD_SHAPE, size=200_000)
    )
    within = norm.cdf(1) - norm.cdf(-1)
    expected = [within] * 5 + [(direct < 0.5).mean(), (direct < 2).mean(), 0.0]
    error = values.std(axis=0) / np.sqrt(effective_sample_size(values[None]))
    assert (error < 0.05).all()
    assert (np.abs(values.mean(axis=0) - expected) < 5 * error).all()


@pytest.mark.parametrize("rescaled", [1, 100])
def test_new_widths_still_explain_the_labels(rescaled, monkeypatch):
    """Drawing widths leads from weights of the prior to weights that explain the labels as well."""
    monkeypatch.setattr(network_target, "RESCALED", rescaled)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((15, 2))
    target, gaps = NetworkTarget(X, np.zeros(15), np.ones(15), (2, 1), 1.0, 0), []
    for _ in range(1500):
        target.inputs.common = rng.standard_normal() ** 2
        target.inputs.precisions = target.inputs.propose(rng)
        for other in target.others:
            other.precision = 2 * rng.gamma(0.5) / other.width**2
        target._spread()
        position = rng.standard_normal(target.size) / np.sqrt(target._precision)
        target.y[:] = rng.random(15) < expit(network_output(X, layers(position, 2, 2, 1)))
        target.refresh(position, rng)
        f = network_output(X, layers(position, 2, 2, 1))
        gaps.append(((target.y - expit(f)) * np.tanh(f)).mean())
    assert np.std(gaps) / np.sqrt(1500) < 0.01
    assert abs(np.mean(gaps)) < 5 * np.std(gaps) / np.sqrt(1500)


@pytest.mark.slow
def test_predictions_are_those_of_the_prior_weighed_by_the_likelihood():
    """The chain of a tiny network agrees with importance sampling.

    Weights and widths drawn from the prior, weighted by how well they explain the labels, give the
    same probabilities and the same relevances.
    """
    rng = np.random.default_rng(0)
    X, y = (
        np.array([[-2.0, 0.5], [-1.0, -1.0], [-0.5, 1.0], [0.7, -0.6], [1.5, 0.3]]),
        np.array([0.0, 0, 1, 1, 1]),
    )
    N = 200_000

    def gauss(*shape):
        return rng.standard_normal((N, *shape))

    sigma = np.abs(gauss(1)) * np.sqrt(ARD_SHAPE / rng.gamma(ARD_SHAPE, size=(N, 2)))
    a, V, b, w = (gauss(1) / np.sqrt(2 * rng.gamma(0.5, size=(N, 1))) for _ in range(4))
    first = np.tanh((gauss(2) * sigma) @ X.T + a)
    f = w * np.tanh(V * first + b) + 10 * gauss(1)
    weight = np.exp(f @ y - np.logaddexp(0, f).sum(axis=1))
    weight /= weight.sum()
    assert 1 / (weight**2).sum() > 3000
    model = BayesianNetworkClassifier(
        (1, 1), width=1.0, n_warmup=100, n_draws=1200, n_leapfrog=8, random_state=0
    ).fit(X, y)
    chains = np.stack(model.posterior_.chains)
    outputs = [model._output(X, draw) for draw in chains.reshape(-1, chains.shape[2])]
    probabilities = expit(outputs).reshape(2, -1, 5)
    seen = np.concatenate([probabilities, chains[..., -2:] < 1.0], axis=2)
    expected = np.append(weight @ expit(f), weight @ (sigma < 1))
    error = seen.std(axis=(0, 1)) / np.sqrt(effective_sample_size(seen))
    assert (error < 0.03).all()
    assert (np.abs(seen.mean(axis=(0, 1)) - expected) < 4 * error + 0.01).all()


def test_the_common_width_of_many_inputs_moves():
    """Without information in the data, the common width of 150 inputs mixes quickly.

    It is drawn in each sweep, given their widths.
    """
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((6, 150)), np.array([0.0, 1, 0, 1, 0, 1])
    target = NetworkTarget(X, y, np.full(6, 1e-12), (4, 2), 0.1, 0)
    position, kept = target.start(rng), []
    for _ in range(300):
        target.refresh(position, rng)
        kept.append(np.log(target.inputs.common))
    assert effective_sample_size(np.array(kept)[None, :, None])[0] > 60


def test_many_weak_inputs_add_up():
    """With hundreds of weak inputs, short runs come near a linear model, which is the true form."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 500)
    X = rng.standard_normal((500, 300)) + 0.2 * (2 * y[:, None] - 1) * (np.arange(300) < 150)
    linear = LogisticRegression(C=0.01).fit(X[:100], y[:100])
    model = BayesianNetworkClassifier(
        (8, 4), n_chains=6, n_warmup=40, n_draws=40, n_leapfrog=20, random_state=0
    )
    assert (
        model.fit(X[:100], y[:100]).score(X[100:], y[100:]) > linear.score(X[100:], y[100:]) - 0.12
    )


@pytest.mark.slow
def test_madelon():
    """Of the twenty true inputs of MADELON among 38 nearly all come first.

    Other rows are predicted.
    """
    true = [
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
    with np.load(real_table("madelon.npz")) as data:
        train = data["split"] == data["split_names"].tolist().index("train")
        table, y = scale(data["X"][train].astype(float)), data["y"][train]
    table = table[:, true + [j for j in range(24) if j not in true][:18]]
    model = BayesianNetworkClassifier(n_warmup=150, n_draws=50, random_state=0).fit(
        table[:1000], y[:1000]
    )
    assert (np.argsort(-model.feature_importances_)[:20] < 20).sum() >= 17
    assert model.score(table[1000:], y[1000:]) > 0.8


def test_relevant_inputs_of_an_exclusive_or_come_first():
    """Two inputs whose product decides the class rank above eight irrelevant ones.

    The class is predicted.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((320, 10))
    y = X[:, 1] * X[:, 6] > 0
    model = BayesianNetworkClassifier(
        (6, 3), n_warmup=120, n_draws=60, n_leapfrog=30, random_state=0
    )
    model.fit(X[:200], y[:200])
    relevance = model.feature_importances_
    assert relevance[[1, 6]].min() > 2 * np.delete(relevance, [1, 6]).max()
    assert model.score(X[200:], y[200:]) > 0.85


def test_labels_without_meaning_are_predicted_by_their_share():
    """Where the inputs tell nothing the probabilities stay near the share of the class."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 5)), rng.random(200) < 0.3
    model = BayesianNetworkClassifier(
        (4, 2), n_warmup=60, n_draws=40, n_leapfrog=20, random_state=0
    ).fit(X, y)
    assert abs(model.predict_proba(rng.standard_normal((200, 5)))[:, 1].mean() - y.mean()) < 0.07


def test_weights_count_rows_and_jobs_change_nothing():
    """A weight of two is a row twice; chains in parallel draw the same."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 3)), rng.integers(0, 2, 30)
    twice = np.append(np.arange(30), np.arange(10))
    options = {
        "hidden": (3, 2),
        "n_chains": 2,
        "n_warmup": 5,
        "n_draws": 5,
        "n_leapfrog": 5,
        "random_state": 0,
    }
    one = BayesianNetworkClassifier(**options).fit(X[twice], y[twice])
    two = BayesianNetworkClassifier(**options, n_jobs=2).fit(X[twice], y[twice])
    assert_array_equal(one.posterior_.draws, two.posterior_.draws)
    weighted = BayesianNetworkClassifier(**options).fit(X, y, sample_weight=np.bincount(twice))
    assert_allclose(weighted.posterior_.draws, one.posterior_.draws, rtol=1e-6)


@pytest.mark.parametrize("options", [{"hidden": (3,)}, {"hidden": (3, 0)}, {"width": -1.0}])
def test_wrong_arguments_are_named(options):
    """A message names the argument that is out of its range."""
    with pytest.raises(ValueError, match=next(iter(options))):
        BayesianNetworkClassifier(**options).fit(np.eye(4), [0, 1, 0, 1])
