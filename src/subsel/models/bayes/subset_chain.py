"""Markov chains over subsets of inputs: how probable is each subset, given the data?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr, logit, ndtri_exp

from subsel.runtime.interruption import is_part_of_a_job

__all__ = ["Conjugate", "Visits", "visit_subsets"]


@dataclass(frozen=True, eq=False)
class Conjugate:
    r"""Linear models of a target on subsets of centred columns, their weights integrated out.

    The weights of a subset have Zellner's prior :math:`N(0, g s^2 (X'X)^{-1})`, the intercept a flat one, and each input
    belongs to the subset with probability ``inclusion`` on its own. With an unknown noise :math:`s` of the usual
    scale-free prior,

    .. math:: \ln p(S | y) = -\tfrac{k}{2} \ln(1 + g) - \tfrac{m - 1}{2} \ln(1 - \tfrac{g}{1 + g} R_S^2)
       + k \, \mathrm{logit}\, p + const,

    and with a known noise of 1, as for the latent values of probit regression, the middle term is
    :math:`\tfrac12 \tfrac{g}{1 + g}` times the sum of squares that the subset explains.

    Attributes
    ----------
    X : ndarray of shape (m, n)
        Centred columns.
    g : float
        The width of the prior, in units of the information of one row.
    inclusion : float
        Prior probability of an input.
    known_noise : bool
        As above.

    Examples
    --------
    >>> X = np.array([[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]])
    >>> model = Conjugate(X, g=3.0)
    >>> empty, first = (model.log_posterior(np.array(s, dtype=bool), X[:, 0]) for s in ([0, 0], [1, 0]))
    >>> round(first - empty, 4)  # -ln(4)/2 - ln(1 - 3/4)
    0.6931
    """

    X: np.ndarray
    g: float
    inclusion: float = 0.5
    known_noise: bool = False

    def log_posterior(self, subset: np.ndarray, y: np.ndarray) -> float:
        """Give the log probability of a subset (a mask) but for a constant."""
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
        """Draw the values of the linear model, intercept included, given target, subset and a noise of 1."""
        shrink = self.g / (1 + self.g)
        values = np.full(len(y), y.mean() + rng.standard_normal() / np.sqrt(len(y)))
        if subset.any():
            Q = self._basis(subset)
            values += Q @ (shrink * (Q.T @ y) + np.sqrt(shrink) * rng.standard_normal(Q.shape[1]))
        return values

    def _explained(self, subset: np.ndarray, y: np.ndarray) -> float:
        if not subset.any():
            return 0.0
        half = self._basis(subset).T @ y
        return float(half @ half)

    def _basis(self, subset: np.ndarray) -> np.ndarray:
        """Give an orthonormal basis of the subset's columns."""
        left, values, _ = np.linalg.svd(self.X[:, subset], full_matrices=False)
        return left[:, values > 1e-10 * max(values[0], 1e-300)]


class Visits(NamedTuple):
    """The subset at each kept step, and its log probability but for a constant."""

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
    r"""Walk over subsets so that each is visited as often as it is probable.

    A sweep proposes for every input in turn to let it in or out, then to exchange one inside for one outside; the ratio
    of posterior probabilities decides. For two classes (``y`` of zeros and ones, probit regression) the latent
    values are drawn in between, given the subset, and the subset is evaluated by them. After Ctrl-C the visits so far stand.

    Parameters
    ----------
    model : Conjugate
        Gives the probability of a subset.
    y : ndarray of shape (m,)
        The target.
    n_warmup, n_draws : int
        Sweeps forgotten and kept.
    rng : numpy.random.Generator
        The source of chance.
    classes : bool
        As above.

    References
    ----------
    .. [1] George and McCulloch, *Approaches for Bayesian variable selection*, Statistica Sinica 7, 1997; Albert and
       Chib, *Bayesian analysis of binary and polychotomous response data*, JASA 88, 1993.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((40, 3))
    >>> visits = visit_subsets(Conjugate(X - X.mean(axis=0), g=40.0), X[:, 1] + 0.1 * X[:, 0], 10, 50, rng)
    >>> bool(visits.subsets[:, 1].all())
    True
    """
    n = model.X.shape[1]
    subset, kept, values = (
        np.zeros(n, dtype=bool),
        np.empty((n_draws, n), dtype=bool),
        np.empty(n_draws),
    )
    target = y - y.mean()
    if classes:
        target = np.where(y > 0, 0.5, -0.5)
    done = 0
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
                kept[sweep - n_warmup], values[sweep - n_warmup] = subset, value
                done += 1
    except KeyboardInterrupt:
        if is_part_of_a_job() or not done:
            raise
    return Visits(kept[:done], values[:done])


def _propose(
    model: Conjugate,
    y: np.ndarray,
    subset: np.ndarray,
    value: float,
    flips: list[int],
    rng: np.random.Generator,
) -> tuple[np.ndarray, float]:
    """Flip some inputs, or not."""
    other = subset.copy()
    other[flips] = ~other[flips]
    ahead = model.log_posterior(other, y)
    if np.log(rng.random()) < ahead - value:
        return other, ahead
    return subset, value


def _one_sided(fit: np.ndarray, positive: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw noise of 1 that leaves each latent value on the side of its class."""
    sign = np.where(positive, 1.0, -1.0)
    return -sign * ndtri_exp(np.log(rng.random(len(fit))) + log_ndtr(sign * fit))
