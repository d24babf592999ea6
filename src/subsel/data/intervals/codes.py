"""Tables of codes: entropies and mutual information of their columns and classes, in nats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import xlogy

from subsel.data.statistics.entropy import (
    BLOCK_CELLS,
    FEW_CELLS,
    compact,
    entropy,
    mutual_information_with,
)
from subsel.data.statistics.joint_counts import JointCounts
from subsel.data.statistics.score_input import classes_and_codes, columns, weights

__all__ = [
    "CodeTable",
    "InformationTable",
    "code_table",
    "few_values",
    "information_from",
    "weighted_rows",
]

MANY_VALUES = 32  # columns with more distinct values are cut into intervals


class InformationTable(ABC):
    """Base class of coded tables: mutual information derived from that with one code per row.

    Attributes
    ----------
    classes : ndarray of int of shape (n,)
        The class of each row.
    n_classes : int
        The number of classes.
    n_values : int
        One more than the largest code of the table.
    weight : ndarray of shape (n,) or None
        The weight of each row; None if all are 1.
    """

    __slots__ = ()

    classes: np.ndarray
    n_classes: int
    n_values: int
    weight: np.ndarray | None

    @abstractmethod
    def column(self, j: int) -> np.ndarray:
        """Return the codes of one column, of shape (n,)."""

    @abstractmethod
    def with_codes(self, codes: np.ndarray, which: Any = slice(None)) -> np.ndarray:
        """Return I(X_k; Z) of the columns `which`, where `codes` are the values of Z."""

    def class_entropy(self) -> float:
        """Return H(Y)."""
        return float(entropy(np.bincount(self.classes, self.weight)))

    def with_class(self) -> np.ndarray:
        """Return I(X_k; Y) of every column."""
        return self.with_codes(self.classes)

    def with_column(self, j: int, which: Any = slice(None)) -> np.ndarray:
        """Return I(X_k; X_j) of every column, or of the columns `which`."""
        return self.with_codes(self.column(j), which)

    def uncertainty_with(
        self, information: np.ndarray, entropies: np.ndarray, other: float
    ) -> np.ndarray:
        """Return the symmetrical uncertainty 2 I / (H + H'), 0 where both are constant [1]_.

        Parameters
        ----------
        information, entropies : ndarray of shape (p,)
            The mutual information I of each column with another one, and the entropy H of each.
        other : float
            The entropy H' of that other column.

        References
        ----------
        .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006,
           chapter 3, entropy distance and symmetrical uncertainty.
        """
        total = entropies + other
        return np.divide(2 * information, total, out=np.zeros_like(total), where=total > 0)

    def pair_codes(self, j: int) -> np.ndarray:
        """Return the pair (X_j, Y) as one code per row."""
        return self.column(j).astype(np.uint32) * np.uint32(self.n_classes) + self.classes

    def with_column_and_class(self, j: int) -> tuple[np.ndarray, np.ndarray]:
        """Return I(X_k; X_j, Y) and I(X_k; X_j) of every column."""
        return self.with_codes(self.pair_codes(j)), self.with_column(j)

    def conditional(self, j: int) -> np.ndarray:
        """Return I(X_k; Y | X_j) of every column."""
        # the chain rule I(X; Z, Y) = I(X; Z) + I(X; Y | Z): Cover and Thomas, "Elements of
        # Information Theory", 2006, section 2.5
        both, alone = self.with_column_and_class(j)
        return np.maximum(both - alone, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class CodeTable(InformationTable):
    """A dense table of codes and its classes.

    Parameters
    ----------
    codes : ndarray of int of shape (n, p)
        The code of each value, from 0.
    classes : ndarray of int of shape (n,)
        The class of each row.
    n_values : int
        One more than the largest code.
    n_classes : int
        The number of classes.
    weight : ndarray of shape (n,), optional
        The weight of each row: it counts as so many rows.

    Examples
    --------
    >>> table = code_table([[0, 1], [1, 1], [0, 0], [1, 0]], [0, 1, 0, 1])
    >>> table.with_class().round(4)
    array([0.6931, 0.    ])
    """

    codes: np.ndarray
    classes: np.ndarray
    n_values: int
    n_classes: int
    weight: np.ndarray | None = None

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return self.codes.shape[1]

    def column(self, j: int) -> np.ndarray:
        """Return the codes of one column, of shape (n,)."""
        return self.codes[:, j]

    def with_codes(self, codes: np.ndarray, which: Any = slice(None)) -> np.ndarray:
        """Return I(X_k; Z) of the columns `which`, where `codes` are the values of Z."""
        if self.weight is None:
            return mutual_information_with(codes, self.codes[:, which])
        from subsel._loops.statistics.counts import information_of_weighted

        codes = np.asarray(codes, dtype=np.int64)
        masses = np.bincount(codes, self.weight)
        sums = information_of_weighted(
            codes, self.codes[:, which], self.weight, len(masses), self.n_values
        )
        return information_from(sums, masses)

    def entropies(self) -> np.ndarray:
        """Return H(X_k) of every column."""
        weight = self.weight
        if weight is None:
            weight = np.ones(len(self.codes))
        counts = np.stack([weight @ (self.codes == v) for v in range(self.n_values)], axis=1)
        return np.maximum(entropy(counts), 0.0)

    def with_column_and_class(self, j: int) -> tuple[np.ndarray, np.ndarray]:
        """Return I(X_k; X_j, Y) and I(X_k; X_j) of every column, from one count of triples."""
        n_cells = self.n_values**2 * self.n_classes
        if n_cells > FEW_CELLS or self.weight is not None:
            return InformationTable.with_column_and_class(self, j)
        from subsel._loops.statistics.redundancy import triple_sums

        n = len(self.codes)
        terms = xlogy(np.arange(n + 1), np.arange(n + 1))
        table = np.empty((max(1, BLOCK_CELLS // n_cells), n_cells), dtype=np.int32)
        bases = self.pair_codes(j).astype(np.uint64) * np.uint64(self.n_values)
        sums = triple_sums(bases, self.codes, self.n_classes, self.n_values, table, terms)
        alone = terms[np.bincount(self.codes[:, j])].sum()
        both = terms[np.bincount(self.pair_codes(j))].sum()
        # n I(X; Z) = sum_xz c ln c - sum_x c ln c - sum_z c ln c + n ln n over counts c; the rows
        # of `sums` are the first sum for Z = (X_j, Y), the first sum for Z = X_j, and sum_x
        informations = (sums[:2] - sums[2] - [[both], [alone]]) / n + np.log(n)
        return tuple(np.maximum(informations, 0.0))


def information_from(sums: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """Return I(X_k; Z) of every column.

    Parameters
    ----------
    sums : ndarray of shape (p,)
        The sum of ``c ln c`` over the cells of X_k and Z less that over the values of X_k, where c
        is a sum of weights.
    masses : ndarray of shape (n_codes,)
        The sum of weights for each value of Z.
    """
    total = masses.sum()
    return np.maximum((sums - xlogy(masses, masses).sum()) / total + np.log(total), 0.0)


def code_table(X: Any, y: Any, discretiser: Any = None, sample_weight: Any = None) -> CodeTable:
    """Check a table and its classes, and code both.

    Parameters
    ----------
    X : array-like of shape (n, p)
        The table. A missing value (NaN) is a category of its own.
    y : array-like of shape (n,)
        The classes.
    discretiser : object, optional
        Its ``fit_transform(X, y)`` returns whole numbers from 0. Without one, each value of a
        column with at most 32 distinct values is a category, and other columns are cut into eight
        intervals of equal frequency.
    sample_weight : array-like of shape (n,), optional
        The weight of each row, which counts as so many rows, also in the intervals. Not allowed
        with a discretiser, which does not accept weights.

    Examples
    --------
    >>> code_table([[2.5, 0], [0.1, 0], [2.5, 1]], ["b", "a", "a"]).codes
    array([[1, 0], [0, 0], [1, 1]], dtype=uint8)
    """
    X = columns(X, accept_sparse=False, allow_nan=True)
    X, y, weight = weighted_rows(X, y, discretiser, sample_weight)
    labels, classes = classes_and_codes(X, y)
    codes = coded_values(X, y, weight, discretiser)
    return CodeTable(codes, compact(classes), int(codes.max(initial=0)) + 1, len(labels), weight)


def weighted_rows(
    X: Any, y: Any, discretiser: Any, sample_weight: Any
) -> tuple[Any, Any, np.ndarray | None]:
    """Return the rows with a positive weight, their targets and weights (None without weights)."""
    if sample_weight is None:
        return X, y, None
    if discretiser is not None:
        raise ValueError(
            f"sample_weight cannot be used with the discretiser {type(discretiser).__name__}, "
            "which accepts no weights; discretise X first and rank the codes."
        )
    weight = weights(X, sample_weight)
    rows = np.flatnonzero(weight)
    return X[rows], np.asarray(y)[rows], weight[rows]


def coded_values(
    X: np.ndarray, y: Any, weight: np.ndarray | None, discretiser: Any = None
) -> np.ndarray:
    """Return the codes of a dense table, by a discretiser if there is one, of shape (n, p)."""
    if discretiser is None:
        return compact(few_values(X, weight))
    return compact(discretiser.fit_transform(X, y))


def few_values(X: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """Number the values of each column; cut columns of more than `MANY_VALUES` values first.

    Examples
    --------
    >>> few_values(np.array([[2.5], [0.1], [2.5]])).ravel()
    array([1, 0, 1])
    """
    if X.min() >= 0 and X.max() < MANY_VALUES and np.array_equal(codes := X.astype(np.uint8), X):
        return codes
    rows = np.ascontiguousarray(X.T)
    order = np.argsort(rows, axis=1)
    ordered = np.take_along_axis(rows, order, axis=1)
    numbers = np.zeros(rows.shape, dtype=np.int64)
    # NaN is sorted last, so that a value after NaN is NaN, too, and not a new one
    is_new = (ordered[:, 1:] != ordered[:, :-1]) & ~np.isnan(ordered[:, :-1])
    np.cumsum(is_new, axis=1, out=numbers[:, 1:])
    codes = np.empty_like(numbers)
    np.put_along_axis(codes, order, numbers, axis=1)
    many = np.flatnonzero(numbers[:, -1] >= MANY_VALUES)
    if len(many):
        codes[many] = _intervals(rows[many], weight)
    return codes.T


def _intervals(rows: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Cut each line of `rows` into intervals of equal weight; return their numbers."""
    from subsel.data.intervals.equal import EqualFrequency

    cutter = EqualFrequency()
    if weight is None:
        return cutter.fit_transform(rows.T).T
    codes = np.empty(rows.shape, dtype=np.int64)
    for line, x in enumerate(rows):
        values, value = np.unique(x, return_inverse=True)
        masses = JointCounts(
            values, np.bincount(value, weight)[:, None], np.zeros(1, dtype=np.intp)
        )
        codes[line] = cutter.recode(masses)[value]
    return codes
