"""Arrays from an NPZ file, without pickles and within a memory limit."""

from __future__ import annotations

import math
from os import PathLike
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
from scipy import sparse

from subsel.data.files.source import COLUMN_BYTES, existing_file, require_memory, unreadable

__all__ = []


def read_arrays(
    path: str | PathLike[str], memory: str | float | None = None
) -> dict[str, np.ndarray]:
    """Read all arrays of a file, after the sum of their sizes was found to fit the memory.

    Parameters
    ----------
    path : str or Path
        The file.
    memory : str or float, optional
        The number of bytes that the arrays may take, as in :func:`subsel.data.read_table`.
    """
    path = existing_file(Path(path))
    try:
        with ZipFile(path) as archive:
            needed = sum(_array_bytes(archive, entry) for entry in archive.infolist())
    except Exception as error:
        raise unreadable(path, "NPZ file", error) from None
    require_memory(path, "its arrays", needed, memory)
    try:
        with np.load(path, allow_pickle=False) as file:
            return {key: file[key] for key in file.files}
    except Exception as error:
        raise unreadable(path, "NPZ file without pickles", error) from None


def _array_bytes(archive: ZipFile, entry: Any) -> int:
    """Return the bytes of an array by its header, which must agree with the size of the entry."""
    with archive.open(entry) as file:
        version = np.lib.format.read_magic(file)
        if version == (1, 0):
            shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        else:
            shape, _, dtype = np.lib.format.read_array_header_2_0(file)
        stated = math.prod(shape) * dtype.itemsize
        if min(shape, default=0) < 0 or (
            not dtype.hasobject and stated != entry.file_size - file.tell()
        ):
            raise ValueError(
                f"the header of {entry.filename} states the shape {shape}, "
                f"but the entry holds {entry.file_size} bytes"
            )
        return max(stated, entry.file_size)


def sparse_from(
    content: dict[str, Any],
    path: str | PathLike[str] = "the file",
    memory: str | float | None = None,
) -> sparse.csr_array:
    """Build a matrix from the arrays of SciPy's sparse format; removes them from `content`.

    Parameters
    ----------
    content : dict of str to ndarray
        The arrays of a file; ``format``, ``shape``, ``data``, ``indices`` and ``indptr`` are
        removed.
    path : str or Path
        The file, for messages.
    memory : str or float, optional
        The number of bytes that the matrix may take.
    """
    missing = {"format", "shape", "data", "indices", "indptr"} - content.keys()
    if missing:
        raise ValueError(
            f"{path} must hold X or the arrays of a sparse matrix, "
            f"but lacks {', '.join(sorted(missing))}."
        )
    kind = content.pop("format").item()
    if isinstance(kind, bytes):
        kind = kind.decode()
    data, indices, indptr = (content.pop(name) for name in ("data", "indices", "indptr"))
    n_rows, n_columns = map(int, content.pop("shape"))
    if kind not in ("csr", "csc"):
        raise ValueError(f"{path}: the format of the matrix must be csr or csc, got {kind!r}.")
    require_memory(
        Path(path),
        "its sparse matrix",
        COLUMN_BYTES * (n_rows + n_columns) + 4 * (data.nbytes + indices.nbytes),
        memory,
    )
    build = sparse.csr_array if kind == "csr" else sparse.csc_array
    matrix = build((data, indices, indptr), (n_rows, n_columns))
    # the full check is needed: compiled code would follow an index outside the matrix
    matrix.check_format(full_check=True)
    return sparse.csr_array(matrix)
