"""Joint counts of one coded column with many, and what they say in nats."""

import numpy as np

from subsel._loops.compiler import compiled

__all__ = [
    "count_small_codes",
    "information_of_few_values",
    "information_of_many_values",
    "information_of_stored",
    "information_of_weighted",
    "information_of_weighted_stored",
]


@compiled
def count_small_codes(X, first, classes, weights, table):
    """Add to ``table`` how often each class meets each small whole number; False where there is any other number.

    ``table`` (columns, values, classes) comes in as zeros and belongs to the columns of ``X`` from ``first`` on; once
    False was returned it means nothing. Columns go side by side, so that no addition waits for the one before it. Places
    are unsigned, which spares the loop the test for negative ones.
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
    """Sum c log c over the cells of each column's table, counting a block of columns in one pass.

    ``table`` holds one small table per column of the block, laid side by side: consecutive increments never
    meet in one cell, so the processor need not wait for its own stores. ``bases`` are unsigned, which spares
    the loop the test for negative indices.
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
    """The same for many values: rows come grouped by the one column, so one row of cells is enough."""
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
def information_of_stored(stored, columns, codes, counts, cells, log_terms):
    """The same for the `Compressed` columns of codes, 0 not stored: only cells that stored entries touch are visited.

    ``counts`` says how often each of ``codes`` occurs, ``cells`` (values, codes) comes in as zeros and goes out so; row
    0 gathers what the stored entries take from the zeros.
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
        for t in range(begin, end):  # every cell once: it is empty when it is met again
            value, code = data[t], codes[indices[t]]
            total += log_terms[cells[value, code]] - log_terms[margin[value]]
            cells[value, code] = margin[value] = 0
            taken = cells[0, code]
            if taken > 0:
                total += log_terms[counts[code] - taken] - log_terms[counts[code]]
                cells[0, code] = 0
        sums[place] = total - log_terms[len(codes) - (end - begin)]
    return sums


@compiled
def information_of_weighted(codes, table, weights, n_codes, n_values):
    """Sum c log c over the cells (value, code) of each column less that over its values, c being sums of weights."""
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
def information_of_weighted_stored(stored, columns, codes, weights, masses, n_values):
    """The same for compressed columns of codes, as `information_of_stored`; ``masses`` are those of each of ``codes``."""
    data, indices, indptr = stored
    sums = np.empty(len(columns))
    cells, margin = np.zeros((n_values, len(masses))), np.zeros(n_values)
    whole, mass = 0.0, 0.0
    for c in masses:
        whole += _log_term(c)
        mass += c
    for place in range(len(columns)):
        begin, end = indptr[columns[place]], indptr[columns[place] + 1]
        total, held = whole, 0.0
        for t in range(begin, end):
            code, weight = codes[indices[t]], weights[indices[t]]
            cells[data[t], code] += weight
            cells[0, code] += weight
            margin[data[t]] += weight
            held += weight
        for t in range(begin, end):  # every cell once: it is empty when it is met again
            value, code = data[t], codes[indices[t]]
            total += _log_term(cells[value, code]) - _log_term(margin[value])
            cells[value, code] = margin[value] = 0.0
            if cells[0, code] > 0:
                total += _log_term(masses[code] - cells[0, code]) - _log_term(masses[code])
                cells[0, code] = 0.0
        sums[place] = total - _log_term(mass - held)
    return sums


@compiled
def _log_term(c):
    if c > 0:
        return c * np.log(c)
    return 0.0
