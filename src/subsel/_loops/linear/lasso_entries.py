"""The first columns that enter a lasso as its penalty falls, by the homotopy method.

Inner products of columns are computed only for columns that have entered.
"""

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["lasso_entries"]

CLOSING = 1e-9  # a gradient that approaches the penalty more slowly only seems to: rounding
DEPENDENT = 1e-10  # a column of whose square the active ones leave no larger share depends on them


@compiled
def lasso_entries(Z, y, lowest, entered, penalties):
    """Fill `entered` with columns in the order in which they enter, and `penalties` with theirs.

    The path ends where `entered` is full or the penalty has fallen to the share `lowest` of the
    first one. A column that depends linearly on the active ones is passed over.

    Parameters
    ----------
    Z : ndarray of shape (p, n)
        One centred column of the data in each row.
    y : ndarray of shape (n,)
        The centred target.
    lowest : float
        The share of the first penalty at which the path ends.
    entered : ndarray of shape (most,)
        Overwritten with column numbers.
    penalties : ndarray of shape (most,)
        Overwritten with the penalties at which they enter.

    Returns
    -------
    int
        How many columns have entered.
    """
    # Between two events the gradient of every active column equals the penalty times its sign, so
    # that the weights move along G^-1 sign, with G the products of the active columns (M. R.
    # Osborne, B. Presnell and B. A. Turlach, "A new approach to variable selection in least squares
    # problems", IMA Journal of Numerical Analysis 20, 2000; B. Efron et al., "Least angle
    # regression", The Annals of Statistics 32, 2004, section 3.1). G^-1 is updated by its Schur
    # complement as columns enter and leave. `barred` is a column that has just left: its gradient
    # still equals the penalty, on the side it left.
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
    """Return the first column whose gradient (p,) reaches the penalty, to rounding; -1 for none."""
    for j in range(len(gradient)):
        if abs(gradient[j]) >= penalty * (1 - 1e-10) and penalty > 0:
            return j
    return -1


@compiled
def _rates(products, slot, active, move, rate):
    """Fill `rate` (p,) with how fast each gradient falls per unit of the penalty.

    `products` (room, p) holds the computed products, ``slot[j]`` the row of column j, `active` the
    active columns, of which `move` (n_active,) has the rates of change of the weights.
    """
    rate[:] = 0.0
    for k in range(len(move)):
        row = products[slot[active[k]]]
        for j in range(len(rate)):
            rate[j] += move[k] * row[j]


@compiled
def _next_zero(weight, move, sign, most):
    """Return how far the penalty may fall until a weight is zero, and the place of that weight.

    Gives `most` and -1 where none becomes zero before. `weight`, `move` and `sign` are of the
    active columns.
    """
    length, leaving = most, -1
    for k in range(len(move)):
        if move[k] * sign[k] < 0 and -weight[k] / move[k] < length:
            length, leaving = -weight[k] / move[k], k
    return length, leaving


@compiled
def _next_column(gradient, rate, penalty, closed, barred, most):
    """Return how far the penalty may fall until a gradient meets it, and the column of that one.

    Gives `most` and -1 where none meets it before. `gradient`, `rate` and `closed`, which marks
    columns that are active or passed over, are of shape (p,).
    """
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
    """Return the leading (n, n) part of `inverse` times the vector (n,)."""
    result = np.zeros(n)
    for i in range(n):
        for k in range(n):
            result[i] += inverse[i, k] * vector[k]
    return result


@compiled
def _border(inverse, products, slot, active, n, fresh):
    """Extend `inverse` in place by column `fresh`; False where it depends on the active columns.

    The leading (n, n) part of `inverse` is that of the products of the first n columns of `active`.
    """
    # The inverse of a partitioned matrix, with `left` the Schur complement of the new column (R. A.
    # Horn and C. R. Johnson, *Matrix Analysis*, 2nd edition, 2013, section 0.7.3).
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
    """Remove the column at `place` from `inverse`, `active`, `sign` and `weight`, all in place."""
    # With P the inverse, that of the other columns is P_kl - P_ki P_il / P_ii: the reverse of
    # `_border`.
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
