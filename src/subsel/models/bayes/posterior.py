"""The draws of Markov chains and their diagnostics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

__all__ = ["Posterior", "autocovariance", "effective_sample_size", "r_hat"]


@dataclass(frozen=True, eq=False)
class Posterior:
    """The draws of several chains.

    Attributes
    ----------
    chains : list of ndarray of shape (n_draws, n_quantities)
        The draws of each chain; fewer where the run was interrupted.
    acceptance : ndarray of shape (n_chains,)
        The mean probability of accepting a proposal after the warm-up.
    n_diverged : ndarray of shape (n_chains,)
        The trajectories after the warm-up whose energy was not conserved; with many of them the
        sample is unreliable.
    note : str
        A remark on the run, or an empty string.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> chains = [rng.standard_normal((50, 1)), 9 + rng.standard_normal((50, 1))]
    >>> posterior = Posterior(chains, np.ones(2), np.zeros(2))
    >>> posterior.draws.shape, bool(posterior.r_hat[0] > 2)
    ((100, 1), True)
    """

    chains: Sequence[np.ndarray]
    acceptance: np.ndarray
    n_diverged: np.ndarray
    note: str = ""

    @property
    def draws(self) -> np.ndarray:
        """The draws of all chains, an array of shape (n_draws, n_quantities)."""
        return np.concatenate(self.chains)

    @property
    def effective_sample_size(self) -> np.ndarray:
        """The effective sample size of each quantity."""
        return effective_sample_size(self._stacked())

    @property
    def r_hat(self) -> np.ndarray:
        """The potential scale reduction of each quantity, see `r_hat`."""
        return r_hat(self._stacked())

    def _stacked(self) -> np.ndarray:
        """Stack the chains, cut to the shortest: shape (n_chains, n_draws, n_quantities)."""
        shortest = min(map(len, self.chains))
        return np.stack([chain[:shortest] for chain in self.chains])


def r_hat(draws: np.ndarray) -> np.ndarray:
    r"""Compare the spread between the halves of all chains with the spread within them [1]_.

    .. math:: \hat R = \sqrt{\frac{(n - 1) / n \, W + B}{W}}

    W is the mean variance of the half chains of n draws, B the variance of their means. It is near
    1 where all chains have the same distribution, and 1 for a constant quantity.

    Parameters
    ----------
    draws : ndarray of shape (n_chains, n_draws, ...)
        The draws of each chain in their order; the axes that follow hold the quantities.

    References
    ----------
    .. [1] Gelman, Carlin, Stern, Dunson, Vehtari and Rubin, *Bayesian Data Analysis*, 3rd edition,
       2013, section 11.4.

    Examples
    --------
    >>> r_hat(np.array([[0.0, 1.0, 0.0, 1.0], [5.0, 6.0, 5.0, 6.0]])).round(2)
    np.float64(4.14)
    """
    half = draws.shape[1] // 2
    if half < 2:
        return np.full(draws.shape[2:], np.nan)
    parts = np.concatenate([draws[:, :half], draws[:, -half:]])
    within, between = parts.var(axis=1, ddof=1).mean(axis=0), parts.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt((half - 1) / half + between / within)
    return np.where(between + within > 0, ratio, 1.0)


def effective_sample_size(draws: np.ndarray) -> np.ndarray:
    r"""Give the number of independent draws that estimate the mean as precisely [1]_.

    :math:`c n / (1 + 2 \sum_t \rho_t)` for c chains of n draws; the autocorrelations, corrected for
    the differences between chains, are added in pairs as long as the sum of a pair is positive, and
    no pair may exceed the one before.

    Parameters
    ----------
    draws : ndarray of shape (n_chains, n_draws, ...)
        The draws of each chain in their order; the axes that follow hold the quantities.

    References
    ----------
    .. [1] Gelman et al., *Bayesian Data Analysis*, 3rd edition, 2013, section 11.5; Geyer,
       *Practical Markov chain Monte Carlo*, Statistical Science 7, 1992, section 3.3.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> 1500 < effective_sample_size(rng.standard_normal((2, 1000))) < 2500
    np.True_
    """
    n_chains, n = draws.shape[:2]
    if n < 4:
        return np.full(draws.shape[2:], np.nan)
    covariance = np.stack([autocovariance(chain) for chain in draws])
    within = covariance[:, 0].mean(axis=0) * n / (n - 1)
    total = within * (n - 1) / n
    if n_chains > 1:
        total = total + draws.mean(axis=1).var(axis=0, ddof=1)
    safe = np.where(total > 0, total, 1.0)
    rho = 1 - (within - covariance.mean(axis=0) * n / (n - 1)) / safe
    rho[0] = 1.0
    even = 2 * (n // 2)
    pairs = rho[:even:2] + rho[1:even:2]
    positive = np.logical_and.accumulate(pairs > 0, axis=0)
    pairs = np.minimum.accumulate(np.where(positive, pairs, 0.0), axis=0)
    # the lower bound caps the sample size at S log10(S) for S draws, as the R package posterior
    # does for chains whose draws are anticorrelated
    time = np.maximum(2 * pairs.sum(axis=0) - 1, 1 / np.log10(n_chains * n))
    return np.where(total > 0, n_chains * n / time, float(n_chains * n))


def autocovariance(chain: np.ndarray) -> np.ndarray:
    """Compute the autocovariances at all lags along the first axis, divided by the number of draws.

    >>> autocovariance(np.array([1.0, -1.0, 1.0, -1.0]))
    array([ 1.  , -0.75,  0.5 , -0.25])
    """
    # the inverse transform of the power spectrum (Wiener-Khinchin theorem); zeros appended to at
    # least twice the length keep lags from wrapping around
    n = len(chain)
    size = next_fast_len(2 * n)
    spectrum = rfft(chain - chain.mean(axis=0), size, axis=0)
    return irfft(np.abs(spectrum) ** 2, size, axis=0)[:n] / n
