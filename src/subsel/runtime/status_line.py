"""A status line on a terminal, in a notebook or in a log, which is updated regularly."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from threading import Event, Lock, Thread
from time import perf_counter

from subsel._loops.compiler import listeners

__all__ = ["StatusLine", "bar"]

FIRST = 1.0  # seconds until the first line
SILENCE = 4.5  # seconds between lines of a log
BLINK = 0.2  # seconds between updates of a screen


class StatusLine:
    """A status line that is updated while the code within its context runs.

    On a terminal and in a notebook the line is overwritten; elsewhere a new line is printed about
    every five seconds. Of nested status lines the innermost is shown.

    Parameters
    ----------
    text : callable
        Returns the text; it is called from another thread.
    shown : bool, default=True
        Whether the line is shown.
    final : bool, default=False
        Whether the last text stays on the screen.

    Examples
    --------
    >>> with StatusLine(lambda: "counting", shown=False) as line:
    ...     line.shown
    False
    """

    def __init__(self, text: Callable[[], str], shown: bool = True, final: bool = False) -> None:
        self.text, self.shown, self.final = text, shown, final

    def __enter__(self) -> StatusLine:
        if self.shown:
            _screen.push(self)
        return self

    def __exit__(self, error: object = None, *_: object) -> None:
        if self.shown:
            _screen.pop(self, self.final and error is None)


class _Screen:
    """The stack of open status lines, and the thread that shows the innermost."""

    def __init__(self) -> None:
        self.lines: list[StatusLine] = []
        self.lock, self.idle = Lock(), Event()
        self.next = 0.0
        self.announced: set[str] = set()

    def push(self, line: StatusLine) -> None:
        with self.lock:
            self.lines.append(line)
            if len(self.lines) > 1:
                return
            self.next, self.idle = perf_counter() + FIRST, Event()
        Thread(target=self._refresh, args=(self.idle,), daemon=True).start()

    def pop(self, line: StatusLine, final: bool) -> None:
        with self.lock:
            if line not in self.lines:
                return
            self.lines.remove(line)
            if self.lines:
                return
            self.idle.set()
            if final:
                _write(line, final=True)
            else:
                _put(self.clear())

    def say(self, text: str) -> None:
        """Print a line that stays, once for each text, if any status line is open."""
        with self.lock:
            if self.lines and text not in self.announced:
                self.announced.add(text)
                _put(f"{self.clear()}subsel: {text}\n")

    def clear(self) -> str:
        """Return the characters that erase the current line, where it can be overwritten."""
        return f"\r{'':<{_width()}}\r" if _rewrites() else ""

    def _refresh(self, idle: Event) -> None:
        while not idle.wait(BLINK):
            with self.lock:
                if (
                    self.lines
                    and not idle.is_set()
                    and (_rewrites() or perf_counter() >= self.next)
                ):
                    _write(self.lines[-1])
                    self.next = perf_counter() + SILENCE


_screen = _Screen()
listeners.append(lambda topic: _screen.say(f"compiling {topic}, once on this machine"))


def bar(done: int, total: int, width: int = 12) -> str:
    """Return a progress bar.

    Examples
    --------
    >>> bar(3, 12)
    '[###---------]'
    """
    full = 0
    if total > 0:
        full = min(width, width * done // total)
    return f"[{'#' * full}{'-' * (width - full)}]"


def _rewrites() -> bool:
    """Whether a line can be overwritten: on a terminal, and in a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def _write(line: StatusLine, final: bool = False) -> None:
    try:
        text = f"subsel: {line.text()}"
    except Exception:  # what the text tells of may be changing while it is told
        return
    if _rewrites():
        end = "\n" if final else ""
        _put(f"\r{text[: _width()]:<{_width()}}{end}")
    else:
        _put(f"{text}\n")


def _width() -> int:
    return max(20, shutil.get_terminal_size().columns - 1)


def _put(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):  # the stream was closed
        return
