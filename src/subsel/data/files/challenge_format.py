"""The text files of the 2003 challenge, and data sets kept as arrays in one file."""

import io
import re
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NoReturn

import numpy as np
from scipy import sparse
from sklearn.utils import Bunch

from subsel.data.files.npz import read_arrays, sparse_from
from subsel.data.files.source import COLUMN_BYTES, existing_file, require_memory, unreadable
from subsel.runtime.text import one_line

__all__ = ["load_npz", "read_challenge", "read_param"]

DENSE, SPARSE_INTEGER, SPARSE_BINARY = "non-sparse", "sparse integer", "sparse binary"


def load_npz(path: str | PathLike[str]) -> Bunch:
    """Load one data set from an ``.npz`` file without pickles.

    The file holds a dense ``X`` or the five arrays of SciPy's sparse format, and usually ``y``,
    ``split`` (one number per row, an index into ``split_names``) and ``feature_names``. Every array
    of the file becomes an attribute of the result. A file without ``split`` has one split, "all".

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    Bunch
        ``X`` of shape (n_samples, n_features), dense or CSR; ``split`` of shape (n_samples,);
        ``split_names``; ``feature_names`` (None where the file has none); and the other arrays.

    Examples
    --------
    >>> import tempfile, os
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "tiny.npz")
    >>> np.savez(path, X=np.eye(2), y=np.array([1, -1]))
    >>> load_npz(path).y
    array([ 1, -1])
    """
    content: dict[str, Any] = dict(read_arrays(path))
    if "X" not in content:
        content["X"] = sparse_from(content, path)
    n_samples = content["X"].shape[0]
    content.setdefault("split", np.zeros(n_samples, dtype=np.int8))
    content.setdefault("split_names", np.array(["all"]))
    content.setdefault("feature_names", None)
    return Bunch(**content)


def read_challenge(folder: str | PathLike[str], name: str) -> Bunch:
    """Read a data set of the 2003 challenge: ``name.param`` and the parts train, valid, test [1]_.

    Counts of labels and sums of entries that differ from those of the ``.param`` file raise an
    error.

    Parameters
    ----------
    folder : str or Path
        The folder that holds the files.
    name : str
        The name of the data set: the names of its files begin with it.

    Returns
    -------
    Bunch
        ``X`` (CSR if the file is sparse), ``y`` (0 where a part has no labels), ``split``,
        ``split_names`` and ``feature_names`` (None) as in :func:`load_npz`, and ``param``, which
        :func:`read_param` returns.

    References
    ----------
    .. [1] I. Guyon, "Feature Selection Challenge", in Guyon et al. (eds.), *Feature Extraction*,
       2006, appendix B, formats and protocol.

    Examples
    --------
    >>> import tempfile
    >>> from subsel.literature.challenge.tables import write_challenge
    >>> folder = tempfile.TemporaryDirectory()
    >>> X, y = np.array([[1, 0], [0, 2], [3, 0]]), np.array([1, -1, 1])
    >>> write_challenge(folder.name, "tiny", X, y)
    >>> read_challenge(folder.name, "tiny").y.tolist()
    [1, -1, 1]
    """
    param = read_param(Path(folder, f"{name}.param"))
    require_memory(
        Path(folder, f"{name}.param"),
        f"a table of {param.n_features} features",
        COLUMN_BYTES * param.n_features,
    )
    parts, labels = {}, {}
    for part in ("train", "valid", "test"):
        path = Path(folder, f"{name}_{part}.data")
        if path.exists():
            parts[part] = _read_table(path, param.n_features, param.kind)
            labels[part] = _read_labels(path.with_suffix(".labels"), parts[part].shape[0])
            _check_part(name, part, parts[part], labels[part], param)
    if not parts:
        raise FileNotFoundError(
            f"no file {name}_train.data, {name}_valid.data or {name}_test.data in {folder}."
        )
    stack = np.vstack if param.kind == DENSE else sparse.vstack
    return Bunch(
        X=stack(list(parts.values())),
        y=np.concatenate(list(labels.values())),
        split=np.repeat(np.arange(len(parts)), [X.shape[0] for X in parts.values()]).astype(
            np.int8
        ),
        split_names=np.array(list(parts)),
        feature_names=None,
        param=param,
    )


def read_param(path: str | PathLike[str]) -> Bunch:
    """Read the ``.param`` file of a data set, which describes its other files.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    Bunch
        ``kind`` ("non-sparse", "sparse integer" or "sparse binary"), ``n_features``, and ``parts``,
        a dict from the name of a part to ``(n_positive, n_negative, sum_of_entries)``.

    Examples
    --------
    >>> import tempfile
    >>> from subsel.literature.challenge.tables import write_challenge
    >>> folder = tempfile.TemporaryDirectory()
    >>> X, y = np.array([[1, 0], [0, 2], [3, 0]]), np.array([1, -1, 1])
    >>> write_challenge(folder.name, "tiny", X, y)
    >>> param = read_param(Path(folder.name, "tiny.param"))
    >>> param.n_features, param.parts["train"]
    (2, (2, 1, 6.0))
    """
    text = _text(Path(path))
    kind = re.search(r"Data type:\s*(.+?)\s*$", text, re.MULTILINE)
    width = re.search(r"Number of features:\s*([0-9]{1,18})\s*$", text, re.MULTILINE)
    if kind is None or width is None or kind[1] not in (DENSE, SPARSE_INTEGER, SPARSE_BINARY):
        raise ValueError(
            f"{path} must state 'Data type:' (non-sparse, sparse integer or sparse binary) and "
            f"'Number of features:' (a whole number), one per line."
        )
    rows = re.findall(
        r"^(Train|Valid|Test)\s+([0-9]{1,18})\s+([0-9]{1,18})\s+[0-9]+\s+([0-9]+(?:\.[0-9]*)?)",
        text,
        re.MULTILINE,
    )
    parts = {
        part.lower(): (int(positive), int(negative), float(total))
        for part, positive, negative, total in rows
    }
    return Bunch(kind=kind[1], n_features=int(width[1]), parts=parts)


_ENTRIES = {
    SPARSE_INTEGER: re.compile(r"[0-9]{1,18}:-?[0-9]+(\.[0-9]*)?"),
    SPARSE_BINARY: re.compile(r"[0-9]{1,18}"),
}


def _text(path: Path) -> str:
    """Read a file of the challenge as text."""
    require_memory(path, "its text", 16 * existing_file(path).stat().st_size)
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        remedy = "save it as plain ASCII text"
        raise unreadable(path, "file of the challenge", error, remedy) from None


def _dense(path: Path, dtype: Any, ndmin: Literal[1, 2]) -> np.ndarray:
    """Read the numbers of a file, one row of the array per line."""
    try:
        return np.loadtxt(io.StringIO(_text(path)), dtype=dtype, ndmin=ndmin)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{path}: {one_line(error, 200)}") from None


def _read_table(path: Path, n_features: int, kind: str) -> Any:
    """Read a ``.data`` file: an array of shape (lines, n_features), CSR unless `kind` is dense.

    Each line of a sparse file lists the entries of one row: ``index:value``, or only the index
    where all values are 1. Indices count from 1; repeated ones are added up.
    """
    if kind == DENSE:
        return _dense(path, np.float64, 2)
    text = _text(path)
    lines = text.splitlines()
    counts = [len(line.split()) for line in lines]
    try:
        if not text.isascii() or "_" in text:
            raise ValueError("characters that no number has")
        if kind == SPARSE_BINARY:
            written = np.array(" ".join(lines).split(), dtype=np.float64)
            data = np.ones(len(written))
        else:
            pairs = np.array(" ".join(lines).replace(":", " ").split(), dtype=np.float64).reshape(
                sum(counts), 2
            )
            written, data = pairs.T
        with np.errstate(invalid="ignore"):
            indices = written.astype(np.int64)
        in_range = bool((indices >= 1).all() and (indices <= n_features).all())
        valid = in_range and bool((written == indices).all())
    except ValueError:
        valid = False
    if not valid:
        _name_bad_entry(path, lines, n_features, kind)
    table = sparse.csr_array(
        (data, indices - 1, np.cumsum([0, *counts])), shape=(len(lines), n_features)
    )
    table.sum_duplicates()
    return table


def _name_bad_entry(path: Path, lines: list[str], n_features: int, kind: str) -> NoReturn:
    """Raise an error for the first entry that cannot be read or whose index is out of range."""
    entries = ((number, entry) for number, line in enumerate(lines, 1) for entry in line.split())
    for number, entry in entries:
        if not _ENTRIES[kind].fullmatch(entry):
            form = "index:value" if kind == SPARSE_INTEGER else "an index"
            raise ValueError(
                f"{path}, line {number}: each entry of a {kind} table must be {form}, "
                f"got {entry!r}."
            )
        if not 1 <= int(entry.partition(":")[0]) <= n_features:
            raise ValueError(
                f"{path}, line {number}: the index must lie in [1, {n_features}], got {entry!r}; "
                "correct it, or the number of features in the .param file."
            )
    raise ValueError(f"{path} must be plain ASCII text, but it holds other characters.")


def _read_labels(path: Path, n_samples: int) -> np.ndarray:
    """Read a ``.labels`` file: (n_samples,) numbers -1, 0 or +1; zeros where there is no file."""
    if not path.exists():
        return np.zeros(n_samples, dtype=np.int8)
    labels = _dense(path, np.int8, 1)
    if not np.isin(labels, (-1, 0, 1)).all():
        raise ValueError(
            f"{path}: labels must be -1 or +1, or 0 where they are withheld, "
            f"got {np.unique(labels)[:5].tolist()}."
        )
    if labels.shape != (n_samples,):
        raise ValueError(
            f"{path} must hold one label for each of the {n_samples} rows of the table, "
            f"got {labels.size} labels."
        )
    return labels


def _check_part(name: str, part: str, X: Any, y: np.ndarray, param: Bunch) -> None:
    """Check the shape, the labels and the sum of the entries of one part against ``.param``."""
    if X.shape[1] != param.n_features:
        raise ValueError(
            f"{name}_{part}.data must have {param.n_features} values in each row as {name}.param "
            f"states, got shape {X.shape}."
        )
    if part not in param.parts:
        return
    positive, negative, total = param.parts[part]
    if y.any() and ((y > 0).sum(), (y < 0).sum()) != (positive, negative):
        raise ValueError(
            f"{name}_{part}.labels must hold {positive} positive and {negative} negative labels as "
            f"{name}.param states, got {(y > 0).sum()} and {(y < 0).sum()}."
        )
    if round(float(X.sum(dtype=np.float64)), 2) != total:
        raise ValueError(
            f"{name}_{part}.data: the entries sum to {X.sum(dtype=np.float64)}, but {name}.param "
            f"states {total}; one of the two files is damaged."
        )
