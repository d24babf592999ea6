"""Joint counts of one coded column with many, and what they say in nats."""

import numpy as np

from subsel._loops import compiled

__all__ = [
    "count_bits",
    "count_small_codes",
    "count_small_stored",
    "entropies_of_counts",
    "information_of_few_values",
    "information_of_many_values",
    "information_of_stored",
    "information_of_weighted",
    "information_of_weighted_stored",
]


@compiled
def count_small_codes(X, classes, n_values, n_classes, table):
    """Count small whole numbers, stored as floats, against classes; False where one is not whole, or out of range.

    ``table`` (columns * values * classes) comes in as zeros; once False was returned it means nothing. Columns go side
    by side, so that no increment waits for the one before it; unsigned places spare the test for negative ones.
    """
    n_rows, n_columns = X.shape
    for i in range(n_rows):
        place = np.uint64(classes[i])
        for j in range(n_columns):
            number = X[i, j]
            whole = np.int64(number)
            code = np.uint64(whole)
            if code >= n_values or whole != number:
                return False
            table[place + code * n_classes] += 1
            place += n_values * n_classes
    return True


@compiled
def count_bits(indices, indptr, classes, totals, counts, stored, starts):
    """Count compressed columns that store one value: a row for the zeros, where there are any, then one for the value.

    ``totals`` says how often each class occurs. Rows of ``counts`` are written one after the other, with whether they
    are of the stored value and where each column starts; gives how many.
    """
    row, n_classes = 0, len(totals)
    for j in range(len(indptr) - 1):
        begin, end = indptr[j], indptr[j + 1]
        zeros = end - begin < len(classes)
        here = row + zeros
        starts[j] = row
        if n_classes == 2:  # one sum, which need not wait for its own stores
            second = 0
            for t in range(begin, end):
                second += classes[indices[t]]
            counts[here, 0], counts[here, 1] = end - begin - second, second
        else:
            for k in range(n_classes):
                counts[here, k] = 0.0
            for t in range(begin, end):
                counts[here, classes[indices[t]]] += 1.0
        if zeros:
            stored[row] = False
            for k in range(n_classes):
                counts[row, k] = totals[k] - counts[here, k]
        if end > begin:
            stored[here] = True
            here += 1
        row = here
    return row


@compiled
def count_small_stored(whole, indices, indptr, classes, totals, cells, counts, values, starts):
    """Count compressed columns of small whole numbers, as `count_bits`: a row for each value that occurs.

    ``cells`` is room for the full table of one column, ``values`` are written beside the rows of ``counts``.
    """
    row = 0
    for j in range(len(indptr) - 1):
        starts[j] = row
        cells[:] = 0
        for k in range(len(totals)):
            cells[0, k] = totals[k]
        for t in range(indptr[j], indptr[j + 1]):
            k = classes[indices[t]]
            cells[0, k] -= 1
            cells[whole[t], k] += 1
        for value in range(len(cells)):
            some = 0
            for k in range(len(totals)):
                counts[row, k] = cells[value, k]
                some += cells[value, k]
            if some > 0:
                values[row] = value
                row += 1
    return row


@compiled
def entropies_of_counts(counts, starts, totals, terms, most, of_values, jointly):
    """Sum the terms of values and of cells over each column; False where that must be done otherwise.

    It must where classes do not occur as often as ``totals`` says, a cell is no whole number or a column has more than
    ``most`` values. Terms are added in numpy's order for so few: the first to the sum of the others.
    """
    left = np.empty(len(totals))
    for j in range(len(starts)):
        begin = starts[j]
        end = starts[j + 1] if j + 1 < len(starts) else len(counts)
        if end - begin > most:
            return False
        for k in range(len(totals)):
            left[k] = totals[k]
        of_first, of_others, in_first, in_others = 0.0, 0.0, 0.0, 0.0
        for row in range(begin, end):
            total, term = 0, 0.0
            for k in range(len(totals)):
                cell = np.int64(counts[row, k])
                if cell != counts[row, k] or cell > left[k]:
                    return False
                left[k] -= cell
                total += cell
                term += terms[cell]
            if row == begin:
                of_first, in_first = terms[total], term
            else:
                of_others += terms[total]
                in_others += term
        for k in range(len(totals)):
            if left[k] != 0:
                return False
        of_values[j], jointly[j] = of_first + of_others, in_first + in_others
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
def information_of_many_values(order, ends, codes, joint, margin, log_terms, information):
    """The same for many values: rows come grouped by the one column, so one row of cells is enough."""
    n_rows, n_columns = codes.shape
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
def information_of_stored(data, indices, indptr, columns, codes, counts, cells, log_terms):
    """The same for compressed columns of codes, 0 not stored: only cells that stored entries touch are visited.

    ``counts`` says how often each of ``codes`` occurs, ``cells`` (values, codes) comes in as zeros and goes out so; row
    0 gathers what the stored entries take from the zeros.
    """
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
def information_of_weighted_stored(
    data, indices, indptr, columns, codes, weights, masses, n_values
):
    """The same for compressed columns of codes, as `information_of_stored`; ``masses`` are those of each of ``codes``."""
    sums = np.empty(len(columns))
    cells, margin = np.zeros((n_values, len(masses))), np.zeros(n_values)
    whole, mass = 0.0, 0.0
    for c in masses:
        whole += _log_term(c)
        mass += c
    for place in range(len(columns)):
        begin, end = indptr[columns[place]], indptr[columns[place] + 1]
        total, stored = whole, 0.0
        for t in range(begin, end):
            code, weight = codes[indices[t]], weights[indices[t]]
            cells[data[t], code] += weight
            cells[0, code] += weight
            margin[data[t]] += weight
            stored += weight
        for t in range(begin, end):  # every cell once: it is empty when it is met again
            value, code = data[t], codes[indices[t]]
            total += _log_term(cells[value, code]) - _log_term(margin[value])
            cells[value, code] = margin[value] = 0.0
            if cells[0, code] > 0:
                total += _log_term(masses[code] - cells[0, code]) - _log_term(masses[code])
                cells[0, code] = 0.0
        sums[place] = total - _log_term(mass - stored)
    return sums


@compiled
def _log_term(c):
    return c * np.log(c) if c > 0 else 0.0
