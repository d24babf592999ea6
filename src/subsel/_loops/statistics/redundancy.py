"""Counts of triples: a column, a selected column, and the class."""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["Minima", "lazy_minima", "triple_sums"]


class Minima(NamedTuple):
    """What `lazy_minima` knows of the columns, candidates among them."""

    columns: np.ndarray  # (columns, rows) codes
    # (selected,) sums of c log c over the values of a selected column less those over (value,
    # class)
    constants: np.ndarray
    log_terms: np.ndarray  # (rows + 1,) c log c
    # (columns,) minima of I(X; Y | X_j) over the first `n_seen` selected columns j; updated in
    # place
    minima: np.ndarray
    n_seen: np.ndarray  # (columns,) number of selected columns compared with; updated in place


@compiled
def triple_sums(bases, codes, n_classes, n_values, table, log_terms):
    """Return sums of c log c over the cells of each column with a selected column and the class.

    The tables of a block of columns are filled at the same time, so that consecutive additions
    never meet in one cell.

    Parameters
    ----------
    bases : ndarray of shape (n,)
        (selected value * n_classes + class) * n_values of each row, unsigned.
    codes : ndarray of shape (n, p)
        The value of each row in each column.
    n_classes, n_values : int
        The numbers of classes and values.
    table : ndarray of shape (block, cells)
        Room for counts, overwritten.
    log_terms : ndarray of shape (n + 1,)
        c log c.

    Returns
    -------
    ndarray of shape (3, p)
        The sums over (selected, class, value), over (selected, value) and over (value).
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
    """Lower each candidate's minimum of I(X; Y | X_j) over the selected j while it can be the best.

    Updates ``known.minima`` and ``known.n_seen`` in place.

    Parameters
    ----------
    order : ndarray of shape (candidates,)
        The candidates, the most promising first.
    bases : ndarray of shape (selected, n)
        The codes of (selected, class) of each row, times the number of values.
    known : Minima
        What is known of the columns.
    n_classes, n_values : int
        The numbers of classes and values.
    slack : float
        By how much a minimum may be below the best and still be lowered, for rounding.

    Returns
    -------
    float
        The largest minimum over all selected columns.
    """
    # A minimum only falls as columns are compared, so that a candidate whose minimum is below the
    # best complete one is out (F. Fleuret, "Fast binary feature selection with conditional mutual
    # information", Journal of Machine Learning Research 5, 2004, the fast version).
    columns, constants, log_terms, minima, n_seen = known
    cells = np.empty(n_values * n_values * n_classes, np.int32)
    n_selected, n_rows = bases.shape
    group = n_classes * n_values
    best = -1.0
    for k in order:
        while n_seen[k] < n_selected and minima[k] >= best - slack:
            s = n_seen[k]
            cells[:] = 0
            for i in range(n_rows):
                cells[bases[s, i] + columns[k, i]] += 1
            total = constants[s]
            for begin in range(0, len(cells), group):
                for value in range(n_values):
                    pair = 0
                    for cell in range(begin + value, begin + group, n_values):
                        pair += cells[cell]
                        total += log_terms[cells[cell]]
                    total -= log_terms[pair]
            minima[k] = min(minima[k], max(total / n_rows, 0.0))
            n_seen[k] += 1
        if n_seen[k] == n_selected and minima[k] > best:
            best = minima[k]
    return best
