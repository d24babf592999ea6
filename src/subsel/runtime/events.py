"""Progress events of a job for another program: a line of JSON per step, appended to a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import isfinite
from pathlib import Path
from typing import TextIO

from subsel.runtime.interruption import is_part_of_a_job
from subsel.runtime.record_file import JournalError, lock

__all__ = [
    "emit",
    "events_to",
    "is_watched",
]

# a context variable, since a job passes through code of other libraries (estimators, joblib) before
# it emits a step; it decides only what another program reads
_file: ContextVar[TextIO | None] = ContextVar("watched", default=None)


@contextmanager
def events_to(path: Path) -> Iterator[None]:
    """Append the events emitted within this context to a file, which is locked until it ends.

    Another program can ask with ``record_file.is_locked`` whether the job is running.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with events_to(Path(folder) / "steps"):
    ...         emit("fold", done=1, score=float("nan"))
    ...     print((Path(folder) / "steps").read_text(), end="")
    {"event": "fold", "done": 1, "score": null}
    """
    with path.open("a", encoding="utf8") as file:
        if not lock(file, patience=5):
            raise JournalError(f"another job writes its steps to {path}; name another file.")
        token = _file.set(file)
        try:
            yield
        finally:
            _file.reset(token)


def is_watched() -> bool:
    """Whether events are written; those of a part of a larger job are not."""
    return _file.get() is not None and not is_part_of_a_job()


def emit(event: str, **facts: object) -> None:
    """Append an event to the file of `events_to`, if there is one.

    Parameters
    ----------
    event : str
        The kind of the event.
    **facts : object
        What JSON can represent; NaN and infinity become null.
    """
    if is_watched() and (file := _file.get()) is not None:
        file.write(json.dumps(_plain({"event": event, **facts})) + "\n")
        file.flush()


def _plain(value: object) -> object:
    """Convert a value to what JSON represents; NaN and infinity become None."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    if isinstance(value, float):
        return float(value)
    return value
