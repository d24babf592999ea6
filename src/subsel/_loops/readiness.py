"""Whether compiled code can be had without waiting for the compiler, which works once per machine, in the background.

The first search that would gain from compiled code starts ``subsel warm-up`` as a process of its own and goes on with
numpy to its end; the next run finds the code in numba's cache. A run that is expected to be long waits for it before it
starts, and says so. The variable ``SUBSEL_COMPILE=now`` compiles within the run that first wants it, ``never`` does not.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import machine, node, python_version

from subsel._loops.source import stamp

__all__ = [
    "WAIT",
    "at_hand",
    "at_start",
    "begin_if_long",
    "give_up",
    "mark_ready",
    "marker",
    "note",
]

WAIT = 20.0  # seconds of work with numpy after which a run waits for the compiler
_LONGEST = 300.0  # seconds that it waits
_STALE = 600.0  # seconds after which a compiler that has not ended is taken for dead
_LOOK = 1.0  # seconds between looks at the disk
_HERE = Path(__file__).parent


class _State:
    ready = False
    looked = -_LOOK
    started = False
    alone = False  # no other process can compile for this one


def at_hand(seconds: float) -> bool:
    """Whether compiled code may be used now, outside of any run.

    Parameters
    ----------
    seconds : float
        How long numpy has been at work by now, about: beyond half a second the compiler is started in the background,
        beyond twenty it is waited for.
    """
    said = os.environ.get("SUBSEL_COMPILE")
    if said == "never" and seconds < float("inf"):
        return False
    if not _State.ready:
        _State.ready = said == "now" or _found() or _asked_for(seconds)
    return _State.ready


def at_start(seconds: Callable[[], float]) -> bool:
    """Whether a run that starts now, and would keep numpy at work for so long, may use compiled code to its end."""
    if not (_State.ready or _State.alone or _found()):
        expected = seconds()
        _State.ready = expected > WAIT and _asked_for(expected)
        return _State.ready
    _State.ready = True
    return True


def begin_if_long(seconds: float) -> bool:
    """Start the compiler for later runs once numpy has been at work for half a second; False where it cannot be."""
    if seconds <= 0.5 or _State.started or os.environ.get("SUBSEL_COMPILE") == "never":
        return True
    _State.started = True
    _State.alone = not _start()
    return not _State.alone


def _found() -> bool:
    now = time.monotonic()
    if now - _State.looked < _LOOK:
        return False
    _State.looked = now
    return marker().exists()


def _asked_for(seconds: float) -> bool:
    """Start the compiler where that pays, and wait for it where numpy has been at work for long."""
    if not begin_if_long(seconds):
        return True
    if seconds <= WAIT:
        return False
    print(
        "subsel: waiting for compiled code (once per machine; `subsel warm-up` does it ahead)",
        file=sys.stderr,
    )
    end = time.monotonic() + _LONGEST
    while time.monotonic() < end and _lock().exists() and not marker().exists():
        time.sleep(0.2)
    return True


def _start() -> bool:
    """Start the compiler in a process of its own, unless one is at work; whether that was possible."""
    lock = _lock()
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        if lock.exists() and time.time() - lock.stat().st_mtime > _STALE:
            lock.unlink()
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        return True
    except OSError:
        return False
    paths = [str(_HERE.parents[1]), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    settings = {
        **os.environ,
        "SUBSEL_COMPILE": "now",
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
    command = [sys.executable, "-m", "subsel", "warm-up", "--background"]
    quiet = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
    }
    try:
        subprocess.Popen(command, env=settings, start_new_session=True, **quiet)  # type: ignore[call-overload]
    except OSError:
        lock.unlink(missing_ok=True)
        return False
    return True


def mark_ready() -> None:
    """Note that the cache holds what searches need."""
    _State.ready = True
    try:
        marker().parent.mkdir(parents=True, exist_ok=True)
        marker().touch()
    except OSError:
        pass  # nothing can be kept here: each process compiles for itself


def note() -> str | None:
    """What a result should say of a run that had to do without compiled code, if this one had to."""
    if _State.ready or not _State.started:
        return None
    return "evaluated with numpy: the compiled code was not there yet, and is being made for later runs."


def give_up() -> None:
    """Let another process compile, or stop waiting for this one."""
    _lock().unlink(missing_ok=True)


def marker() -> Path:
    """The file that says so: beside numba's cache, for this source, these versions and this machine."""
    return _folder() / f"subsel-{_stamp()}.compiled"


def _lock() -> Path:
    return marker().with_suffix(".compiling")


def _folder() -> Path:
    """Where numba keeps machine code of this package."""
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(given)
    beside = _HERE / "__pycache__"
    writable = os.access(beside if beside.exists() else _HERE, os.W_OK)
    return beside if writable else Path.home() / ".cache" / "numba"


def _stamp() -> str:
    try:
        numba = version("numba")
    except PackageNotFoundError:
        numba = "no numba"
    return sha256(
        "\n".join([stamp(), numba, python_version(), machine(), node()]).encode()
    ).hexdigest()[:16]
