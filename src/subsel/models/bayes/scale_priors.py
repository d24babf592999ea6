"""Priors of the widths of weights with exact conditional draws."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from subsel.models.bayes.slice_sampling import slice_draw

__all__ = ["CommonScale", "HeavyTailedScales", "stretched"]


class CommonScale:
    r"""One width for all weights.

    .. math:: w_i \sim N(0, \sigma^2), \quad 1/\sigma^2 \sim \Gamma(1/2, s^2/2)

    The Gamma prior is proper and spreads over a few orders of magnitude around :math:`1/s^2`.

    Parameters
    ----------
    width : float
        The typical width s.

    Attributes
    ----------
    precision : float
        The current draw of :math:`1/\sigma^2`.

    Examples
    --------
    >>> scale = CommonScale(1.0)
    >>> scale.refresh(np.full(10_000, 3.0), np.random.default_rng(0))
    >>> round(scale.precision**-0.5, 1)
    3.0
    """

    def __init__(self, width: float) -> None:
        self.width, self.precision = width, 1 / width**2

    def refresh(self, weights: np.ndarray, rng: np.random.Generator) -> None:
        """Draw the precision given the weights."""
        # Gamma is conjugate to the normal: half the number of weights is added to the shape, half
        # the sum of their squares to the rate
        rate = (self.width**2 + float(np.vdot(weights, weights))) / 2
        self.precision = float(rng.gamma((1 + weights.size) / 2) / rate)

    def log_prior(self, stretch: float) -> float:
        r"""Give the log density of :math:`\log \sigma` plus ``stretch``, up to a constant."""
        return -stretch - 0.5 * self.width**2 * self.precision * float(np.exp(-2 * stretch))

    def stretch(self, stretch: float) -> None:
        r"""Add ``stretch`` to :math:`\log \sigma`."""
        self.precision *= float(np.exp(-2 * stretch))


class HeavyTailedScales:
    r"""One width per group of weights, with a common scale.

    A few groups may be large while most are small.

    .. math:: w_{jk} \sim N(0, s_j^2), \quad 1/s_j^2 \sim \Gamma(a, a \sigma^2), \quad \sigma \sim
        |N(0, s^2)|

    Given :math:`\sigma`, a single weight follows :math:`\sigma` times Student's t with 2a degrees
    of freedom. With one group per input this is automatic relevance determination.

    Parameters
    ----------
    n_groups : int
        The number of groups.
    shape : float
        The shape a.
    width : float
        The typical common scale s.

    Attributes
    ----------
    precisions : ndarray of shape (n_groups,)
        The current draws of :math:`1/s_j^2`.
    common : float
        The current draw of :math:`\sigma^2`.

    Examples
    --------
    >>> scales = HeavyTailedScales(2, shape=1.0, width=1.0)
    >>> scales.refresh(np.vstack([np.zeros(500), np.full(500, 4.0)]), np.random.default_rng(0))
    >>> scales.precisions[0] > 100 * scales.precisions[1]
    np.True_
    """

    def __init__(self, n_groups: int, shape: float, width: float) -> None:
        self.shape, self.width = shape, width
        self.precisions, self.common = np.full(n_groups, 1 / width**2), width**2

    def refresh(self, weights: np.ndarray, rng: np.random.Generator) -> None:
        """Draw the precisions given the weights, then the common scale given the precisions.

        ``weights`` has shape (n_groups, n_weights).
        """
        count = weights.shape[1]
        rate = self.shape * self.common + np.einsum("jk,jk->j", weights, weights) / 2
        self.precisions = rng.gamma(self.shape + count / 2, size=len(weights)) / rate
        # the half-normal prior of sigma is Gamma(1/2, 1 / (2 s^2)) for sigma^2, which is conjugate
        # to the rates a sigma^2 of the precisions
        total_rate = 1 / (2 * self.width**2) + self.shape * self.precisions.sum()
        self.common = float(rng.gamma(0.5 + self.shape * len(weights)) / total_rate)

    def propose(self, rng: np.random.Generator) -> np.ndarray:
        """Draw precisions from their prior given the common scale."""
        return np.maximum(rng.gamma(self.shape, size=len(self.precisions)), 1e-300) / (
            self.shape * self.common
        )

    def log_prior(self, stretch: float) -> float:
        r"""Give the log density of :math:`\log \sigma` plus ``stretch``, up to a constant."""
        return stretch - 0.5 * self.common / self.width**2 * float(np.exp(2 * stretch))

    def stretch(self, stretch: float) -> None:
        r"""Add ``stretch`` to :math:`\log \sigma`, with the ratios of all widths to it fixed."""
        factor = float(np.exp(2 * stretch))
        self.common *= factor
        self.precisions /= factor


def stretched(
    scale: CommonScale | HeavyTailedScales,
    weights: np.ndarray,
    likelihood: Callable[[float], float],
    rng: np.random.Generator,
) -> float:
    r"""Draw a common width again, jointly with its weights; changes both in place.

    The ratios of the weights, and of all widths below the common one, are fixed.

    Given hundreds of weights or widths their common width hardly moves; given the ratios only the
    likelihood constrains it. The ratios have a prior of their own, in which :math:`\sigma` does not
    occur, so that :math:`\log \sigma` has the density of its prior times the likelihood of the
    stretched weights [1]_.

    Parameters
    ----------
    scale : CommonScale or HeavyTailedScales
        The width, which is changed in place.
    weights : ndarray
        Its weights, which are multiplied by the factor in place.
    likelihood : callable
        Gives the log likelihood when the weights are multiplied by a factor.
    rng : Generator
        The source of random numbers.

    Returns
    -------
    float
        The factor by which width and weights were multiplied.

    References
    ----------
    .. [1] Papaspiliopoulos, Roberts and Skold, *A general framework for the parametrization of
       hierarchical models*, Statistical Science 22, 2007, section 2: the non-centred
       parametrization; drawn by slices.

    Examples
    --------
    >>> scale, weights = CommonScale(1.0), np.array([0.5, -2.0])
    >>> likelihood = lambda factor: -50 * (2.0 * factor - 8.0) ** 2  # best at a factor of 4
    >>> rng = np.random.default_rng(0)
    >>> factor = stretched(scale, weights, likelihood, rng)
    >>> moved = np.array([0.5 * factor, -2.0 * factor])
    >>> bool(np.isclose(scale.precision**-0.5, factor)), bool(np.allclose(weights, moved))
    (True, True)
    """
    stretch = slice_draw(lambda s: scale.log_prior(s) + likelihood(float(np.exp(s))), 0.0, 0.5, rng)
    factor = float(np.exp(stretch))
    scale.stretch(stretch)
    weights *= factor
    return factor
