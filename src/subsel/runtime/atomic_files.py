"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["atomic_write", "check_writable"]


def check_writable(folder: Path) -> None:
    """Make the folder, and fail before a search rather than after it if nothing can be written there.

    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile() as file:
    ...     check_writable(Path(file.name))
    Traceback (most recent call last):
    OSError: cannot write to ...
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".subsel-probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise OSError(f"cannot write to {folder}: {error.strerror}.") from None


@contextmanager
def atomic_write(folder: Path, *names: str) -> Iterator[list[Path]]:
    """Give paths to write to; they become the named files only if all went well.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic_write(Path(folder), "a.txt", "b.txt") as (a, b):
    ...         _ = a.write_text("whole"), b.write_text("too")
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['a.txt', 'b.txt']
    """
    fresh = [folder / f".{name}.{os.getpid()}.new" for name in names]
    try:
        yield fresh
        for path, name in zip(fresh, names):
            os.replace(path, folder / name)
    finally:
        for path in fresh:
            path.unlink(missing_ok=True)
