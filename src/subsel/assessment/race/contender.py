"""A whole procedure that takes part in a race, and how it did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.assessment.folds.fold import Fold

__all__ = ["Contender", "Standing"]


@dataclass(frozen=True, eq=False)
class Contender:
    """A procedure with a name and a price.

    Parameters
    ----------
    name : str
        What a person reads: ``"20 best by F, ridge"``.
    procedure : estimator
        Selection and model as one pipeline, not fitted.
    seconds : float
        What one fit is expected to take, from the cost table; never measured during a run.
    eligible : bool, default=True
        Whether it may be taken; the others run to be compared with.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> Contender("most frequent class", DummyClassifier(), seconds=0.1)
    Contender(name='most frequent class', procedure=DummyClassifier(), seconds=0.1, eligible=True)
    """

    name: str
    procedure: Any
    seconds: float = 0.0
    eligible: bool = True


@dataclass(frozen=True, eq=False)
class Standing:
    """How a contender did in the folds it ran.

    Parameters
    ----------
    contender : Contender
        Who ran.
    folds : tuple of Fold
        What each fold gave, in order.
    finished : bool
        Whether it ran all folds of the race; the others were dropped as poor, or time ended.
    error : str
        Why it could not be fitted; empty where it could.
    """

    contender: Contender
    folds: tuple[Fold, ...]
    finished: bool
    error: str = ""

    @property
    def name(self) -> str:
        """Who ran."""
        return self.contender.name

    @property
    def scores(self) -> np.ndarray:
        """One score per fold."""
        return np.array([fold.score for fold in self.folds])

    @property
    def score(self) -> float:
        """The mean over the folds."""
        if not self.folds:
            return -np.inf
        return float(self.scores.mean())

    @property
    def size(self) -> float:
        """How many columns it selected, on average; infinity where that cannot be told."""
        sizes = [fold.size for fold in self.folds if fold.size is not None]
        if not sizes or len(sizes) < len(self.folds):
            return np.inf
        return float(np.mean(sizes))

    @property
    def seconds(self) -> float:
        """What its folds took together."""
        return sum(fold.seconds for fold in self.folds)
