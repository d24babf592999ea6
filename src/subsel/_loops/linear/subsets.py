"""Inner loops for subsets without a common base: solve their systems, predict from the solutions.

The named tuples are those of :mod:`subsel.criteria.linear.many_subsets`. B is the number of blocks,
C of subsets, S of the columns of all subsets together, T of targets and M of held-out rows.
"""

import numpy as np

from subsel._loops.compiler import compiled, inner
from subsel._loops.lanes import N, fused, load, splat, store

_SUMS = {"reassoc", "nsz", "contract"}
NEAR = 256  # rows at a time: all columns of so many stay in the cache for all subsets


@inner(error_model="numpy")
def _eliminate(A, s, width, pivots):
    """Replace A by its Cholesky factor, its further columns by forward substitution; in place.

    Parameters
    ----------
    A : ndarray of shape (rows, columns)
        The upper triangle of a symmetric matrix in the first s columns, and right-hand sides up to
        column `width`. Four rows and whole vector lanes are updated at a time, so that A needs room
        beyond both.
    s : int
        Size of the system.
    width : int
        Size of the system and number of right-hand sides together.
    pivots : ndarray of shape (s,)
        What each pivot must exceed.

    Returns
    -------
    bool
        False at the first pivot that is too small.
    """
    # A = U'U with U upper triangular, right-looking in panels of four rows (Golub and Van Loan,
    # *Matrix Computations*, 4th edition, 2013, section 4.2, block Cholesky). The same row
    # operations turn a right-hand side c into the solution of U'z = c. Here pivots are the diagonal
    # entries before their square root.
    n = A.shape[1]
    for top in range(0, s, 4):
        end = min(top + 4, s)
        for j in range(top, end):
            for k in range(top, j):
                factor = splat(-A[k, j])
                for m in range(j - j % N, width, N):
                    store(A, j * n + m, fused(factor, load(A, k * n + m), load(A, j * n + m)))
            if not A[j, j] > pivots[j]:
                return False
            root = splat(1.0 / np.sqrt(A[j, j]))
            for m in range(j - j % N, width, N):
                store(A, j * n + m, root * load(A, j * n + m))
        for i in range(end, s, 4):
            _subtract_four_rows(A, top, i, width)
    return True


@inner(error_model="numpy")
def _subtract_four_rows(A, top, i, width):
    """Subtract what rows top to top + 3 of a factor contribute to four rows of A, from i on."""
    n = A.shape[1]
    a0, b0, c0, d0 = (
        splat(-A[top, i]),
        splat(-A[top + 1, i]),
        splat(-A[top + 2, i]),
        splat(-A[top + 3, i]),
    )
    a1, b1 = splat(-A[top, i + 1]), splat(-A[top + 1, i + 1])
    c1, d1 = splat(-A[top + 2, i + 1]), splat(-A[top + 3, i + 1])
    a2, b2 = splat(-A[top, i + 2]), splat(-A[top + 1, i + 2])
    c2, d2 = splat(-A[top + 2, i + 2]), splat(-A[top + 3, i + 2])
    a3, b3 = splat(-A[top, i + 3]), splat(-A[top + 1, i + 3])
    c3, d3 = splat(-A[top + 2, i + 3]), splat(-A[top + 3, i + 3])
    for m in range(i - i % N, width, N):
        at, to = top * n + m, i * n + m
        p, q, r, t = load(A, at), load(A, at + n), load(A, at + 2 * n), load(A, at + 3 * n)
        store(A, to, fused(a0, p, fused(b0, q, fused(c0, r, fused(d0, t, load(A, to))))))
        store(A, to + n, fused(a1, p, fused(b1, q, fused(c1, r, fused(d1, t, load(A, to + n))))))
        store(
            A,
            to + 2 * n,
            fused(a2, p, fused(b2, q, fused(c2, r, fused(d2, t, load(A, to + 2 * n))))),
        )
        store(
            A,
            to + 3 * n,
            fused(a3, p, fused(b3, q, fused(c3, r, fused(d3, t, load(A, to + 3 * n))))),
        )


@compiled(_nrt=False, fastmath=_SUMS, error_model="numpy")
def solve(systems, subsets, half, A, solved):
    """Solve the system of each block for each subset; fills `solved`.

    Parameters
    ----------
    systems : Systems
        The moments of all columns in each block.
    subsets : Subsets
        The columns of each subset.
    half : float
        0, or 1/2 for discriminants: the share of weights times targets that is subtracted from
        constants.
    A : ndarray of shape (rows, columns)
        Room for one factor and its right-hand sides, overwritten.
    solved : Solved
        Overwritten. Where a pivot is too small ``sound`` becomes False and the rest is undefined.
    """
    # Back substitution in U x = z, with z from `_eliminate`. The weights are returned to the units
    # of the table, (x - origin) / scale being what the systems hold, so that the constants take up
    # -weights * origin.
    moments, targets, least_pivot, scale, origin = systems
    weights, constants, sound = solved
    n_targets, starts = targets.shape[2], subsets.starts
    for b in range(len(moments)):
        for c in range(len(starts) - 1):
            columns = subsets.columns[starts[c] : starts[c + 1]]
            s, x = len(columns), weights[b, :, starts[c] : starts[c + 1]]
            for j in range(s):
                x[0, j] = least_pivot[b, columns[j]]
                for k in range(j, s):
                    A[j, k] = moments[b, columns[j], columns[k]]
                for t in range(n_targets):
                    A[j, s + t] = targets[b, columns[j], t]
            if not _eliminate(A, s, s + n_targets, x[0]):
                sound[c] = False
                continue
            for t in range(n_targets):
                constant = 0.0
                for j in range(s - 1, -1, -1):
                    total, k = 0.0, columns[j]
                    for m in range(j + 1, s):
                        total += A[j, m] * x[t, m]
                    x[t, j] = (A[j, s + t] - total) / A[j, j]
                for j in range(s):
                    k = columns[j]
                    constant -= half * x[t, j] * targets[b, k, t]
                    x[t, j] /= scale[b, k]
                    constant -= x[t, j] * origin[b, k]
                constants[b, c, t] = constant


@inner
def _predict(part, first, base, held, columns, line):
    """Fill `part` with ``base + constant + columns times weights``, from row `first` on.

    Parameters
    ----------
    part : ndarray of shape (m,)
        Overwritten.
    first : int
        The held-out row that belongs to ``part[0]``.
    base : ndarray of shape (M,)
        The outputs of the empty model.
    held : ndarray of shape (p, M)
        The columns of held-out rows.
    columns : ndarray of shape (s,)
        Those of the subset.
    line : tuple
        The weights (s,) and the constant.
    """
    n, whole, (w, constant) = held.shape[1], len(part) - len(part) % (4 * N), line
    more = splat(constant)
    for i in range(0, whole, 4 * N):
        b = first + i
        u0, u1 = load(base, b) + more, load(base, b + N) + more
        u2, u3 = load(base, b + 2 * N) + more, load(base, b + 3 * N) + more
        for j in range(len(columns)):
            v, at = splat(w[j]), columns[j] * n + b
            u0, u1 = fused(v, load(held, at), u0), fused(v, load(held, at + N), u1)
            u2, u3 = fused(v, load(held, at + 2 * N), u2), fused(v, load(held, at + 3 * N), u3)
        store(part, i, u0)
        store(part, i + N, u1)
        store(part, i + 2 * N, u2)
        store(part, i + 3 * N, u3)
    lanes = len(part) - len(part) % N
    for i in range(whole, lanes, N):
        u = load(base, first + i) + more
        for j in range(len(columns)):
            u = fused(splat(w[j]), load(held, columns[j] * n + first + i), u)
        store(part, i, u)
    for i in range(lanes, len(part)):
        total = base[first + i] + constant
        for j in range(len(columns)):
            total += w[j] * held[columns[j], first + i]
        part[i] = total


@compiled(_nrt=False)
def subset_outputs(held, subsets, solved, out):
    """Fill `out` with the outputs of the subsets whose systems are solved.

    Parameters
    ----------
    held : HeldColumns
        The held-out rows.
    subsets : Subsets
        The columns of each subset.
    solved : Solved
        The models.
    out : ndarray of shape (C, T, M)
        Overwritten, except where a subset is not sound.
    """
    columns, start, spans, starts = held.columns, held.start, held.spans, subsets.starts
    for b in range(len(spans) - 1):
        for first in range(spans[b], spans[b + 1], NEAR):
            last = min(first + NEAR, spans[b + 1])
            for c in range(len(starts) - 1):
                if solved.sound[c]:
                    here = subsets.columns[starts[c] : starts[c + 1]]
                    for t in range(len(start)):
                        w = solved.weights[b, t, starts[c] : starts[c + 1]]
                        line = w, solved.constants[b, c, t]
                        _predict(out[c, t, first:last], first, start[t], columns, here, line)


@compiled(_nrt=False)
def subset_hits(held, codes, subsets, solved, room, hits):
    """Add to `hits` the number of rows whose class is that of the output, block by block.

    That is class 1 for a positive single output, or the class of the first largest of several.

    Parameters
    ----------
    held : HeldColumns
        The held-out rows.
    codes : ndarray of shape (M,)
        Their classes, as floats.
    subsets : Subsets
        The columns of each subset.
    solved : Solved
        The models.
    room : ndarray of shape (T, NEAR)
        Room for outputs, overwritten.
    hits : ndarray of shape (C, B)
        Added to; a subset that is not sound adds nothing.
    """
    columns, start, spans, starts = held.columns, held.start, held.spans, subsets.starts
    for b in range(len(spans) - 1):
        for first in range(spans[b], spans[b + 1], NEAR):
            n = min(NEAR, spans[b + 1] - first)
            for c in range(len(starts) - 1):
                if solved.sound[c]:
                    here = subsets.columns[starts[c] : starts[c + 1]]
                    for t in range(len(start)):
                        w = solved.weights[b, t, starts[c] : starts[c + 1]]
                        line = w, solved.constants[b, c, t]
                        _predict(room[t, :n], first, start[t], columns, here, line)
                    hits[c, b] += _right(room[:, :n], codes[first : first + n])


@inner(fastmath={"reassoc", "nsz"})
def _right(outputs, codes):
    """Count the rows whose class, of `codes` (m,), is that of their `outputs` (T, m)."""
    total = 0.0
    if len(outputs) == 1:
        for i in range(len(codes)):
            total += 1.0 if (outputs[0, i] > 0.0) == (codes[i] == 1.0) else 0.0
        return total
    for i in range(len(codes)):
        best = 0
        for k in range(1, len(outputs)):
            best = k if outputs[k, i] > outputs[best, i] else best
        total += 1.0 if best == codes[i] else 0.0
    return total
