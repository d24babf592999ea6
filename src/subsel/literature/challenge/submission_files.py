"""The files that a team handed in in 2003: predictions, confidences and the columns used."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np

from subsel.literature.challenge.submission import Submission

__all__ = ["read_files", "write_files"]

PARTS = ("train", "valid", "test")


def write_files(given: Submission, folder: str | PathLike[str], n_features: int) -> list[Path]:
    """Write a submission as the rules of 2003 had it [1]_.

    ``NAME_train.resu`` and ``NAME_valid.resu`` hold 1 or -1 a line, and so does ``NAME_test.resu`` where test rows were at
    hand; the files ``.conf`` a confidence that is never negative, ``NAME.feat`` the columns from 1 on. Where all columns
    were used there is no such file. The rules want the best column first; a submission does not know an order, and they
    stand by number.

    Parameters
    ----------
    given : Submission
        What was handed in.
    folder : path
        Where to; it is made.
    n_features : int
        How many columns the problem has.

    Returns
    -------
    list of Path
        What was written.

    References
    ----------
    .. [1] I. Guyon, "Feature Selection Challenge", in Guyon et al. (eds.), *Feature Extraction*, 2006, appendix B,
       formats and protocol.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> given = Submission("guess", "tiny", np.array([0.5, -1.0]), np.array([2.0]), np.array([0, 3]), 0.1)
    >>> [path.name for path in write_files(given, folder.name, 9)]
    ['tiny_train.resu', 'tiny_train.conf', 'tiny_valid.resu', 'tiny_valid.conf', 'tiny.feat']
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    texts: dict[str, list[str]] = {}
    for part in PARTS:
        if (said := getattr(given, part)) is None:
            for end in ("resu", "conf"):
                (folder / f"{given.problem}_{part}.{end}").unlink(missing_ok=True)
            continue
        texts[f"{given.problem}_{part}.resu"] = ["1" if one > 0 else "-1" for one in said]
        texts[f"{given.problem}_{part}.conf"] = [repr(float(abs(one))) for one in said]
    columns = folder / f"{given.problem}.feat"
    if len(given.features) < n_features:
        texts[columns.name] = [str(j + 1) for j in np.sort(given.features)]
    else:
        columns.unlink(missing_ok=True)
    for name, lines in texts.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="ascii")
    return [folder / name for name in texts]


def read_files(folder: str | PathLike[str], problem: str, n_features: int) -> Submission:
    """Read what :func:`write_files` wrote; files of 2003 without confidences count as equally sure.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> given = Submission("guess", "tiny", np.array([0.5, -1.0]), np.array([2.0]), np.array([0, 3]), 0.1)
    >>> _ = write_files(given, folder.name, 9)
    >>> read_files(folder.name, "tiny", 9).train
    array([ 0.5, -1. ])
    """
    train, valid, test = (Path(folder, f"{problem}_{part}.resu") for part in PARTS)
    said = _said(test) if test.exists() else None
    columns = Path(folder, f"{problem}.feat")
    features = np.arange(n_features)
    if columns.exists():
        features = np.loadtxt(columns, dtype=int, ndmin=1) - 1
    if len(features) and not 0 <= features.min() <= features.max() < n_features:
        raise ValueError(f"{columns}: columns are numbered from 1 to {n_features}.")
    return Submission(
        Path(folder).name, problem, _said(train), _said(valid), features, 0.0, test=said
    )


def _said(path: Path) -> np.ndarray:
    labels = np.loadtxt(path, ndmin=1)
    if not np.isin(labels, (-1, 1)).all():
        raise ValueError(f"{path}: every line must be 1 or -1.")
    sure = path.with_suffix(".conf")
    confidences = np.ones(len(labels))
    if sure.exists():
        confidences = np.loadtxt(sure, ndmin=1)
    if len(confidences) != len(labels) or not (confidences >= 0).all():
        raise ValueError(
            f"{sure}: one number a line, none negative, as many as in {path.name}, is due."
        )
    return labels * np.where(confidences > 0, confidences, np.finfo(float).tiny)
