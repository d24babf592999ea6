"""Inner loops of the judges that sweep: moving residuals, and scoring flips without storing outputs."""

import numpy as np

from subsel._loops import compiled

_SUMS = {"reassoc", "nsz"}  # sums may be regrouped, not contracted: labels equal those of the plain path


@compiled
def add_outer(R, share, row, spans):
    """Add ``share[b, k] * row`` to row k of R over the span of each block."""
    for k in range(R.shape[0]):
        for b in range(len(spans) - 1):
            part = row[spans[b] : spans[b + 1]]
            u, r = share[b, k], R[k, spans[b] : spans[b + 1]]
            if u != 0.0:
                for i in range(len(part)):
                    r[i] += u * part[i]


@compiled(fastmath=_SUMS)
def _signs_above(r, w, q, v, base, sign):
    """The sum of ``sign`` over the rows where ``base + w r + v q`` is positive."""
    total = 0.0
    if v == 0.0:
        for i in range(len(r)):
            total += sign[i] if base[i] + w * r[i] > 0.0 else 0.0
    else:
        for i in range(len(r)):
            total += sign[i] if base[i] + w * r[i] + v * q[i] > 0.0 else 0.0
    return total


@compiled(fastmath=_SUMS)
def _squares(r, w, q, v, base, y):
    """The sum of the squares of ``base + w r + v q - y``."""
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


@compiled
def flip_hits(R, first, weight, second, weight2, base, sign, spans):
    """Per candidate and block, rows of class 1 less others among those whose moved output is positive.

    ``sign`` is +1 for rows of class 1, else -1; the output moves along one or two residuals (``second`` by block).
    """
    out = np.empty((len(first), len(spans) - 1))
    for c in range(len(first)):
        for b in range(len(spans) - 1):
            start, stop = spans[b], spans[b + 1]
            r, q = R[first[c], start:stop], R[second[c, b], start:stop]
            out[c, b] = _signs_above(r, weight[c, b], q, weight2[c, b], base[start:stop], sign[start:stop])
    return out


@compiled
def flip_squares(R, first, weight, second, weight2, base, y, spans):
    """Per candidate and block, the sum of squared errors of the output moved along one or two residuals."""
    out = np.empty((len(first), len(spans) - 1))
    for c in range(len(first)):
        for b in range(len(spans) - 1):
            start, stop = spans[b], spans[b + 1]
            r, q = R[first[c], start:stop], R[second[c, b], start:stop]
            out[c, b] = _squares(r, weight[c, b], q, weight2[c, b], base[start:stop], y[start:stop])
    return out


@compiled
def settle_hits(R, share, row, first, weight, base, sign, spans):
    """``add_outer`` and then ``flip_hits`` of one residual each, in one pass over the rows ``first`` of R."""
    out = np.empty((len(first), len(spans) - 1))
    for c in range(len(first)):
        for b in range(len(spans) - 1):
            start, stop = spans[b], spans[b + 1]
            part = row[start:stop]
            u, r = share[b, first[c]], R[first[c], start:stop]
            for i in range(len(part)):
                r[i] += u * part[i]
            out[c, b] = _signs_above(r, weight[c, b], r, 0.0, base[start:stop], sign[start:stop])
    return out
