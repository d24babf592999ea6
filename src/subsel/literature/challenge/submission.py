"""What an entry hands in: predictions for every row and the features it used, kept as they are."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from subsel.data.files.npz import read_arrays

__all__ = ["Submission"]


@dataclass(frozen=True, eq=False)
class Submission:
    """Predictions of one entry for one problem.

    Parameters
    ----------
    entry, problem : str
        Who entered, for what.
    train, valid : ndarray of float
        A confidence for each row, positive for the class 1: its sign is the prediction.
    features : ndarray of int
        The columns that were used.
    seconds : float
        How long it took.
    transductive : bool, default=False
        Whether inputs of rows without labels were used.
    test : ndarray of float, optional
        A confidence for each test row, where they are at hand. Nothing is scored by them.

    Examples
    --------
    >>> given = Submission("guess", "tiny", np.array([0.5, -1.0]), np.array([2.0]), np.array([0, 3]), 0.1)
    >>> given.predicted.tolist()
    [1]
    """

    entry: str
    problem: str
    train: np.ndarray
    valid: np.ndarray
    features: np.ndarray
    seconds: float
    transductive: bool = False
    test: np.ndarray | None = None

    @property
    def predicted(self) -> np.ndarray:
        """Labels of the validation rows."""
        return np.where(self.valid > 0, 1, -1)

    @property
    def fingerprint(self) -> str:
        """Of what was handed in: the same predictions are not opened twice."""
        parts = (
            self.predicted.astype(np.int8).tobytes(),
            np.sort(self.features).astype(np.int64).tobytes(),
        )
        return sha256(b"".join(parts)).hexdigest()[:16]

    def save(self, path: str | PathLike[str]) -> None:
        """Write it, whole or not at all."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(".part.npz")
        further: dict[str, Any] = {}
        if self.test is not None:
            further["test"] = self.test
        np.savez_compressed(
            beside,
            entry=np.array(self.entry),
            problem=np.array(self.problem),
            train=self.train,
            valid=self.valid,
            features=self.features,
            seconds=np.array(self.seconds),
            transductive=np.array(self.transductive),
            **further,
        )
        beside.replace(path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Submission:
        """Read one that was kept."""
        held = dict(read_arrays(path))
        if missing := {"entry", "problem", "train", "valid", "features", "seconds"} - set(held):
            raise ValueError(f"{path} is no submission: {sorted(missing)[0]!r} is not in it.")
        return cls(
            str(held["entry"]),
            str(held["problem"]),
            held["train"],
            held["valid"],
            held["features"],
            float(held["seconds"]),
            bool(held.get("transductive", False)),
            held.get("test"),
        )
