"""A first, rough look at distances, in single precision and in units of the largest that there can be.

Where single precision would leave too many rows, because a column has values far out, rough distances are doubles too.
"""

from subsel._loops import inner
from subsel._loops.lanes import (
    FLOATS,
    N,
    lanes,
    lesser,
    load,
    lowest,
    magnitude,
    splat,
    store,
    under,
)
from subsel._loops.votes import term

__all__ = [
    "CHUNK",
    "GRAIN",
    "LEAST",
    "bits_of_four",
    "group_minima",
    "note",
    "roughen",
    "shifted",
    "widest",
    "widest_shift",
]

CHUNK = 4 * FLOATS  # rows looked at together; tables are filled up to a multiple of it
GRAIN = 2.0**-22  # four times what single precision keeps
LEAST, MOST = 1e-37, 3e38  # beyond these it keeps less


@inner(forceinline=True)
def term_of(e, sign, absolute):
    """What a column adds to distances, or takes from them."""
    return sign * magnitude(e) if absolute else (sign * e) * e


@inner
def roughen(q, row, state, n, shift, unit, absolute, near, at):
    """The distances of a query with the columns of a shift added or taken out, in another unit and perhaps precision.

    Those of rows that must not answer stay large in it.
    """
    columns, scale, signs, start = shift.columns, shift.scale, shift.signs, q * n
    units, most = splat(unit), splat(MOST)
    for i in range(0, n, 4 * N):
        d0, d1 = load(state, start + i), load(state, start + i + N)
        d2, d3 = load(state, start + i + 2 * N), load(state, start + i + 3 * N)
        for j in range(columns.shape[0]):
            x, v, sign, of = splat(columns[j, row]), splat(scale[q, j]), splat(signs[j]), n * j + i
            d0 = d0 + term_of(v * (x - load(columns, of)), sign, absolute)
            d1 = d1 + term_of(v * (x - load(columns, of + N)), sign, absolute)
            d2 = d2 + term_of(v * (x - load(columns, of + 2 * N)), sign, absolute)
            d3 = d3 + term_of(v * (x - load(columns, of + 3 * N)), sign, absolute)
        store(near, at + i, lesser(units * d0, most))
        store(near, at + i + N, lesser(units * d1, most))
        store(near, at + i + 2 * N, lesser(units * d2, most))
        store(near, at + i + 3 * N, lesser(units * d3, most))


@inner
def group_minima(low, group):
    """The smallest of the minima in each of a few large groups of rows."""
    w = lanes(low)
    for g in range(0, len(group), w):
        least = load(low, g)
        for i in range(g + len(group), len(low), len(group)):
            least = lesser(least, load(low, i))
        store(group, g, least)


@inner(forceinline=True)
def bits_of_four(d0, d1, d2, d3, tops, w):
    """One bit per row: whether its distance is at most the top."""
    return (
        under(d0, tops) | under(d1, tops) << w | under(d2, tops) << 2 * w | under(d3, tops) << 3 * w
    )


@inner(forceinline=True)
def note(bits, i, index, m):
    """Add the rows whose bits are set to the list; give its length."""
    while bits:
        index[m] = i + lowest(bits)
        bits &= bits - 1
        m += 1
    return m


@inner
def widest(x, w, span, absolute):
    """The largest term that a column of this span gives."""
    return term(w * max(x - span[0], span[1] - x), absolute)


@inner
def widest_shift(q, row, shift, absolute):
    """The largest terms that columns which are added or taken out give together."""
    total = 0.0
    for j in range(shift.columns.shape[0]):
        total += widest(shift.columns[j, row], shift.scale[q, j], shift.spans[j], absolute)
    return total


@inner(forceinline=True)
def shifted(q, row, r, distance, columns, scale, signs, absolute):
    """The distance of two rows with the columns of a shift added or taken out."""
    total = 0.0
    for j in range(columns.shape[0]):
        total += signs[j] * term(scale[q, j] * (columns[j, row] - columns[j, r]), absolute)
    return distance + total
