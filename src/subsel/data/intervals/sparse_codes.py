"""Sparse tables of codes: mutual information from the entries that are stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import entr, xlogy

from subsel.data.intervals.codes import (
    CodeTable,
    InformationTable,
    code_table,
    coded_values,
    information_from,
    weighted_rows,
)
from subsel.data.statistics.blocks import column_blocks, parts
from subsel.data.statistics.entropy import compact
from subsel.data.statistics.score_input import as_stored, classes_and_codes

__all__ = ["SparseCoded", "coded_table"]


@dataclass(frozen=True, slots=True, eq=False)
class SparseCoded(InformationTable):
    """A sparse table of codes and its classes; the code of the value zero is 0, and not stored.

    Parameters
    ----------
    codes : csc_array of int of shape (n, p)
        The code of each value.
    classes, n_values, n_classes, weight
        As in :class:`subsel.data.intervals.codes.CodeTable`.
    """

    codes: sparse.csc_array
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
        whole = np.zeros(self.codes.shape[0], dtype=self.codes.dtype)
        stored = slice(self.codes.indptr[j], self.codes.indptr[j + 1])
        whole[self.codes.indices[stored]] = self.codes.data[stored]
        return whole

    def with_codes(self, codes: np.ndarray, which: Any = slice(None)) -> np.ndarray:
        """Return I(X_k; Z) of the columns `which`, where `codes` are the values of Z."""
        from subsel._loops.statistics.compressed_rows import Compressed
        from subsel._loops.statistics.counts import (
            information_of_sparse,
            information_of_weighted_sparse,
        )

        n, table = self.codes.shape[0], self.codes
        columns, codes = np.arange(self.n_columns)[which], np.asarray(codes, dtype=np.int64)
        counts = np.bincount(codes, self.weight)
        stored = Compressed(table.data, table.indices, table.indptr)
        if self.weight is not None:
            sums = information_of_weighted_sparse(
                stored, columns, codes, self.weight, counts, self.n_values
            )
            return information_from(sums, counts)
        terms = xlogy(np.arange(n + 1), np.arange(n + 1))
        cells = np.zeros((self.n_values, len(counts)), dtype=np.int64)
        sums = information_of_sparse(stored, columns, codes, counts, cells, terms)
        return np.maximum((sums - terms[counts].sum()) / n + np.log(n), 0.0)

    def entropies(self) -> np.ndarray:
        """Return H(X_k) of every column."""
        n, p = self.codes.shape
        column = np.repeat(np.arange(p), np.diff(self.codes.indptr))
        cells, n_cells = column * self.n_values + self.codes.data, p * self.n_values
        if self.weight is None:
            total, counts = n, np.bincount(cells, minlength=n_cells)
        else:
            total = self.weight.sum()
            counts = np.bincount(cells, self.weight[self.codes.indices], minlength=n_cells)
        counts = counts.reshape(p, self.n_values)
        counts[:, 0] = np.maximum(total - counts.sum(axis=1), 0)
        return np.maximum(entr(counts / total).sum(axis=1), 0.0)


def coded_table(
    X: Any, y: Any, discretiser: Any = None, sample_weight: Any = None
) -> CodeTable | SparseCoded:
    """Code a table and its classes; a sparse table stays sparse.

    The parameters are those of :func:`subsel.data.intervals.codes.code_table`. A few columns of a
    sparse table are made dense and coded at a time, so that a discretiser must treat each column
    independently of the others.

    Examples
    --------
    >>> table = coded_table(sparse.csr_array([[2.5, 0], [0, 0], [2.5, 1]]), ["b", "a", "a"])
    >>> table.codes.toarray().tolist(), table.n_values
    ([[1, 0], [0, 0], [1, 1]], 2)
    """
    if not sparse.issparse(X):
        return code_table(X, y, discretiser, sample_weight)
    X, y, weight = weighted_rows(as_stored(X, finite="allow-nan"), y, discretiser, sample_weight)
    labels, classes = classes_and_codes(X, y)
    coded_parts = []
    for _, part in parts(X, column_blocks(X, depth=X.shape[0])):
        values = part.toarray()
        codes = coded_values(values, y, weight, discretiser)
        coded_parts.append(sparse.csc_array(_zero_first(values, codes)))
    table = sparse.csc_array(sparse.hstack(coded_parts, format="csc"))
    return SparseCoded(
        table, compact(classes), int(table.data.max(initial=0)) + 1, len(labels), weight
    )


def _zero_first(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Renumber the codes of each column so that the value zero, if it occurs, has the code 0."""
    zero_code = codes[np.argmax(values == 0, axis=0), np.arange(codes.shape[1])]
    return np.where(codes == zero_code, 0, codes + (codes < zero_code)).astype(codes.dtype)
