"""Inner loops of the Relief family: sums of absolute differences over features or over pairs."""

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["add_differences", "add_distances"]

# SPAN features of STACK rows (256 KiB) stay in the second-level cache while the other rows are
# read.
SPAN = 512
STACK = 64


@compiled(fastmath=True)
def add_distances(A, B, out):
    """Add to `out` the sums over features of ``|A[i] - B[j]|``.

    Parameters
    ----------
    A : ndarray of shape (m, p)
        Rows; m is a multiple of 4.
    B : ndarray of shape (n, p)
        Rows; n is a multiple of 2.
    out : ndarray of shape (m, n)
        Updated in place.
    """
    for low in range(0, A.shape[1], SPAN):
        high = min(low + SPAN, A.shape[1])
        for start in range(0, B.shape[0], STACK):
            for i in range(0, A.shape[0], 4):
                a0, a1, a2, a3 = (
                    A[i, low:high],
                    A[i + 1, low:high],
                    A[i + 2, low:high],
                    A[i + 3, low:high],
                )
                for j in range(start, min(start + STACK, B.shape[0]), 2):
                    b0, b1 = B[j, low:high], B[j + 1, low:high]
                    s00 = s10 = s20 = s30 = s01 = s11 = s21 = s31 = 0.0
                    for f in range(high - low):
                        s00 += abs(a0[f] - b0[f])
                        s10 += abs(a1[f] - b0[f])
                        s20 += abs(a2[f] - b0[f])
                        s30 += abs(a3[f] - b0[f])
                        s01 += abs(a0[f] - b1[f])
                        s11 += abs(a1[f] - b1[f])
                        s21 += abs(a2[f] - b1[f])
                        s31 += abs(a3[f] - b1[f])
                    out[i, j] += s00
                    out[i + 1, j] += s10
                    out[i + 2, j] += s20
                    out[i + 3, j] += s30
                    out[i, j + 1] += s01
                    out[i + 1, j + 1] += s11
                    out[i + 2, j + 1] += s21
                    out[i + 3, j + 1] += s31


@compiled(fastmath=True)
def add_differences(A, B, weights, sums):
    """Add to `sums` the sums over pairs of rows of ``weights[i, j] |A[i] - B[j]|``.

    Pairs of weight zero are skipped.

    Parameters
    ----------
    A : ndarray of shape (m, p)
        Rows.
    B : ndarray of shape (n, p)
        Rows.
    weights : ndarray of shape (m, n)
        The weights of pairs.
    sums : ndarray of shape (p,)
        Updated in place.
    """
    chosen = np.zeros(STACK + 4, np.int64)
    weight = np.zeros(STACK + 4)
    for low in range(0, A.shape[1], SPAN):
        high = min(low + SPAN, A.shape[1])
        total = sums[low:high]
        for start in range(0, B.shape[0], STACK):
            for i in range(A.shape[0]):
                count = 0
                for j in range(start, min(start + STACK, B.shape[0])):
                    chosen[count] = j
                    weight[count] = weights[i, j]
                    count += weights[i, j] != 0.0
                for extra in range(
                    count, count + 4
                ):  # fill the last four with a row of weight zero
                    chosen[extra] = start
                    weight[extra] = 0.0
                a = A[i, low:high]
                for k in range(0, count, 4):
                    b0, b1 = B[chosen[k], low:high], B[chosen[k + 1], low:high]
                    b2, b3 = B[chosen[k + 2], low:high], B[chosen[k + 3], low:high]
                    w0, w1, w2, w3 = weight[k], weight[k + 1], weight[k + 2], weight[k + 3]
                    for f in range(high - low):
                        total[f] += (w0 * abs(a[f] - b0[f]) + w1 * abs(a[f] - b1[f])) + (
                            w2 * abs(a[f] - b2[f]) + w3 * abs(a[f] - b3[f])
                        )
