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
    r"""Select features by their least information on the class given a selected one [1]_ [2]_.

    .. math:: s_k = \min_{j \in S} I(X_k; Y | X_j)

    A copy of a selected feature scores 0. Fleuret's program includes :math:`I(X_k; Y)` in the
    minimum, so that it does not see pairs that are informative only jointly; his formula, which is
    used here, does not include it.

    Parameters
    ----------
    X, y : array-like
        For ``discretiser``, ``sample_weight`` and how values become categories see
        :func:`subsel.data.intervals.codes.code_table`.
    n_features : int, optional
        The number of features to select; all by default.

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
    """The minima of all features, brought up to date with every selected feature."""

    def __init__(self, table: CodeTable | SparseCoded) -> None:
        self._table, self._minima = table, np.full(table.n_columns, np.inf)

    def after(self, j: int) -> np.ndarray:
        """Include feature j, which was selected, in the minima of all features and return them."""
        np.minimum(self._minima, self._table.conditional(j), out=self._minima)
        return self._minima


class _LazyMinima:
    """Minima that are exact for every candidate that can come next, and bounds for the others."""

    # A minimum over more features can only be smaller, so that the minimum over some selected
    # features is a bound: a candidate is compared with further ones only while its bound is best
    # (Fleuret, Journal of Machine Learning Research 5, 2004, the fast implementation).
    # n I(X; Y | X_j), in nats, is sum n_j ln n_j - sum n_jy ln n_jy + sum n_xjy ln n_xjy - sum n_xj
    # ln n_xj over the cells of counts; the first two sums do not depend on X.
    def __init__(self, table: CodeTable, n_features: int) -> None:
        n, p = table.codes.shape
        self._table = table
        self._columns = np.ascontiguousarray(table.codes.T)  # (p, n) codes of the values
        # (n_features, n) for each selected feature the first cell of each row's value and class
        self._bases = np.empty((n_features, n), dtype=np.uint32)
        self._constants = np.empty(n_features)  # the first two sums, for each selected feature
        self._n_selected = 0
        self._n_seen = np.zeros(p, dtype=np.intp)  # selected features in each minimum
        self._minima = np.full(p, np.inf)
        self._free = np.ones(p, dtype=bool)
        self._terms = xlogy(np.arange(n + 1), np.arange(n + 1))  # i ln i for i = 0 .. n

    def after(self, j: int) -> np.ndarray:
        """Select feature j and give all minima that are exact, -1 in place of the others.

        The best exact minimum is at least as large as every bound.
        """
        self._enter(j)
        if self._n_selected == 1:
            self._minima = self._table.conditional(j)
            self._n_seen[:] = 1
            return self._minima
        self._lower()
        return np.where(self._n_seen == self._n_selected, self._minima, -1.0)

    def _enter(self, j: int) -> None:
        """Enter feature j among the selected ones, with its cells and its constant."""
        table = self._table
        pairs = table.pair_codes(j)
        self._bases[self._n_selected] = pairs * table.n_values
        alone, both = np.bincount(table.codes[:, j]), np.bincount(pairs)
        self._constants[self._n_selected] = self._terms[alone].sum() - self._terms[both].sum()
        self._n_selected += 1
        self._free[j] = False

    def _lower(self) -> None:
        """Update minima, best bound first, until no bound exceeds the best exact minimum."""
        from subsel._loops.statistics.redundancy import Minima, lazy_minima

        table, k = self._table, self._n_selected
        candidates = np.flatnonzero(self._free)
        order = candidates[np.argsort(-self._minima[candidates], kind="stable")]
        known = Minima(self._columns, self._constants, self._terms, self._minima, self._n_seen)
        lazy_minima(order, self._bases[:k], known, table.n_classes, table.n_values, 1e-9)
