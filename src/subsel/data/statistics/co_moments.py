"""Moments of every column and a numeric target, accumulated over chunks of rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from subsel.data.statistics.moments import block_moments, checked_chunk, shares, unchecked
from subsel.data.statistics.score_input import classes_and_codes, target, weights

__all__ = ["CoMoments", "co_moments", "over_co_moments"]

Array = np.ndarray


@dataclass
class CoMoments:
    """Mass, mean and scatter of every column and of a numeric target, and their cross moments.

    Parameters
    ----------
    n_features : int
        The number of columns.

    Attributes
    ----------
    mass : ndarray of shape (1,)
        The sum of the weights of all rows.
    mean, scatter : ndarray of shape (n_features,)
        The mean of each column, and its sum of squared deviations.
    cross : ndarray of shape (n_features,)
        The sum of the products of the deviations of each column and of the target.
    target_mean, target_scatter : float
        The mean of the target, and its sum of squared deviations.

    Examples
    --------
    >>> moments = CoMoments(n_features=1)
    >>> moments.accumulate([[0.0], [2.0], [4.0]], [1.0, 2.0, 3.0])
    >>> moments.correlation()
    array([1.])
    """

    n_features: int
    mass: Array = field(init=False)
    mean: Array = field(init=False)
    scatter: Array = field(init=False)
    cross: Array = field(init=False)
    target_mean: float = 0.0
    target_scatter: float = 0.0

    def __post_init__(self) -> None:
        self.mass = np.zeros(1)
        self.mean, self.scatter, self.cross = np.zeros((3, self.n_features))

    def accumulate(self, X: Any, y: Any, sample_weight: Any = None) -> None:
        """Add a chunk of rows, dense or sparse, with the target of each."""
        X, weight = checked_chunk(X, sample_weight, self.n_features)
        mean, scatter, cross = np.empty((3, self.n_features))
        for block, part in _co_moments(X, np.asarray(y, dtype=float), weight):
            mean[block], scatter[block], cross[block] = part.mean, part.scatter, part.cross
        self._absorb(part.mass, mean, scatter, cross, part.target_mean, part.target_scatter)

    def merge(self, other: Self) -> None:
        """Add the rows that another object accumulated."""
        self._absorb(
            other.mass,
            other.mean,
            other.scatter,
            other.cross,
            other.target_mean,
            other.target_scatter,
        )

    def _absorb(
        self,
        mass: Array,
        mean: Array,
        scatter: Array,
        cross: Array,
        target_mean: float,
        target_scatter: float,
    ) -> None:
        """Add the moments of further rows; updates this object in place."""
        # pairwise update as in ClassMoments (Chan, Golub and LeVeque 1979); for the cross moment
        # C = C_a + C_b + gap_x gap_y m_a m_b / (m_a + m_b)
        share = float(shares(self.mass, mass)[0])
        own_mass, gap, target_gap = (
            float(self.mass[0]),
            mean - self.mean,
            target_mean - self.target_mean,
        )
        self.scatter = self.scatter + scatter + gap**2 * (own_mass * share)
        self.cross = self.cross + cross + gap * target_gap * (own_mass * share)
        self.target_scatter += target_scatter + target_gap**2 * own_mass * share
        self.mean = self.mean + gap * share
        self.target_mean += target_gap * share
        self.mass = self.mass + mass

    def correlation(self) -> Array:
        """Return the signed Pearson correlation of each column; 0 for a constant one."""
        spread = np.sqrt(self.scatter) * np.sqrt(self.target_scatter)
        r = np.divide(self.cross, spread, out=np.zeros_like(spread), where=spread > 0)
        return np.clip(r, -1.0, 1.0)


def co_moments(X: Any, y: Any, sample_weight: Any) -> CoMoments:
    """Return the moments of a table and a numeric or two-class target; X itself if CoMoments.

    Examples
    --------
    >>> co_moments([[0.0], [2.0], [4.0]], [1.0, 2.0, 3.0], None).mean
    array([2.])
    """
    if isinstance(X, CoMoments):
        return X
    X = unchecked(X)
    moments = CoMoments(X.shape[1])
    moments.accumulate(X, numeric_target(X, y), sample_weight)
    return moments


def over_co_moments(
    finish: Callable[[CoMoments], Array], X: Any, y: Any, sample_weight: Any
) -> Array:
    """Return a function of the moments of every column with the target, of shape (p,).

    The parameters are those of :func:`subsel.data.statistics.class_moments.over_moments`.
    """
    if isinstance(X, CoMoments):
        return finish(X)
    X = unchecked(X)
    scores = np.empty(X.shape[1])
    for block, moments in _co_moments(X, numeric_target(X, y), weights(X, sample_weight)):
        scores[block] = finish(moments)
    return scores


def numeric_target(X: Any, y: Any) -> Array:
    """Return a numeric target as it is, and two classes of other names as 0 and 1, sorted."""
    if np.asarray(y).dtype.kind in "iuf":
        return target(X, y)
    return classes_and_codes(X, y, n_classes=2)[1].astype(float)


def _co_moments(X: Any, y: Array, weight: Array) -> Iterator[tuple[slice, CoMoments]]:
    """Yield blocks of columns and their moments with a target, which the next block overwrites."""
    mass = np.array([weight.sum()])
    target_mean = y[0] + weight @ (y - y[0]) / mass[0]
    pull = weight * (y - target_mean)
    target_scatter = float(pull @ (y - target_mean))
    for block, mean, scatter, cross in block_moments(
        X, np.zeros(len(y), dtype=np.intp), weight, mass, pull
    ):
        moments = CoMoments(0)
        moments.n_features, moments.mass, moments.mean, moments.scatter = (
            len(cross),
            mass,
            mean[0],
            scatter[0],
        )
        moments.cross, moments.target_mean, moments.target_scatter = (
            cross,
            target_mean,
            target_scatter,
        )
        yield block, moments
