"""Inner loops of evaluators with one output per class, which count the rows classified correctly.

A row is classified by its largest output. ``held`` is a
:class:`subsel.criteria.linear.linear_evaluator.HeldRows` and ``terms`` a
:class:`subsel.criteria.linear.linear_evaluator.Terms`. K is the number of classes, F of folds, C of
candidates and N of held-out rows.
"""

import numpy as np

from subsel._loops.compiler import compiled, inner
from subsel._loops.lanes import N, choose, load, magnitude, select, splat, total


@inner
def _output(base, r, q, move, squared):
    """Return an output after a move along two residuals r and q, or along their squares.

    The operations are in the order in which numpy would do them, so that both round alike.
    """
    a, u, b, c = move
    if squared:
        e = r + u * q
        return base + a * e * e + b * q * q + c
    return base + a * r + b * q + c


@inner
def _right(R, stride, places, move, held, options):
    """Count the rows of a fold whose own class is the first with the largest output.

    Parameters
    ----------
    R : ndarray
        Residuals, read by flat position.
    stride : int
        How much further on the residuals of the next class begin.
    places : tuple of int
        The flat positions in R where the two rows of residuals begin.
    move : tuple of ndarray of shape (K,)
        The factors a, u, b and c of a flip, see `class_hits`.
    held : HeldRows
        The outputs before the flip, the class codes as floats, and the bounds of the folds.
    options : tuple
        The fold, whether residuals are squared, and the tie.
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
    """Count, per candidate and fold, the rows whose own class has the largest output.

    Among outputs that differ by no more than `tie` the first counts as the largest. Output k moves
    by ``a r + b q + c`` with r and q the residuals in the rows ``first`` and ``second`` of R, or by
    ``a (r + u q)^2 + b q^2 + c`` where `squared`.

    Parameters
    ----------
    R : ndarray of shape (rows, width)
        Residuals; those of class k begin at column ``k * stride``.
    stride : int
        0 where all classes share their residuals, otherwise N.
    terms : Terms
        The rows of R and the factors a, u, b, c of each candidate.
    held : HeldRows
        The outputs (K, N) before the flips, the class codes as floats, and the bounds of the folds.
    squared : bool
        Whether outputs are quadratic in the residuals.
    tie : float
        Differences between outputs that are attributed to rounding.

    Returns
    -------
    ndarray of shape (C, F)
        The number of rows classified correctly.
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
    """Sum the signs over the rows of one fold that are classified as class 1, see `lead_hits`.

    `k` is a row of R, `above` and `a` (2,) belong to one candidate and fold, and `span` holds the
    first position of the fold and its end.
    """
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
    """Sum, per candidate and fold, +1 for rows of class 1 and -1 for others classified as class 1.

    The lead of a row is the output of class 1 less that of class 0. It moves by ``a[:, 1]`` times
    the squared residual of class 1, less ``a[:, 0]`` times that of class 0; class 1 is predicted
    where it is then more than `above`.

    Parameters
    ----------
    R : ndarray of shape (p, 2 N)
        The residuals of class 0, followed in the same row by those of class 1.
    first : ndarray of shape (C,)
        The row of R of each candidate.
    a : ndarray of shape (C, 2, F)
        The factors of the squared residuals of both classes.
    above : ndarray of shape (C, F)
        The lead beyond which class 1 is predicted.
    held : HeldRows
        The leads (N,) before the flips, 1 for rows of class 1 and -1 for others, and the bounds of
        the folds.

    Returns
    -------
    ndarray of shape (C, F)
        The sums of signs.
    """
    spans = held.spans
    hits = np.empty(above.shape)
    for j in range(len(first)):
        for f in range(len(spans) - 1):
            span = spans[f], spans[f + 1]
            hits[j, f] = _signs_ahead(R, first[j], above[j, f], a[j, :, f], held, span)
    return hits
