"""Faults at a chosen moment.

An interruption before any line of ours, a disk that is full after any byte.
"""

import errno
import io
import signal
import sys
from contextlib import contextmanager
from pathlib import Path

import subsel

HOME = Path(subsel.__file__).parent
WATCHED = tuple(
    str(HOME / part)
    for part in ("engine", "assessment", "selector", "cli", "runtime/atomic_files.py")
)


@contextmanager
def fault_at(line):
    """Press Ctrl-C before the given line that the watched files execute, counted from 0.

    Gives the count so far.
    """
    count = [0]

    def trace(frame, event, _):
        if event == "call":
            return trace if frame.f_code.co_filename.startswith(WATCHED) else None
        if event == "line":
            count[0] += 1
            if count[0] - 1 == line:
                sys.settrace(None)
                signal.raise_signal(signal.SIGINT)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield count
    finally:
        sys.settrace(before)


class FullDisk(io.FileIO):
    """A file on a disk with room for so many bytes, all such files together."""

    room = 0

    def write(self, data):
        data = bytes(data)
        fits = data[: FullDisk.room]
        FullDisk.room -= len(fits)
        if data and not fits:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(fits)


def n_lines(function):
    """How many lines of the watched files a call executes."""
    with fault_at(-1) as count:
        function()
    return count[0]
