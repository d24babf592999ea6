"""What an entry is: a name, where it comes from, and a procedure for each problem."""

from __future__ import annotations

from abc import ABC, abstractmethod
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from subsel.assessment.folds.procedure import seeded
from subsel.literature.challenge.columns_used import columns_used
from subsel.literature.challenge.problem import Problem
from subsel.literature.challenge.submission import Submission
from subsel.registry.table import Registry

__all__ = ["ENTRIES", "Entry", "enter"]

ENTRIES: Registry[type[Entry]] = Registry("entry", "subsel.challenge_entries")
"""The entries by their keys."""


class Entry(ABC):
    """A recipe for the problems of the challenge.

    A subclass says what it does with a problem, as an estimator: a pipeline of selection and model, that is fitted on the
    training rows. ``quick`` asks for a small version of it, that ends within a minute.

    Parameters
    ----------
    quick : bool, default=False
        Whether to spend little.

    Attributes
    ----------
    title, team : str
        As in the tables of the challenge.
    chapter : str
        Of the book that describes it.
    transductive : bool
        Whether inputs of rows without labels are used; see also :meth:`looks_at_others`.
    """

    title: ClassVar[str]
    team: ClassVar[str]
    chapter: ClassVar[str]
    transductive: ClassVar[bool] = False

    def __init__(self, quick: bool = False) -> None:
        self.quick = quick

    @abstractmethod
    def procedure(self, problem: Problem) -> Any:
        """The estimator for this problem, not fitted."""

    def features(self, fitted: Any, problem: Problem) -> np.ndarray:
        """The columns that the fitted estimator reads."""
        return columns_used(fitted, problem.n_features)

    def looks_at_others(self, problem: Problem) -> bool:  # noqa: ARG002
        """Whether inputs of rows without labels are used for this problem."""
        return self.transductive

    def same_as(self, problem: Problem) -> str | None:  # noqa: ARG002
        """The key of an earlier entry that does the very same with this problem, if there is one."""
        return None

    @property
    def name(self) -> str:
        """As a submission bears it."""
        return f"{self.title}, quick" if self.quick else self.title

    def fit(self, problem: Problem, seed: int = 0) -> Submission:
        """Train on the labelled rows and predict all."""
        begun = perf_counter()
        model = seeded(self.procedure(problem), np.random.default_rng(seed))
        model.fit(problem.X, problem.y)
        train, valid = confidences(model, problem.X), confidences(model, problem.others)
        test = None
        if problem.test is not None:
            test = confidences(model, problem.test)
        chosen = self.features(model, problem)
        took = round(perf_counter() - begun, 1)
        return Submission(
            self.name, problem.name, train, valid, chosen, took, self.looks_at_others(problem), test
        )


def enter(key: str) -> Any:
    """Enter a class in the table under a key."""

    def entered(cls: type[Entry]) -> type[Entry]:
        ENTRIES.add(key, cls, home=f"{cls.__module__}:{cls.__qualname__}")
        return cls

    return entered


def confidences(model: Any, X: Any) -> np.ndarray:
    """One number per row, positive for the class 1."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=float)
    if hasattr(model, "predict_proba"):
        above = np.asarray(model.predict_proba(X))[:, 1] - _threshold(model)
        labels = model.predict(X)
        return np.where(labels == 1, np.maximum(above, 1e-9), np.minimum(above, -1e-9))
    return np.asarray(model.predict(X), dtype=float)


def _threshold(model: Any) -> float:
    """The probability above which a model predicts the second class."""
    last = model[-1] if hasattr(model, "steps") else model
    return float(getattr(last, "threshold_", getattr(last, "threshold", 0.5)))
