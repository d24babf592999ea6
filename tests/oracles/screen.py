"""A screen that tells when something was written on it."""

import io
from threading import Semaphore


class Screen(io.StringIO):
    """A stream that is a terminal, or is not.

    Examples
    --------
    >>> screen = Screen()
    >>> screen.write("a line")
    6
    >>> screen.awaits()
    True
    """

    def __init__(self, terminal: bool = False) -> None:
        super().__init__()
        self.terminal, self._written = terminal, Semaphore(0)

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str) -> int:
        count = super().write(text)
        self._written.release()
        return count

    def awaits(self, patience: float = 60.0) -> bool:
        """Wait until something more was written; False where nothing is for a minute."""
        return self._written.acquire(timeout=patience)
