"""The triangular root of the inverse of a matrix, by halves and in place.

Nearly all the work is products of matrices: LAPACK solves with triangles and inverts them at half
the speed of products, or less, at a few hundred rows. The routines are scipy's own, by their
addresses: they work on a part of a matrix where it is, which ``scipy.linalg.blas`` would copy.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
from scipy.linalg import cython_blas, cython_lapack

__all__ = ["inverse_root"]

_LEAF = 64  # rows up to which LAPACK factors and inverts a block
_ROUND = 24  # rows of halves are multiples of this, as matrix kernels of BLAS work on
_BELOW = np.tri(_LEAF, k=-1, dtype=bool)
_LETTERS = ctypes.create_string_buffer(b"LRNT")
_LEFT, _RIGHT, _PLAIN, _TURNED = (ctypes.addressof(_LETTERS) + i for i in range(4))
_LOWER = _LEFT  # BLAS uses the same letter
_SCALES = (ctypes.c_double * 2)(1.0, -1.0)
_ONE, _MINUS = ctypes.addressof(_SCALES), ctypes.addressof(_SCALES) + 8


def inverse_root(K: np.ndarray, factored: bool = False) -> np.ndarray | None:
    """Overwrite a positive definite matrix with the upper triangle R for which ``R R' = K^-1``.

    Parameters
    ----------
    K : ndarray of shape (n, n), C-ordered
        Only the upper triangle is read. Overwritten, with zeros below the diagonal.
    factored : bool, default=False
        Whether that triangle is L' of ``K = L L'`` instead of K's.

    Returns
    -------
    ndarray of shape (n, n) or None
        K itself, or None where it is not positive definite; K is then undefined.

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
    """Square blocks on the diagonal of a matrix of n rows, given by their addresses.

    BLAS reads column by column, so that the upper triangle of a C-ordered matrix is a lower one to
    it.

    Parameters
    ----------
    n : int
        Rows of the matrix.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self.sizes = np.arange(n + 1, dtype=_INTEGER)  # numbers that routines read by address
        self.info = np.zeros(1, dtype=_INTEGER)  # where LAPACK reports an error
        self.first_size, self.info_address = self.sizes.ctypes.data, self.info.ctypes.data

    def turn(self, block: int, n: int, factored: bool) -> bool:
        """Replace n rows of a block by the inverse of its factor, or return False.

        False means that the block is not positive definite. `block` is the address of its first
        entry.
        """
        # With L = [[A, 0], [B, C]]: B = K_21 A^-T, C C' = K_22 - B B', and L^-1 = [[A^-1, 0],
        # [-C^-1 B A^-1, C^-1]]. R of `inverse_root` is the transpose of L^-1, which is what a
        # C-ordered matrix reads.
        size, stride = self._address_of(n), self._address_of(self.n)
        if n <= _LEAF:
            if not factored:
                _dpotrf(_LOWER, size, block, stride, self.info_address)
            if self.info[0] == 0:
                _dtrtri(_LOWER, _PLAIN, size, block, stride, self.info_address)
            return bool(self.info[0] == 0)
        half = -(-n // (2 * _ROUND)) * _ROUND
        lower, last = block + 8 * half, block + 8 * half * (self.n + 1)
        a, b = self._address_of(half), self._address_of(n - half)
        if not self.turn(block, half, factored):
            return False
        if not factored:  # the lower block of the factor, and the Schur complement of the last one
            _dtrmm(_RIGHT, _LOWER, _TURNED, _PLAIN, b, a, _ONE, block, stride, lower, stride)
            _dsyrk(_LOWER, _PLAIN, b, a, _MINUS, lower, stride, _ONE, last, stride)
        if not self.turn(last, n - half, factored):
            return False
        _dtrmm(_LEFT, _LOWER, _PLAIN, _PLAIN, b, a, _MINUS, last, stride, lower, stride)
        _dtrmm(_RIGHT, _LOWER, _PLAIN, _PLAIN, b, a, _ONE, block, stride, lower, stride)
        return True

    def _address_of(self, number: int) -> int:
        """Return the address of a number that a routine is to read."""
        return self.first_size + self.sizes.itemsize * number


def _name(capsule: object) -> bytes:
    """Return the C types of the arguments of a routine."""
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return name(capsule)


def _routine(capsule: object, n_arguments: int) -> Callable[..., None]:
    """Return a routine whose arguments are addresses."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * n_arguments)(
        pointer(capsule, _name(capsule))
    )


_INTEGER: type[np.signedinteger] = np.int64  # the integers of the BLAS that scipy was built with
if b" int *" in _name(cython_blas.__pyx_capi__["dtrmm"]):
    _INTEGER = np.intc
_dtrmm = _routine(cython_blas.__pyx_capi__["dtrmm"], 11)
_dsyrk = _routine(cython_blas.__pyx_capi__["dsyrk"], 10)
_dpotrf = _routine(cython_lapack.__pyx_capi__["dpotrf"], 5)
_dtrtri = _routine(cython_lapack.__pyx_capi__["dtrtri"], 6)
