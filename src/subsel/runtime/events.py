"""Tell a watching program how a job goes: a line of JSON for each step, appended to a file."""

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

# ambient, since a job passes through code that is not ours (estimators, joblib) before it tells of a step; it
# decides what a watching program hears, nothing else
_file: ContextVar[TextIO | None] = ContextVar("watched", default=None)


@contextmanager
def events_to(path: Path) -> Iterator[None]:
    """Within, steps are told to a file, which is held (``record_file.is_held``) as long as the job lives.

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
            raise JournalError(f"another job is telling its steps to {path}: give another file.")
        token = _file.set(file)
        try:
            yield
        finally:
            _file.reset(token)


def is_watched() -> bool:
    """Whether what is told now is heard; parts of a larger job are not told by themselves."""
    return _file.get() is not None and not is_part_of_a_job()


def emit(event: str, **facts: object) -> None:
    """Tell a step, where anybody listens."""
    if is_watched() and (file := _file.get()) is not None:
        file.write(json.dumps(_plain({"event": event, **facts})) + "\n")
        file.flush()


def _plain(value: object) -> object:
    """Only what JSON knows; numbers that are none become null."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    if isinstance(value, float):
        return float(value)
    return value
