"""Inner loops that score flips from residuals without storing outputs.

``held`` is a :class:`subsel.criteria.linear.linear_evaluator.HeldRows` and ``moves`` a
:class:`subsel.criteria.linear.linear_evaluator.Moves`. R, of shape (p, M), holds the residuals of
all columns. B is the number of blocks, C of candidates and M of held-out rows.
"""

import numpy as np

from subsel._loops.compiler import compiled, inner
from subsel._loops.lanes import N, choose, lesser, load, magnitude, select, splat, total

# Sums may be regrouped, but products and sums must not be fused: an output that is rounded
# otherwise than in numpy could have another sign, and its row another label.
_SUMS = {"reassoc", "nsz"}


@inner(fastmath=_SUMS)
def _signs_above(r, w, q, v, base, sign):
    """Sum `sign` over the rows where ``base + w r + v q`` is positive; all arrays of shape (m,)."""
    total = 0.0
    if v == 0.0:
        for i in range(len(r)):
            total += sign[i] if base[i] + w * r[i] > 0.0 else 0.0
    else:
        for i in range(len(r)):
            total += sign[i] if base[i] + w * r[i] + v * q[i] > 0.0 else 0.0
    return total


@inner(fastmath=_SUMS)
def _squares(r, w, q, v, base, y):
    """Return the sum of the squares of ``base + w r + v q - y``; all arrays of shape (m,)."""
    total = 0.0
    if v == 0.0:
        for i in range(len(r)):
            e = base[i] + w * r[i] - y[i]
            total += e * e
    else:
        for i in range(len(r)):
            e = base[i] + w * r[i] + v * q[i] - y[i]
            total += e * e
    return total


@inner
def _four_signs_above(R, rows, block, w, held, bound):
    """Sum the signs over the rows of a block with a positive output, for four candidates.

    Parameters
    ----------
    R : ndarray of shape (p, M)
        The residuals.
    rows : tuple of int
        The row of R of each candidate.
    block : int
        The block.
    w : tuple of float
        What the residuals of each candidate are multiplied by.
    held : HeldRows
        The outputs before the flips, the signs and the bounds of blocks.
    bound : float
        How much a term that is left out may change an output.

    Returns
    -------
    tuple of float
        Four sums of signs, and the number of vector lanes and rows with an output within the bound:
        where it is 0, the term that is left out changes no sign.
    """
    base, sign, spans = held
    start, stop, n, (k, l, m, o), none = (
        spans[block],
        spans[block + 1],
        R.shape[1],
        rows,
        splat(0.0),
    )
    whole = start + (stop - start) // N * N
    w0, w1, w2, w3 = splat(w[0]), splat(w[1]), splat(w[2]), splat(w[3])
    a, b, c, d, least = none, none, none, none, splat(np.inf)
    for i in range(start, whole, N):
        f, g = load(base, i), load(sign, i)
        value = f + w0 * load(R, k * n + i)
        a, least = a + choose(value, none, g, none), lesser(magnitude(value), least)
        value = f + w1 * load(R, l * n + i)
        b, least = b + choose(value, none, g, none), lesser(magnitude(value), least)
        value = f + w2 * load(R, m * n + i)
        c, least = c + choose(value, none, g, none), lesser(magnitude(value), least)
        value = f + w3 * load(R, o * n + i)
        d, least = d + choose(value, none, g, none), lesser(magnitude(value), least)
    p, q, r, s = total(a), total(b), total(c), total(d)
    near = total(select(least, splat(bound), splat(1.0)))
    for i in range(whole, stop):
        f, g = base[i], sign[i]
        t, u, v, x = f + w[0] * R[k, i], f + w[1] * R[l, i], f + w[2] * R[m, i], f + w[3] * R[o, i]
        p, q = p + (g if t > 0.0 else 0.0), q + (g if u > 0.0 else 0.0)
        r, s = r + (g if v > 0.0 else 0.0), s + (g if x > 0.0 else 0.0)
        near += 1.0 if min(abs(t), abs(u), abs(v), abs(x)) <= bound else 0.0
    return p, q, r, s, near


@compiled(error_model="numpy")
def score_hits(R, first, direction, tables, held):
    """Sum signs as in `flip_hits`, for flips that move outputs along one residual each.

    Four candidates are scored at a time, so that the outputs and signs stay in registers.

    Parameters
    ----------
    R : ndarray of shape (p, M)
        The residuals.
    first : ndarray of shape (C,)
        The column of each candidate.
    direction : float
        1 where columns enter, -1 where they leave.
    tables : Tables
        Of the sweep; a flip of column k moves outputs by ``direction * target[b, k] / pivot[b, k]``
        times residual k.
    held : HeldRows
        The outputs before the flips, the signs and the bounds of blocks.

    Returns
    -------
    ndarray of shape (B, C)
        The sums of signs.
    """
    n, spans, pivot, target = len(first), held.spans, tables.pivot, tables.target
    out = np.empty((len(spans) - 1, n))
    for c in range(0, n, 4):
        # beyond the last candidate, the last is scored again
        d, e, f = min(c + 1, n - 1), min(c + 2, n - 1), min(c + 3, n - 1)
        j, k, l, m = first[c], first[d], first[e], first[f]
        for b in range(len(spans) - 1):
            p, q = pivot[b], target[b]
            w = (
                direction * q[j, 0] / p[j],
                direction * q[k, 0] / p[k],
                direction * q[l, 0] / p[l],
                direction * q[m, 0] / p[m],
            )
            hits = _four_signs_above(R, (j, k, l, m), b, w, held, 0.0)
            out[b, c], out[b, d], out[b, e], out[b, f], _ = hits
    return out


@compiled
def flip_hits(R, moves, held):
    """Sum, per block and candidate, the signs of the rows whose output is positive after a flip.

    Signs are 1 for rows of class 1 and -1 for others. `moves` holds the flips, `held` the outputs
    (M,) before them.

    Returns
    -------
    ndarray of shape (B, C)
        The sums of signs.
    """
    first, weight, second, weight2 = moves
    base, truth, spans = held
    out = np.empty(weight.shape)
    for c in range(len(first)):
        for b in range(len(spans) - 1):
            rows = slice(spans[b], spans[b + 1])
            r, q = R[first[c], rows], R[second[c], rows]
            out[b, c] = _signs_above(r, weight[b, c], q, weight2[b, c], base[rows], truth[rows])
    return out


@compiled
def flip_squares(R, moves, held):
    """Return, per candidate and block, the sum of squared errors after a flip.

    `moves` holds the flips, `held` the outputs (M,) before them and the true values.

    Returns
    -------
    ndarray of shape (C, B)
        The sums of squares.
    """
    first, weight, second, weight2 = moves
    base, truth, spans = held
    out = np.empty((len(first), len(spans) - 1))
    for c in range(len(first)):
        for b in range(len(spans) - 1):
            rows = slice(spans[b], spans[b + 1])
            r, q = R[first[c], rows], R[second[c], rows]
            out[c, b] = _squares(r, weight[b, c], q, weight2[b, c], base[rows], truth[rows])
    return out


@compiled
def nudged_hits(R, sign, nudges, held):
    """Sum signs as in `flip_hits`, where the second residual of a flip rarely matters.

    Parameters
    ----------
    R : ndarray of shape (rows, M)
        The residuals and, in the last rows, the second residuals.
    sign : float
        1 where columns enter, -1 where they leave: what the first residuals are multiplied by.
    nudges : Nudges
        The flips, and the largest magnitude of each second residual.
    held : HeldRows
        The outputs before the flips, the signs and the bounds of folds.

    Returns
    -------
    ndarray of shape (C, F)
        The sums of signs.
    """
    # |v q_i| <= |v| max_i |q_i|: the second residual q is read only where an output, moved along
    # the first residual alone, is within this bound of zero; elsewhere it cannot change a sign.
    first, second, weight2, size = nudges
    base, truth, spans = held
    n, skipped, w = len(first), len(R) - len(size), (sign, sign, sign, sign)
    out = np.empty((n, len(spans) - 1))
    for c in range(0, n, 4):
        # beyond the last candidate, the last is scored again
        d, e, f = min(c + 1, n - 1), min(c + 2, n - 1), min(c + 3, n - 1)
        four, rows = (c, d, e, f), (first[c], first[d], first[e], first[f])
        for b in range(len(spans) - 1):
            start, stop, bound = spans[b], spans[b + 1], 0.0
            for j in four:
                bound = max(bound, abs(weight2[j, b]) * size[second[j, b] - skipped, b])
            hits = _four_signs_above(R, rows, b, w, held, bound)
            out[c, b], out[d, b], out[e, b], out[f, b], near = hits
            if near > 0.0:
                for j in four:
                    r, q = R[first[j], start:stop], R[second[j, b], start:stop]
                    here = base[start:stop], truth[start:stop]
                    out[j, b] = _signs_above(r, sign, q, weight2[j, b], *here)
    return out
