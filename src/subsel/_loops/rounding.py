"""Qualities to ten digits, many at once: the arithmetic of `subsel.engine.rounding`, one pass."""

import numpy as np

from subsel._loops import compiled

_FINE, _LARGE = 1e-290, 1e290  # sizes between them are rounded
_POWERS = np.array([10.0**k for k in range(-300, 301)])


@compiled
def round_all(q):
    """Each of them to ten significant digits; minus infinity for NaN, 0 for what is next to nothing."""
    out = np.empty(len(q))
    exponents = q.view(np.int64)
    for i in range(len(q)):
        size = abs(q[i])
        if _FINE < size < _LARGE:
            binary = ((exponents[i] >> 52) & 2047) - 1023
            k = 300 + ((binary * 1233) >> 12)  # the decade, or one next to it
            if size < _POWERS[k]:
                k -= 1
            elif size >= _POWERS[k + 1]:
                k += 1
            if k <= 309:
                scale = _POWERS[609 - k]
                out[i] = np.rint(q[i] * scale) / scale
            else:
                scale = _POWERS[k - 9]
                out[i] = np.rint(q[i] / scale) * scale
        elif size > 1.0:
            out[i] = q[i]
        else:
            out[i] = 0.0 if size == size else -np.inf
    return out
