"""Differentiable losses of quadratic and linear pieces, for which L1 paths are exact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["LOSSES", "PiecewiseLoss", "huber", "huberized_hinge", "squared", "squared_hinge"]


@dataclass(frozen=True, eq=False)
class PiecewiseLoss:
    """A convex loss L(r) with :math:`L'(r) = 2 a_i r + b_i` on its i-th piece, and least value 0.

    Attributes
    ----------
    knots : ndarray of shape (pieces - 1,)
        Where the pieces meet, ascending.
    quadratic, slope : ndarray of shape (pieces,)
        :math:`a_i` and :math:`b_i`.
    margin : bool
        True if r is the margin :math:`y f(x)` of labels -1 and 1, False if it is the residual
        :math:`y - f(x)`.
    """

    knots: np.ndarray
    quadratic: np.ndarray
    slope: np.ndarray
    margin: bool

    def derivative(self, r: np.ndarray, piece: np.ndarray | None = None) -> np.ndarray:
        """Compute the derivative at r, on the piece of each value or on a given one."""
        if piece is None:
            piece = self.piece(r)
        return 2 * self.quadratic[piece] * r + self.slope[piece]

    def piece(self, r: np.ndarray) -> np.ndarray:
        """Find the piece of each value."""
        return np.searchsorted(self.knots, r)

    def value(self, r: np.ndarray) -> np.ndarray:
        """Compute the loss of each value."""
        return self._primitive(self.piece(r), r)

    def _primitive(self, piece: np.ndarray, r: np.ndarray) -> np.ndarray:
        """Compute the quadratic polynomial of each piece."""
        return self.quadratic[piece] * r**2 + self.slope[piece] * r + self._offsets()[piece]

    def _offsets(self) -> np.ndarray:
        """Compute the constants that make the loss continuous, with least value 0."""
        # At knot t_i, a_i t^2 + b_i t + c_i must equal a_(i+1) t^2 + b_(i+1) t + c_(i+1). The least
        # value is that of a flat piece, or -b^2 / (4 a) + c of the curved one.
        a, b, t = self.quadratic, self.slope, self.knots
        steps = (a[:-1] - a[1:]) * t**2 + (b[:-1] - b[1:]) * t
        offsets = np.concatenate(([0.0], np.cumsum(steps)))
        flat = np.flatnonzero((a == 0) & (b == 0))
        curved = np.flatnonzero(a > 0)[0]
        if len(flat):
            return offsets - offsets[flat[0]]
        return offsets - (offsets[curved] - b[curved] ** 2 / (4 * a[curved]))


def squared() -> PiecewiseLoss:
    """Build the squared residual, whose path is that of the lasso.

    >>> squared().value(np.array([-2.0, 1.0]))
    array([4., 1.])
    """
    return _loss([], [1.0], [0.0], margin=False)


def huber(delta: float = 1.0) -> PiecewiseLoss:
    r"""Build Huber's loss: :math:`r^2` up to :math:`|r| = \delta`, linear beyond.

    >>> huber(1.0).value(np.array([0.5, 3.0]))
    array([0.25, 5.  ])
    """
    if not delta > 0:
        raise ValueError(f"delta of the Huber loss must be positive, got {delta!r}.")
    return _loss([-delta, delta], [0.0, 1.0, 0.0], [-2 * delta, 0.0, 2 * delta], margin=False)


def squared_hinge() -> PiecewiseLoss:
    """Build the squared hinge :math:`(1 - r)_+^2` of the margin.

    >>> squared_hinge().value(np.array([-1.0, 0.5, 2.0]))
    array([4.  , 0.25, 0.  ])
    """
    return _loss([1.0], [1.0, 0.0], [-2.0, 0.0], margin=True)


def huberized_hinge(delta: float = -1.0) -> PiecewiseLoss:
    r"""Build the squared hinge that is linear below the margin :math:`\delta` [1]_.

    Outliers far on the wrong side have no more influence on its derivative than rows at
    :math:`\delta`.

    References
    ----------
    .. [1] Rosset and Zhu, *Sparse, flexible and efficient modeling using L1 regularization*, in
       Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 16, equation 16.18.

    Examples
    --------
    >>> huberized_hinge(-1.0).value(np.array([-2.0, -1.0, 0.0, 1.0]))
    array([8., 4., 1., 0.])
    """
    if not delta < 1:
        raise ValueError(f"delta of the huberized hinge must be under 1, got {delta!r}.")
    return _loss([delta, 1.0], [0.0, 1.0, 0.0], [-2 * (1 - delta), -2.0, 0.0], margin=True)


LOSSES = {
    "squared": squared,
    "huber": huber,
    "squared_hinge": squared_hinge,
    "huberized_hinge": huberized_hinge,
}


def _loss(
    knots: list[float], quadratic: list[float], slope: list[float], margin: bool
) -> PiecewiseLoss:
    """Build a loss from lists."""
    return PiecewiseLoss(np.array(knots, dtype=float), np.array(quadratic), np.array(slope), margin)
