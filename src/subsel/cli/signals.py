"""Ctrl-C and termination of a command: the first is answered with what there is, the second ends it at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Signals", "defer_signals", "handle_signals"]

_ANSWERED = (signal.SIGINT, signal.SIGTERM)


class Signals:
    """What this process was told: the first signal raises ``KeyboardInterrupt``, unless it is held back."""

    def __init__(self) -> None:
        self.received: int | None = None
        self.held = False

    def exit_code(self, usual: int) -> int:
        """The exit code: 130 after Ctrl-C and 143 after a termination, as shells have it."""
        return usual if self.received is None else 128 + self.received

    def handle(self, number: int, frame: Any) -> None:  # noqa: ARG002
        """Answer a signal."""
        if self.received is not None:
            _end_at_once(128 + number)
        self.received = number
        if not self.held:
            raise KeyboardInterrupt


_signals = Signals()


@contextmanager
def handle_signals() -> Iterator[Signals]:
    """Answer both signals within; only a main thread can, others go on as they are."""
    global _signals
    if threading.current_thread() is not threading.main_thread():
        yield Signals()
        return
    _signals = Signals()
    before = {number: signal.signal(number, _signals.handle) for number in _ANSWERED}
    try:
        yield _signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def defer_signals() -> Iterator[None]:
    """Finish what is inside, such as writing what was found, in spite of a first signal.

    Examples
    --------
    >>> with handle_signals() as signals, defer_signals():
    ...     signal.raise_signal(signal.SIGINT)
    >>> signals.exit_code(0)
    130
    """
    _signals.held = True
    try:
        yield
    finally:
        _signals.held = False


def _end_at_once(code: int) -> None:
    """End the process without asking anybody; workers that might work on are killed."""
    if (processes := sys.modules.get("subsel.runtime.processes")) is not None:
        processes.kill_workers()
    os._exit(code)
