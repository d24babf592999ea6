"""The source of compiled loops, and machine code on disk that was made of another.

numba compares the file that a function stands in, not those of the functions that it calls: without this a loop would go on
with the old machine code of a callee that has changed.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

__all__ = ["forget_other", "stamp"]


@cache
def stamp() -> str:
    """What tells this source from others: names, sizes and times of its files."""
    stats = [(file.name, file.stat()) for file in sorted(Path(__file__).parent.glob("*.py"))]
    told = "\n".join(f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in stats)
    return sha256(told.encode()).hexdigest()


@cache
def forget_other(folder: str | None) -> None:
    """Let numba compile anew what it keeps in a folder if that was made of another source."""
    if folder is None:
        return
    note = Path(folder) / "subsel.source"
    try:
        if note.exists() and note.read_text() == stamp():
            return
        note.write_text(stamp())
        for index in note.parent.glob("*.nbi"):
            index.unlink(missing_ok=True)
    except OSError:
        pass  # nothing can be kept here
