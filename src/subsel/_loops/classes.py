"""Inner loop of evaluators with one output per class: count held-out rows whose largest output is the right one."""

import numpy as np

from subsel._loops import compiled, inner
from subsel._loops.lanes import N, choose, load, magnitude, select, splat, total


@inner
def _output(base, r, q, a, u, b, c, squared):
    """An output moved along two residuals, or along the square of one with a share of the other, and the other's square.

    Rounded as on the plain path.
    """
    if squared:
        e = r + u * q
        return base + a * e * e + b * q * q + c
    return base + a * r + b * q + c


@inner
def _right(R, r, q, stride, start, stop, a, u, b, c, base, codes, squared, tie):
    """Of the rows from start to stop, how many have their own class's output as the first largest.

    The residuals of class k are ``stride * k`` after places r and q of R, and a, u, b and c are its own.
    """
    n_classes, n = base.shape
    whole, hits, none, one, margin = (
        start + (stop - start) // N * N,
        splat(0.0),
        splat(0.0),
        splat(1.0),
        splat(tie),
    )
    for i in range(start, whole, N):
        best, label = splat(-np.inf), none
        for k in range(n_classes):
            at, more = k * stride + i, (splat(a[k]), splat(u[k]), splat(b[k]), splat(c[k]))
            value = _output(load(base, k * n + i), load(R, r + at), load(R, q + at), *more, squared)
            label = choose(value, best + margin, splat(float(k)), label)
            best = choose(value, best + margin, value, best)
        hits = hits + select(magnitude(label - load(codes, i)), none, one)
    count = total(hits)
    for i in range(whole, stop):
        highest, named = -np.inf, 0
        for k in range(n_classes):
            at = k * stride + i
            value = _output(
                base[k, i], R.flat[r + at], R.flat[q + at], a[k], u[k], b[k], c[k], squared
            )
            if value > highest + tie:
                highest, named = value, k
        count += 1.0 if named == codes[i] else 0.0
    return count


@compiled
def class_hits(R, stride, first, second, a, u, b, c, base, codes, spans, squared, tie):
    """Per candidate and fold, how many rows have their own class's output as the first largest, by more than ``tie``.

    Output k moves along residual rows ``first`` and ``second`` (by fold; from column ``k * stride`` on) by ``a r + b q
    + c``, or by ``a (r + u q)^2 + b q^2 + c`` where ``squared``; a, u, b, c have shape (C, K, F).
    """
    n_folds, width, outputs, truth = (
        len(spans) - 1,
        R.shape[1],
        np.ascontiguousarray(base),
        codes.astype(np.float64),
    )
    hits = np.empty((len(first), n_folds))
    for f in range(n_folds):
        for j in range(len(first)):
            move = a[j, :, f], u[j, :, f], b[j, :, f], c[j, :, f], outputs, truth, squared, tie
            hits[j, f] = _right(
                R, width * first[j], width * second[j, f], stride, spans[f], spans[f + 1], *move
            )
    return hits
