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


@compiled(fastmath=_SUMS)
def _signs_if_clear(r, w, base, sign, bound):
    """The sum of ``sign`` over the rows where ``base + w r`` is positive, and how many rows lie within ``bound``."""
    total, near = 0.0, 0.0
    for i in range(len(r)):
        value = base[i] + w * r[i]
        total += sign[i] if value > 0.0 else 0.0
        near += 0.0 if abs(value) > bound else 1.0
    return total, near


@compiled
def nudged_hits(R, first, w, second, weight2, size, base, sign, spans):
    """``flip_hits`` with one weight w, reading the second residual only where it can turn a sign.

    ``size`` is the largest magnitude in each block of the last rows of R, those that ``second`` names.
    """
    out, skipped = np.empty((len(first), len(spans) - 1)), len(R) - len(size)
    for c in range(len(first)):
        for b in range(len(spans) - 1):
            start, stop = spans[b], spans[b + 1]
            r, here, v = R[first[c], start:stop], base[start:stop], weight2[c, b]
            out[c, b], near = _signs_if_clear(r, w, here, sign[start:stop], abs(v) * size[second[c, b] - skipped, b])
            if near > 0.0:
                out[c, b] = _signs_above(r, w, R[second[c, b], start:stop], v, here, sign[start:stop])
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


@compiled(fastmath=_SUMS)
def _settle_signs(r, u, part, w, base, sign):
    """Add ``u * part`` to r; the sum of ``sign`` over the rows where ``base + w r`` is then positive."""
    total = 0.0
    for i in range(len(r)):
        value = r[i] + u * part[i]
        r[i] = value
        total += sign[i] if base[i] + w * value > 0.0 else 0.0
    return total


@compiled
def settle_hits(R, share, row, first, others, weight, base, sign, spans):
    """``add_outer`` and then ``flip_hits`` of one residual each, in one pass over the rows ``first`` of R.

    The rows ``others`` are brought up to date alone.
    """
    for k in others:
        add_outer(R[k : k + 1], share[:, k : k + 1], row, spans)
    out = np.empty((len(first), len(spans) - 1))
    for c in range(len(first)):
        for b in range(len(spans) - 1):
            start, stop = spans[b], spans[b + 1]
            u, r = share[b, first[c]], R[first[c], start:stop]
            out[c, b] = _settle_signs(r, u, row[start:stop], weight[c, b], base[start:stop], sign[start:stop])
    return out
