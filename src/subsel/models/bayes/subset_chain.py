"""Markov chains over subsets of inputs that estimate how probable each subset is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr, logit, ndtri_exp

from subsel.runtime.interruption import is_part_of_a_job

__all__ = ["Conjugate", "Visits", "visit_subsets"]


@dataclass(frozen=True, eq=False)
class Conjugate:
    r"""Linear models on subsets of centred columns, with their weights integrated out.

    The weights of a subset have Zellner's prior :math:`N(0, g s^2 (X'X)^{-1})`, the intercept has a
    flat prior, and each input belongs to the subset independently with probability ``inclusion``.
    With an unknown noise :math:`s` under its scale-free prior,

    .. math:: \ln p(S | y) = -\tfrac{k}{2} \ln(1 + g) - \tfrac{m - 1}{2} \ln(1 - \tfrac{g}{1 + g}
       R_S^2) + k \, \mathrm{logit}\, p + const,

    and with a known noise of 1, as for the latent values of probit regression, the middle term is
    :math:`\tfrac12 \tfrac{g}{1 + g}` times the sum of squares that the subset explains.

    Attributes
    ----------
    X : ndarray of shape (m, n)
        The centred columns.
    g : float
        The prior variance of the weights, relative to that of their estimates.
    inclusion : float
        The prior probability of an input.
    known_noise : bool
        Whether the noise is 1; otherwise it is unknown.

    Examples
    --------
    >>> X = np.array([[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]])
    >>> model = Conjugate(X, g=3.0)
    >>> subsets = np.array([[False, False], [True, False]])
    >>> empty, first = (model.log_posterior(subset, X[:, 0]) for subset in subsets)
    >>> round(first - empty, 4)  # -ln(4)/2 - ln(1 - 3/4)
    0.6931
    """

    X: np.ndarray
    g: float
    inclusion: float = 0.5
    known_noise: bool = False

    def log_posterior(self, subset: np.ndarray, y: np.ndarray) -> float:
        """Give the log probability of a subset, a mask of shape (n,), up to a constant."""
        k, y = int(subset.sum()), y - y.mean()
        explained = self.g / (1 + self.g) * self._explained(subset, y)
        total = float(y @ y)
        if self.known_noise:
            fit = 0.5 * explained
        elif total > 0:
            fit = -(len(y) - 1) / 2 * np.log(max(1 - explained / total, 1e-300))
        else:
            fit = 0.0
        return float(-0.5 * k * np.log1p(self.g) + fit + k * logit(self.inclusion))

    def draw_fit(self, subset: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw the values of the linear model, shape (m,), for a noise of 1.

        They are drawn given the target and the subset, and include the intercept.
        """
        shrink = self.g / (1 + self.g)
        values = np.full(len(y), y.mean() + rng.standard_normal() / np.sqrt(len(y)))
        if subset.any():
            Q = self._basis(subset)
            values += Q @ (shrink * (Q.T @ y) + np.sqrt(shrink) * rng.standard_normal(Q.shape[1]))
        return values

    def _explained(self, subset: np.ndarray, y: np.ndarray) -> float:
        """Give the sum of squares of y that the subset explains."""
        if not subset.any():
            return 0.0
        half = self._basis(subset).T @ y
        return float(half @ half)

    def _basis(self, subset: np.ndarray) -> np.ndarray:
        """Give an orthonormal basis of the columns of the subset."""
        left, values, _ = np.linalg.svd(self.X[:, subset], full_matrices=False)
        return left[:, values > 1e-10 * max(values[0], 1e-300)]


class Visits(NamedTuple):
    """The recorded subsets of a chain.

    Attributes
    ----------
    subsets : ndarray of bool, shape (n_draws, n)
        The subset after each recorded sweep.
    log_posterior : ndarray of shape (n_draws,)
        Its log probability up to a constant.
    """

    subsets: np.ndarray
    log_posterior: np.ndarray


def visit_subsets(
    model: Conjugate,
    y: np.ndarray,
    n_warmup: int,
    n_draws: int,
    rng: np.random.Generator,
    classes: bool = False,
) -> Visits:
    r"""Run a Markov chain over subsets that visits each in proportion to its probability [1]_.

    A sweep proposes to add or remove every input in turn, then to exchange one inside for one
    outside; the ratio of posterior probabilities decides. For two classes (``y`` of zeros and ones,
    probit regression) latent values are drawn before each sweep, given the subset, and replace the
    target. After Ctrl-C the visits so far are returned.

    Parameters
    ----------
    model : Conjugate
        Gives the probability of a subset.
    y : ndarray of shape (m,)
        The target.
    n_warmup, n_draws : int
        The numbers of sweeps that are discarded and recorded.
    rng : numpy.random.Generator
        The source of random numbers.
    classes : bool
        Whether the target holds two classes.

    References
    ----------
    .. [1] George and McCulloch, *Approaches for Bayesian variable selection*, Statistica Sinica 7,
       1997; Albert and Chib, *Bayesian analysis of binary and polychotomous response data*, JASA
       88, 1993.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((40, 3))
    >>> model = Conjugate(X - X.mean(axis=0), g=40.0)
    >>> visits = visit_subsets(model, X[:, 1] + 0.1 * X[:, 0], 10, 50, rng)
    >>> bool(visits.subsets[:, 1].all())
    True
    """
    n = model.X.shape[1]
    subset = np.zeros(n, dtype=bool)
    subsets, values = np.empty((n_draws, n), dtype=bool), np.empty(n_draws)
    target = y - y.mean()
    if classes:
        target = np.where(y > 0, 0.5, -0.5)
    n_recorded = 0
    try:
        for sweep in range(n_warmup + n_draws):
            if classes:
                fit = model.draw_fit(subset, target, rng)
                target = fit + _one_sided(fit, y > 0, rng)
            value = model.log_posterior(subset, target)
            for j in rng.permutation(n):
                subset, value = _propose(model, target, subset, value, [j], rng)
            if 0 < subset.sum() < n:
                pair = [rng.choice(np.flatnonzero(subset)), rng.choice(np.flatnonzero(~subset))]
                subset, value = _propose(model, target, subset, value, pair, rng)
            if sweep >= n_warmup:
                subsets[sweep - n_warmup], values[sweep - n_warmup] = subset, value
                n_recorded += 1
    except KeyboardInterrupt:
        if is_part_of_a_job() or not n_recorded:
            raise
    return Visits(subsets[:n_recorded], values[:n_recorded])


def _propose(
    model: Conjugate,
    y: np.ndarray,
    subset: np.ndarray,
    value: float,
    flips: list[int],
    rng: np.random.Generator,
) -> tuple[np.ndarray, float]:
    """Propose to flip some inputs, and accept or reject by the Metropolis rule."""
    other = subset.copy()
    other[flips] = ~other[flips]
    ahead = model.log_posterior(other, y)
    if np.log(rng.random()) < ahead - value:
        return other, ahead
    return subset, value


def _one_sided(fit: np.ndarray, positive: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw standard normal noise, truncated so that each latent value has the sign of its class."""
    # inversion: u = -sign * noise is standard normal below sign * fit, hence Phi^-1(U Phi(sign *
    # fit)) for uniform U; in logarithms, so that tails do not underflow
    sign = np.where(positive, 1.0, -1.0)
    return -sign * ndtri_exp(np.log(rng.random(len(fit))) + log_ndtr(sign * fit))
