"""A procedure that takes part in a race, and its results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.assessment.folds.fold import Fold

__all__ = ["Contender", "Standing"]


@dataclass(frozen=True, eq=False)
class Contender:
    """A procedure with a name and a cost in seconds.

    Parameters
    ----------
    name : str
        The displayed name, such as ``"20 best by F, ridge"``.
    procedure : estimator
        Selection and model as one unfitted pipeline.
    seconds : float
        The expected cost in seconds of one fit, from the cost table; never measured during a run.
    eligible : bool, default=True
        Whether it may win; the others run only for comparison.

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
    """The results of a contender in the folds it ran.

    Parameters
    ----------
    contender : Contender
        The contender.
    folds : tuple of Fold
        The results of its folds, in order.
    finished : bool
        Whether it ran all folds of the race; otherwise it was dropped, or time ran out.
    error : str
        Why it could not be fitted; empty where it could.
    """

    contender: Contender
    folds: tuple[Fold, ...]
    finished: bool
    error: str = ""

    @property
    def name(self) -> str:
        """The name of the contender."""
        return self.contender.name

    @property
    def scores(self) -> np.ndarray:
        """The scores, one per fold."""
        return np.array([fold.score for fold in self.folds])

    @property
    def score(self) -> float:
        """The mean over the folds."""
        if not self.folds:
            return -np.inf
        return float(self.scores.mean())

    @property
    def size(self) -> float:
        """The mean number of selected columns; infinity where it is unknown."""
        sizes = [fold.size for fold in self.folds if fold.size is not None]
        if not sizes or len(sizes) < len(self.folds):
            return np.inf
        return float(np.mean(sizes))

    @property
    def seconds(self) -> float:
        """The total cost in seconds of its folds."""
        return sum(fold.seconds for fold in self.folds)
