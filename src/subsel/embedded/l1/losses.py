"""Losses made of quadratic and straight pieces, once differentiable: what an exact path needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["LOSSES", "PiecewiseLoss", "huber", "huberized_hinge", "squared", "squared_hinge"]


@dataclass(frozen=True, eq=False)
class PiecewiseLoss:
    """A convex loss L(r) with :math:`L'(r) = 2 a_i r + b_i` on its i-th piece, and its minimum at the value 0.

    Attributes
    ----------
    knots : ndarray
        Where the pieces meet, ascending.
    quadratic, slope : ndarray
        :math:`a_i` and :math:`b_i`, one more than there are knots.
    margin : bool
        Whether r is the margin :math:`y f(x)` of labels -1 and 1, and not the residual
        :math:`y - f(x)`.
    """

    knots: np.ndarray
    quadratic: np.ndarray
    slope: np.ndarray
    margin: bool

    def derivative(self, r: np.ndarray, piece: np.ndarray | None = None) -> np.ndarray:
        """The slope at r, of the piece that r lies on or of a given one."""
        if piece is None:
            piece = self.piece(r)
        return 2 * self.quadratic[piece] * r + self.slope[piece]

    def piece(self, r: np.ndarray) -> np.ndarray:
        """The piece that each value lies on."""
        return np.searchsorted(self.knots, r)

    def value(self, r: np.ndarray) -> np.ndarray:
        """The loss."""
        return self._primitive(self.piece(r), r)

    def _primitive(self, piece: np.ndarray, r: np.ndarray) -> np.ndarray:
        return self.quadratic[piece] * r**2 + self.slope[piece] * r + self._offsets()[piece]

    def _offsets(self) -> np.ndarray:
        """The constants that make the pieces meet, the least value being 0."""
        a, b, t = self.quadratic, self.slope, self.knots
        steps = (a[:-1] - a[1:]) * t**2 + (b[:-1] - b[1:]) * t
        offsets = np.concatenate(([0.0], np.cumsum(steps)))
        flat = np.flatnonzero((a == 0) & (b == 0))
        curved = np.flatnonzero(a > 0)[0]
        if len(flat):
            return offsets - offsets[flat[0]]
        return offsets - (offsets[curved] - b[curved] ** 2 / (4 * a[curved]))


def squared() -> PiecewiseLoss:
    """The squared residual: the path is the lasso's.

    >>> squared().value(np.array([-2.0, 1.0]))
    array([4., 1.])
    """
    return _loss([], [1.0], [0.0], margin=False)


def huber(delta: float = 1.0) -> PiecewiseLoss:
    r"""Huber's loss: :math:`r^2` up to :math:`|r| = \delta`, straight beyond.

    >>> huber(1.0).value(np.array([0.5, 3.0]))
    array([0.25, 5.  ])
    """
    if not delta > 0:
        raise ValueError(f"delta of the Huber loss must be positive, got {delta!r}.")
    return _loss([-delta, delta], [0.0, 1.0, 0.0], [-2 * delta, 0.0, 2 * delta], margin=False)


def squared_hinge() -> PiecewiseLoss:
    """The squared hinge :math:`(1 - r)_+^2` of the margin.

    >>> squared_hinge().value(np.array([-1.0, 0.5, 2.0]))
    array([4.  , 0.25, 0.  ])
    """
    return _loss([1.0], [1.0, 0.0], [-2.0, 0.0], margin=True)


def huberized_hinge(delta: float = -1.0) -> PiecewiseLoss:
    r"""The squared hinge made straight below the margin :math:`\delta`, so that gross outliers pull no harder.

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
    return PiecewiseLoss(np.array(knots, dtype=float), np.array(quadratic), np.array(slope), margin)
