"""Rounding of qualities to ten significant digits, before anything compares them.

Rounding errors depend on the order of sums, and so on blocks of candidates and updated states. They
are much smaller than ten digits: qualities that are equal in exact arithmetic become equal, and
ties are decided by order.
"""

from bisect import bisect_right

import numpy as np

__all__ = ["round_qualities", "round_quality"]

_POWERS = [10.0**k for k in range(-300, 301)]
_POWER_ARRAY = np.array(_POWERS)
_DIGITS = 9  # digits after the first
# Between 2^52 and 2^53 the spacing of doubles is 1: for |x| < 2^51, x + 1.5 2^52 lies there and is
# rounded to the nearest whole number, ties to even, and subtracting the constant is exact. This is
# faster than round() and gives what np.rint gives.
_WHOLE = 1.5 * 2.0**52


def round_quality(quality: float) -> float:
    """Round one quality to ten significant digits; NaN counts as minus infinity.

    >>> round_quality(0.12345678914999), round_quality(float("nan"))
    (0.1234567891, -inf)
    """
    size = abs(quality)
    if size <= 1e-290:
        return 0.0
    if quality != quality:
        return -np.inf
    if size >= 1e290:
        return quality
    above = bisect_right(_POWERS, size)  # size lies in [10**k, 10**(k+1)), k = above - 301
    if above - 301 <= _DIGITS:
        scale = _POWERS[601 - above + _DIGITS]
        return (quality * scale + _WHOLE - _WHOLE) / scale
    scale = _POWERS[above - 1 - _DIGITS]
    return (quality / scale + _WHOLE - _WHOLE) * scale


def round_qualities(qualities: np.ndarray) -> np.ndarray:
    """Round many qualities, by the same arithmetic as :func:`round_quality`."""
    q = np.ascontiguousarray(qualities, dtype=float)
    size = np.abs(q)
    if len(q) and (rounded := _rounded(q, size)) is not None:
        return rounded
    usual = (size > 1e-290) & (size < 1e290)
    out = np.where(size > 1, q, 0.0)
    out[np.isnan(q)] = -np.inf
    if usual.any():
        out[usual] = _rounded(q[usual], size[usual])
    return out


def _rounded(q: np.ndarray, size: np.ndarray) -> np.ndarray | None:
    """Round qualities with absolute values ``size``, both (n,); None unless all are usual.

    Usual values lie between 1e-290 and 1e290, where scaling by powers of ten is safe. Most batches
    lie in one decade and need one scale only.
    """
    # both are NaN if one of the sizes is; argmin and item are faster than a reduction
    least, most = size.item(size.argmin()), size.item(size.argmax())
    if not (least > 1e-290 and most < 1e290):
        return None
    first, last = bisect_right(_POWERS, least) - 1, bisect_right(_POWERS, most) - 1
    if first == last:
        if first - 300 <= _DIGITS:
            scale = _POWERS[600 - first + _DIGITS]
            return np.rint(q * scale) / scale
        scale = _POWERS[first - _DIGITS]
        return np.rint(q / scale) * scale
    place = _POWER_ARRAY[first + 1 : last + 1].searchsorted(size, side="right")
    if last - 300 <= _DIGITS:
        scales = _POWER_ARRAY[600 - last + _DIGITS : 601 - first + _DIGITS][::-1][place]
        rounded: np.ndarray = np.rint(q * scales) / scales
        return rounded
    place += first
    small = place - 300 <= _DIGITS
    scales = _POWER_ARRAY[np.where(small, 600 - place + _DIGITS, place - _DIGITS)]
    with np.errstate(over="ignore"):
        mixed: np.ndarray = np.where(
            small, np.rint(q * scales) / scales, np.rint(q / scales) * scales
        )
        return mixed
