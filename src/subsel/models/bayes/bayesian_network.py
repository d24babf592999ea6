"""A Bayesian neural network that learns how relevant each input is."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from subsel.models.bayes.chains import Sampling, sample_posterior
from subsel.models.bayes.scale_priors import CommonScale, HeavyTailedScales, stretched
from subsel.models.two_classes import BinaryClassifier

__all__ = ["BayesianNetworkClassifier", "Layers", "NetworkTarget", "layers", "network_output"]


class BayesianNetworkClassifier(BinaryClassifier):
    r"""A Bayesian network of two hidden layers, sampled by Hamiltonian Monte Carlo [1]_ [2]_.

    .. math::

        g_k = \tanh(a_k + \sum_j u_{jk} x_j), \quad h_l = \tanh(b_l + \sum_k v_{kl} g_k), \quad
        P(y = 1) = 1 / (1 + e^{-c - \sum_l w_l h_l})

    Its inputs have automatic relevance determination: the weights out of input j are
    :math:`N(0, \sigma_j^2)`; the widths :math:`\sigma_j` have a heavy-tailed prior with a common
    scale, and every other kind of weight has a width of its own. Between trajectories all widths
    are drawn from their exact conditional distributions, then each common width again by slice
    sampling, with the ratios of its weights to it fixed. Predictions are averaged over all draws of
    all chains.

    Parameters
    ----------
    hidden : tuple of two ints
        The numbers of units of the hidden layers.
    width : float or None
        The typical common scale of the widths of inputs; inputs should be standardised. None is one
        over the root of the number of inputs, so that what reaches a hidden unit has the same
        spread however many there are.
    n_chains, n_warmup, n_draws, n_leapfrog : int
        Settings of the sampler, see :class:`subsel.models.bayes.chains.Sampling`. Networks mix
        slowly: compare the relevances of several chains (``posterior_.r_hat``).
    random_state : int, RandomState or None
        The seed of the chains.
    n_jobs : int or None
        The number of chains run at a time; the answer does not depend on it.
    verbose : int
        Where positive, progress is written to standard error.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        The relevance of each input, the posterior median of :math:`\sigma_j`.
    posterior_ : subsel.models.bayes.posterior.Posterior
        The draws of all weights, followed by those of :math:`\sigma_j`, with diagnostics, and a
        note where the run was interrupted.
    classes_ : ndarray of shape (2,)
        The class labels.

    Notes
    -----
    A leapfrog step costs about :math:`4 m (nG + GH)` multiplications and additions. The draws take
    ``n_chains * n_draws * n * (G + 1) * 8`` bytes.

    References
    ----------
    .. [1] Neal and Zhang, *High dimensional classification with Bayesian neural networks and
       Dirichlet diffusion trees*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*,
       2006, chapter 10, section 5.
    .. [2] Neal, *Bayesian Learning for Neural Networks*, Springer 1996.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 4))
    >>> settings = {"n_warmup": 60, "n_draws": 30, "n_leapfrog": 20, "random_state": 0}
    >>> model = BayesianNetworkClassifier((4, 2), **settings)
    >>> sorted(np.argsort(-model.fit(X, X[:, 0] * X[:, 2] > 0).feature_importances_)[:2].tolist())
    [0, 2]
    """

    def __init__(
        self,
        hidden: tuple[int, int] = (20, 8),
        *,
        width: float | None = None,
        n_chains: int = 2,
        n_warmup: int = 200,
        n_draws: int = 200,
        n_leapfrog: int = 50,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.hidden = hidden
        self.width = width
        self.n_chains = n_chains
        self.n_warmup = n_warmup
        self.n_draws = n_draws
        self.n_leapfrog = n_leapfrog
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BayesianNetworkClassifier:
        """Sample the posterior."""
        if len(self.hidden) != 2 or min(self.hidden) < 1:
            raise ValueError(
                f"hidden must hold two positive numbers of units, got {self.hidden!r}."
            )
        if self.width is not None and not self.width > 0:
            raise ValueError(f"width must be positive or None, got {self.width!r}.")
        sampling = Sampling(self.n_chains, self.n_warmup, self.n_draws, self.n_leapfrog)
        X, y, weights = self._receive(X, y, sample_weight)
        G, H = self.hidden
        width = self.width
        if width is None:
            width = X.shape[1] ** -0.5
        make_target = partial(NetworkTarget, X, y, weights, (G, H), width, self.n_warmup // 4)
        self.posterior_ = sample_posterior(
            make_target, sampling, self.random_state, self.n_jobs, self.verbose
        )
        self.feature_importances_ = np.median(self.posterior_.draws[:, -X.shape[1] :], axis=0)
        return self

    def sample_decisions(self, X: np.ndarray) -> np.ndarray:
        """Give the log odds of each row under each draw, shape (n_draws, n_rows)."""
        return np.array([self._output(X, draw) for draw in self.posterior_.draws])

    def _output(self, X: np.ndarray, draw: np.ndarray) -> np.ndarray:
        n = X.shape[1]
        return network_output(X, layers(draw[:-n], n, *self.hidden))

    def _positive(self, X: np.ndarray) -> np.ndarray:
        draws = self.posterior_.draws
        return np.mean([expit(self._output(X, draw)) for draw in draws], axis=0)


BROAD = 10.0  # standard deviation of the bias of the output
ARD_SHAPE = 1.0  # shape of the prior of widths: weights have Student's t, 2 degrees of freedom
RESCALED = 100  # number of inputs per sweep whose widths are proposed from the prior


class Layers(NamedTuple):
    """The weights and biases of the network, for n inputs, G and H hidden units.

    Attributes
    ----------
    U : ndarray of shape (n, G)
        Weights into the first hidden layer.
    a : ndarray of shape (G,)
        Biases of the first hidden layer.
    V : ndarray of shape (G, H)
        Weights into the second hidden layer.
    b : ndarray of shape (H,)
        Biases of the second hidden layer.
    w : ndarray of shape (H,)
        Weights into the output.
    c : ndarray of shape (1,)
        Bias of the output.
    """

    U: np.ndarray
    a: np.ndarray
    V: np.ndarray
    b: np.ndarray
    w: np.ndarray
    c: np.ndarray


def layers(position: np.ndarray, n: int, G: int, H: int) -> Layers:
    """View a vector as the weights of n inputs, G and H hidden units.

    >>> [part.shape for part in layers(np.zeros(25), n=3, G=2, H=4)]
    [(3, 2), (2,), (2, 4), (4,), (4,), (1,)]
    """
    ends = np.cumsum([n * G, G, G * H, H, H])
    U, a, V, b, w, c = np.split(position, ends)
    return Layers(U.reshape(n, G), a, V.reshape(G, H), b, w, c)


def network_output(X: np.ndarray, net: Layers) -> np.ndarray:
    """Give the log odds of each row of X.

    >>> network_output(np.ones((1, 3)), layers(np.ones(25), n=3, G=2, H=4)).round(2)
    array([4.98])
    """
    return np.tanh(np.tanh(X @ net.U + net.a) @ net.V + net.b) @ net.w + net.c


class NetworkTarget:
    """The posterior of the network as a target of Hamiltonian Monte Carlo.

    The position holds all weights. The hyperparameters are the widths, one per input and one per
    kind of weight.

    The widths are fixed for the first ``n_fixed`` sweeps, because with weights near their start
    they would collapse.

    >>> X, y = np.ones((2, 1)), np.array([0.0, 1.0])
    >>> target = NetworkTarget(X, y, np.ones(2), (2, 1), width=1.0, n_fixed=0)
    >>> round(target.density(np.zeros(target.size), np.empty(target.size)), 4)
    -1.3863
    """

    def __init__(
        self,
        X: np.ndarray,
        y: np.ndarray,
        weights: np.ndarray,
        hidden: tuple[int, int],
        width: float,
        n_fixed: int,
    ) -> None:
        m, n = X.shape
        self.X, self.y, self.weights = np.ascontiguousarray(X), y, weights
        self.hidden, self.n_fixed = hidden, n_fixed
        G, H = hidden
        self.size = n * G + G + G * H + H + H + 1
        self.inputs = HeavyTailedScales(n, ARD_SHAPE, width)
        self.others = [CommonScale(s) for s in (1.0, G**-0.5, 1.0, H**-0.5)]  # a, V, b, w
        self._precision, self._steps = np.empty(self.size), np.empty(self.size)
        self._squares = weights @ self.X**2 / 4
        self._G, self._H, self._DG, self._DH = (np.empty((m, k)) for k in (G, H, G, H))
        self._spread()

    def start(self, rng: np.random.Generator) -> np.ndarray:
        """Draw a small random network as the first position."""
        return rng.standard_normal(self.size) * np.minimum(
            self._precision**-0.5, 1 / np.sqrt(self.X.shape[1])
        )

    def refresh(self, position: np.ndarray, rng: np.random.Generator) -> None:
        """Draw the widths; rescales the weights in ``position`` in place."""
        if self.n_fixed > 0:
            self.n_fixed -= 1
            return
        net = self._layers(position)
        self.inputs.refresh(net.U, rng)
        for scale, part in zip(self.others, net[1:5]):
            scale.refresh(part, rng)
        self._rescale(net, rng)
        self._stretch(net, rng)
        self._spread()

    def scales(self) -> np.ndarray:
        """Give the step of each weight, from the prior and a rough bound on the curvature."""
        return self._steps

    def density(self, position: np.ndarray, gradient: np.ndarray) -> float:
        """Give the log posterior and write its gradient, by back-propagation, into ``gradient``."""
        # `slope` is a view of `gradient`; with tanh' = 1 - tanh^2 the activations G and H are
        # overwritten by their derivatives, so that a step allocates no array of m rows for the
        # hidden layers
        net, slope = self._layers(position), self._layers(gradient)
        G, H, DG, DH = self._G, self._H, self._DG, self._DH
        np.tanh(np.add(np.matmul(self.X, net.U, out=G), net.a, out=G), out=G)
        np.tanh(np.add(np.matmul(G, net.V, out=H), net.b, out=H), out=H)
        f = H @ net.w + net.c
        residual = self.weights * (self.y - expit(f))
        np.matmul(residual, H, out=slope.w)
        slope.c[0] = residual.sum()
        value = float(self.weights @ (self.y * f - np.logaddexp(0, f)))
        np.subtract(1, np.multiply(H, H, out=H), out=H)
        np.multiply(np.multiply(residual[:, None], net.w, out=DH), H, out=DH)
        np.matmul(G.T, DH, out=slope.V)
        DH.sum(axis=0, out=slope.b)
        np.matmul(DH, net.V.T, out=DG)
        DG *= np.subtract(1, np.multiply(G, G, out=G), out=G)
        np.matmul(self.X.T, DG, out=slope.U)
        DG.sum(axis=0, out=slope.a)
        pull = self._precision * position
        gradient -= pull
        return value - 0.5 * float(pull @ position)

    def draw(self, position: np.ndarray) -> np.ndarray:
        """Give the weights followed by the width of each input."""
        return np.concatenate([position, self.inputs.precisions**-0.5])

    def _rescale(self, net: Layers, rng: np.random.Generator) -> None:
        """Propose widths of some inputs from their prior; rescales ``net.U`` in place.

        The ratios of the weights to their width are fixed, and the likelihood decides.

        Given the weights, a width moves in small steps; these proposals let the width of an
        irrelevant input jump.
        """
        first = self.X @ net.U + net.a
        value = self._likelihood(first, net)
        proposed = self.inputs.propose(rng)
        for j in rng.permutation(len(proposed))[:RESCALED]:
            precision = proposed[j]
            factor = np.sqrt(self.inputs.precisions[j] / precision)
            trial = first + np.outer(self.X[:, j], (factor - 1) * net.U[j])
            other = self._likelihood(trial, net)
            if np.log(rng.random()) < other - value:
                first, value, self.inputs.precisions[j] = trial, other, precision
                net.U[j] *= factor

    def _stretch(self, net: Layers, rng: np.random.Generator) -> None:
        """Draw the common width of each layer again; rescales the weights in ``net`` in place."""
        _, v, _, w = self.others
        first = self.X @ net.U
        factor = stretched(
            self.inputs, net.U, lambda f: self._likelihood(f * first + net.a, net), rng
        )
        hidden = np.tanh(factor * first + net.a)
        second = hidden @ net.V
        factor = stretched(
            v,
            net.V,
            lambda f: self._log_likelihood(np.tanh(f * second + net.b) @ net.w + net.c),
            rng,
        )
        third = np.tanh(factor * second + net.b) @ net.w
        stretched(w, net.w, lambda f: self._log_likelihood(f * third + net.c), rng)

    def _likelihood(self, first: np.ndarray, net: Layers) -> float:
        """Give the log likelihood from the inputs of the first layer, shape (m, G)."""
        return self._log_likelihood(np.tanh(np.tanh(first) @ net.V + net.b) @ net.w + net.c)

    def _log_likelihood(self, f: np.ndarray) -> float:
        """Give the log likelihood from the log odds, shape (m,)."""
        return float(self.weights @ (self.y * f - np.logaddexp(0, f)))

    def _layers(self, position: np.ndarray) -> Layers:
        return layers(position, self.X.shape[1], *self.hidden)

    def _spread(self) -> None:
        """Update the precision and the step of each weight, ``_precision`` and ``_steps``.

        The curvature of the likelihood is at most a quarter of the squared slope of the output by
        the weight, which is estimated from the widths of the layers above.
        """
        precision, curvature = self._layers(self._precision), self._layers(self._steps)
        precision.U[:] = self.inputs.precisions[:, None]
        for part, scale in zip(precision[1:5], self.others):
            part[...] = scale.precision
        precision.c[:] = BROAD**-2
        _, v, _, w = (1 / scale.precision for scale in self.others)
        quarter = self.weights.sum() / 4
        first, second = self.hidden[1] * w * v, w
        curvature.U[:] = (self._squares * first)[:, None]
        curvature.a[:], curvature.V[:], curvature.b[:] = (
            quarter * first,
            quarter * second,
            quarter * second,
        )
        curvature.w[:], curvature.c[:] = quarter, quarter
        self._steps[:] = 1 / np.sqrt(self._precision + self._steps)
