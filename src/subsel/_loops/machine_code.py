"""Machine code on disk, found by the contents of the source that it was compiled from."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from pickle import UnpicklingError
from time import perf_counter
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

from subsel._loops.compiler import _spent

__all__ = ["MachineCode", "stamp"]

# the starts of the compilations in progress, each within the one before
_starts: list[float] = []


class Index(IndexDataCacheFile):
    """The list of the machine code on disk for one loop, by the types of its arguments."""

    def _load_index(self) -> dict[Any, Any]:
        # numba unpickles the types of arguments before it compares the stamp: those of an older
        # version may name a class that has moved since, and its machine code is out of date anyway
        try:
            return super()._load_index()
        except (ImportError, AttributeError, EOFError, UnpicklingError):
            return {}


class MachineCode(FunctionCache):
    """The machine code of one loop, in the first of numba's folders that can be written.

    These are ``NUMBA_CACHE_DIR``, the one beside the source, and the user's cache directory.
    numba compares the file that a loop is defined in, some versions of it by the time of its
    last change, and names folders by the path of the source: a copy would be compiled again,
    and a loop would go on with the old machine code of a callee in another file. Here code
    belongs to the contents of all files.

    Parameters
    ----------
    function : callable
        The loop.
    listeners : list of callable
        Called with the topic of the loop where there is no machine code of it.
    """

    def __init__(self, function: Any, listeners: list[Callable[[str], None]]) -> None:
        super().__init__(function)
        self.listeners = listeners
        loops, own = Path(__file__).parent, Path(function.__code__.co_filename).parent
        # a loop outside `_loops` may call others of its own folder
        others = () if loops in (own, *own.parents) else (own,)
        version = stamp(*others)
        folder = Path(self._cache_path)
        if folder.name != "__pycache__":  # a folder that copies of the source share
            folder = folder.with_name(f"subsel-{version[:16]}")
            folder.mkdir(exist_ok=True)
        self._cache_path = self._impl.locator._cache_path = str(folder)
        self._cache_file = Index(self._cache_path, self._impl.filename_base, version)
        self.topic = Path(function.__code__.co_filename).stem.replace("_", " ")

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return machine code for these types of arguments; without any, call the listeners."""
        code = super().load_overload(sig, target_context)
        if code is None:
            for listen in self.listeners:
                listen(self.topic)
            _starts.append(perf_counter())
        return code

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store machine code that was missing, and add the seconds of the outermost compilation."""
        super().save_overload(sig, data)
        if not _starts:
            return
        begin = _starts.pop()
        if not _starts:  # the outermost
            _spent[0] += perf_counter() - begin


@cache
def stamp(*folders: Path) -> str:
    """Hash the names and contents of the files of `_loops` and of further folders.

    A copy has the same stamp, wherever and whenever it was made.
    """
    contents = sha256()
    for folder in (Path(__file__).parent, *folders):
        for file in sorted(folder.rglob("*.py")):
            name = str(file.relative_to(folder))
            contents.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
    return contents.hexdigest()
