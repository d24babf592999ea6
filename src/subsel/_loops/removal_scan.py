"""The nearest rows of many candidates that take out a column each, from the rows that any of them can bring near.

Taking a column out brings no row farther away, and none nearer by more than the column's widest term: of all rows only
those count whose distance exceeds the k-th by no more than that. They are looked at roughly, as in
:mod:`subsel._loops.whole_scan`, for candidates side by side.
"""

import numpy as np

from subsel._loops import compiled
from subsel._loops.lanes import fused, lesser, load, lowest, magnitude, splat, store, under
from subsel._loops.nearest_neighbours import FAR, TIE, insert, rounding, sink, term
from subsel._loops.whole_scan import (
    LEAST,
    bits_of_four,
    decide,
    group_minima,
    lanes,
    note,
    roughen,
    shift,
    widest,
    widest_shift,
)

__all__ = ["scan_removed"]


@compiled
def first_rows(near, top, edge, low, index, m):
    """Add the rows whose distance lies above ``edge`` and at most at ``top`` to the list; give its length."""
    w, tops, edges = lanes(near), splat(top), splat(edge)
    for i in range(0, len(near), 4 * w):
        if under(load(low, i // 4), tops):
            d0, d1, d2, d3 = load(near, i), load(near, i + w), load(near, i + 2 * w), load(near, i + 3 * w)
            bits = bits_of_four(d0, d1, d2, d3, tops, w) & ~bits_of_four(d0, d1, d2, d3, edges, w)
            m = note(bits, i, index, m)
    return m


@compiled
def bound_now(near, low, group, least):
    """What bounds the k-th distance before any column is taken out."""
    w = lanes(near)
    for i in range(0, len(near), 4 * w):
        u, v = lesser(load(near, i), load(near, i + w)), lesser(load(near, i + 2 * w), load(near, i + 3 * w))
        store(low, i // 4, lesser(u, v))
    group_minima(low, group)
    least[:] = np.inf
    for i in range(len(group)):
        insert(group[i], least)
    return min(least[-1], near.dtype.type(2.0))  # never a row that must not answer


@compiled
def list_rows(near, low, bound, wide, index, base):
    """List the rows that count if distances shrink by up to ``wide``, the nearest first, and three infinitely far."""
    far = near.dtype.type(np.inf)
    m = first_rows(near, bound, -far, low, index, 0)
    m = first_rows(near, bound + wide, bound, low, index, m)
    for i in range(m):
        base[i] = near[index[i]]
    for i in range(m, m + 3):
        index[i], base[i] = 0, far
    return m


@compiled(forceinline=True)
def less(base, x, a, values, absolute):
    """The rough distances of a row for candidates side by side."""
    e = x - values
    return fused(a, magnitude(e), splat(base)) if absolute else fused(a * e, e, splat(base))


@compiled
def take_in(listed, index, base, block, g, x, a, slack, best, seen, absolute):
    """Put the rows of a list into the smallest distances of some candidates; note those that may count, give how many."""
    (k, w), width, m = best.shape, block.shape[1], 0
    best[:] = np.inf
    for i in range(0, listed, 4):
        d0 = less(base[i], x, a, load(block, width * index[i] + g), absolute)
        d1 = less(base[i + 1], x, a, load(block, width * index[i + 1] + g), absolute)
        d2 = less(base[i + 2], x, a, load(block, width * index[i + 2] + g), absolute)
        d3 = less(base[i + 3], x, a, load(block, width * index[i + 3] + g), absolute)
        if under(lesser(lesser(d0, d1), lesser(d2, d3)), load(best, w * (k - 1)) + slack):
            for j in range(i, min(i + 4, listed)):
                seen[m] = j
                m += 1
            sink(best, d0, d1, d2, d3)
    return m


@compiled
def scan_removed(
    state,
    rows,
    A,
    A_scale,
    A_spans,
    signs,
    X,
    block,
    grain,
    unit,
    scale,
    spans,
    S,
    S_scale,
    skip,
    k,
    codes,
    values,
    by_distance,
    absolute,
    votes,
    kth,
):
    """Votes of the k nearest rows with each of the columns X taken out.

    The arguments are those of :func:`subsel._loops.whole_scan.scan_whole`, but ``block`` has the candidates side by
    side, one row per row, filled up to a multiple of the lanes. Returns how many queries were tied.
    """
    n, ties, w = X.shape[1], 0, lanes(block)
    near, low = np.empty(n, block.dtype), np.empty(n // 4, block.dtype)
    group = np.empty(w * min(n // (4 * w), 1 + k // 4), block.dtype)
    least, best, smallest = np.empty(k, block.dtype), np.empty((k, w), block.dtype), np.empty(k)
    a, slack, tops = np.zeros(block.shape[1], block.dtype), np.zeros(w, block.dtype), np.empty(w, block.dtype)
    index, base, seen = np.empty(n + 3, np.int32), np.empty(n + 3, block.dtype), np.empty(n, np.int32)
    kept, short, found = np.empty((w, n), np.int32), np.empty((w, n)), np.empty(w, np.int64)
    limits, margins, outer = np.empty(w), np.empty(w), np.empty(w)
    for q in range(len(rows)):
        row, lost = rows[q], widest_shift(rows[q], A, A_scale[q], A_spans, absolute)
        roughen(row, state, q * n, n, A, A_scale[q], signs, unit, absolute, near, 0)
        bound = bound_now(near, low, group, least)
        for g in range(0, X.shape[0], w):
            some, wide = min(w, X.shape[0] - g), 0.0
            for c in range(some):
                outer[c] = widest(X[g + c, row], scale[q, g + c], spans[g + c], absolute)
                wide = max(wide, outer[c] * unit)
                a[g + c] = -unit * term(scale[q, g + c] * (spans[g + c, 1] - spans[g + c, 0]), absolute)
                slack[c] = 2 * grain * (abs(bound) + 2 * abs(a[g + c]) + LEAST)
            wide += grain * (abs(bound) + 8 * wide + LEAST) + rounding(S.shape[1]) * (1 + lost * unit)
            listed = list_rows(near, low, bound, block.dtype.type(wide), index, base)
            x, v = load(block, block.shape[1] * row + g), load(a, g)
            m = take_in(listed, index, base, block, g, x, v, load(slack, 0), best, seen, absolute)
            tops[:], found[:] = -np.inf, 0
            for c in range(some):
                top = float(best[k - 1, c])
                error = grain * (abs(top) + 2 * abs(a[g + c]) + LEAST)
                top = (top + error) / unit
                margins[c] = rounding(S.shape[1]) * (lost + outer[c] + abs(top))
                limits[c] = min(top + 4 * TIE * abs(top) + 2 * margins[c], FAR / 2)  # never a row that must not answer
                tops[c] = limits[c] * unit * (1 + grain) + 2 * error
            at_most = load(tops, 0)
            for i in range(m):
                r = index[seen[i]]
                bits = under(less(base[seen[i]], x, v, load(block, block.shape[1] * r + g), absolute), at_most)
                while bits:
                    c = lowest(bits)
                    bits &= bits - 1
                    d = state[q * n + r] + shift(row, r, A, A_scale[q], signs, absolute)
                    d -= term(scale[q, g + c] * (X[g + c, row] - X[g + c, r]), absolute)
                    kept[c, found[c]], short[c, found[c]] = r, d
                    found[c] += d <= limits[c]
            for c in range(some):
                kth[q, g + c], tied = decide(
                    row, kept[c], short[c], found[c], 2 * margins[c] + 4 * TIE * abs(limits[c]), True, S, S_scale[q],
                    skip[g + c], smallest, codes, values, by_distance, absolute, votes[q], g + c,
                )  # fmt: skip
                ties += tied
    return ties
