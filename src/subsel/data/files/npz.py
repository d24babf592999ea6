"""Arrays out of an NPZ file: no pickles, and no more memory than the limit whatever the file claims."""

from __future__ import annotations

import math
from os import PathLike
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
from scipy import sparse

from subsel.data.files.source import WIDE, broken, demand, existing_file

__all__ = []


def read_arrays(
    path: str | PathLike[str], memory: str | float | None = None
) -> dict[str, np.ndarray]:
    """Read all arrays, after their sizes were added up and found to fit."""
    path = existing_file(Path(path))
    try:
        with ZipFile(path) as archive:
            needed = sum(_claimed(archive, entry) for entry in archive.infolist())
    except Exception as error:
        raise broken(path, "NPZ file", error) from None
    demand(path, "its arrays", needed, memory)
    try:
        with np.load(path, allow_pickle=False) as file:
            return {key: file[key] for key in file.files}
    except Exception as error:
        raise broken(path, "NPZ file without pickles", error) from None


def _claimed(archive: ZipFile, entry: Any) -> int:
    """Bytes of an array by its header, which must be those that the archive holds."""
    with archive.open(entry) as file:
        version = np.lib.format.read_magic(file)
        if version == (1, 0):
            shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        else:
            shape, _, dtype = np.lib.format.read_array_header_2_0(file)
        claimed = math.prod(shape) * dtype.itemsize
        if min(shape, default=0) < 0 or (
            not dtype.hasobject and claimed != entry.file_size - file.tell()
        ):
            raise ValueError(f"{entry.filename} says {shape} and holds {entry.file_size} bytes")
        return max(claimed, entry.file_size)


def sparse_from(
    content: dict[str, Any],
    path: str | PathLike[str] = "the file",
    memory: str | float | None = None,
) -> sparse.csr_array:
    """Take the arrays of SciPy's sparse format out of the content and build the matrix, if they fit together."""
    missing = {"format", "shape", "data", "indices", "indptr"} - content.keys()
    if missing:
        raise ValueError(
            f"the file must hold X or a sparse matrix, it lacks {', '.join(sorted(missing))}."
        )
    kind = content.pop("format").item()
    if isinstance(kind, bytes):
        kind = kind.decode()
    data, indices, indptr = (content.pop(name) for name in ("data", "indices", "indptr"))
    n_rows, n_columns = map(int, content.pop("shape"))
    if kind not in ("csr", "csc"):
        raise ValueError(f"the sparse format must be csr or csc, got {kind!r}.")
    demand(
        Path(path),
        "its sparse matrix",
        WIDE * (n_rows + n_columns) + 4 * (data.nbytes + indices.nbytes),
        memory,
    )
    build = sparse.csr_array if kind == "csr" else sparse.csc_array
    matrix = build((data, indices, indptr), (n_rows, n_columns))
    matrix.check_format(
        full_check=True
    )  # an index outside the table would write outside the memory
    return sparse.csr_array(matrix)
