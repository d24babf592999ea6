"""A Bayesian neural network that learns how relevant each input is."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit

from subsel.models.bayes.chains import Sampling, sample_posterior
from subsel.models.bayes.network_target import NetworkTarget, layers, network_output
from subsel.models.two_classes import BinaryClassifier

__all__ = ["BayesianNetworkClassifier"]


class BayesianNetworkClassifier(BinaryClassifier):
    r"""A network with two hidden layers and automatic relevance determination, sampled by Hamiltonian Monte Carlo.

    .. math::

        g_k = \tanh(a_k + \sum_j u_{jk} x_j), \quad h_l = \tanh(b_l + \sum_k v_{kl} g_k), \quad
        P(y = 1) = 1 / (1 + e^{-c - \sum_l w_l h_l})

    The weights out of input j are :math:`N(0, \sigma_j^2)`; the widths :math:`\sigma_j` have a heavy-tailed prior with a
    common scale, every other kind of weight a width of its own. Between trajectories all widths are drawn from their
    exact conditional distributions, then each common one again by slices, its weights keeping their ratios to it.
    Predictions are averaged over all draws of all chains.

    Parameters
    ----------
    hidden : tuple of two ints
        Units of the hidden layers.
    width : float or None
        Typical common scale of the inputs' widths; inputs should be standardised. None is one over the root of the number
        of inputs, so that what reaches a hidden unit has the same spread however many there are.
    n_chains, n_warmup, n_draws, n_leapfrog : int
        Of the sampler, see :class:`subsel.models.bayes.chains.Sampling`. Networks mix slowly: compare the relevances of
        several chains (``posterior_.r_hat``).
    random_state : int, RandomState or None
        Seeds the chains.
    n_jobs : int or None
        Chains run at a time; the answer does not depend on it.
    verbose : int
        Where positive, progress is written to standard error.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        The relevance of each input, the posterior median of :math:`\sigma_j`.
    posterior_ : subsel.models.bayes.posterior.Posterior
        The draws of all weights, followed by those of :math:`\sigma_j`, with diagnostics, and a note where the run was
        interrupted.
    classes_ : ndarray of shape (2,)
        The class labels.

    Notes
    -----
    A leapfrog step costs about :math:`4 m (nG + GH)` multiplications and additions. The draws take
    ``n_chains * n_draws * n * (G + 1) * 8`` bytes.

    References
    ----------
    .. [1] Neal and Zhang, *High dimensional classification with Bayesian neural networks and Dirichlet diffusion
       trees*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006, chapter 10, section 5.
    .. [2] Neal, *Bayesian Learning for Neural Networks*, Springer 1996.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 4))
    >>> model = BayesianNetworkClassifier((4, 2), n_warmup=60, n_draws=30, n_leapfrog=20, random_state=0)
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
            raise ValueError(f"hidden must be two numbers of units, got {self.hidden!r}.")
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
        """Give the log odds of each row (column of the answer) under each draw (row of the answer)."""
        return np.array([self._output(X, draw) for draw in self.posterior_.draws])

    def _output(self, X: np.ndarray, draw: np.ndarray) -> np.ndarray:
        n = X.shape[1]
        return network_output(X, layers(draw[:-n], n, *self.hidden))

    def _positive(self, X: np.ndarray) -> np.ndarray:
        draws = self.posterior_.draws
        return np.mean([expit(self._output(X, draw)) for draw in draws], axis=0)
