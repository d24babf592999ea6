"""Mass, mean and scatter of every column in every class, accumulated over chunks of rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from subsel.data.statistics.moments import (
    block_moments,
    checked_chunk,
    lies_in_rows,
    rows_by_class,
    shares,
    unchecked,
)
from subsel.data.statistics.score_input import as_stored, classes_and_codes, weights

__all__ = ["ClassMoments", "class_moments", "moment_blocks", "over_moments"]

Array = np.ndarray


@dataclass
class ClassMoments:
    """Mass, mean and scatter (sum of squared deviations) of every column within every class.

    Every score that is a function of these accepts the moments in place of ``X``, so that a table
    that does not fit in memory can be ranked by accumulating its chunks. Classes are given by their
    codes 0 to n_classes - 1; of two, the last is the positive one. A row of weight w counts as w
    rows. The relative error of the scatter is about ``n * eps``.

    Parameters
    ----------
    n_classes, n_features : int
        The shape of the moments.

    Attributes
    ----------
    mass : ndarray of shape (n_classes,)
        The sum of the weights of the rows of each class.
    mean : ndarray of shape (n_classes, n_features)
        The mean of each column in each class.
    scatter : ndarray of shape (n_classes, n_features)
        The sum of squared deviations from that mean.

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
        X, weight = checked_chunk(X, sample_weight, self.n_features)
        codes = np.asarray(codes, dtype=np.intp)
        mass = np.bincount(codes, weight, self.n_classes)
        mean, scatter = np.empty((2, self.n_classes, self.n_features))
        for block, *means_and_scatters, _ in block_moments(X, codes, weight, mass):
            mean[:, block], scatter[:, block] = means_and_scatters
        self._absorb(mass, mean, scatter)

    def merge(self, other: Self) -> None:
        """Add the rows that another object accumulated."""
        self._absorb(other.mass.copy(), other.mean.copy(), other.scatter.copy())

    def _absorb(self, mass: Array, mean: Array, scatter: Array) -> None:
        """Add the moments of further rows; updates this object in place.

        The first arrays absorbed are kept, not copied.
        """
        # pairwise update S = S_a + S_b + gap^2 m_a m_b / (m_a + m_b): Chan, Golub and LeVeque,
        # "Updating formulae and a pairwise algorithm for computing sample variances", 1979
        if not self.mass.any():
            self.mass, self.mean, self.scatter = mass, mean, scatter
            return
        share = shares(self.mass, mass)[:, None]
        gap = mean - self.mean
        self.scatter += scatter + gap**2 * (self.mass[:, None] * share)
        self.mean += gap * share
        self.mass = self.mass + mass

    def variance(self, correction: float = 1.0) -> Array:
        """Return the class variances, of shape (n_classes, n_features).

        The scatter is divided by the mass less the correction; the variance of a class of no more
        mass than that is 0.
        """
        freedom = np.maximum(self.mass - correction, 0.0)[:, None]
        return np.divide(self.scatter, freedom, out=np.zeros_like(self.scatter), where=freedom > 0)

    def between_and_within(self) -> tuple[Array, Array]:
        """Return the sums of squares between and within the classes, each of shape (n_features,).

        Their sum is the total sum of squares.
        """
        # differences to the first class, so that equal means give exactly 0
        gaps = self.mean - self.mean[0]
        gaps -= (self.mass[:, None] * gaps).sum(axis=0) / self.mass.sum()
        np.square(gaps, out=gaps)
        gaps *= self.mass[:, None]
        return gaps.sum(axis=0), self.scatter.sum(axis=0)


def class_moments(X: Any, y: Any, sample_weight: Any, n_classes: int | None = None) -> ClassMoments:
    """Return the class moments of a table; X itself if it is `ClassMoments`.

    Examples
    --------
    >>> class_moments([[0.0], [2.0], [8.0]], [0, 0, 1], None).mean
    array([[1.], [8.]])
    """
    if isinstance(X, ClassMoments):
        if n_classes is not None and X.n_classes != n_classes:
            message = (
                f"this score is defined for {n_classes} classes, but the moments hold "
                f"{X.n_classes}."
            )
            raise ValueError(message)
        return X
    X = unchecked(X)
    labels, codes = classes_and_codes(X, y, n_classes, sample_weight)
    moments = ClassMoments(len(labels), X.shape[1])
    moments.accumulate(X, codes, sample_weight)
    return moments


def over_moments(
    finish: Callable[[ClassMoments], Array],
    X: Any,
    y: Any,
    sample_weight: Any,
    n_classes: int | None = None,
    of_two: Callable[..., int] | None = None,
) -> Array:
    """Return a function of the class moments of every column of a table.

    Parameters
    ----------
    finish : callable
        ``finish(moments)`` returns one number per column. It is called with the moments of a block
        of columns at a time.
    X : array or sparse matrix of shape (n, p), or ClassMoments
        The table, or its moments.
    y : array-like of shape (n,)
        The classes; not read if X is ClassMoments.
    sample_weight : array-like of shape (n,), optional
        The weight of each row.
    n_classes : int, optional
        The number of classes that is required.
    of_two : callable, optional
        A faster way for two classes and a C-contiguous float64 table:
        ``of_two(X, rows_of_each_class, mass, scores)`` writes the numbers into `scores` and returns
        how many scatters are not finite.

    Examples
    --------
    >>> X, y = [[0.0, 5.0], [2.0, 5.0], [8.0, 6.0]], [0, 0, 1]
    >>> over_moments(lambda moments: moments.mean[1], X, y, None)
    array([8., 6.])
    """
    if isinstance(X, ClassMoments):
        return finish(class_moments(X, y, sample_weight, n_classes))
    X = unchecked(X)
    labels, codes = classes_and_codes(X, y, n_classes, sample_weight)
    scores, weight = np.empty(X.shape[1]), weights(X, sample_weight)
    if of_two is not None and len(labels) == 2 and lies_in_rows(X):
        mass = np.bincount(codes, weight, 2)
        if of_two(X, rows_by_class(codes, weight, 2), mass, scores):
            as_stored(X)  # names the NaN or the infinity
        return scores
    for block, moments in moment_blocks(X, codes, len(labels), weight):
        scores[block] = finish(moments)
    return scores


def moment_blocks(
    X: Any, codes: Array, n_classes: int, weight: Array
) -> Iterator[tuple[slice, ClassMoments]]:
    """Yield blocks of columns and their class moments, which the next block overwrites."""
    mass = np.bincount(codes, weight, n_classes)
    for block, mean, scatter, _ in block_moments(X, codes, weight, mass):
        moments = ClassMoments(n_classes, 0)
        moments.n_features, moments.mass, moments.mean, moments.scatter = (
            mean.shape[1],
            mass,
            mean,
            scatter,
        )
        yield block, moments


def quotient(above: Array, below: Array) -> Array:
    """Divide non-negative numbers: 0 / 0 is 0, and x / 0 is infinity for x > 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.fmax(above / below, 0.0)  # fmax returns 0 for NaN
