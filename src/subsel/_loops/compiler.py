"""The compiler of inner loops: serial, without the interpreter lock, kept on disk where that is possible."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

__all__ = ["compiled", "inner", "listeners", "seconds_compiling"]

listeners: list[Callable[[str], None]] = []  # called with the topic of a loop that is compiled

_spent = [0.0]  # seconds, added to by machine_code


def seconds_compiling() -> float:
    """How long this process has compiled by now, so that a budget in seconds need not count it."""
    return _spent[0]


def compiled(function: Callable | None = None, **options: Any) -> Callable:
    """Compile an inner loop with numba, keeping the machine code on disk unless no directory is writable.

    Numba is imported here, on the first loop that is asked for, so that ``import subsel`` stays quick.
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
    """Compile what loops call: never called from Python, which finds no entry here; it allocates nothing.

    Nobody then counts the references to the arrays that it is handed, which would take longer than what it does. It is
    kept on disk as part of the loops that call it.
    """
    if function is None:
        return lambda body: inner(body, **options)
    from numba import njit

    bare: dict[str, Any] = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return njit(nogil=True, **bare, **options)(function)
