"""Conditional mutual information maximisation, by lazy evaluation."""

from typing import Any

import numpy as np
from scipy.special import xlogy

from subsel.data.intervals.codes import CodeTable
from subsel.data.intervals.sparse_codes import SparseCoded, coded_table
from subsel.data.statistics.entropy import FEW_CELLS
from subsel.ranking.feature_order import FeatureOrder, path_length
from subsel.ranking.orders.greedy import greedy
from subsel.ranking.registry import order

__all__ = ["cmim"]


@order("cmim", sparse=True, weights=True, missing=True)
def cmim(
    X: Any,
    y: Any,
    n_features: int | None = None,
    discretiser: Any = None,
    sample_weight: Any = None,
) -> FeatureOrder:
    r"""Take features that tell something new whichever feature taken is known [1]_ [2]_.

    .. math:: s_k = \min_{j \in S} I(X_k; Y | X_j)

    A copy of a feature taken scores 0. A minimum can only fall, so that a candidate is compared
    with further features taken only while it may still be the best. Fleuret's program also takes
    :math:`I(X_k; Y)` into the minimum, which blinds it to pairs that tell only together; his
    formula, followed here, does not.

    Parameters
    ----------
    X, y : array-like
        For ``discretiser``, ``sample_weight`` and how values become categories see
        :func:`subsel.data.intervals.codes.code_table`.
    n_features : int, optional
        How many features to take; all by default.

    References
    ----------
    .. [1] F. Fleuret, "Fast binary feature selection with conditional mutual information", *Journal
       of Machine Learning Research* 5, 2004.
    .. [2] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, MIFS and its kin.

    Examples
    --------
    >>> X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> cmim(X, [0, 1, 1, 0]).features
    array([0, 2, 1])
    """
    table = coded_table(X, y, discretiser, sample_weight)
    length = path_length(n_features, table.n_columns)
    minima: _LazyMinima | _EagerMinima = _EagerMinima(table)
    if (
        isinstance(table, CodeTable)
        and table.weight is None
        and table.n_values**2 * table.n_classes <= FEW_CELLS
    ):
        minima = _LazyMinima(table, length)
    return greedy(table.with_class(), length, minima.after)


class _EagerMinima:
    def __init__(self, table: CodeTable | SparseCoded) -> None:
        self._table, self._minima = table, np.full(table.n_columns, np.inf)

    def after(self, taken: int) -> np.ndarray:
        np.minimum(self._minima, self._table.conditional(taken), out=self._minima)
        return self._minima


class _LazyMinima:
    """Minima that are exact for every candidate that can come next, and bounds for the others."""

    def __init__(self, table: CodeTable, n_features: int) -> None:
        n, p = table.codes.shape
        self._table = table
        self._columns = np.ascontiguousarray(table.codes.T)
        self._bases = np.empty((n_features, n), dtype=np.uint32)
        self._constants = np.empty(n_features)
        self._n_taken = 0
        self._n_seen = np.zeros(p, dtype=np.intp)
        self._minima = np.full(p, np.inf)
        self._free = np.ones(p, dtype=bool)
        self._terms = xlogy(np.arange(n + 1), np.arange(n + 1))

    def after(self, taken: int) -> np.ndarray:
        self._remember(taken)
        if self._n_taken == 1:
            self._minima = self._table.conditional(taken)
            self._n_seen[:] = 1
            return self._minima
        self._lower()
        return np.where(self._n_seen == self._n_taken, self._minima, -1.0)

    def _remember(self, taken: int) -> None:
        table = self._table
        pairs = table.pair_codes(taken)
        self._bases[self._n_taken] = pairs * table.n_values
        alone, both = np.bincount(table.codes[:, taken]), np.bincount(pairs)
        self._constants[self._n_taken] = self._terms[alone].sum() - self._terms[both].sum()
        self._n_taken += 1
        self._free[taken] = False

    def _lower(self) -> None:
        from subsel._loops.statistics.redundancy import Minima, lazy_minima

        table, k = self._table, self._n_taken
        candidates = np.flatnonzero(self._free)
        order = candidates[np.argsort(-self._minima[candidates], kind="stable")]
        known = Minima(self._columns, self._constants, self._terms, self._minima, self._n_seen)
        lazy_minima(order, self._bases[:k], known, table.n_classes, table.n_values, 1e-9)
