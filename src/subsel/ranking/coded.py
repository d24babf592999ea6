"""A table of categories and its classes: what the columns tell of each other and of the class, in nats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import xlogy

from subsel.ranking.entropy import BLOCK_CELLS, FEW_CELLS, compact, entropy, mutual_information_with
from subsel.ranking.table import classes_and_codes, columns

__all__ = ["Coded", "Informed", "coded", "few_values"]

# Columns with more distinct values than this are cut into intervals unless the caller brings a discretiser.
MANY_VALUES = 32


class Informed:
    """What a table of codes tells, from what one code per row tells of each column."""

    __slots__ = ()

    classes: np.ndarray
    n_classes: int
    n_values: int

    def column(self, j: int) -> np.ndarray:
        """Give the codes of one column."""
        raise NotImplementedError

    def with_codes(self, codes: np.ndarray, which: Any = slice(None)) -> np.ndarray:
        """Give I(X_k; Z) of the chosen columns, Z being any code per row."""
        raise NotImplementedError

    def class_entropy(self) -> float:
        """Give H(Y)."""
        return float(entropy(np.bincount(self.classes)))

    def with_class(self) -> np.ndarray:
        """Give I(X_k; Y) of every column."""
        return self.with_codes(self.classes)

    def with_column(self, j: int, which: Any = slice(None)) -> np.ndarray:
        """Give I(X_k; X_j) of every column, or of those chosen."""
        return self.with_codes(self.column(j), which)

    def uncertainty_with(self, information: np.ndarray, entropies: np.ndarray, other: float) -> np.ndarray:
        """Give the symmetrical uncertainty 2 I / (H + H'), 0 where both are constant (book-01 F18)."""
        total = entropies + other
        return np.divide(2 * information, total, out=np.zeros_like(total), where=total > 0)

    def pair_codes(self, j: int) -> np.ndarray:
        """Give the pair (X_j, Y) as one code."""
        return self.column(j).astype(np.uint32) * np.uint32(self.n_classes) + self.classes

    def with_column_and_class(self, j: int) -> tuple[np.ndarray, np.ndarray]:
        """Give I(X_k; X_j, Y) and I(X_k; X_j) of every column."""
        return self.with_codes(self.pair_codes(j)), self.with_column(j)

    def conditional(self, j: int) -> np.ndarray:
        """Give I(X_k; Y | X_j) of every column."""
        both, alone = self.with_column_and_class(j)
        return np.maximum(both - alone, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Coded(Informed):
    """Whole numbers from 0 in place of values and classes."""

    codes: np.ndarray
    classes: np.ndarray
    n_values: int
    n_classes: int

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return self.codes.shape[1]

    def column(self, j: int) -> np.ndarray:
        """Give the codes of one column."""
        return self.codes[:, j]

    def with_codes(self, codes: np.ndarray, which: Any = slice(None)) -> np.ndarray:
        """Give I(X_k; Z) of the chosen columns, Z being any code per row."""
        return mutual_information_with(codes, self.codes[:, which])

    def entropies(self) -> np.ndarray:
        """Give H(X_k) of every column."""
        counts = np.stack([np.count_nonzero(self.codes == v, axis=0) for v in range(self.n_values)], axis=1)
        return np.maximum(entropy(counts), 0.0)

    def with_column_and_class(self, j: int) -> tuple[np.ndarray, np.ndarray]:
        """Give I(X_k; X_j, Y) and I(X_k; X_j) of every column, from one count of triples."""
        n_cells = self.n_values**2 * self.n_classes
        if n_cells > FEW_CELLS:
            return Informed.with_column_and_class(self, j)
        from subsel._loops.redundancy import triple_sums

        n, p = self.codes.shape
        terms = xlogy(np.arange(n + 1), np.arange(n + 1))
        table = np.empty((max(1, BLOCK_CELLS // n_cells), n_cells), dtype=np.int32)
        sums = np.empty((3, p))
        bases = self.pair_codes(j).astype(np.uint64) * np.uint64(self.n_values)
        triple_sums(bases, self.codes, self.n_classes, self.n_values, table, terms, sums)
        alone = terms[np.bincount(self.codes[:, j])].sum()
        both = terms[np.bincount(self.pair_codes(j))].sum()
        informations = (sums[:2] - sums[2] - [[both], [alone]]) / n + np.log(n)
        return tuple(np.maximum(informations, 0.0))


def coded(X: Any, y: Any, discretiser: Any = None) -> Coded:
    """Check a table and its classes and give both as codes.

    Without a discretiser, a column of at most 32 distinct values stands as it is, each value a category, and
    others are cut into eight intervals of equal frequency. A discretiser is anything whose ``fit_transform(X,
    y)`` gives whole numbers from 0.

    Examples
    --------
    >>> coded([[2.5, 0], [0.1, 0], [2.5, 1]], ["b", "a", "a"]).codes
    array([[1, 0], [0, 0], [1, 1]], dtype=uint8)
    """
    X = columns(X, accept_sparse=False)
    labels, classes = classes_and_codes(X, y)
    codes = compact(few_values(X) if discretiser is None else discretiser.fit_transform(X, y))
    return Coded(codes, compact(classes), int(codes.max(initial=0)) + 1, len(labels))


def few_values(X: np.ndarray) -> np.ndarray:
    """Number the values of each column, cutting the columns that have many."""
    if X.min() >= 0 and X.max() < MANY_VALUES and np.array_equal(codes := X.astype(np.uint8), X):
        return codes
    rows = np.ascontiguousarray(X.T)
    place = np.argsort(rows, axis=1)
    ordered = np.take_along_axis(rows, place, axis=1)
    numbers = np.zeros(rows.shape, dtype=np.int64)
    np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1, out=numbers[:, 1:])
    codes = np.empty_like(numbers)
    np.put_along_axis(codes, place, numbers, axis=1)
    many = np.flatnonzero(numbers[:, -1] >= MANY_VALUES)
    if len(many):
        from subsel.construct.discretise import EqualFrequency

        codes[many] = EqualFrequency().fit_transform(X[:, many]).T
    return codes.T
