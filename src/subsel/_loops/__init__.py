"""Compiled inner loops: serial, without the interpreter lock, cached on disk where that is possible."""

from collections.abc import Callable
from typing import Any

from subsel._loops.source import forget_other

__all__ = ["compiled", "inner"]


def compiled(function: Callable | None = None, **options: Any) -> Callable:
    """Compile an inner loop with numba, keeping the machine code on disk unless no directory is writable.

    Numba is imported here, on the first loop that is asked for, so that ``import subsel`` stays quick.
    """
    if function is None:
        return lambda body: compiled(body, **options)
    from numba import njit

    try:
        loop = njit(nogil=True, cache=True, **options)(function)
        forget_other(loop.stats.cache_path)
        return loop
    except (
        RuntimeError
    ):  # no locator: neither the package nor the user's cache directory is writable
        return njit(nogil=True, **options)(function)


def inner(function: Callable | None = None, **options: Any) -> Callable:
    """Compile what loops call: never called from Python, which finds no entry here; it allocates nothing.

    Nobody then counts the references to the arrays that it is handed, which would take longer than what it does. It is
    kept on disk as part of the loops that call it.
    """
    if function is None:
        return lambda body: inner(body, **options)
    from numba import njit

    return njit(nogil=True, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(
        function
    )
