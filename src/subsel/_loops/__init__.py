"""Compiled inner loops: serial, without the interpreter lock, cached on disk where that is possible."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

__all__ = ["compiled", "inner", "listeners"]

listeners: list[Callable[[str], None]] = []  # called with the topic of a loop that is compiled


def compiled(function: Callable | None = None, *, inner: bool = False, **options: Any) -> Callable:
    """Compile an inner loop with numba, keeping the machine code on disk unless no directory is writable.

    Numba is imported here, on the first loop that is asked for, so that ``import subsel`` stays quick.
    """
    if function is None:
        return lambda body: compiled(body, inner=inner, **options)
    from numba import njit

    from subsel._loops.machine_code import MachineCode

    loop = njit(nogil=True, **options)(function)
    with suppress(RuntimeError, OSError):  # no folder can be written: each process compiles
        loop._cache = MachineCode(function, listeners=[] if inner else listeners)
    return loop


def inner(function: Callable | None = None, **options: Any) -> Callable:
    """Compile what a loop calls again and again and what allocates nothing.

    Nobody then counts the references to the arrays that it is handed, which would take longer than what it does.
    """
    return compiled(function, inner=True, _nrt=False, **options)
