"""The compiler of inner loops: serial, without the interpreter lock, cached on disk."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

__all__ = ["compiled", "inner", "listeners", "seconds_compiling"]

listeners: list[Callable[[str], None]] = []  # called with the topic of each loop that is compiled

_spent = [0.0]  # seconds spent on compilation, which `machine_code` adds to


def seconds_compiling() -> float:
    """Return the seconds this process has spent compiling, which time budgets do not count."""
    return _spent[0]


def compiled(function: Callable | None = None, **options: Any) -> Callable:
    """Compile an inner loop with numba, cached on disk if a directory is writable.

    Numba is imported here, when the first loop is needed, so that ``import subsel`` stays quick.

    Parameters
    ----------
    function : callable or None
        The loop; None gives a decorator.
    **options : dict
        Options of ``numba.njit``.
    """
    if function is None:
        return lambda body: compiled(body, **options)
    from numba import njit

    from subsel._loops.machine_code import MachineCode

    loop = njit(nogil=True, **options)(function)
    with suppress(RuntimeError, OSError):  # no folder can be written: each process compiles
        loop._cache = MachineCode(function, listeners=listeners)
    return loop


def inner(function: Callable | None = None, **options: Any) -> Callable:
    """Compile a function that only other loops call, and that allocates no arrays.

    It has no entry for Python. References to the arrays it is given are not counted, which would
    take longer than the function itself. It is cached on disk as part of the loops that call it.
    Parameters as in `compiled`.
    """
    if function is None:
        return lambda body: inner(body, **options)
    from numba import njit

    bare: dict[str, Any] = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return njit(nogil=True, **bare, **options)(function)
