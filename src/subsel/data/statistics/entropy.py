"""Entropy and mutual information of discrete columns, in nats."""

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import entr, xlogy

from subsel.data.statistics.joint_counts import JointCounts, over_classes

__all__ = ["compact", "entropies", "entropy", "mutual_information_with", "renyi_entropy"]

# Cells of the table of a pair of columns up to which a block of columns is counted at once.
FEW_CELLS = 1 << 12
# Cells of a block of tables: 256 KB of counters, which fit the second-level cache.
BLOCK_CELLS = 1 << 16
# Rows up to which the entropy terms of all counts are tabulated.
FEW_ROWS = 1 << 14


def entropy(counts: np.ndarray, axis: int = -1) -> np.ndarray:
    r"""Return the entropy of the distribution proportional to the counts, in nats [1]_.

    .. math:: H = -\sum_i p_i \ln p_i

    References
    ----------
    .. [1] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.),
       *Feature Extraction*, 2006, chapter 6, entropy and mutual information.

    Examples
    --------
    >>> entropy(np.array([[1, 1], [2, 0]])).round(4)
    array([0.6931, 0.    ])
    """
    return np.sum(entr(counts / np.sum(counts, axis=axis, keepdims=True)), axis=axis)


def renyi_entropy(counts: np.ndarray, order: float = 2.0, axis: int = -1) -> np.ndarray:
    r"""Return Renyi's entropy of the distribution proportional to the counts, in nats [1]_.

    .. math:: H_a = \frac{1}{1-a} \ln \sum_i p_i^a

    for an order a > 0; for a = 1 it is the limit, Shannon's entropy.

    References
    ----------
    .. [1] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.),
       *Feature Extraction*, 2006, chapter 6, Renyi's entropy.

    Examples
    --------
    >>> renyi_entropy(np.array([[1, 1, 2], [1, 1, 1]])).round(4)
    array([0.9808, 1.0986])
    """
    if not order > 0:
        raise ValueError(f"order must be positive, got {order}.")
    if order == 1:
        return entropy(counts, axis)
    shares = counts / np.sum(counts, axis=axis, keepdims=True)
    return np.log(np.sum(shares**order, axis=axis)) / (1 - order)


def entropies(tables: JointCounts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the entropies of the values of each column, of the classes and of the pairs, in nats.

    Each is an array of shape (n_columns,).

    Examples
    --------
    >>> from subsel.data.statistics.counts import joint_counts
    >>> [h.round(4).tolist() for h in entropies(joint_counts([[0], [1]], [0, 1]))]
    [[0.6931], [0.6931], [0.6931]]
    """
    counts, totals = tables.counts, tables.common_totals
    if totals is None:
        of_class = tables.class_totals
        if (of_class == of_class[0]).all():
            totals = of_class[0]
    if totals is not None:
        of_classes = np.full(len(tables.starts), entropy(totals))
        of_values, jointly = _terms(counts, float(np.sum(totals)))
    else:  # rows were counted unevenly
        each, of_classes = tables.spread(over_classes(of_class)), entropy(of_class)
        of_values, jointly = entr(over_classes(counts) / each), entr(counts / each[:, None])
    return tables.per_column(of_values), of_classes, tables.per_column(over_classes(jointly))


def _terms(counts: np.ndarray, n: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the terms of the entropies of values and of cells, given the number of rows.

    They are looked up in a table if counts are whole numbers, of which few are different.
    """
    if n <= FEW_ROWS and n == int(n):
        whole = counts.astype(np.intp)
        if (whole == counts).all():
            terms = _entropy_terms(int(n))
            return terms.take(over_classes(whole)), terms.take(whole)
    return entr(over_classes(counts) / n), entr(counts / n)


@lru_cache(maxsize=8)
def _entropy_terms(n: int) -> np.ndarray:
    """Return ``-c/n ln(c/n)`` for the counts c = 0 to n."""
    return entr(np.arange(n + 1) / n)


def compact(codes: Any) -> np.ndarray:
    """Return codes (whole numbers from 0), C-contiguous, in the smallest type that loops accept.

    Call it once before many calls of :func:`mutual_information_with` on the same table.

    Examples
    --------
    >>> compact(np.array([[30, 0]])).dtype
    dtype('uint8')
    """
    codes = np.asarray(codes)
    if codes.dtype in (np.uint8, np.uint32):
        return np.ascontiguousarray(codes)
    if not np.issubdtype(codes.dtype, np.integer):
        raise TypeError(f"codes must be whole numbers, got type {codes.dtype}.")
    if codes.size and codes.min() < 0:
        raise ValueError(f"codes must not be negative, got {codes.min()}.")
    small = codes.size == 0 or codes.max() < 256
    return np.ascontiguousarray(codes, dtype=np.uint8 if small else np.uint32)


def mutual_information_with(column: np.ndarray, codes: np.ndarray) -> np.ndarray:
    r"""Return the mutual information of one coded column with every column of a table, in nats.

    .. math:: I = \sum_{a,b} \frac{n_{ab}}{n} \ln \frac{n\, n_{ab}}{n_a n_b}

    Codes are whole numbers from 0. Contingency tables of few cells are counted for a block of
    columns at once; larger ones row by row of the contingency table, so that the memory is bounded
    by the number of distinct codes [1]_.

    Parameters
    ----------
    column : ndarray of int of shape (n,)
        The codes of one column.
    codes : ndarray of int of shape (n, p)
        The codes of the others.

    Returns
    -------
    ndarray of shape (p,)
        The mutual information with each column of `codes`.

    References
    ----------
    .. [1] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.),
       *Feature Extraction*, 2006, chapter 6, entropy and mutual information; MIFS and its kin.

    Examples
    --------
    >>> x = np.array([0, 0, 1, 1])
    >>> mutual_information_with(x, np.array([[0, 0], [0, 1], [1, 0], [1, 1]])).round(4)
    array([0.6931, 0.    ])
    """
    from subsel._loops.statistics.counts import (
        information_of_few_values,
        information_of_many_values,
    )

    column, codes = compact(column), compact(codes)
    if column.ndim != 1 or codes.ndim != 2 or len(column) != len(codes) or len(column) == 0:
        raise ValueError(
            f"column and codes must have the same rows, got shapes {column.shape}, {codes.shape}."
        )
    n, p = codes.shape
    counts = np.bincount(column)
    n_values = int(codes.max(initial=0)) + 1
    log_terms = xlogy(np.arange(n + 1), np.arange(n + 1))
    sums = np.empty(p)
    n_cells = len(counts) * n_values
    if n_cells <= FEW_CELLS:
        table = np.empty((max(1, BLOCK_CELLS // n_cells), n_cells), dtype=np.int32)
        information_of_few_values(
            column.astype(np.uint64) * n_values, codes, n_values, table, log_terms, sums
        )
    else:
        order = np.argsort(column, kind="stable")
        ends = np.cumsum(counts)
        information_of_many_values(order, ends, codes, n_values, log_terms, sums)
    # n I = sum_ab c ln c - sum_a c ln c - sum_b c ln c + n ln n over counts c of cells, of codes
    # of the table (both in `sums`) and of codes of the column; it follows from the definition above
    return np.maximum((sums - log_terms[counts].sum()) / n + np.log(n), 0.0)
