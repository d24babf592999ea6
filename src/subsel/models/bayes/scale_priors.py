"""Priors on the widths of weights that can be drawn exactly, given the weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from subsel.models.bayes.slice_sampling import slice_draw

__all__ = ["CommonScale", "HeavyTailedScales", "stretched"]


class CommonScale:
    r"""One width for all weights: :math:`w_i \sim N(0, \sigma^2)`, :math:`1/\sigma^2 \sim \Gamma(1/2, s^2/2)`.

    The Gamma prior is proper and spreads over a few orders of magnitude around :math:`1/s^2`.

    Parameters
    ----------
    width : float
        The typical width s.

    Attributes
    ----------
    precision : float
        The present draw of :math:`1/\sigma^2`.

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
        rate = (self.width**2 + float(np.vdot(weights, weights))) / 2
        self.precision = float(rng.gamma((1 + weights.size) / 2) / rate)

    def log_prior(self, stretch: float) -> float:
        r"""Give the log density of :math:`\log \sigma`, moved so far, but for a constant."""
        return -stretch - 0.5 * self.width**2 * self.precision * float(np.exp(-2 * stretch))

    def stretch(self, stretch: float) -> None:
        r"""Move :math:`\log \sigma`."""
        self.precision *= float(np.exp(-2 * stretch))


class HeavyTailedScales:
    r"""One width per group of weights, with a common scale above: a few groups may be large while most stay small.

    .. math:: w_{jk} \sim N(0, s_j^2), \quad 1/s_j^2 \sim \Gamma(a, a \sigma^2), \quad \sigma \sim |N(0, s^2)|

    Given :math:`\sigma`, a single weight follows :math:`\sigma` times Student's t with 2a degrees of freedom. With one
    group per input this is automatic relevance determination.

    Parameters
    ----------
    n_groups : int
        Number of groups.
    shape : float
        The shape a.
    width : float
        The typical common scale s.

    Attributes
    ----------
    precisions : ndarray of shape (n_groups,)
        The present draws of :math:`1/s_j^2`.
    common : float
        The present draw of :math:`\sigma^2`.

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
        """Draw the precisions given the weights (a row per group), then the common scale given the precisions."""
        count = weights.shape[1]
        rate = self.shape * self.common + np.einsum("jk,jk->j", weights, weights) / 2
        self.precisions = rng.gamma(self.shape + count / 2, size=len(weights)) / rate
        above = 1 / (2 * self.width**2) + self.shape * self.precisions.sum()
        self.common = float(rng.gamma(0.5 + self.shape * len(weights)) / above)

    def propose(self, rng: np.random.Generator) -> np.ndarray:
        """Draw precisions from their prior given the common scale."""
        return np.maximum(rng.gamma(self.shape, size=len(self.precisions)), 1e-300) / (
            self.shape * self.common
        )

    def log_prior(self, stretch: float) -> float:
        r"""Give the log density of :math:`\log \sigma`, moved so far, but for a constant."""
        return stretch - 0.5 * self.common / self.width**2 * float(np.exp(2 * stretch))

    def stretch(self, stretch: float) -> None:
        r"""Move :math:`\log \sigma`, all widths keeping their ratios to it."""
        factor = float(np.exp(2 * stretch))
        self.common *= factor
        self.precisions /= factor


def stretched(
    scale: CommonScale | HeavyTailedScales,
    weights: np.ndarray,
    likelihood: Callable[[float], float],
    rng: np.random.Generator,
) -> float:
    r"""Draw a common width once more, its weights and all widths below it keeping their ratios to it.

    Given hundreds of weights or widths their common one hardly moves; given the ratios the likelihood alone holds it.
    The ratios have a prior of their own, in which :math:`\sigma` does not occur, so that :math:`\log \sigma` has the
    density of its prior times the likelihood of the stretched weights [1]_.

    Parameters
    ----------
    scale : CommonScale or HeavyTailedScales
        The width, which is moved.
    weights : ndarray
        Its weights, which are stretched in place.
    likelihood : callable
        Gives the log likelihood of the weights times a factor.
    rng : Generator
        Of the draw.

    Returns
    -------
    float
        The factor.

    References
    ----------
    .. [1] Papaspiliopoulos, Roberts and Skold, *A general framework for the parametrization of hierarchical models*,
       Statistical Science 22, 2007, section 2: the non-centred parametrization; drawn by slices.

    Examples
    --------
    >>> scale, weights = CommonScale(1.0), np.array([0.5, -2.0])
    >>> likelihood = lambda factor: -50 * (2.0 * factor - 8.0) ** 2  # the larger weight should be about 8
    >>> rng = np.random.default_rng(0)
    >>> factor = stretched(scale, weights, likelihood, rng)
    >>> bool(np.isclose(scale.precision**-0.5, factor)), bool(np.allclose(weights, [0.5 * factor, -2.0 * factor]))
    (True, True)
    """
    stretch = slice_draw(lambda s: scale.log_prior(s) + likelihood(float(np.exp(s))), 0.0, 0.5, rng)
    factor = float(np.exp(stretch))
    scale.stretch(stretch)
    weights *= factor
    return factor
