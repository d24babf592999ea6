"""Which code answers a run, numpy or compiled loops: decided once, when it starts, and followed by its workers.

``SUBSEL_COMPILE=now`` and ``SUBSEL_COMPILE=never`` decide for the user, also against the path of a journal.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

from subsel._loops.readiness import at_hand, at_start, begin_if_long

__all__ = ["COMPILED", "PLAIN", "carried", "decide", "decided", "may_compile", "pays"]

PLAIN, COMPILED = "plain", "compiled"
_LOAD = 1.0  # seconds of work with numpy after which loading compiled code pays
_COMPILED: ContextVar[bool | None] = ContextVar("subsel_compiled", default=None)


def decide(seconds: Callable[[], float], begun_on: str | None = None) -> bool:
    """Whether a run that starts now may use compiled code.

    Parameters
    ----------
    seconds : callable
        Tells how long numpy would be at work, about: beyond twenty seconds a run waits for the compiler before it starts.
        It is asked only where compiled code is not there.
    begun_on : str or None
        The path on which the run was begun, where a journal knows.
    """
    said, around = os.environ.get("SUBSEL_COMPILE"), _COMPILED.get()
    if said in ("now", "never"):
        return said == "now"
    if begun_on in (PLAIN, COMPILED):
        return begun_on == COMPILED and at_start(lambda: float("inf"))
    return at_start(seconds) if around is None else around


@contextmanager
def decided(compiled: bool | str) -> Iterator[None]:
    """Hold everything within to one decision, or to that of a path; a path that is a device leaves it open."""
    choice = {PLAIN: False, COMPILED: True}.get(compiled) if isinstance(compiled, str) else compiled
    before = _COMPILED.set(choice)
    try:
        yield
    finally:
        _COMPILED.reset(before)


def may_compile(seconds: float, loaded: bool = False) -> bool:
    """Whether compiled code may be used now, where numpy has been at work for so long, about; outside of runs if loaded.

    On the plain path the compiler is started for later runs once that pays; only what numpy cannot do at all
    (infinitely many seconds) is compiled.
    """
    compiled = _COMPILED.get()
    if compiled is None or (not compiled and seconds == float("inf")):
        return loaded or at_hand(seconds)
    if not compiled:
        begin_if_long(seconds)
    return compiled


def pays(seconds: float) -> bool:
    """Whether compiled code may be used now and is loaded, or numpy has been at work for long enough to load it."""
    return ("numba" in sys.modules or seconds > _LOAD) and may_compile(seconds)


def carried(function: Callable) -> Callable:
    """The same function, held to the decision that holds here wherever it is called."""
    compiled = _COMPILED.get()
    return function if compiled is None else partial(_held, compiled, function)


def _held(compiled: bool, function: Callable, *given: Any) -> Any:
    with decided(compiled):
        return function(*given)
