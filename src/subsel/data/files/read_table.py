"""Tables from files: CSV, Parquet, Excel, NPZ (no pickles), libsvm, the challenge's; text columns one-hot encoded as groups."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from subsel.data.files.dialect import Dialect
from subsel.data.files.named_columns import read_csv, read_excel, read_parquet
from subsel.data.files.npz import read_arrays, sparse_from
from subsel.data.files.options import ReadOptions
from subsel.data.files.source import WIDE, broken, demand, existing_file
from subsel.data.files.table import Table
from subsel.data.names import NumberedNames, numbered, repeated_note
from subsel.runtime.memory import NotEnoughMemory

__all__ = ["read_table"]

ENTRIES = 16  # bytes that the parser holds for each of a libsvm file


def read_npz(path: Path, wanted: ReadOptions) -> Table:
    wanted.refuse_roles(path)
    held = read_arrays(path, wanted.memory)
    name = wanted.target or "y"
    if name not in held:
        raise ValueError(f"{path} has no array {name!r} for the target; it has {', '.join(held)}.")
    if "X" not in held and "indptr" not in held:
        raise ValueError(f"{path} has no array 'X'; it has {', '.join(held)}.")
    try:
        if "X" in held:
            X = held["X"]
        else:
            X = sparse_from(held, path, wanted.memory).tocsc()
    except NotEnoughMemory:
        raise
    except (ValueError, TypeError, IndexError, AttributeError, OverflowError) as error:
        raise ValueError(f"{path} does not hold a sparse matrix: {error}") from None
    _check_fit(path, X, held[name], name)
    if X.dtype.kind in "iub" or X.dtype.itemsize not in (4, 8):
        X = X.astype(np.float64)
    if "feature_names" not in held:
        return Table(X, held[name], NumberedNames(X.shape[1]), name)
    names, n_repeated = numbered(held["feature_names"].astype(str).ravel().tolist())
    if len(names) != X.shape[1]:
        raise ValueError(f"{path} has {len(names)} feature_names for {X.shape[1]} columns.")
    notes = []
    if n_repeated:
        notes.append(repeated_note(n_repeated))
    return Table(X, held[name], names, name, notes=notes)


def _check_fit(path: Path, X: Any, y: np.ndarray, name: str) -> None:
    if X.ndim != 2:
        raise ValueError(
            f"{path}: X must be a table of rows and columns, got {X.ndim} dimension(s)."
        )
    if X.dtype.kind not in "fiub":
        raise ValueError(f"{path}: X must hold numbers, got {X.dtype}.")
    if y.shape != (X.shape[0],) or y.dtype.kind not in "fiubU":
        raise ValueError(
            f"{path}: {name!r} must hold a number or a text for each of {X.shape[0]} rows, got {y.shape}."
        )


_LIBSVM = (
    b"0123456789+-.eE:, \t\r\n" + b"qidnaftyQIDNAFTY"
)  # what numbers, nan, infinity and qid are written with


def read_libsvm(path: Path, wanted: ReadOptions) -> Table:
    from sklearn.datasets import load_svmlight_file

    wanted.refuse_roles(path)
    demand(path, "its entries", ENTRIES * path.stat().st_size, wanted.memory)
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.partition(b"#")[0].translate(None, _LIBSVM):
                raise broken(
                    path, "libsvm file", f"line {number}", "write label index:value index:value ..."
                )
    try:
        X, y = load_svmlight_file(str(path))
    except Exception as error:
        raise broken(
            path, "libsvm file", error, "write label index:value index:value ..."
        ) from None
    if not X.shape[0]:
        raise ValueError(f"{path} has no rows.")
    demand(path, f"a table of {X.shape[1]} columns", WIDE * X.shape[1] + 32 * X.nnz, wanted.memory)
    return Table(X.tocsc(), y, NumberedNames(X.shape[1]), wanted.target or "y")


def read_challenge_part(path: Path, wanted: ReadOptions) -> Table:
    """The parts that lie beside a ``.param`` file, rows with labels only."""
    from scipy import sparse

    from subsel.data.files.challenge_format import read_challenge, read_param

    wanted.refuse_roles(path)
    demand(path, "its sparse table", WIDE * read_param(path).n_features, wanted.memory)
    data = read_challenge(path.parent, path.name.removesuffix(path.suffix))
    known = data.y != 0
    if not known.any():
        raise ValueError(f"{path}: no row has a label.")
    X = data.X[known]
    if sparse.issparse(X):
        X = X.tocsc()
    notes = []
    if not known.all():
        notes.append(f"{int((~known).sum())} rows without a label were left out.")
    names = NumberedNames(X.shape[1])
    return Table(X, data.y[known], names, wanted.target or "label", notes=notes)


def read_table(
    path: str | Path,
    target: str | None = None,
    memory: str | float | None = None,
    *,
    groups: str | None = None,
    weights: str | None = None,
    dialect: Dialect | None = None,
) -> Table:
    """Read a table and split the target off it; the format is told by the ending of the name.

    Text columns become one column per value, kept together as a group; columns of true and false, or yes and no, become
    one of 1 and 0; dates become year, month, weekday and days since the first, a group as well. Empty cells, NA, NaN,
    null, none and ? are missing: NaN in a column of numbers, a value of its own in a column of text. A number is what
    pandas takes for one. Encoding, separator, decimal sign and header of a text file are told from its beginning, and
    noted where they are not the usual ones.

    Parameters
    ----------
    path : str or Path
        The file.
    target : str, optional
        The column to predict: its name, or its position counted from 1 (-1 is the last).
    memory : str or int, optional
        What reading may take, as in ``"500MB"``; a file that would need more is refused before it is taken. Half of
        the free memory by default.
    groups : str, optional
        A column that says which rows belong together, by name or position; it is no feature.
    weights : str, optional
        A column of row weights, by name or position; it is no feature.
    dialect : Dialect, optional
        How a text file is written, where that is known: ``Dialect.of(path, header=False)`` tells the rest.

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
    ...     _ = file.write("age,town,y\\n30,A,0\\n40,B,1\\n50,A,1\\n")
    >>> table = read_table(path, "y")
    >>> table.names, table.groups
    (['age', 'town=A', 'town=B'], {'town': [1, 2]})
    """
    path = existing_file(Path(path))
    endings = [e for e in _READERS if path.name.lower().endswith(e)]
    if not endings:
        raise ValueError(f"{path}: the ending must be one of {', '.join(_READERS)}.")
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
