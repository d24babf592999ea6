"""Joint counts of one coded column with many, and their mutual information in nats.

With c the counts of cells, margins and rows, n I(X; Z) = sum over cells of c log c, less the same
sums over the values of X and of Z, plus n log n. The loops below return the first sum less the one
over the values of X. ``log_terms[c]``, of shape (n + 1,), is c log c.
"""

import numpy as np

from subsel._loops.compiler import compiled

__all__ = [
    "count_small_codes",
    "information_of_few_values",
    "information_of_many_values",
    "information_of_sparse",
    "information_of_weighted",
    "information_of_weighted_sparse",
]


@compiled
def count_small_codes(X, first, classes, weights, table):
    """Add to `table` the weights of each class with each small whole number in the columns.

    Consecutive additions belong to different columns, so that none waits for the one before. Places
    are unsigned, which saves the test for negative indices.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The table.
    first : int
        The first column to count.
    classes : ndarray of shape (n,)
        The class of each row.
    weights : ndarray of shape (n,)
        The weight of each row.
    table : ndarray of shape (columns, values, classes)
        Zeros on entry, overwritten with the joint counts; undefined where False is returned.

    Returns
    -------
    bool
        False where a column holds anything but whole numbers from 0 to values - 1.
    """
    n_columns, n_values, n_classes = table.shape
    cells = table.reshape(table.size)
    step, column = np.uint64(n_classes), np.uint64(n_values * n_classes)
    for i in range(len(X)):
        place, weight = np.uint64(classes[i]), weights[i]
        for j in range(n_columns):
            number = X[i, first + j]
            whole = np.int64(number)
            code = np.uint64(whole)
            if code >= np.uint64(n_values) or whole != number:
                return False
            cells[place + code * step] += weight
            place += column
    return True


@compiled
def information_of_few_values(bases, codes, n_values, table, log_terms, information):
    """Fill `information` with the sums of c log c over cells less those over values, per column.

    The tables of a block of columns are filled at the same time, so that consecutive additions
    never meet in one cell, and the processor need not wait for its own stores.

    Parameters
    ----------
    bases : ndarray of shape (n,)
        The code of the one column times `n_values`, unsigned, which saves the test for negative
        indices.
    codes : ndarray of shape (n, p)
        The value of each row in the other columns.
    n_values : int
        The number of values.
    table : ndarray of shape (block, codes * values)
        Room for the joint counts, overwritten.
    log_terms : ndarray of shape (n + 1,)
        c log c.
    information : ndarray of shape (p,)
        Overwritten.
    """
    n_rows, n_columns = codes.shape
    n_cells = table.shape[1]
    width = table.shape[0]
    for first in range(0, n_columns, width):
        last = min(first + width, n_columns)
        table[:] = 0
        for i in range(n_rows):
            base = bases[i]
            for j in range(first, last):
                table[j - first, base + codes[i, j]] += 1
        for j in range(first, last):
            total = 0.0
            for cell in range(n_cells):
                total += log_terms[table[j - first, cell]]
            for value in range(n_values):
                margin = 0
                for cell in range(value, n_cells, n_values):
                    margin += table[j - first, cell]
                total -= log_terms[margin]
            information[j] = total


@compiled
def information_of_many_values(order, ends, codes, n_values, log_terms, information):
    """Do the same as `information_of_few_values` for columns with many values.

    `order` (n,) sorts the rows by the one column and `ends` holds the end of each of its values, so
    that one row of cells is enough. `codes` is of shape (n, p), `information` (p,) is overwritten.
    """
    n_rows, n_columns = codes.shape
    joint, margin = np.zeros(n_values, np.int64), np.zeros(n_values, np.int64)
    for j in range(n_columns):
        total = 0.0
        begin = 0
        for end in ends:
            for position in range(begin, end):
                joint[codes[order[position], j]] += 1
            for position in range(begin, end):
                value = codes[order[position], j]
                total += log_terms[joint[value]]
                margin[value] += joint[value]
                joint[value] = 0
            begin = end
        for i in range(n_rows):
            value = codes[i, j]
            total -= log_terms[margin[value]]
            margin[value] = 0
        information[j] = total


@compiled
def information_of_sparse(stored, columns, codes, counts, cells, log_terms):
    """Return the same as `information_of_few_values` for compressed columns; code 0 is not stored.

    Only cells with stored entries are visited.

    Parameters
    ----------
    stored : Compressed
        The columns of codes.
    columns : ndarray of shape (p,)
        Which of them to compare.
    codes : ndarray of shape (n,)
        The one column.
    counts : ndarray of shape (codes,)
        How often each of `codes` occurs.
    cells : ndarray of shape (values, codes)
        Room for joint counts: zeros on entry and on return. Row 0 collects what stored entries take
        from the zeros.
    log_terms : ndarray of shape (n + 1,)
        c log c.

    Returns
    -------
    ndarray of shape (p,)
        The sums.
    """
    data, indices, indptr = stored
    sums = np.empty(len(columns))
    whole = 0.0
    for c in counts:
        whole += log_terms[c]
    margin = np.zeros(cells.shape[0], np.int64)
    for place in range(len(columns)):
        j = columns[place]
        begin, end = indptr[j], indptr[j + 1]
        for t in range(begin, end):
            code = codes[indices[t]]
            cells[data[t], code] += 1
            cells[0, code] += 1
            margin[data[t]] += 1
        total = whole
        for t in range(begin, end):  # each cell once: it is empty from then on
            value, code = data[t], codes[indices[t]]
            total += log_terms[cells[value, code]] - log_terms[margin[value]]
            cells[value, code] = margin[value] = 0
            n_stored = cells[0, code]
            if n_stored > 0:
                total += log_terms[counts[code] - n_stored] - log_terms[counts[code]]
                cells[0, code] = 0
        sums[place] = total - log_terms[len(codes) - (end - begin)]
    return sums


@compiled
def information_of_weighted(codes, table, weights, n_codes, n_values):
    """Return the same as `information_of_few_values` where counts are sums of weights.

    `codes` (n,) are those of the one column, `table` (n, p) those of the others, and `weights` (n,)
    belong to the rows. Returns the sums (p,).
    """
    sums = np.empty(table.shape[1])
    cells, margin = np.empty((n_values, n_codes)), np.empty(n_values)
    for j in range(table.shape[1]):
        cells[:] = 0.0
        for i in range(len(codes)):
            cells[table[i, j], codes[i]] += weights[i]
        total = 0.0
        for value in range(n_values):
            margin[value] = 0.0
            for code in range(n_codes):
                margin[value] += cells[value, code]
                total += _log_term(cells[value, code])
            total -= _log_term(margin[value])
        sums[j] = total
    return sums


@compiled
def information_of_weighted_sparse(stored, columns, codes, weights, masses, n_values):
    """Return the same as `information_of_sparse` where counts are sums of weights.

    `masses` (codes,) is the weight of each of `codes`, and `weights` (n,) belong to the rows.
    Returns the sums (p,).
    """
    data, indices, indptr = stored
    sums = np.empty(len(columns))
    cells, margin = np.zeros((n_values, len(masses))), np.zeros(n_values)
    whole, mass = 0.0, 0.0
    for c in masses:
        whole += _log_term(c)
        mass += c
    for place in range(len(columns)):
        begin, end = indptr[columns[place]], indptr[columns[place] + 1]
        total, stored_mass = whole, 0.0
        for t in range(begin, end):
            code, weight = codes[indices[t]], weights[indices[t]]
            cells[data[t], code] += weight
            cells[0, code] += weight
            margin[data[t]] += weight
            stored_mass += weight
        for t in range(begin, end):  # each cell once: it is empty from then on
            value, code = data[t], codes[indices[t]]
            total += _log_term(cells[value, code]) - _log_term(margin[value])
            cells[value, code] = margin[value] = 0.0
            if cells[0, code] > 0:
                total += _log_term(masses[code] - cells[0, code]) - _log_term(masses[code])
                cells[0, code] = 0.0
        sums[place] = total - _log_term(mass - stored_mass)
    return sums


@compiled
def _log_term(c):
    """Return c log c, 0 for c = 0."""
    if c > 0:
        return c * np.log(c)
    return 0.0
