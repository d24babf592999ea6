"""Inner loops of evaluators with one output per class: count rows whose largest is the right one.

``held`` are :class:`subsel.criteria.linear.linear_evaluator.HeldRows`, ``terms`` are
:class:`subsel.criteria.linear.linear_evaluator.Terms`.
"""

import numpy as np

from subsel._loops.compiler import compiled, inner
from subsel._loops.lanes import N, choose, load, magnitude, select, splat, total


@inner
def _output(base, r, q, move, squared):
    """An output moved along two residuals, or along squares of them; rounded as numpy does."""
    a, u, b, c = move
    if squared:
        e = r + u * q
        return base + a * e * e + b * q * q + c
    return base + a * r + b * q + c


@inner
def _right(R, stride, places, move, held, options):
    """How many rows of a fold have their own class's output as the first largest.

    The residuals of class k are ``stride * k`` after the two places in R. ``move`` holds a, u, b
    and c (K,) of a flip, ``options`` the fold, whether residuals are squared, and the tie.
    """
    (r, q), (a, u, b, c), (base, codes, spans), (fold, squared, tie) = places, move, held, options
    (n_classes, n), start, stop = base.shape, spans[fold], spans[fold + 1]
    whole, hits, none = start + (stop - start) // N * N, splat(0.0), splat(0.0)
    one, margin = splat(1.0), splat(tie)
    for i in range(start, whole, N):
        best, label = splat(-np.inf), none
        for k in range(n_classes):
            at, here = k * stride + i, (splat(a[k]), splat(u[k]), splat(b[k]), splat(c[k]))
            rows = load(base, k * n + i), load(R, r + at), load(R, q + at)
            value = _output(rows[0], rows[1], rows[2], here, squared)
            label = choose(value, best + margin, splat(float(k)), label)
            best = choose(value, best + margin, value, best)
        hits = hits + select(magnitude(label - load(codes, i)), none, one)
    count = total(hits)
    for i in range(whole, stop):
        highest, named = -np.inf, 0
        for k in range(n_classes):
            at = k * stride + i
            rows = base[k, i], R.flat[r + at], R.flat[q + at]
            value = _output(rows[0], rows[1], rows[2], (a[k], u[k], b[k], c[k]), squared)
            if value > highest + tie:
                highest, named = value, k
        count += 1.0 if named == codes[i] else 0.0
    return count


@compiled
def class_hits(R, stride, terms, held, squared, tie):
    """Per candidate and fold, how many rows have their own class's output as the first largest.

    It must be the largest by more than ``tie``. Output k moves along rows ``first`` and ``second``
    of R (from column ``k * stride`` on) by ``a r + b q + c``, or by ``a (r + u q)^2 + b q^2 + c``
    where ``squared``. Codes are given as floats.
    """
    first, second, a, u, b, c = terms
    n_folds, width = len(held.spans) - 1, R.shape[1]
    hits = np.empty((len(first), n_folds))
    for f in range(n_folds):
        for j in range(len(first)):
            places = width * first[j], width * second[j, f]
            move = a[j, :, f], u[j, :, f], b[j, :, f], c[j, :, f]
            hits[j, f] = _right(R, stride, places, move, held, (f, squared, tie))
    return hits


@inner
def _signs_ahead(R, k, above, a, held, span):
    """The sum of signs over rows that go to the second class, see ``lead_hits``."""
    (ahead, sign, _), (start, stop), n = held, span, len(held.truth)
    whole, none, place = start + (stop - start) // N * N, splat(0.0), 2 * k * n
    less, more, least, signs = splat(-a[0]), splat(a[1]), splat(above), splat(0.0)
    for i in range(start, whole, N):
        x, y = load(R, place + i), load(R, place + n + i)
        lead = load(ahead, i) + less * x * x + more * y * y
        signs = signs + choose(lead, least, load(sign, i), none)
    count = total(signs)
    for i in range(whole, stop):
        lead = ahead[i] - a[0] * R[k, i] ** 2 + a[1] * R[k, n + i] ** 2
        count += sign[i] if lead > above else 0.0
    return count


@compiled
def lead_hits(R, first, a, above, held):
    """Per candidate and fold (C, F), rows of class 1 less others where class 1 is predicted.

    These are rows whose lead, how far the output of class 1 is beyond that of class 0, is more than
    ``above`` (C, F) once it has moved by ``a[:, 1]`` times the square of the residual of class 1,
    less ``a[:, 0]`` (C, 2, F) times that of class 0, which stands before it in row ``first`` of R.
    """
    spans = held.spans
    hits = np.empty(above.shape)
    for j in range(len(first)):
        for f in range(len(spans) - 1):
            span = spans[f], spans[f + 1]
            hits[j, f] = _signs_ahead(R, first[j], above[j, f], a[j, :, f], held, span)
    return hits
