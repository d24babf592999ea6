"""Class counts of a yes-or-no property of every column: present (not zero), or above a threshold."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy import sparse

from subsel.data.statistics.blocks import column_blocks, entry_blocks, parts
from subsel.data.statistics.score_input import as_stored, classes_and_codes, weights

__all__ = ["PresenceCounts", "over_presence", "presence_counts", "rates_above"]

Array = np.ndarray
FINISHED = 1 << 12  # columns whose counts become scores at a time


@dataclass
class PresenceCounts:
    """Mass of each class, and of its rows in which each column is not zero.

    Every score of binary features takes the counts in place of ``X``, as those of means take `ClassMoments`.

    Examples
    --------
    >>> counts = PresenceCounts(n_classes=2, n_features=1)
    >>> counts.accumulate([[1.0], [0.0]], [0, 1])
    >>> counts.accumulate([[1.0]], [0])
    >>> counts.mass, counts.present.ravel()
    (array([2., 1.]), array([2., 0.]))
    """

    n_classes: int
    n_features: int
    mass: Array = field(init=False)
    present: Array = field(init=False)

    def __post_init__(self) -> None:
        self.mass = np.zeros(self.n_classes)
        self.present = np.zeros((self.n_classes, self.n_features))

    def accumulate(self, X: Any, codes: Any, sample_weight: Any = None) -> None:
        """Add a chunk of rows, dense or sparse, with the class code of each."""
        X = as_stored(X)
        member = _membership(
            np.asarray(codes, dtype=np.intp), weights(X, sample_weight), self.n_classes
        )
        self.mass = self.mass + member.sum(axis=1)
        for block, part in parts(X, blocks_of(X)):
            self.present[:, block] += _present(part, member)

    def merge(self, other: Self) -> None:
        """Add the rows that another accumulated."""
        self.mass = self.mass + other.mass
        self.present = self.present + other.present


def presence_counts(X: Any, y: Any, sample_weight: Any) -> PresenceCounts:
    """Give the counts of a table of two classes, or hand on those given in its place.

    Examples
    --------
    >>> presence_counts([[0.0], [2.0], [8.0]], [0, 0, 1], None).present
    array([[1.], [1.]])
    """
    if isinstance(X, PresenceCounts):
        if X.n_classes != 2:
            raise ValueError(f"this score is defined for 2 classes, the counts hold {X.n_classes}.")
        return X
    X = as_stored(X)
    labels, codes = classes_and_codes(X, y, 2, sample_weight)
    counts = PresenceCounts(len(labels), X.shape[1])
    counts.accumulate(X, codes, sample_weight)
    return counts


def over_presence(
    finish: Callable[[PresenceCounts], Array], X: Any, y: Any, sample_weight: Any
) -> Array:
    """Apply what finishes counts of two classes, one number a column, to the counts a few columns at a time."""
    counts = presence_counts(X, y, sample_weight)
    scores = np.empty(counts.present.shape[1])
    for first in range(0, len(scores), FINISHED):
        some = PresenceCounts(2, 0)
        some.mass, some.present = counts.mass, counts.present[:, first : first + FINISHED]
        scores[first : first + FINISHED] = finish(some)
    return scores


def blocks_of(X: Any) -> Iterable[slice]:
    """Give blocks of columns that are quickly written out."""
    return entry_blocks(X) if sparse.issparse(X) else column_blocks(X)


def rates_above(X: Any, codes: Array, weight: Array, threshold: Array, at_least: Array) -> Array:
    """Give the share of both classes above the threshold of each column, or at it where `at_least` says so."""
    member = _membership(codes, weight, 2)
    return _above(X, member, threshold, at_least) / member.sum(axis=1)[:, None]


def _membership(codes: Array, weight: Array, n_classes: int) -> Array:
    """The weight of each row in its own class's line, zero in the others."""
    member = np.zeros((n_classes, len(codes)))
    member[codes, np.arange(len(codes))] = weight
    return member


def _present(X: Any, member: Array) -> Array:
    if not sparse.issparse(X):
        return member @ (X != 0).astype(float)
    return _sum_stored(X, X.data != 0, member)


def _above(X: Any, member: Array, threshold: Array, at_least: Array) -> Array:
    if not sparse.issparse(X):
        return member @ np.where(at_least, threshold <= X, threshold < X).astype(float)
    zero_above = np.where(at_least, threshold <= 0, threshold < 0).astype(float)
    column = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    above = np.where(at_least[column], X.data >= threshold[column], X.data > threshold[column])
    # a stored entry on the side of zero changes nothing, one on the other side moves its row across
    return member.sum(axis=1)[:, None] * zero_above + _sum_stored(
        X, above - zero_above[column], member
    )


def _sum_stored(X: sparse.csc_array, data: Array, member: Array) -> Array:
    pattern = sparse.csc_array((data.astype(float), X.indices, X.indptr), shape=X.shape)
    return (pattern.T @ member.T).T
