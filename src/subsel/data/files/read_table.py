"""The reader of tables: the ending of a file's name selects the format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from subsel.data.files.dialect import Dialect
from subsel.data.files.named_columns import read_csv, read_excel, read_parquet
from subsel.data.files.npz import read_arrays, sparse_from
from subsel.data.files.options import ReadOptions
from subsel.data.files.source import (
    COLUMN_BYTES,
    LONG,
    existing_file,
    require_memory,
    unreadable,
)
from subsel.data.files.table import Table
from subsel.data.names import NumberedNames, numbered, repeated_note
from subsel.runtime.memory import NotEnoughMemory
from subsel.runtime.text import one_line

__all__ = ["read_table"]

LIBSVM_REMEDY = "write each line as label index:value index:value ..."
ENTRY_FACTOR = 16  # bytes that the parser needs for each byte of a libsvm file


def read_npz(path: Path, options: ReadOptions) -> Table:
    """Read an NPZ file with ``X`` or a sparse matrix, a target, and optional ``feature_names``."""
    options.refuse_roles(path)
    arrays = read_arrays(path, options.memory)
    name = options.target or "y"
    if name not in arrays:
        raise ValueError(
            f"{path} has no array {name!r} for the target; it has {', '.join(arrays)}."
        )
    if "X" not in arrays and "indptr" not in arrays:
        raise ValueError(
            f"{path} has no array 'X' and no arrays of a sparse matrix; it has {', '.join(arrays)}."
        )
    try:
        if "X" in arrays:
            X = arrays["X"]
        else:
            X = sparse_from(arrays, path, options.memory).tocsc()
    except NotEnoughMemory:
        raise
    except (ValueError, TypeError, IndexError, AttributeError, OverflowError) as error:
        complaint = one_line(error, LONG).rstrip(".")
        raise ValueError(f"{path} does not hold a sparse matrix: {complaint}.") from None
    _check_arrays(path, X, arrays[name], name)
    if X.dtype.kind in "iub" or X.dtype.itemsize not in (4, 8):
        X = X.astype(np.float64)
    if "feature_names" not in arrays:
        return Table(X, arrays[name], NumberedNames(X.shape[1]), name)
    names, n_repeated = numbered(arrays["feature_names"].astype(str).ravel().tolist())
    if len(names) != X.shape[1]:
        raise ValueError(
            f"{path}: feature_names must hold one name for each of the {X.shape[1]} columns of X, "
            f"got {len(names)}."
        )
    notes = []
    if n_repeated:
        notes.append(repeated_note(n_repeated))
    return Table(X, arrays[name], names, name, notes=notes)


def _check_arrays(path: Path, X: Any, y: np.ndarray, name: str) -> None:
    """Check that X is a table of numbers and that the target `name` has a value for each row."""
    if X.ndim != 2:
        raise ValueError(
            f"{path}: X must be a table of rows and columns, got {X.ndim} dimension(s)."
        )
    if X.dtype.kind not in "fiub":
        raise ValueError(f"{path}: X must hold numbers, got {X.dtype}.")
    if y.shape != (X.shape[0],) or y.dtype.kind not in "fiubU":
        raise ValueError(
            f"{path}: the target {name!r} must hold a number or a text for each of {X.shape[0]} "
            f"rows, got shape {y.shape} of type {y.dtype}."
        )


# the characters of numbers, entries, "nan", "infinity" and "qid"
_LIBSVM = b"0123456789+-.eE:, \t\r\n" + b"qidnaftyQIDNAFTY"


def read_libsvm(path: Path, options: ReadOptions) -> Table:
    """Read a libsvm file, one line ``label index:value index:value ...`` per row."""
    from sklearn.datasets import load_svmlight_file

    options.refuse_roles(path)
    require_memory(path, "its entries", ENTRY_FACTOR * path.stat().st_size, options.memory)
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.partition(b"#")[0].translate(None, _LIBSVM):
                raise unreadable(
                    path, "libsvm file", f"line {number} holds other characters", LIBSVM_REMEDY
                )
    try:
        X, y = load_svmlight_file(str(path))
    except Exception as error:
        raise unreadable(path, "libsvm file", error, LIBSVM_REMEDY) from None
    if not X.shape[0]:
        raise ValueError(f"{path} must hold at least one row of data, but it has no rows.")
    require_memory(
        path,
        f"a table of {X.shape[1]} columns",
        COLUMN_BYTES * X.shape[1] + 32 * X.nnz,
        options.memory,
    )
    return Table(X.tocsc(), y, NumberedNames(X.shape[1]), options.target or "y")


def read_challenge_part(path: Path, options: ReadOptions) -> Table:
    """Read the rows with labels of all parts of the data set that a ``.param`` file describes."""
    from scipy import sparse

    from subsel.data.files.challenge_format import read_challenge, read_param

    options.refuse_roles(path)
    require_memory(
        path, "its sparse table", COLUMN_BYTES * read_param(path).n_features, options.memory
    )
    data = read_challenge(path.parent, path.name.removesuffix(path.suffix))
    known = data.y != 0
    if not known.any():
        raise ValueError(
            f"{path}: no row has a label; add the .labels file of at least one part "
            "(train, valid or test) with labels -1 and +1."
        )
    X = data.X[known]
    if sparse.issparse(X):
        X = X.tocsc()
    notes = []
    if not known.all():
        notes.append(f"{int((~known).sum())} rows without a label were left out.")
    names = NumberedNames(X.shape[1])
    return Table(X, data.y[known], names, options.target or "label", notes=notes)


def read_table(
    path: str | Path,
    target: str | None = None,
    memory: str | float | None = None,
    *,
    groups: str | None = None,
    weights: str | None = None,
    dialect: Dialect | None = None,
) -> Table:
    r"""Read a table and split off its target; the ending of the file's name selects the format.

    A text column becomes one column per value, which form a group; a column of true and false, or
    of yes and no, becomes one column of 1 and 0; a column of dates becomes a group of four: year,
    month, weekday and days since the first date. Empty cells, NA, NaN, null, none and ? are
    missing: NaN in a column of numbers, a value of its own in a column of text. Numbers are
    recognised as pandas does. Encoding, separator, decimal sign and header of a text file are
    detected from its beginning; a note names those that are unusual.

    Parameters
    ----------
    path : str or Path
        The file.
    target : str, optional
        The column to predict: its name, or its position counted from 1 (-1 is the last).
    memory : str or int, optional
        The memory that reading may take, as in ``"500MB"``; half of the free memory by default. A
        file that would need more is refused before the memory is allocated.
    groups : str, optional
        A column that names the group of each row, by name or position; it is no feature.
    weights : str, optional
        A column of row weights, by name or position; it is no feature.
    dialect : Dialect, optional
        How a text file is written, where that is known: ``Dialect.of(path, header=False)`` detects
        everything else.

    Returns
    -------
    Table
        Numbers, target, names, groups and notes.

    Examples
    --------
    >>> import tempfile, os
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "three.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("age,town,y\n30,A,0\n40,B,1\n50,A,1\n")
    >>> table = read_table(path, "y")
    >>> table.names, table.groups
    (['age', 'town=A', 'town=B'], {'town': [1, 2]})
    """
    path = existing_file(Path(path))
    endings = [e for e in _READERS if path.name.lower().endswith(e)]
    if not endings:
        raise ValueError(
            f"{path}: the ending of the name must be one of {', '.join(_READERS)}; "
            "rename or convert the file."
        )
    return _READERS[endings[0]](path, ReadOptions(target, groups, weights, memory, dialect))


_READERS: dict[str, Callable[[Path, ReadOptions], Table]] = {
    ".csv": read_csv,
    ".csv.gz": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".parquet": read_parquet,
    ".xlsx": read_excel,
    ".npz": read_npz,
    ".libsvm": read_libsvm,
    ".svm": read_libsvm,
    ".param": read_challenge_part,
}
