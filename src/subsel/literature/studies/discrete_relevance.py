"""What relevance means, decided by looking at every subset of a small table of categories."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, combinations
from typing import Any, Literal

import numpy as np
from scipy.special import xlogy

__all__ = ["DiscreteRelevance", "discrete_relevance", "information_lost", "minimal_subsets"]

Relevance = Literal["strong", "weak", "irrelevant"]

MOST_COLUMNS = 14  # all subsets of which are looked at


@dataclass(frozen=True)
class DiscreteRelevance:
    """How much a column tells about the target, alone and beside others, in nats.

    Attributes
    ----------
    kind : {"strong", "weak", "irrelevant"}
        Strong: it tells something beside all others, and cannot be dropped without loss; weak: it does beside some; else
        irrelevant.
    alone, beside_all, most : float
        I(X; Y), I(X; Y | all others), and the largest I(X; Y | V) over all sets V of others.

    Examples
    --------
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> [found.kind for found in discrete_relevance(X, [0, 1, 1, 0])]  # exclusive or: nothing alone, all together
    ['strong', 'strong']
    """

    kind: Relevance
    alone: float
    beside_all: float
    most: float


def discrete_relevance(
    X: Any, y: Any, weights: Any = None, epsilon: float = 1e-9
) -> list[DiscreteRelevance]:
    """Say of each column whether it is strongly, weakly or not relevant [1]_ [2]_, by all subsets of the others.

    The rows, with their weights, are taken for the whole distribution: this is an oracle for tables that are known, not an
    estimate from samples. Up to 14 columns.

    Parameters
    ----------
    X : array
        Categories.
    y : array
        Of the target.
    weights : array, optional
        Probabilities of rows, or counts.
    epsilon : float
        Information that counts as none.

    References
    ----------
    .. [1] Guyon and Elisseeff, *An introduction to feature extraction*, in Guyon et al. (eds.), *Feature Extraction*, 2006,
       introduction, section 4.1.
    .. [2] Kohavi and John, *Wrappers for feature subset selection*, Artificial Intelligence 97, 1997.

    Examples
    --------
    >>> X = np.array([[0, 0], [1, 1]])
    >>> discrete_relevance(X, [0, 1])[0]
    DiscreteRelevance(kind='weak', alone=0.6931471805599453, beside_all=0.0, most=0.6931471805599453)
    """
    table = _Table(X, y, weights)
    found = []
    for j in range(table.n_columns):
        others = [k for k in range(table.n_columns) if k != j]
        told = {V: table.told((*V, j)) - table.told(V) for V in _subsets(others)}
        alone, beside_all, most = told[()], told[tuple(others)], max(told.values())
        kind = _kind(beside_all, most, epsilon)
        found.append(DiscreteRelevance(kind, max(alone, 0.0), max(beside_all, 0.0), most))
    return found


def _kind(beside_all: float, most: float, epsilon: float) -> Relevance:
    if beside_all > epsilon:
        return "strong"
    if most > epsilon:
        return "weak"
    return "irrelevant"


def information_lost(X: Any, y: Any, columns: Any, weights: Any = None) -> float:
    """Give how much about the target is lost with the columns left out: I(X; Y) - I(V; Y), in nats [1]_.

    Zero exactly if the columns suffice.

    References
    ----------
    .. [1] Guyon and Elisseeff, *An introduction to feature extraction*, in Guyon et al. (eds.), *Feature Extraction*, 2006,
       introduction, section 4.2.

    Examples
    --------
    >>> round(information_lost([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], [0]), 4)
    0.6931
    """
    table = _Table(X, y, weights)
    return max(table.told(tuple(range(table.n_columns))) - table.told(tuple(columns)), 0.0)


def minimal_subsets(
    X: Any, y: Any, epsilon: float = 1e-9, weights: Any = None
) -> list[tuple[int, ...]]:
    """Give all smallest sets of columns that lose no more than epsilon about the target [1]_.

    References
    ----------
    .. [1] Guyon and Elisseeff, *An introduction to feature extraction*, in Guyon et al. (eds.), *Feature Extraction*, 2006,
       introduction, section 4.2.

    Examples
    --------
    >>> minimal_subsets([[0, 0, 5], [1, 1, 5]], [0, 1])
    [(0,), (1,)]
    """
    table = _Table(X, y, weights)
    every = tuple(range(table.n_columns))
    whole = table.told(every)
    for size in range(table.n_columns + 1):
        enough = [V for V in combinations(every, size) if whole - table.told(V) <= epsilon]
        if enough:
            return enough
    return [every]


def _subsets(columns: list[int]) -> Any:
    return chain.from_iterable(combinations(columns, size) for size in range(len(columns) + 1))


class _Table:
    """A joint distribution, and what sets of its columns tell about the target, remembered."""

    def __init__(self, X: Any, y: Any, weights: Any) -> None:
        X = np.asarray(X)
        if X.ndim != 2 or X.shape[1] > MOST_COLUMNS:
            raise ValueError(
                f"a table of up to {MOST_COLUMNS} columns is due, got shape {X.shape}."
            )
        self.codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in X.T])
        self.y = np.unique(np.asarray(y), return_inverse=True)[1]
        self.n_columns = X.shape[1]
        self.p = np.full(len(X), 1 / len(X))
        if weights is not None:
            self.p = np.asarray(weights, float) / np.sum(weights)
        self.known: dict[tuple[int, ...], float] = {}

    def told(self, columns: tuple[int, ...]) -> float:
        """I(V; Y)."""
        key = tuple(sorted(columns))
        if key not in self.known:
            values = self.codes[:, list(key)]
            target = self.y[:, None]
            self.known[key] = (
                self._entropy(values)
                + self._entropy(target)
                - self._entropy(np.hstack([values, target]))
            )
        return self.known[key]

    def _entropy(self, codes: np.ndarray) -> float:
        cells = np.zeros(len(codes), int)
        if codes.shape[1]:
            cells = np.unique(codes, axis=0, return_inverse=True)[1].ravel()
        share = np.bincount(cells, self.p)
        return float(-xlogy(share, share).sum())
