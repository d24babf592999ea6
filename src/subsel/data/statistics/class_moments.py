"""Mass, mean and scatter of every column in every class: accumulate chunks of rows, merge, finish."""

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
        X, weight = checked_chunk(X, sample_weight, self.n_features)
        codes = np.asarray(codes, dtype=np.intp)
        mass = np.bincount(codes, weight, self.n_classes)
        mean, scatter = np.empty((2, self.n_classes, self.n_features))
        for block, *found, _ in block_moments(X, codes, weight, mass):
            mean[:, block], scatter[:, block] = found
        self._absorb(mass, mean, scatter)

    def merge(self, other: Self) -> None:
        """Add the rows that another accumulated."""
        self._absorb(other.mass.copy(), other.mean.copy(), other.scatter.copy())

    def _absorb(self, mass: Array, mean: Array, scatter: Array) -> None:
        if not self.mass.any():
            self.mass, self.mean, self.scatter = mass, mean, scatter
            return
        share = shares(self.mass, mass)[:, None]
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
        gaps = (
            self.mean - self.mean[0]
        )  # from the first class, so that equal means give exactly nothing
        gaps -= (self.mass[:, None] * gaps).sum(axis=0) / self.mass.sum()
        np.square(gaps, out=gaps)
        gaps *= self.mass[:, None]
        return gaps.sum(axis=0), self.scatter.sum(axis=0)


def class_moments(X: Any, y: Any, sample_weight: Any, n_classes: int | None = None) -> ClassMoments:
    """Give the class moments of a table, or hand on the moments given in its place.

    Examples
    --------
    >>> class_moments([[0.0], [2.0], [8.0]], [0, 0, 1], None).mean
    array([[1.], [8.]])
    """
    if isinstance(X, ClassMoments):
        if n_classes is not None and X.n_classes != n_classes:
            message = (
                f"this score is defined for {n_classes} classes, the moments hold {X.n_classes}."
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
    """Apply what finishes class moments, one number a column, to a table, or to the moments given in its place.

    A table is finished block by block: its moments are never written out whole. ``of_two`` does it in one call where
    there are two classes and the table can be read where it lies: it is given the table, the rows of each class, the
    masses of the classes and the array to fill, and says how many scatters are no finite numbers.

    Examples
    --------
    >>> over_moments(lambda moments: moments.mean[1], [[0.0, 5.0], [2.0, 5.0], [8.0, 6.0]], [0, 0, 1], None)
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
    """Yield blocks of columns and their class moments, which hold until the next block is asked for."""
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
    """Divide where something is above: nothing over nothing is 0, something over nothing infinity."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.fmax(above / below, 0.0)  # which prefers 0 to what is no number
