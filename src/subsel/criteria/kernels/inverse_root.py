"""The triangular root of an inverse, by halves and where the matrix lies: nearly all the work is products of matrices.

LAPACK solves with triangles and inverts them at half the speed of products, or less, at a few hundred rows. The routines
are scipy's own, by their addresses: they take a part of a matrix where it lies, which ``scipy.linalg.blas`` copies.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
from scipy.linalg import cython_blas, cython_lapack

__all__ = ["inverse_root"]

_LEAF = 64  # rows of a block that LAPACK factors and inverts
_ROUND = 24  # rows of a half: a multiple of what kernels of products take at a time
_BELOW = np.tri(_LEAF, k=-1, dtype=bool)
_LETTERS = ctypes.create_string_buffer(b"LRNT")
_LEFT, _RIGHT, _PLAIN, _TURNED = (ctypes.addressof(_LETTERS) + i for i in range(4))
_LOWER = _LEFT  # the same letter
_SCALES = (ctypes.c_double * 2)(1.0, -1.0)
_ONE, _MINUS = ctypes.addressof(_SCALES), ctypes.addressof(_SCALES) + 8


def inverse_root(K: np.ndarray, factored: bool = False) -> np.ndarray | None:
    """Turn a positive definite matrix into an upper triangle R with ``R R' = K^-1``, in place; None where it is not one.

    Only the upper triangle of K, which lies row by row, is read; where it is `factored`, it is L' of ``K = L L'``.

    Examples
    --------
    >>> inverse_root(np.array([[4.0, 2.0], [2.0, 2.0]]))
    array([[ 0.5, -0.5],
           [ 0. ,  1. ]])
    """
    n = len(K)
    if not _Blocks(n).turn(K.ctypes.data, n, factored):
        return None
    for row in range(0, n, _LEAF):
        K[row : row + _LEAF, :row] = 0.0
        corner = K[row : row + _LEAF, row : row + _LEAF]
        np.copyto(corner, 0.0, where=_BELOW[: len(corner), : len(corner)])
    return K


class _Blocks:
    """Square blocks on the diagonal of a matrix of n rows, told by their addresses.

    To BLAS, which reads column by column, the upper triangle of a matrix that lies row by row is a lower one.
    """

    def __init__(self, n: int) -> None:
        self.n, self.sizes, self.info = (
            n,
            np.arange(n + 1, dtype=_INTEGER),
            np.zeros(1, dtype=_INTEGER),
        )
        self.first, self.told = self.sizes.ctypes.data, self.info.ctypes.data

    def turn(self, block: int, n: int, factored: bool) -> bool:
        """Turn n rows of a block into the inverse of the factor, and say whether that was possible."""
        size, stride = self._told(n), self._told(self.n)
        if n <= _LEAF:
            if not factored:
                _dpotrf(_LOWER, size, block, stride, self.told)
            if self.info[0] == 0:
                _dtrtri(_LOWER, _PLAIN, size, block, stride, self.told)
            return bool(self.info[0] == 0)
        half = -(-n // (2 * _ROUND)) * _ROUND
        below, last = block + 8 * half, block + 8 * half * (self.n + 1)
        a, b = self._told(half), self._told(n - half)
        if not self.turn(block, half, factored):
            return False
        if not factored:  # the factor's block below, and what it leaves of the last one
            _dtrmm(_RIGHT, _LOWER, _TURNED, _PLAIN, b, a, _ONE, block, stride, below, stride)
            _dsyrk(_LOWER, _PLAIN, b, a, _MINUS, below, stride, _ONE, last, stride)
        if not self.turn(last, n - half, factored):
            return False
        _dtrmm(_LEFT, _LOWER, _PLAIN, _PLAIN, b, a, _MINUS, last, stride, below, stride)
        _dtrmm(_RIGHT, _LOWER, _PLAIN, _PLAIN, b, a, _ONE, block, stride, below, stride)
        return True

    def _told(self, number: int) -> int:
        """Where a number stands that a routine is to read."""
        return self.first + self.sizes.itemsize * number


def _name(capsule: object) -> bytes:
    """The types of a routine's arguments, as C has them."""
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return name(capsule)


def _routine(capsule: object, n_arguments: int) -> Callable[..., None]:
    """A routine that takes addresses."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * n_arguments)(
        pointer(capsule, _name(capsule))
    )


_INTEGER: type[np.signedinteger] = np.int64  # as BLAS was built
if b" int *" in _name(cython_blas.__pyx_capi__["dtrmm"]):
    _INTEGER = np.intc
_dtrmm = _routine(cython_blas.__pyx_capi__["dtrmm"], 11)
_dsyrk = _routine(cython_blas.__pyx_capi__["dsyrk"], 10)
_dpotrf = _routine(cython_lapack.__pyx_capi__["dpotrf"], 5)
_dtrtri = _routine(cython_lapack.__pyx_capi__["dtrtri"], 6)
