"""Files that are written completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["atomic_write", "check_writable"]


def check_writable(folder: Path) -> None:
    """Create a folder if needed, and raise an error if nothing can be written to it.

    Call it before a search, whose results would otherwise be lost.

    Examples
    --------
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
        raise OSError(
            f"cannot write to {folder}: {error.strerror}; name a folder that can be written to."
        ) from None


@contextmanager
def atomic_write(folder: Path, *names: str) -> Iterator[list[Path]]:
    """Yield paths to write to, which are renamed to files in `folder` if no error is raised.

    After an error, none of the files is changed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic_write(Path(folder), "a.txt", "b.txt") as (a, b):
    ...         _ = a.write_text("whole"), b.write_text("too")
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['a.txt', 'b.txt']
    """
    temporary = [folder / f".{name}.{os.getpid()}.new" for name in names]
    try:
        yield temporary
        for path, name in zip(temporary, names):
            os.replace(path, folder / name)
    finally:
        for path in temporary:
            path.unlink(missing_ok=True)
