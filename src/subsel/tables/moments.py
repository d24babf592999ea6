"""Moments that can be streamed: accumulate chunks of rows, merge what was accumulated apart, finish."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy import sparse

from subsel.tables.blocks import column_blocks, entry_blocks, parts
from subsel.tables.checked import as_stored, classes_and_codes, target, weights

__all__ = [
    "ClassMoments",
    "CoMoments",
    "class_moments",
    "co_moments",
    "moment_blocks",
    "over_co_moments",
    "over_moments",
]

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
        mean, scatter = np.empty((2, self.n_classes, self.n_features))
        for block, *block_moments, _ in _moments(X, codes, weight, mass):
            mean[:, block], scatter[:, block] = block_moments
        self._absorb(mass, mean, scatter)

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
        mean, scatter, cross = np.empty((3, self.n_features))
        for block, part in _co_moments(X, np.asarray(y, dtype=float), weight):
            mean[block], scatter[block], cross[block] = part.mean, part.scatter, part.cross
        self._absorb(part.mass, mean, scatter, cross, part.target_mean, part.target_scatter)

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
    labels, codes = classes_and_codes(X, y, n_classes, sample_weight)
    moments = ClassMoments(len(labels), X.shape[1])
    moments.accumulate(X, codes, sample_weight)
    return moments


def over_moments(
    finish: Callable[[ClassMoments], Array], X: Any, y: Any, sample_weight: Any, n_classes: int | None = None
) -> Array:
    """Apply what finishes class moments, one number a column, to a table, or to the moments given in its place.

    A table is finished block by block: its moments are never written out whole.

    Examples
    --------
    >>> over_moments(lambda moments: moments.mean[1], [[0.0, 5.0], [2.0, 5.0], [8.0, 6.0]], [0, 0, 1], None)
    array([8., 6.])
    """
    if isinstance(X, ClassMoments):
        return finish(class_moments(X, y, sample_weight, n_classes))
    X = _unchecked(X)
    labels, codes = classes_and_codes(X, y, n_classes, sample_weight)
    scores = np.empty(X.shape[1])
    for block, moments in moment_blocks(X, codes, len(labels), weights(X, sample_weight)):
        scores[block] = finish(moments)
    return scores


def moment_blocks(X: Any, codes: Array, n_classes: int, weight: Array) -> Iterator[tuple[slice, ClassMoments]]:
    """Yield blocks of columns and their class moments, which hold until the next block is asked for."""
    mass = np.bincount(codes, weight, n_classes)
    for block, mean, scatter, _ in _moments(X, codes, weight, mass):
        moments = ClassMoments(n_classes, 0)
        moments.n_features, moments.mass, moments.mean, moments.scatter = mean.shape[1], mass, mean, scatter
        yield block, moments


def co_moments(X: Any, y: Any, sample_weight: Any) -> CoMoments:
    """Give the moments of a table with a numeric or two-class target, or hand on those given in its place."""
    if isinstance(X, CoMoments):
        return X
    X = _unchecked(X)
    moments = CoMoments(X.shape[1])
    moments.accumulate(X, numeric_target(X, y), sample_weight)
    return moments


def over_co_moments(finish: Callable[[CoMoments], Array], X: Any, y: Any, sample_weight: Any) -> Array:
    """Apply what finishes moments with a target, one number a column, to a table or to the moments in its place."""
    if isinstance(X, CoMoments):
        return finish(X)
    X = _unchecked(X)
    scores = np.empty(X.shape[1])
    for block, moments in _co_moments(X, numeric_target(X, y), weights(X, sample_weight)):
        scores[block] = finish(moments)
    return scores


def numeric_target(X: Any, y: Any) -> Array:
    """Give a numeric target as it is, two classes named otherwise as 0 and 1 in the order of names."""
    if np.asarray(y).dtype.kind in "iuf":
        return target(X, y)
    return classes_and_codes(X, y, n_classes=2)[1].astype(float)


def _unchecked(X: Any) -> Any:
    """Give X as it is stored, without the pass that looks for NaN: the sums show them (see `_moments`)."""
    return as_stored(X, finite=False)


def _chunk(X: Any, sample_weight: Any, n_features: int) -> tuple[Any, Array]:
    X = _unchecked(X)
    if X.shape[1] != n_features:
        raise ValueError(f"X must have {n_features} columns, got {X.shape[1]}.")
    return X, weights(X, sample_weight)


def _co_moments(X: Any, y: Array, weight: Array) -> Iterator[tuple[slice, CoMoments]]:
    """Yield blocks of columns and their moments with a target, which hold until the next block is asked for."""
    mass = np.array([weight.sum()])
    target_mean = y[0] + weight @ (y - y[0]) / mass[0]
    pull = weight * (y - target_mean)
    target_scatter = float(pull @ (y - target_mean))
    for block, mean, scatter, cross in _moments(X, np.zeros(len(y), dtype=np.intp), weight, mass, pull):
        moments = CoMoments(0)
        moments.n_features, moments.mass, moments.mean, moments.scatter = len(cross), mass, mean[0], scatter[0]
        moments.cross, moments.target_mean, moments.target_scatter = cross, target_mean, target_scatter
        yield block, moments


def _moments(
    X: Any, codes: Array, weight: Array, mass: Array, pull: Array | None = None
) -> Iterator[tuple[slice, Array, Array, Array]]:
    """Yield blocks of columns, their class means and scatters, and the cross moment with a centred, weighted target."""
    measure = _sparse_moments if sparse.issparse(X) else _dense_moments
    for block, spoilt, mean, scatter, cross in measure(X, codes, weight, mass, pull):
        if spoilt:
            as_stored(X[:, block])  # names the NaN or the infinity
        yield block, mean, scatter, cross


def _dense_moments(
    X: Array, codes: Array, weight: Array, mass: Array, pull: Array | None
) -> Iterator[tuple[slice, bool, Array, Array, Array]]:
    from subsel._loops.moments import dense_cross, dense_moments

    rows = np.lexsort((-weight, codes))
    rows = rows[weight[rows] > 0]
    starts = np.searchsorted(codes[rows], np.arange(len(mass) + 1))
    as_it_is = X.flags.c_contiguous and X.dtype == np.float64
    # the loop reads such a table where it lies, in long strokes: only the running sums need the cache
    blocks = list(column_blocks(X, copies=10, depth=1) if as_it_is else column_blocks(X))
    sums = np.empty((2, len(mass), blocks[0].stop))
    for block in blocks:
        table, first, last = X, block.start, block.stop
        if not as_it_is:
            table, first, last = np.ascontiguousarray(X[:, block], dtype=np.float64), 0, block.stop - block.start
        mean, scatter = sums[:, :, : last - first]
        spoilt = dense_moments(table, first, last, rows, starts, weight, mean, scatter)
        cross = np.empty(0) if pull is None else dense_cross(table, first, last, rows, pull)
        yield block, spoilt > 0, mean, scatter, cross


def _sparse_moments(
    X: Any, codes: Array, weight: Array, mass: Array, pull: Array | None
) -> Iterator[tuple[slice, bool, Array, Array, Array]]:
    from subsel._loops.moments import sparse_moments

    n_rows = np.bincount(codes, minlength=len(mass))
    pull = np.empty(0) if pull is None else pull
    for block, part in parts(X, entry_blocks(X)):
        data = part.data.astype(np.float64, copy=False)
        mean, scatter, cross = sparse_moments(data, part.indices, part.indptr, codes, weight, mass, n_rows, pull)
        yield block, not np.isfinite(scatter.sum()), mean, scatter, cross


def _shares(held: Array, mass: Array) -> Array:
    total = held + mass
    return np.divide(mass, total, out=np.zeros_like(total), where=total > 0)
