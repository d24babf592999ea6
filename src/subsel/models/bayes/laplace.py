"""Laplace's approximation of a latent Gaussian process, its evidence and its derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from subsel.models.bayes.likelihoods import Derivatives

__all__ = ["Laplace", "laplace"]

Likelihood = Callable[[np.ndarray, np.ndarray], Derivatives]


@dataclass(frozen=True, eq=False)
class Laplace:
    r"""The mode of the latent values f and the Gaussian approximation around it.

    Attributes
    ----------
    weights : ndarray of shape (m,)
        :math:`v = K^{-1} f` at the mode, so that a new row has the latent mean :math:`k' v`.
    correction : ndarray of shape (m, m)
        :math:`(K + \Lambda^{-1})^{-1}`, so that it has the latent variance :math:`k_0 - k' W k`.
    log_evidence : float
        The approximate log probability of the labels given the kernel.
    slope : ndarray of shape (m, m)
        The derivative Q of the log evidence by each entry of K, symmetric, so that a parameter of
        the kernel has the derivative :math:`\sum_{ij} Q_{ij} \, \partial K_{ij}`.
    """

    weights: np.ndarray
    correction: np.ndarray
    log_evidence: float
    slope: np.ndarray


def laplace(
    K: np.ndarray, y: np.ndarray, likelihood: Likelihood, row_weights: np.ndarray
) -> Laplace:
    r"""Find the mode by Newton's method and expand the log posterior around it.

    .. math:: \ln Z = \sum_i \ln p(y_i | f_i) - \tfrac12 f' K^{-1} f - \tfrac12 \ln \det(I + K
        \Lambda)

    with :math:`\Lambda` the curvature of the log likelihood at the mode. Rows on which it is flat
    (those beyond the margin of the trigonometric likelihood) have no influence.

    Parameters
    ----------
    K : ndarray of shape (m, m)
        The kernel matrix.
    y : ndarray of shape (m,)
        Classes -1 and 1.
    likelihood : callable
        See :mod:`subsel.models.bayes.likelihoods`.
    row_weights : ndarray of shape (m,)
        The power to which the likelihood of each row is raised.

    References
    ----------
    .. [1] Rasmussen and Williams, *Gaussian Processes for Machine Learning*, 2006, algorithms 3.1
       and 5.1.
    .. [2] Chu, Keerthi, Ong and Ghahramani, *Bayesian support vector machines for feature ranking
       and selection*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006,
       chapter 18, section 2.

    Examples
    --------
    >>> from subsel.models.bayes.likelihoods import logistic
    >>> approximation = laplace(np.eye(2), np.array([1.0, -1.0]), logistic, np.ones(2))
    >>> approximation.weights.round(4)
    array([ 0.4011, -0.4011])
    """

    def derivatives(f: np.ndarray) -> Derivatives:
        return Derivatives(*(row_weights * part for part in likelihood(y, f)))

    v = _mode(K, derivatives)
    f = K @ v
    value, _, curvature, third = derivatives(f)
    # all from one factor of B = I + W^1/2 K W^1/2 (W the curvature), whose eigenvalues are at least
    # 1; K itself is never inverted: Rasmussen and Williams 2006, algorithms 3.1 and 5.1
    root = np.sqrt(curvature)
    factor = cho_factor(np.eye(len(y)) + root[:, None] * K * root, lower=True)
    correction = root[:, None] * cho_solve(factor, np.diag(root))
    evidence = value.sum() - 0.5 * v @ f - np.log(np.diag(factor[0])).sum()
    half = correction @ K
    spread = np.diag(K) - np.einsum("ij,ji->i", K, half)
    pull = 0.5 * spread * third
    # the mode moves with the kernel by df = (I + K W)^-1 dK v, and (I + K W)^-1 = I - K correction;
    # the evidence changes with the mode by half the posterior variance times the third derivative
    implicit = np.outer(pull - half @ pull, v)
    slope = 0.5 * (np.outer(v, v) - correction) + 0.5 * (implicit + implicit.T)
    return Laplace(v, correction, float(evidence), slope)


def _mode(
    K: np.ndarray, derivatives: Callable[[np.ndarray], Derivatives], tol: float = 1e-9
) -> np.ndarray:
    """Give :math:`K^{-1} f` at the mode, by Newton's method from f = 0.

    Steps that lower the posterior, or leave its domain, are halved.
    """

    def height(v: np.ndarray) -> float:
        f = K @ v
        return derivatives(f).value.sum() - 0.5 * v @ f

    v = np.zeros(len(K))
    present = height(v)
    for _ in range(200):
        f = K @ v
        _, first, curvature, _ = derivatives(f)
        root = np.sqrt(curvature)
        factor = cho_factor(np.eye(len(K)) + root[:, None] * K * root, lower=True)
        b = curvature * f + first
        step = b - root * cho_solve(factor, root * (K @ b)) - v
        floor = present - 1e-12 * (1 + abs(present))  # a decrease by rounding is accepted
        while not (ahead := height(v + step)) >= floor and np.abs(step).max() > tol:
            step /= 2
        v, present = v + step, ahead
        if np.abs(step).max() <= tol * (1 + np.abs(v).max()):
            break
    return v
