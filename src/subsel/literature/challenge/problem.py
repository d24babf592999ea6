"""A problem of the challenge: labelled training rows, validation rows whose labels are opened once, for a score."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.files.challenge_format import load_npz, read_challenge

__all__ = ["PARTS", "PROBLEMS", "REAL", "Known", "Problem", "load_problem", "problem_of"]


@dataclass(frozen=True)
class Known:
    """What is printed of a problem, by which a copy of it is checked.

    Parameters
    ----------
    n_features, n_probes : int
        Columns, and how many of them are probes.
    parts : dict of str to pair of int
        Positive and negative rows of each part.
    zeros : float
        The share of entries that are zero.
    n_test : int
        Rows of the test part, whose labels were never given out.
    """

    n_features: int
    n_probes: int
    parts: dict[str, tuple[int, int]]
    zeros: float
    n_test: int


PROBLEMS: dict[str, Known] = {
    "arcene": Known(10_000, 3_000, {"train": (44, 56), "valid": (44, 56)}, 0.46, 700),
    "dexter": Known(20_000, 10_053, {"train": (150, 150), "valid": (150, 150)}, 0.995, 2000),
    "dorothea": Known(100_000, 50_000, {"train": (78, 722), "valid": (34, 316)}, 0.99, 800),
    "gisette": Known(5_000, 2_500, {"train": (3000, 3000), "valid": (500, 500)}, 0.87, 6500),
    "madelon": Known(500, 480, {"train": (1000, 1000), "valid": (300, 300)}, 0.0, 1800),
}
"""The five problems of 2003, as their descriptions have them."""

REAL = {
    "madelon": (
        28,
        48,
        64,
        105,
        128,
        153,
        241,
        281,
        318,
        336,
        338,
        378,
        433,
        442,
        451,
        453,
        455,
        472,
        475,
        493,
    )
}
"""The columns that are no probes, where they are known: they serve scoring only."""

SPARSE = ("dexter", "dorothea")
"""The problems whose files name only what is not zero: elsewhere zero is a value as any other."""

PARTS = {"gisette-valid": "gisette_valid_only.npz"}
"""Problems made of a part of one of the five, and the file of that part: its rows are halved, every other row of a class
being a training row. What is reached there is no figure of the whole problem."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What an entry is given.

    Parameters
    ----------
    name : str
        As in the challenge.
    X : array or sparse matrix
        The training rows.
    y : ndarray
        Their labels, -1 and 1.
    others : array or sparse matrix
        The validation rows, without labels.
    sealed : ndarray
        Their labels. Only scoring reads them.
    probes : ndarray of bool, optional
        Which columns are probes, where that is known; for scoring only.
    test : array or sparse matrix, optional
        The test rows, where the folder holds them. An entry predicts them, and learns nothing from them.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(10, 3)), np.repeat([-1, 1], 5)
    >>> problem = problem_of("tiny", X, y, rng.normal(size=(4, 3)), np.array([1, 1, -1, -1]))
    >>> problem.n_features, problem.sparse
    (3, False)
    """

    name: str
    X: Any
    y: np.ndarray
    others: Any
    sealed: np.ndarray = field(repr=False)
    probes: np.ndarray | None = field(default=None, repr=False)
    test: Any = field(default=None, repr=False)

    @property
    def n_features(self) -> int:
        """How many columns there are."""
        return int(self.X.shape[1])

    @property
    def recipe(self) -> str:
        """The problem of 2003 whose recipes are meant: what comes before a hyphen in the name."""
        return self.name.split("-")[0]

    @property
    def sparse(self) -> bool:
        """Whether most entries are zero and not stored."""
        return sparse.issparse(self.X)


def problem_of(
    name: str,
    X: Any,
    y: np.ndarray,
    others: Any,
    sealed: np.ndarray,
    probes: np.ndarray | None = None,
    *,
    test: Any = None,
) -> Problem:
    """A problem from arrays, checked for what all parts must have in common."""
    tables = {"validation": others}
    if test is not None:
        tables["test"] = test
    for what, table in tables.items():
        if X.shape[1] != table.shape[1]:
            raise ValueError(
                f"{name}: {X.shape[1]} columns in training, {table.shape[1]} in {what}."
            )
    for what, labels, table in (("training", y, X), ("validation", sealed, others)):
        if len(labels) != table.shape[0] or set(np.unique(labels)) != {-1, 1}:
            raise ValueError(f"{name}: the labels of {what} must be -1 and 1, one a row.")
    return Problem(name, X, np.asarray(y), others, np.asarray(sealed), probes, test)


def load_problem(folder: str | PathLike[str], name: str) -> Problem:
    """Find a problem in a folder, as ``name.npz`` or as the files of the challenge, and check it.

    A table of its own may tell in ``probes``, one truth a column, which columns are probes.

    Parameters
    ----------
    folder : path
        Where the files lie.
    name : str
        One of the five, or of :data:`PARTS`.

    Returns
    -------
    Problem
        Training and validation rows, test rows where they are there, and which columns are probes, where that is known.
    """
    if name in PARTS:
        return _halved(Path(folder, PARTS[name]), name)
    if name not in PROBLEMS:
        from subsel.registry.table import did_you_mean

        raise ValueError(
            f"the challenge has no problem {name!r}. {did_you_mean(name, [*PROBLEMS, *PARTS])}"
        )
    npz = Path(folder, f"{name}.npz")
    if npz.exists():
        held = load_npz(npz)
    else:
        held = read_challenge(folder, name)
    split = _split(held)
    _check(name, held, split)
    if missing := {"train", "valid"} - set(split):
        raise ValueError(
            f"{name}: the part {sorted(missing)[0]!r} is not in {folder}: it cannot be entered."
        )
    return _problem(name, held, split["train"], split["valid"], split.get("test"))


def _halved(path: Path, name: str) -> Problem:
    """The rows of one part, every other row of each class for training."""
    held = load_npz(path)
    _check(name.split("-")[0], held, _split(held))
    halves = [
        np.sort(np.concatenate([np.flatnonzero(held.y == c)[i::2] for c in (-1, 1)]))
        for i in (0, 1)
    ]
    return _problem(name, held, *halves)


def _split(held: Any) -> dict[str, np.ndarray]:
    return {
        part: np.flatnonzero(held.split == i) for i, part in enumerate(held.split_names.tolist())
    }


def _problem(
    name: str, held: Any, train: np.ndarray, valid: np.ndarray, test: np.ndarray | None = None
) -> Problem:
    if not sparse.issparse(held.X):
        X = np.asarray(held.X)
    elif name.split("-")[0] in SPARSE:
        X = held.X.tocsr()
    else:
        X = held.X.toarray()  # a full table, however it was kept
    probes = held.get("probes")
    if name in REAL:
        probes = ~np.isin(np.arange(X.shape[1]), REAL[name])
    training, others = X[train].astype(float), X[valid].astype(float)
    test_rows = None
    if test is not None:
        test_rows = X[test].astype(float)
    return problem_of(name, training, held.y[train], others, held.y[valid], probes, test=test_rows)


def _check(name: str, held: Any, split: dict[str, np.ndarray]) -> None:
    """Compare with what is printed: columns, classes, zeros."""
    known = PROBLEMS[name]
    if held.X.shape[1] != known.n_features:
        raise ValueError(
            f"{name} has {known.n_features} features, this table has {held.X.shape[1]}."
        )
    for part, rows in split.items():
        found = int((held.y[rows] == 1).sum()), int((held.y[rows] == -1).sum())
        if part in known.parts and found != known.parts[part]:
            raise ValueError(
                f"{name}, {part}: {known.parts[part]} rows of the classes 1 and -1 are due, found {found}."
            )
    if "test" in split and len(split["test"]) != known.n_test:
        raise ValueError(f"{name}, test: {known.n_test} rows are due, found {len(split['test'])}.")
    probes = held.get("probes")
    if probes is not None and (len(probes), int(np.sum(probes))) != (
        known.n_features,
        known.n_probes,
    ):
        raise ValueError(
            f"{name}: {known.n_probes} probes are due, found {int(np.sum(probes))} in {len(probes)} columns."
        )
    if sparse.issparse(held.X):
        filled = held.X.nnz
    else:
        filled = np.count_nonzero(held.X)
    zeros = 1 - filled / (held.X.shape[0] * held.X.shape[1])
    if abs(zeros - known.zeros) > 0.02:
        raise ValueError(f"{name}: a share of {known.zeros} zeros is due, found {zeros:.3f}.")
