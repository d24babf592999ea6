"""The text files of the 2003 challenge, written."""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.files.challenge_format import DENSE, SPARSE_BINARY, SPARSE_INTEGER

__all__ = ["quantise", "write_challenge", "write_submission"]

_HEAD = (
    "Data type: {}\nNumber of features: {}\nNumber of examples and check-sums:\n"
    "     \tPos_ex\tNeg_ex\tTot_ex\tCheck_sum\n"
)


def write_challenge(
    folder: str | PathLike[str],
    name: str,
    X: Any,
    y: Any,
    split: Any = None,
    split_names: Sequence[str] = ("train",),
) -> None:
    """Write a two-class table in the challenge's text format [1]_.

    A dense X is written as such; a sparse one by ``index:value``, or by index alone when all its values are
    1. Values must be integers (see :func:`quantise`), labels -1 and +1, with 0 for a part whose labels are
    withheld.

    References
    ----------
    .. [1] I. Guyon, "Feature Selection Challenge", in Guyon et al. (eds.), *Feature Extraction*, 2006, appendix B,
       formats and protocol.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> X, y = np.array([[1, 0], [0, 2], [3, 0]]), np.array([1, -1, 1])
    >>> write_challenge(folder.name, "tiny", X, y)
    >>> sorted(path.name for path in Path(folder.name).iterdir())
    ['tiny.param', 'tiny_train.data', 'tiny_train.labels']
    """
    kind = kind_of_table(X)
    if split is None:
        split = np.zeros(X.shape[0], int)
    y, split = np.asarray(y), np.asarray(split)
    if not np.isin(y, (-1, 0, 1)).all():
        raise ValueError(
            f"labels must be -1 and +1, or 0 where withheld, got {np.unique(y)[:5].tolist()}."
        )
    lines = []
    for number, part in enumerate(split_names):
        rows = np.flatnonzero(split == number)
        table, labels = X[rows], y[rows].astype(int)
        _write_table(Path(folder, f"{name}_{part}.data"), table, kind)
        if labels.any():
            np.savetxt(Path(folder, f"{name}_{part}.labels"), labels, fmt="%d")
        counts = (labels > 0).sum(), (labels < 0).sum(), len(labels)
        total = int(table.sum(dtype=np.int64))
        lines.append(
            "\t".join([part.capitalize(), *(f"{count:5d}" for count in counts), f"{total:5.2f}"])
            + "\n"
        )
    Path(folder, f"{name}.param").write_text(_HEAD.format(kind, X.shape[1]) + "".join(lines))


def write_submission(
    folder: str | PathLike[str],
    name: str,
    predictions: Mapping[str, Any],
    confidences: Mapping[str, Any] | None = None,
    features: Any = None,
) -> None:
    """Write results as the challenge wanted them: ``.resu``, ``.conf`` and ``.feat`` [1]_.

    ``predictions`` and ``confidences`` are given by part; ``features`` count from 0, best first, and are
    written from 1; None means that all were used and writes no file.

    References
    ----------
    .. [1] I. Guyon, "Feature Selection Challenge", in Guyon et al. (eds.), *Feature Extraction*, 2006, appendix B,
       formats and protocol.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> write_submission(folder.name, "tiny", {"train": [1, -1]}, features=[0])
    >>> sorted(path.name for path in Path(folder.name).iterdir())
    ['tiny.feat', 'tiny_train.resu']
    """
    for part, labels in predictions.items():
        np.savetxt(Path(folder, f"{name}_{part}.resu"), np.asarray(labels), fmt="%d")
    for part, confidence in (confidences or {}).items():
        np.savetxt(Path(folder, f"{name}_{part}.conf"), np.asarray(confidence), fmt="%.17g")
    if features is not None:
        np.savetxt(Path(folder, f"{name}.feat"), np.asarray(features) + 1, fmt="%d")


def quantise(X: np.ndarray, n_levels: int = 1000) -> np.ndarray:
    """Map the whole table to the integers 0 .. n_levels - 1 by one affine map, as the challenge's data were.

    Examples
    --------
    >>> quantise(np.array([[0.0, 0.5], [1.0, 0.25]]), n_levels=5)
    array([[0, 2], [4, 1]])
    """
    if not np.isfinite(X).all():
        raise ValueError("X holds NaN or infinity, which has no level: replace it first.")
    low, high = X.min(), X.max()
    unit = np.zeros(X.shape)
    if high > low:
        unit = (X - low) / (high - low)
    return np.rint(unit * (n_levels - 1)).astype(np.int64)


def kind_of_table(X: Any) -> str:
    values = X.data if sparse.issparse(X) else np.asarray(X)
    if not np.equal(np.mod(values, 1), 0).all():
        raise ValueError("the challenge's format holds integers only; see quantise.")
    if not sparse.issparse(X):
        return DENSE
    return SPARSE_BINARY if (values == 1).all() else SPARSE_INTEGER


def _write_table(path: Path, X: Any, kind: str) -> None:
    if kind == DENSE:
        np.savetxt(path, X, fmt="%d")
        return
    X = sparse.csr_array(X)
    entries = (X.indices + 1).astype(str)
    if kind == SPARSE_INTEGER:
        entries = np.char.add(np.char.add(entries, ":"), X.data.astype(np.int64).astype(str))
    rows = np.split(entries, X.indptr[1:-1])
    path.write_text("".join(" ".join(row) + "\n" for row in rows))
