"""Tables of numbers without a header: NPZ, libsvm, the challenge's files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from subsel.datasets.table import Table
from subsel.names import NumberedNames

__all__ = []


def read_npz(path: Path, target: str | None) -> Table:
    from zipfile import BadZipFile

    from subsel.datasets.challenge import sparse_from

    try:
        with np.load(path, allow_pickle=False) as file:
            held = {key: file[key] for key in file.files}
    except (ValueError, OSError, EOFError, BadZipFile) as error:
        raise ValueError(f"{path} is not a readable NPZ file without pickles: {error}") from None
    name = target or "y"
    if name not in held:
        raise ValueError(f"{path} has no array {name!r} for the target; it has {', '.join(held)}.")
    if "X" not in held and "indptr" not in held:
        raise ValueError(f"{path} has no array 'X'; it has {', '.join(held)}.")
    try:
        X = held["X"] if "X" in held else sparse_from(held).tocsc()
    except (ValueError, TypeError, IndexError) as error:
        raise ValueError(f"{path} does not hold a sparse matrix: {error}") from None
    if X.ndim != 2:
        raise ValueError(f"{path}: X must be a table of rows and columns, got {X.ndim} dimension(s).")
    X = X.astype(np.float64) if X.dtype.kind in "iub" else X
    if "feature_names" not in held:
        return Table(X, held[name], NumberedNames(X.shape[1]), name)
    names, n_repeated = _numbered(held["feature_names"].astype(str).ravel().tolist())
    if len(names) != X.shape[1]:
        raise ValueError(f"{path} has {len(names)} feature_names for {X.shape[1]} columns.")
    notes = [f"{n_repeated} column names occur more than once: the later ones got a number."] if n_repeated else []
    return Table(X, held[name], names, name, notes=notes)


def _numbered(names: list[str]) -> tuple[list[str], int]:
    """Tell equal names apart by a number, as in ``gene (2)``; also how many had to be."""
    seen: dict[str, int] = {}
    told = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        told.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return told, sum(n > 1 for n in seen.values())


def read_libsvm(path: Path, target: str | None) -> Table:
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(str(path))
    except ValueError as error:
        raise ValueError(f"{path} is not a readable libsvm file: {error}") from None
    return Table(X.tocsc(), y, NumberedNames(X.shape[1]), target or "y")


def read_challenge_part(path: Path, target: str | None) -> Table:
    """The parts that lie beside a ``.param`` file, rows with labels only."""
    from scipy import sparse

    from subsel.datasets.challenge import read_challenge

    data = read_challenge(path.parent, path.name.removesuffix(path.suffix))
    known = data.y != 0
    if not known.any():
        raise ValueError(f"{path}: no row has a label.")
    X = data.X[known]
    notes = [] if known.all() else [f"{int((~known).sum())} rows without a label were left out."]
    names = NumberedNames(X.shape[1])
    return Table(X.tocsc() if sparse.issparse(X) else X, data.y[known], names, target or "label", notes=notes)
