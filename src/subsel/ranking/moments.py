"""Moments that can be streamed: accumulate chunks of rows, merge what was accumulated apart, finish."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from subsel.ranking.blocks import column_blocks, without_duplicates
from subsel.ranking.table import classes_and_codes, columns, target, weights

__all__ = ["ClassMoments", "CoMoments", "class_moments", "co_moments"]

Array = np.ndarray


@dataclass
class ClassMoments:
    """Mass, mean and scatter (sum of squared deviations) of every column within every class.

    Every score that is a function of these takes the moments in place of ``X``, so a table that does not
    fit in memory is ranked by accumulating its chunks; classes are told by their codes ``0..n_classes -
    1``, the last being the positive class of two. A row of weight w counts as w rows. The scatter is
    accurate to about ``n * eps``.

    Examples
    --------
    >>> moments = ClassMoments(n_classes=2, n_features=1)
    >>> moments.accumulate([[0.0], [2.0]], [0, 0])
    >>> moments.accumulate([[8.0], [10.0]], [1, 1])
    >>> moments.mean.ravel(), moments.scatter.ravel()
    (array([1., 9.]), array([2., 2.]))
    """

    n_classes: int
    n_features: int
    mass: Array = field(init=False)
    mean: Array = field(init=False)
    scatter: Array = field(init=False)

    def __post_init__(self) -> None:
        self.mass = np.zeros(self.n_classes)
        self.mean = np.zeros((self.n_classes, self.n_features))
        self.scatter = np.zeros((self.n_classes, self.n_features))

    def accumulate(self, X: Any, codes: Any, sample_weight: Any = None) -> None:
        """Add a chunk of rows, dense or sparse, with the class code of each."""
        X, weight = _chunk(X, sample_weight, self.n_features)
        codes = np.asarray(codes, dtype=np.intp)
        mass = np.bincount(codes, weight, self.n_classes)
        self._absorb(mass, *_moments(X, codes, weight, mass)[:2])

    def merge(self, other: Self) -> None:
        """Add the rows that another accumulated."""
        self._absorb(other.mass.copy(), other.mean.copy(), other.scatter.copy())

    def _absorb(self, mass: Array, mean: Array, scatter: Array) -> None:
        if not self.mass.any():
            self.mass, self.mean, self.scatter = mass, mean, scatter
            return
        share = _shares(self.mass, mass)[:, None]
        gap = mean - self.mean
        self.scatter += scatter + gap**2 * (self.mass[:, None] * share)
        self.mean += gap * share
        self.mass = self.mass + mass

    def variance(self, correction: float = 1.0) -> Array:
        """Class variances; a class of no more mass than the correction has none."""
        freedom = np.maximum(self.mass - correction, 0.0)[:, None]
        return np.divide(self.scatter, freedom, out=np.zeros_like(self.scatter), where=freedom > 0)

    def between_and_within(self) -> tuple[Array, Array]:
        """Sums of squares between and within the classes; together they are the total."""
        gaps = self.mean - self.mean[0]  # from the first class, so that equal means give exactly nothing
        gaps -= (self.mass[:, None] * gaps).sum(axis=0) / self.mass.sum()
        np.square(gaps, out=gaps)
        gaps *= self.mass[:, None]
        return gaps.sum(axis=0), self.scatter.sum(axis=0)


@dataclass
class CoMoments:
    """Mass, mean and scatter of every column and of a numeric target, and their cross moments.

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
        X, weight = _chunk(X, sample_weight, self.n_features)
        y = np.asarray(y, dtype=float)
        mass = np.array([weight.sum()])
        target_mean = y[0] + weight @ (y - y[0]) / mass[0]
        pull = weight * (y - target_mean)
        mean, scatter, cross = _moments(X, np.zeros(len(y), dtype=np.intp), weight, mass, pull)
        self._absorb(mass, mean[0], scatter[0], cross, target_mean, float(pull @ (y - target_mean)))

    def merge(self, other: Self) -> None:
        """Add the rows that another accumulated."""
        self._absorb(other.mass, other.mean, other.scatter, other.cross, other.target_mean, other.target_scatter)

    def _absorb(
        self,
        mass: Array,
        mean: Array,
        scatter: Array,
        cross: Array,
        target_mean: float,
        target_scatter: float,
    ) -> None:
        share = float(_shares(self.mass, mass)[0])
        held, gap, target_gap = float(self.mass[0]), mean - self.mean, target_mean - self.target_mean
        self.scatter = self.scatter + scatter + gap**2 * (held * share)
        self.cross = self.cross + cross + gap * target_gap * (held * share)
        self.target_scatter += target_scatter + target_gap**2 * held * share
        self.mean = self.mean + gap * share
        self.target_mean += target_gap * share
        self.mass = self.mass + mass

    def correlation(self) -> Array:
        """Signed Pearson correlation; nothing varies with a constant, which gets 0."""
        spread = np.sqrt(self.scatter) * np.sqrt(self.target_scatter)
        r = np.divide(self.cross, spread, out=np.zeros_like(spread), where=spread > 0)
        return np.clip(r, -1.0, 1.0)


def class_moments(X: Any, y: Any, sample_weight: Any, n_classes: int | None = None) -> ClassMoments:
    """Give the class moments of a table, or hand on the moments given in its place."""
    if isinstance(X, ClassMoments):
        if n_classes is not None and X.n_classes != n_classes:
            message = f"this score is defined for {n_classes} classes, the moments hold {X.n_classes}."
            raise ValueError(message)
        return X
    X = _unchecked(X)
    labels, codes = classes_and_codes(X, y, n_classes)
    moments = ClassMoments(len(labels), X.shape[1])
    moments.accumulate(X, codes, sample_weight)
    return moments


def co_moments(X: Any, y: Any, sample_weight: Any) -> CoMoments:
    """Give the moments of a table with a numeric or two-class target, or hand on those given in its place."""
    if isinstance(X, CoMoments):
        return X
    X = _unchecked(X)
    moments = CoMoments(X.shape[1])
    moments.accumulate(X, numeric_target(X, y), sample_weight)
    return moments


def numeric_target(X: Any, y: Any) -> Array:
    """Give a numeric target as it is, two classes named otherwise as 0 and 1 in the order of names."""
    if np.asarray(y).dtype.kind in "iuf":
        return target(X, y)
    return classes_and_codes(X, y, n_classes=2)[1].astype(float)


def _unchecked(X: Any) -> Any:
    """Give X as `columns` does, without the pass that looks for NaN: the sums show them (see `_moments`)."""
    return check_array(X, accept_sparse="csc", dtype=[np.float64, np.float32], ensure_all_finite=False)


def _chunk(X: Any, sample_weight: Any, n_features: int) -> tuple[Any, Array]:
    X = _unchecked(X)
    if X.shape[1] != n_features:
        raise ValueError(f"X must have {n_features} columns, got {X.shape[1]}.")
    return X, weights(X, sample_weight)


def _moments(X: Any, codes: Array, weight: Array, mass: Array, pull: Array | None = None) -> tuple[Array, Array, Array]:
    """Class means and scatters, and the cross moment with a centred, weighted target."""
    measure = _sparse_moments if sparse.issparse(X) else _dense_moments
    mean, scatter, cross = measure(X, codes, weight, mass, pull)
    if not np.isfinite(scatter.sum()):
        columns(X)  # names the NaN or the infinity that spoilt the sums
    return mean, scatter, cross


def _dense_moments(
    X: Array, codes: Array, weight: Array, mass: Array, pull: Array | None
) -> tuple[Array, Array, Array]:
    from subsel._loops.moments import dense_cross, dense_moments

    rows = np.lexsort((-weight, codes))
    rows = rows[weight[rows] > 0]
    starts = np.searchsorted(codes[rows], np.arange(len(mass) + 1))
    mean, scatter = np.empty((2, len(mass), X.shape[1]))
    cross = np.zeros(X.shape[1])
    for block in column_blocks(X, copies=0.1):  # wide: the loop reads its rows from memory, in long strokes
        at, end = block.start, block.stop
        table, first, last = X, at, end
        if not X.flags.c_contiguous or X.dtype != np.float64:
            table, first, last = np.ascontiguousarray(X[:, at:end], dtype=np.float64), 0, end - at
        dense_moments(table, first, last, rows, starts, weight, mean, scatter, at)
        if pull is not None:
            cross[at:end] = dense_cross(table, first, last, rows, pull)
    return mean, scatter, cross


def _sparse_moments(
    X: sparse.csc_array, codes: Array, weight: Array, mass: Array, pull: Array | None
) -> tuple[Array, Array, Array]:
    from subsel._loops.moments import sparse_moments

    X = without_duplicates(X)
    n_rows = np.bincount(codes, minlength=len(mass))
    pull = np.empty(0) if pull is None else pull
    return sparse_moments(X.data.astype(np.float64, copy=False), X.indices, X.indptr, codes, weight, mass, n_rows, pull)


def _shares(held: Array, mass: Array) -> Array:
    total = held + mass
    return np.divide(mass, total, out=np.zeros_like(total), where=total > 0)
