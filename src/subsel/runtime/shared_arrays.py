"""An object on disk for many processes, which map its large arrays and do not copy them."""

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

__all__ = ["SharedObject", "is_running"]

Place: TypeAlias = tuple[Any, ...]
"""A file, or a part of one: its name, offset, dtype, shape and strides."""

LARGE = 2**16  # bytes from which an array is written to a file of its own
_HOST = re.sub(r"\W", "_", platform.node())  # several machines may share the folder
LEAK = 300_000_000  # bytes of growth after which loky replaces a worker: its default

# the folder and the object that this process loaded last: a worker does the tasks of one run
_loaded: tuple[str, Any] = ("", None)


class SharedObject(NamedTuple):
    """The location of an object on disk, small enough to be sent with every task.

    Arrays that are maps of a file already (``np.load(..., mmap_mode="r")``) are not written again.
    The folder is in ``JOBLIB_TEMP_FOLDER``, or with other temporary files, and is removed when this
    process ends, however it ends.
    """

    folder: str  # the folder with the pickled object and its arrays
    size: int  # bytes of the large arrays

    @classmethod
    def write(cls, thing: object) -> SharedObject:
        """Write an object that cloudpickle can pickle."""
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
        """Return the object, read once in each process; large arrays are read-only maps."""
        global _loaded
        if _loaded[0] != self.folder:
            _loaded = ("", None)  # free the last object before the next is read
            with open(Path(self.folder) / "object", "rb") as file:
                _loaded = self.folder, _Unpickler(file, Path(self.folder)).load()
            # A worker that read its map has grown by its size, which loky would consider a leak.
            process_executor._MAX_MEMORY_LEAK_SIZE = LEAK + self.size
        return _loaded[1]

    def remove(self) -> None:
        """Delete the files."""
        shutil.rmtree(self.folder, ignore_errors=True)
        resource_tracker.unregister(self.folder, "folder")


def _remove_stale(base: Path) -> None:
    """Remove the folders of processes that were killed together with their resource tracker."""
    for folder in base.glob(f"subsel-{_HOST}-*-*"):
        pid = folder.name.rsplit("-", 2)[1]
        if pid.isdigit() and not is_running(int(pid)):
            shutil.rmtree(folder, ignore_errors=True)


def is_running(pid: int) -> bool:
    """Whether a process is running; assumed on Windows, where signal 0 would end it."""
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # it belongs to another user
    return True


class _Pickler(CloudPickler):
    """Pickles everything but large arrays, which it writes to files unless they are maps."""

    def __init__(self, file: IO[bytes], folder: Path) -> None:
        super().__init__(file, protocol=5)
        self.folder, self.size = folder, 0
        # places of arrays by their id; keeping the array ensures that no other has the same id
        self.places: dict[int, tuple[Place, np.ndarray]] = {}

    def persistent_id(self, thing: Any) -> Place | None:
        """Return the place of a large array; None for everything else, which is pickled."""
        if (
            type(thing) not in (np.ndarray, np.memmap)
            or thing.nbytes < LARGE
            or thing.dtype.hasobject
        ):
            return None
        if id(thing) not in self.places:
            self.places[id(thing)] = self._place(thing), thing
            self.size += thing.nbytes
        return self.places[id(thing)][0]

    def _place(self, array: np.ndarray) -> Place:
        if (place := _within_file(array)) is not None:
            return place
        name = f"{len(self.places)}.npy"
        np.save(self.folder / name, array, allow_pickle=False)
        return (name,)


def _within_file(array: np.ndarray) -> Place | None:
    """Return the place of an array that is (a view of) a map of a file.

    None if it is not, or if its content may differ from that of the file (mode "c").
    """
    whole: Any = array
    while isinstance(whole, np.ndarray) and isinstance(whole.base, np.ndarray):
        whole = whole.base
    if not isinstance(whole, np.memmap) or whole.filename is None or whole.mode == "c":
        return None
    whole.flush()
    offset = whole.offset + array.ctypes.data - whole.ctypes.data
    return os.path.abspath(whole.filename), offset, array.dtype, array.shape, array.strides


class _Unpickler(pickle.Unpickler):
    """Unpickles an object, and maps the arrays that `_Pickler` put into files."""

    def __init__(self, file: IO[bytes], folder: Path) -> None:
        super().__init__(file)
        self.folder = folder
        self.places: dict[Place, np.ndarray] = {}

    def persistent_load(self, place: Place) -> np.ndarray:
        """Return the array at a place, the same one each time."""
        if place not in self.places:
            self.places[place] = self._map(place)
        return self.places[place]

    def _map(self, place: Place) -> np.ndarray:
        if len(place) == 1:
            array: np.ndarray = np.load(self.folder / place[0], "r", allow_pickle=False)
            return array.view(np.ndarray)
        name, offset, dtype, shape, strides = place
        return np.ndarray(shape, dtype, np.memmap(name, mode="r"), offset, strides)
