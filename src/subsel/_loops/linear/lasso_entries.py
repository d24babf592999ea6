"""The columns that come into a lasso first, by its homotopy on products of columns computed when they are needed."""

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["lasso_entries"]

CLOSING = 1e-9  # a gradient that nears the penalty more slowly does not
DEPENDENT = 1e-10  # share of a column's square that those inside must leave of it


@compiled
def lasso_entries(Z, y, lowest, entered, penalties):
    """Fill ``entered`` with columns in the order in which they come in, and their penalties; gives their number.

    ``Z`` holds the columns as rows, centred. The path ends where ``entered`` is full or the penalty has fallen to a share
    ``lowest`` of the first. A column that depends on those inside is passed over.
    """
    p, most = Z.shape[0], len(entered)
    room = 2 * most + 2
    gradient = np.dot(Z, y)
    penalty = np.abs(gradient).max()
    products, slot = np.empty((room, p)), np.full(p, -1, np.int64)
    active, inverse = np.empty(room, np.int64), np.zeros((room, room))
    sign, weight, rate = np.empty(room), np.zeros(room), np.empty(p)
    closed = np.zeros(p, np.bool_)
    n_active, n_entered, n_products, barred = 0, 0, 0, -1
    end, fresh = penalty * lowest, _first_largest(gradient, penalty)
    while n_entered < most and n_products < room and penalty > end:
        if fresh >= 0:
            known = slot[fresh] >= 0
            if not known:
                slot[fresh] = n_products
                products[n_products] = np.dot(Z, Z[fresh])
                n_products += 1
            closed[fresh] = True
            if _border(inverse, products, slot, active, n_active, fresh):
                active[n_active], weight[n_active] = fresh, 0.0
                sign[n_active] = 1.0 if gradient[fresh] > 0 else -1.0
                n_active += 1
                if not known:
                    entered[n_entered], penalties[n_entered] = fresh, penalty
                    n_entered += 1
        move = _times(inverse, sign, n_active)
        _rates(products, slot, active, move, rate)
        length, leaving = _next_zero(weight, move, sign, penalty - end)
        length, fresh = _next_column(gradient, rate, penalty, closed, barred, length)
        penalty -= length
        gradient -= length * rate
        weight[:n_active] += length * move
        barred = -1
        if fresh < 0:
            if leaving < 0:
                break
            barred = active[leaving]
            closed[barred] = False
            _unborder(inverse, active, sign, weight, n_active, leaving)
            n_active -= 1
    return n_entered


@compiled
def _first_largest(gradient, penalty):
    for j in range(len(gradient)):
        if abs(gradient[j]) >= penalty * (1 - 1e-10) and penalty > 0:
            return j
    return -1


@compiled
def _rates(products, slot, active, move, rate):
    """How fast the gradient of every column falls."""
    rate[:] = 0.0
    for k in range(len(move)):
        row = products[slot[active[k]]]
        for j in range(len(rate)):
            rate[j] += move[k] * row[j]


@compiled
def _next_zero(weight, move, sign, most):
    """How far it is to where a weight becomes 0, and to which; ``most`` and -1 if none does before."""
    length, leaving = most, -1
    for k in range(len(move)):
        if move[k] * sign[k] < 0 and -weight[k] / move[k] < length:
            length, leaving = -weight[k] / move[k], k
    return length, leaving


@compiled
def _next_column(gradient, rate, penalty, closed, barred, most):
    """How far it is to where a column's gradient meets the penalty, and to which; ``most`` and -1 if none does before."""
    length, fresh = most, -1
    for j in range(len(gradient)):
        if closed[j]:
            continue
        for side in (1.0, -1.0):
            nearing = 1.0 - side * rate[j]
            if nearing > CLOSING and not (j == barred and side * gradient[j] > 0):
                reach = max(penalty - side * gradient[j], 0.0) / nearing
                if reach < length:
                    length, fresh = reach, j
    return length, fresh


@compiled
def _times(inverse, vector, n):
    result = np.zeros(n)
    for i in range(n):
        for k in range(n):
            result[i] += inverse[i, k] * vector[k]
    return result


@compiled
def _border(inverse, products, slot, active, n, fresh):
    """Grow the inverse by one column; false if it depends on those inside."""
    cross = np.empty(n)
    for k in range(n):
        cross[k] = products[slot[active[k]], fresh]
    along = _times(inverse, cross, n)
    own = products[slot[fresh], fresh]
    left = own - np.dot(along, cross)
    if left <= DEPENDENT * own:
        return False
    for i in range(n):
        for k in range(n):
            inverse[i, k] += along[i] * along[k] / left
        inverse[i, n] = inverse[n, i] = -along[i] / left
    inverse[n, n] = 1 / left
    return True


@compiled
def _unborder(inverse, active, sign, weight, n, place):
    """Take one column out of the inverse and close the gap."""
    pivot, row = inverse[place, place], inverse[place, :n].copy()
    for i in range(n):
        for k in range(n):
            inverse[i, k] -= row[i] * row[k] / pivot
    for i in range(place, n - 1):
        active[i], sign[i], weight[i] = active[i + 1], sign[i + 1], weight[i + 1]
        for k in range(n):
            inverse[i, k] = inverse[i + 1, k]
    for k in range(place, n - 1):
        for i in range(n - 1):
            inverse[i, k] = inverse[i, k + 1]
