"""The nearest rows of many candidates that take out a column each, from the rows that any of them can bring near.

Taking a column out brings no row farther away, and none nearer by more than the column's widest term: of all rows only
those count whose distance exceeds the k-th by no more than that. They are looked at roughly, as in
:mod:`subsel._loops.rough`, for candidates side by side.
"""

from typing import NamedTuple

import numpy as np

from subsel._loops import compiled
from subsel._loops.lanes import fused, lesser, load, lowest, magnitude, splat, store, under
from subsel._loops.nearest_neighbours import FAR, rounding, sink
from subsel._loops.rough import (
    LEAST,
    bits_of_four,
    group_minima,
    lanes,
    note,
    roughen,
    shifted,
    widest,
    widest_shift,
)
from subsel._loops.votes import TIE, decide, insert, term

__all__ = ["scan_removed"]


class Listed(NamedTuple):
    """Rows that may come near: their numbers and rough distances, and which of them were seen to count."""

    rows: np.ndarray
    base: np.ndarray
    seen: np.ndarray


class Beside(NamedTuple):
    """Of candidates side by side: rough weights, slack and tops, smallest distances; widest terms, margins, limits."""

    weight: np.ndarray
    slack: np.ndarray
    tops: np.ndarray
    best: np.ndarray
    outer: np.ndarray
    margins: np.ndarray
    limits: np.ndarray


class Near(NamedTuple):
    """The rows that count of candidates side by side, their distances, how many, and room for the smallest of one."""

    kept: np.ndarray
    short: np.ndarray
    number: np.ndarray
    smallest: np.ndarray


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


@compiled(forceinline=True)
def widths(q, row, g, some, bound, flipped, absolute, beside):
    """Find what each candidate takes out at most, roughly and exactly; gives the widest in rough units."""
    wide, unit, grain, columns, scale, spans = (
        0.0,
        flipped.unit,
        flipped.grain,
        flipped.columns,
        flipped.scale,
        flipped.spans,
    )
    weight, slack, outer = beside.weight, beside.slack, beside.outer
    weight[:] = 0.0
    for c in range(some):
        outer[c] = widest(columns[g + c, row], scale[q, g + c], spans[g + c], absolute)
        wide = max(wide, outer[c] * unit)
        weight[c] = -unit * term(scale[q, g + c] * (spans[g + c, 1] - spans[g + c, 0]), absolute)
        slack[c] = 2 * grain * (abs(bound) + 2 * abs(weight[c]) + LEAST)
    return wide


@compiled(forceinline=True)
def limit(some, lost, n_summed, flipped, beside):
    """Bound the k-th distance of each candidate by the rough ones, errors allowed for."""
    k, unit, grain = beside.best.shape[0], flipped.unit, flipped.grain
    weight, tops, best, outer, margins, limits = (
        beside.weight,
        beside.tops,
        beside.best,
        beside.outer,
        beside.margins,
        beside.limits,
    )
    tops[:] = -np.inf
    for c in range(some):
        top = float(best[k - 1, c])
        error = grain * (abs(top) + 2 * abs(weight[c]) + LEAST)
        top = (top + error) / unit
        margins[c] = rounding(n_summed) * (lost + outer[c] + abs(top))
        limits[c] = min(top + 4 * TIE * abs(top) + 2 * margins[c], FAR / 2)  # never a row that must not answer
        tops[c] = limits[c] * unit * (1 + grain) + 2 * error


@compiled(forceinline=True)
def keep(q, row, g, m, state, shift, flipped, absolute, listed, beside, near):
    """Keep the rows seen that lie within the limit of a candidate, with their distances."""
    block, columns, scale, limits = flipped.rough, flipped.columns, flipped.scale, beside.limits
    rows, base, seen, kept, short, number = listed.rows, listed.base, listed.seen, near.kept, near.short, near.number
    n, width, A, A_scale, signs = columns.shape[1], block.shape[1], shift.columns, shift.scale, shift.signs
    x, v, at_most = load(block, width * row + g), load(beside.weight, 0), load(beside.tops, 0)
    number[:] = 0
    for i in range(m):
        r = rows[seen[i]]
        bits = under(less(base[seen[i]], x, v, load(block, width * r + g), absolute), at_most)
        while bits:
            c = lowest(bits)
            bits &= bits - 1
            d = shifted(q, row, r, state[q * n + r], A, A_scale, signs, absolute)
            d -= term(scale[q, g + c] * (columns[g + c, row] - columns[g + c, r]), absolute)
            kept[c, number[c]], short[c, number[c]] = r, d
            number[c] += d <= limits[c]


@compiled
def scan_removed(state, rows, shift, flipped, summed, voting, found):
    """Votes of the k nearest rows with each of the flipped columns taken out.

    As :func:`subsel._loops.whole_scan.scan_whole`, but the rough columns stand side by side, one row per row, filled up
    to a multiple of the lanes. Returns how many queries were tied.
    """
    block, k, absolute = flipped.rough, voting.k, voting.absolute
    (n_candidates, n), ties, w, dtype = flipped.columns.shape, 0, lanes(block), block.dtype
    rough, low = np.empty(n, dtype), np.empty(n // 4, dtype)
    group, least = np.empty(w * min(n // (4 * w), 1 + k // 4), dtype), np.empty(k, dtype)
    listed = Listed(np.empty(n + 3, np.int32), np.empty(n + 3, dtype), np.empty(n, np.int32))
    beside = Beside(
        np.zeros(w, dtype), np.zeros(w, dtype), np.empty(w, dtype), np.empty((k, w), dtype), np.empty(w), np.empty(w),
        np.empty(w),
    )  # fmt: skip
    near = Near(np.empty((w, n), np.int32), np.empty((w, n)), np.empty(w, np.int64), np.empty(k))
    for q in range(len(rows)):
        row, lost = rows[q], widest_shift(q, rows[q], shift, absolute)
        roughen(q, row, state, n, shift, flipped.unit, absolute, rough, 0)
        bound = bound_now(rough, low, group, least)
        for g in range(0, n_candidates, w):
            some, n_summed = min(w, n_candidates - g), summed.columns.shape[1]
            wide = widths(q, row, g, some, bound, flipped, absolute, beside)
            wide += flipped.grain * (abs(bound) + 8 * wide + LEAST) + rounding(n_summed) * (1 + lost * flipped.unit)
            n_listed = list_rows(rough, low, bound, dtype.type(wide), listed.rows, listed.base)
            x, v = load(block, block.shape[1] * row + g), load(beside.weight, 0)
            m = take_in(
                n_listed, listed.rows, listed.base, block, g, x, v, load(beside.slack, 0), beside.best, listed.seen,
                absolute,
            )  # fmt: skip
            limit(some, lost, n_summed, flipped, beside)
            keep(q, row, g, m, state, shift, flipped, absolute, listed, beside, near)
            for c in range(some):
                margin = 2 * beside.margins[c] + 4 * TIE * abs(beside.limits[c])
                found.kth[q, g + c], tied = decide(
                    q, row, near.kept[c], near.short[c], near.number[c], margin, True, summed, flipped.skip[g + c],
                    near.smallest, voting, found.votes[q], g + c,
                )  # fmt: skip
                ties += tied
    return ties
