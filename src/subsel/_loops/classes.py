"""Inner loop of evaluators with one output per class: count held-out rows whose largest output is the right one."""

import numpy as np

from subsel._loops import compiled


@compiled
def _linear(value, base, r, q, a, b, c):
    for i in range(len(value)):
        value[i] = base[i] + a * r[i] + b * q[i] + c


@compiled
def _quadratic(value, base, r, q, a, u, b, c):
    for i in range(len(value)):
        e = r[i] + u * q[i]
        value[i] = base[i] + a * e * e + b * q[i] * q[i] + c


@compiled
def class_hits(R, stride, first, second, a, u, b, c, base, codes, spans, squared):
    """Per candidate and fold, how many rows have their own class's output as the first largest.

    Output k moves along residual rows ``first`` and ``second`` (by fold; from column ``k * stride`` on) by ``a r + b q
    + c``, or by ``a (r + u q)^2 + b q^2 + c`` where ``squared``; a, u, b, c have shape (C, K, F).
    """
    n_folds = len(spans) - 1
    hits = np.empty((len(first), n_folds))
    for f in range(n_folds):
        start, stop = spans[f], spans[f + 1]
        m = stop - start
        value, best, label, truth = np.empty(m), np.empty(m), np.empty(m), codes[start:stop]
        for j in range(len(first)):
            for k in range(base.shape[0]):
                r = R[first[j], k * stride + start : k * stride + stop]
                q = R[second[j, f], k * stride + start : k * stride + stop]
                here = base[k, start:stop]
                if squared:
                    _quadratic(value, here, r, q, a[j, k, f], u[j, k, f], b[j, k, f], c[j, k, f])
                else:
                    _linear(value, here, r, q, a[j, k, f], b[j, k, f], c[j, k, f])
                for i in range(m):
                    better = k == 0 or value[i] > best[i]
                    best[i] = value[i] if better else best[i]
                    label[i] = float(k) if better else label[i]
            total = 0
            for i in range(m):
                total += 1 if label[i] == truth[i] else 0
            hits[j, f] = total
    return hits
