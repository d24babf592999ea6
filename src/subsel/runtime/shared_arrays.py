"""One object on disk for many processes: its large arrays are files that every process maps and none copies."""

from __future__ import annotations

import os
import pickle
import platform
import re
import shutil
import tempfile
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias
from uuid import uuid4

import numpy as np
from cloudpickle import CloudPickler
from joblib.externals.loky import process_executor
from joblib.externals.loky.backend import resource_tracker

__all__ = ["SharedObject"]

Place: TypeAlias = tuple[Any, ...]
"""A file, or a part of one: its name, offset, dtype, shape and strides."""

LARGE = 2**16  # bytes from which an array becomes a file of its own
_HOST = re.sub(r"\W", "_", platform.node())  # the folder may be one that machines share
LEAK = 300_000_000  # growth of a worker that loky takes for a leak

_latest: tuple[str, Any] = (
    "",
    None,
)  # what this process has loaded: a worker serves one run at a time


class SharedObject(NamedTuple):
    """Where the object lies; small enough to go with every task.

    Arrays that are maps of a file already (``np.load(..., mmap_mode="r")``) are not written again. The folder is made
    in ``JOBLIB_TEMP_FOLDER``, else where temporary files go, and vanishes with this process however it ends.
    """

    folder: str
    size: int

    @classmethod
    def write(cls, thing: object) -> SharedObject:
        """Write an object, anything that cloudpickle knows."""
        base = os.environ.get("JOBLIB_TEMP_FOLDER") or tempfile.gettempdir()
        _remove_stale(Path(base))
        folder = Path(base) / f"subsel-{_HOST}-{os.getpid()}-{uuid4().hex}"
        folder.mkdir(mode=0o700)
        resource_tracker.register(str(folder), "folder")
        try:
            with open(folder / "object", "wb") as file:
                pickler = _Pickler(file, folder)
                pickler.dump(thing)
        except BaseException:
            cls(str(folder), 0).remove()
            raise
        return cls(str(folder), pickler.size)

    def load(self) -> Any:
        """Read it, once in each process; large arrays are read-only maps."""
        global _latest
        if _latest[0] != self.folder:
            _latest = ("", None)  # let go of the last before the next
            with open(Path(self.folder) / "object", "rb") as file:
                _latest = self.folder, _Unpickler(file, Path(self.folder)).load()
            # A worker that has looked at its map has grown by it, which loky would take for a leak and replace it.
            process_executor._MAX_MEMORY_LEAK_SIZE = LEAK + self.size
        return _latest[1]

    def remove(self) -> None:
        """Delete the files."""
        shutil.rmtree(self.folder, ignore_errors=True)
        resource_tracker.unregister(self.folder, "folder")


def _remove_stale(base: Path) -> None:
    """Remove the folders of processes that are gone, killed together with the tracker that would have done it."""
    for folder in base.glob(f"subsel-{_HOST}-*-*"):
        pid = folder.name.rsplit("-", 2)[1]
        if pid.isdigit() and not _lives(int(pid)):
            shutil.rmtree(folder, ignore_errors=True)


def _lives(pid: int) -> bool:
    if os.name == "nt":
        return True  # asking there would end it
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # it belongs to somebody else
    return True


class _Pickler(CloudPickler):
    """Pickles all but large arrays, which it writes to files or finds in them."""

    def __init__(self, file: IO[bytes], folder: Path) -> None:
        super().__init__(file, protocol=5)
        self.folder, self.size = folder, 0
        self.met: dict[
            int, tuple[Place, np.ndarray]
        ] = {}  # the array is kept, so that its id stays its own

    def persistent_id(self, thing: Any) -> Place | None:
        """Where a large array lies; None for everything else."""
        if (
            type(thing) not in (np.ndarray, np.memmap)
            or thing.nbytes < LARGE
            or thing.dtype.hasobject
        ):
            return None
        if id(thing) not in self.met:
            self.met[id(thing)] = self._place(thing), thing
            self.size += thing.nbytes
        return self.met[id(thing)][0]

    def _place(self, array: np.ndarray) -> Place:
        if (place := _within_file(array)) is not None:
            return place
        name = f"{len(self.met)}.npy"
        np.save(self.folder / name, array, allow_pickle=False)
        return (name,)


def _within_file(array: np.ndarray) -> Place | None:
    """File, offset and layout of an array that is (a view of) a map; None if it is not, or may differ from the file."""
    whole: Any = array
    while isinstance(whole, np.ndarray) and isinstance(whole.base, np.ndarray):
        whole = whole.base
    if not isinstance(whole, np.memmap) or whole.filename is None or whole.mode == "c":
        return None
    whole.flush()
    offset = whole.offset + array.ctypes.data - whole.ctypes.data
    return os.path.abspath(whole.filename), offset, array.dtype, array.shape, array.strides


class _Unpickler(pickle.Unpickler):
    """Maps what the pickler has put into files."""

    def __init__(self, file: IO[bytes], folder: Path) -> None:
        super().__init__(file)
        self.folder = folder
        self.met: dict[Place, np.ndarray] = {}

    def persistent_load(self, place: Place) -> np.ndarray:
        """Map one array; the same place is the same array."""
        if place not in self.met:
            self.met[place] = self._map(place)
        return self.met[place]

    def _map(self, place: Place) -> np.ndarray:
        if len(place) == 1:
            array: np.ndarray = np.load(self.folder / place[0], "r", allow_pickle=False)
            return array.view(np.ndarray)
        name, offset, dtype, shape, strides = place
        return np.ndarray(shape, dtype, np.memmap(name, mode="r"), offset, strides)
