"""Rank-one updates of a sweep when a column enters or leaves, entry by entry.

With few columns, the temporary arrays of numpy would cost more than the arithmetic.

``tables`` is always a :class:`subsel.criteria.linear.sweep.Tables`. B is the number of blocks, p of
columns, s of columns inside, T of targets and M of held-out rows.
"""

from subsel._loops.compiler import compiled


@compiled(_nrt=False, error_model="numpy")
def enter(tables, j, rows, inside):
    """Let column j enter; updates the arrays of `tables` and `rows` in place.

    Parameters
    ----------
    tables : Tables
        The state before the column enters. ``tables.sign`` is read only, and the caller changes it.
    j : int
        The column that enters.
    rows : ndarray of shape (B, p)
        Row j of the matrix of each block. Overwritten with the shares: residual k changes by
        ``rows[b, k]`` times the residual of column j.
    inside : ndarray of shape (s,)
        The columns inside, in the order of their rows in ``tables.coupling``, whose row s is free.
    """
    # One pivot of Gauss-Jordan elimination on [P, P A_S.] (J. H. Goodnight, "A tutorial on the
    # SWEEP operator", The American Statistician 33, 1979). Outside S the pivots are Schur
    # complements, which fall by (A_jk - A_jS P A_Sk)^2 / pivot_j; inside S the same update borders
    # the inverse P by a row and a column. It is exact while pivot_j is above `Blocks.least_pivot`,
    # which the caller checks.
    coupling, pivot, target, sign = tables
    s, p = len(inside), len(sign)
    for b in range(len(rows)):
        row, own, here, added = rows[b], pivot[b], pivot[b, j], coupling[b, s]
        for i in range(s):
            added[i] = row[inside[i]]  # the free row of the coupling serves as room for A_jS
        for i in range(s):
            product, couple = added[i], coupling[b, i]
            for k in range(p):
                row[k] -= product * couple[k]
        for i in range(s):
            row[inside[i]] = coupling[b, i, j]
        for k in range(p):
            row[k] /= -here
        row[j] = 0.0
        for k in range(p):
            added[k] = -row[k] * sign[k]
            own[k] += here * added[k] * row[k]
        for t in range(target.shape[2]):
            goal = target[b, j, t]
            for k in range(p):
                target[b, k, t] += goal * row[k]
            target[b, j, t] = goal / here
        own[j] = added[j] = 1.0 / here
        for i in range(s):
            couple, lost = coupling[b, i], coupling[b, i, j]
            for k in range(p):
                couple[k] -= lost * added[k]
            couple[j] = -lost / here


@compiled(_nrt=False, error_model="numpy")
def leave(tables, i, slot, inside, shares):
    """Let column i leave; updates the arrays of `tables` and fills `shares` in place.

    Parameters
    ----------
    tables : Tables
        The state before the column leaves. ``tables.sign`` is read only, and the caller changes it.
    i : int
        The column that leaves.
    slot : int
        Its row of ``tables.coupling``, which is given to the last of the columns that stay.
    inside : ndarray of shape (s,)
        The columns that stay, in the order of their rows in ``tables.coupling`` after that.
    shares : ndarray of shape (B, p)
        Overwritten with what residual k regains per unit of the residual of column i.
    """
    # The reverse sweep (Goodnight, 1979, as in `enter`): with P the inverse before the move, P_kl
    # falls by P_ki P_il / P_ii, which removes a row and a column from an inverse, and the Schur
    # complement of a column k outside regains (P A_S.)_ik^2 / P_ii.
    coupling, pivot, target, sign = tables
    s, p = len(inside), len(sign)
    for b in range(len(shares)):
        stays, row = coupling[b, slot], coupling[b, s]
        own, here, share = pivot[b], pivot[b, i], shares[b]
        for k in range(p):
            stays[k], row[k] = row[k], stays[k]
            share[k] = sign[k] * (row[k] / here)
        share[i] = 0.0
        for k in range(p):
            own[k] += here * sign[k] * share[k] * share[k]
        for t in range(target.shape[2]):
            goal = target[b, i, t]
            for k in range(p):
                target[b, k, t] += goal * share[k]
            target[b, i, t] = goal / here
        own[i] = 1.0 / here
        for m in range(s):
            couple, lost = coupling[b, m], -share[inside[m]]
            for k in range(p):
                couple[k] -= lost * row[k]
            couple[i] = -lost


@compiled(_nrt=False, error_model="numpy")
def add_outer(R, share, row, spans):
    """Add ``share[b, k] * row`` to row k of R over the rows of block b; updates R in place.

    Parameters
    ----------
    R : ndarray of shape (K, M)
        Residuals or outputs, overwritten.
    share : ndarray of shape (B, K)
        The factor of each row of R in each block.
    row : ndarray of shape (M,)
        The residual that is added.
    spans : ndarray of shape (B + 1,)
        The first position of each block among the held-out rows, and the end.
    """
    for k in range(R.shape[0]):
        for b in range(len(spans) - 1):
            part, r = row[spans[b] : spans[b + 1]], R[k, spans[b] : spans[b + 1]]
            u = share[b, k]
            if u != 0.0:
                for i in range(len(part)):
                    r[i] += u * part[i]
