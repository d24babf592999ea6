"""Class counts of the rows in which a column is not zero, or above a threshold."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy import sparse

from subsel.data.statistics.blocks import column_blocks, entry_blocks, parts
from subsel.data.statistics.score_input import as_stored, classes_and_codes, weights

__all__ = ["PresenceCounts", "over_presence", "presence_counts", "rates_above"]

Array = np.ndarray
BLOCK = 1 << 12  # columns whose scores are computed at a time


@dataclass
class PresenceCounts:
    """Mass of each class, and of its rows in which each column is not zero.

    Every score of binary features accepts the counts in place of ``X``.

    Parameters
    ----------
    n_classes, n_features : int
        The shape of the counts.

    Attributes
    ----------
    mass : ndarray of shape (n_classes,)
        The sum of the weights of the rows of each class.
    present : ndarray of shape (n_classes, n_features)
        The same for the rows in which each column is not zero.

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
        """Add the rows that another object accumulated."""
        self.mass = self.mass + other.mass
        self.present = self.present + other.present


def presence_counts(X: Any, y: Any, sample_weight: Any) -> PresenceCounts:
    """Return the counts of a table of two classes; X itself if it is `PresenceCounts`.

    Examples
    --------
    >>> presence_counts([[0.0], [2.0], [8.0]], [0, 0, 1], None).present
    array([[1.], [1.]])
    """
    if isinstance(X, PresenceCounts):
        if X.n_classes != 2:
            raise ValueError(
                f"this score is defined for 2 classes, but the counts hold {X.n_classes}."
            )
        return X
    X = as_stored(X)
    labels, codes = classes_and_codes(X, y, 2, sample_weight)
    counts = PresenceCounts(len(labels), X.shape[1])
    counts.accumulate(X, codes, sample_weight)
    return counts


def over_presence(
    finish: Callable[[PresenceCounts], Array], X: Any, y: Any, sample_weight: Any
) -> Array:
    """Return a function of the counts of every column, of shape (p,).

    ``finish(counts)`` returns one number per column; it is called with a few columns at a time.
    """
    counts = presence_counts(X, y, sample_weight)
    scores = np.empty(counts.present.shape[1])
    for first in range(0, len(scores), BLOCK):
        some = PresenceCounts(2, 0)
        some.mass, some.present = counts.mass, counts.present[:, first : first + BLOCK]
        scores[first : first + BLOCK] = finish(some)
    return scores


def blocks_of(X: Any) -> Iterable[slice]:
    """Return blocks of columns of a dense or compressed table."""
    return entry_blocks(X) if sparse.issparse(X) else column_blocks(X)


def rates_above(X: Any, codes: Array, weight: Array, threshold: Array, at_least: Array) -> Array:
    """Return the share of each of two classes above the threshold of each column: (2, p).

    Parameters
    ----------
    X : array or CSC table of shape (n, p)
        The table.
    codes : ndarray of int of shape (n,)
        The class of each row, 0 or 1.
    weight : ndarray of shape (n,)
        The weight of each row.
    threshold : ndarray of shape (p,)
        The threshold of each column.
    at_least : ndarray of bool of shape (p,)
        Whether a value equal to the threshold counts.
    """
    member = _membership(codes, weight, 2)
    return _above(X, member, threshold, at_least) / member.sum(axis=1)[:, None]


def _membership(codes: Array, weight: Array, n_classes: int) -> Array:
    """Return an array (n_classes, n) with the weight of each row in its class, and zeros."""
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
    # all rows are counted as zeros first; a stored entry on the other side of the threshold than
    # zero then adds or subtracts the weight of its row
    return member.sum(axis=1)[:, None] * zero_above + _sum_stored(
        X, above - zero_above[column], member
    )


def _sum_stored(X: sparse.csc_array, data: Array, member: Array) -> Array:
    pattern = sparse.csc_array((data.astype(float), X.indices, X.indptr), shape=X.shape)
    return (pattern.T @ member.T).T
