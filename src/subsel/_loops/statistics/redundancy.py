"""Counts of triples: a column, a column already taken, and the class."""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["Minima", "lazy_minima", "triple_sums"]


class Minima(NamedTuple):
    """What `lazy_minima` knows of the candidates, which are columns."""

    columns: np.ndarray  # (columns, rows) codes
    constants: np.ndarray  # (taken,) sums of c log c over (taken) less those over (taken, class)
    log_terms: np.ndarray  # (rows + 1,) c log c
    minima: (
        np.ndarray
    )  # (columns,) of I(X; Y | X_j) over the taken j compared with; updated in place
    n_seen: np.ndarray  # (columns,) how many of the taken each was compared with; updated in place


@compiled
def triple_sums(bases, codes, n_classes, n_values, table, log_terms):
    """Sum c log c over the cells (taken, class, value), over (taken, value) and over (value), per column.

    ``bases`` hold (taken * n_classes + class) * n_values of each row, unsigned. The tables of a block of
    columns lie side by side, so that consecutive increments never meet in one cell.
    """
    n_rows, n_columns = codes.shape
    n_cells = table.shape[1]
    width = table.shape[0]
    group = n_classes * n_values
    sums = np.empty((3, n_columns))
    for first in range(0, n_columns, width):
        last = min(first + width, n_columns)
        table[:] = 0
        for i in range(n_rows):
            base = bases[i]
            for j in range(first, last):
                table[j - first, base + codes[i, j]] += 1
        for j in range(first, last):
            cells = table[j - first]
            triples, pairs, singles = 0.0, 0.0, 0.0
            for value in range(n_values):
                total = 0
                for begin in range(0, n_cells, group):
                    pair = 0
                    for cell in range(begin + value, begin + group, n_values):
                        pair += cells[cell]
                        triples += log_terms[cells[cell]]
                    pairs += log_terms[pair]
                    total += pair
                singles += log_terms[total]
            sums[0, j], sums[1, j], sums[2, j] = triples, pairs, singles
    return sums


@compiled
def lazy_minima(order, bases, known, n_classes, n_values, slack):
    """Lower each candidate's minimum of I(X; Y | X_j) over the taken j, only while it can still be the best.

    Candidates come in ``order``, the most promising first; ``bases`` (taken, rows) are codes of (taken, class), times the
    number of values. Updates ``known`` in place and gives the best minimum.
    """
    columns, constants, log_terms, minima, n_seen = known
    cells = np.empty(n_values * n_values * n_classes, np.int32)
    n_taken, n_rows = bases.shape
    group = n_classes * n_values
    best = -1.0
    for k in order:
        while n_seen[k] < n_taken and minima[k] >= best - slack:
            taken = n_seen[k]
            cells[:] = 0
            for i in range(n_rows):
                cells[bases[taken, i] + columns[k, i]] += 1
            total = constants[taken]
            for begin in range(0, len(cells), group):
                for value in range(n_values):
                    pair = 0
                    for cell in range(begin + value, begin + group, n_values):
                        pair += cells[cell]
                        total += log_terms[cells[cell]]
                    total -= log_terms[pair]
            minima[k] = min(minima[k], max(total / n_rows, 0.0))
            n_seen[k] += 1
        if n_seen[k] == n_taken and minima[k] > best:
            best = minima[k]
    return best
