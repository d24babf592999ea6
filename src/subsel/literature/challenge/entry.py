"""What an entry is: a name, where it comes from, and a procedure for each problem."""

from __future__ import annotations

from abc import ABC, abstractmethod
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from sklearn.pipeline import FeatureUnion, Pipeline

from subsel.assessment.folds.procedure import selected_columns, with_seed
from subsel.literature.challenge.problem import Problem
from subsel.literature.challenge.submission import Submission
from subsel.registry.table import Registry

__all__ = ["ENTRIES", "Entry", "columns_used", "enter"]

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

    Examples
    --------
    The first column tells the classes apart, and the entry keeps the best one of two.

    >>> from sklearn.feature_selection import SelectKBest
    >>> from sklearn.neighbors import NearestCentroid
    >>> from sklearn.pipeline import make_pipeline
    >>> class BestColumn(Entry):
    ...     title, team, chapter = "Best column", "us", ""
    ...     def procedure(self, problem):
    ...         return make_pipeline(SelectKBest(k=1), NearestCentroid())
    >>> X, y = np.array([[-3.0, 1], [-2, 0], [2, 1], [3, 0]]), np.array([-1, -1, 1, 1])
    >>> given = BestColumn().fit(Problem("tiny", X, y, np.array([[2.5, 1.0]]), np.array([1])))
    >>> given.entry, given.features.tolist(), given.predicted.tolist()
    ('Best column', [0], [1])
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
        model = with_seed(self.procedure(problem), np.random.default_rng(seed))
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


WITHIN = ("best_estimator_", "estimator_", "transformer_")
SEVERAL = ("members_", "estimators_")


def columns_used(model: Any, n_columns: int) -> np.ndarray:
    """The columns that a fitted model needs for its predictions, of so many that it was given.

    Selections are followed through pipelines, searches and committees; a step that mixes its columns, such as principal
    components, needs all that reach it.

    >>> from sklearn.decomposition import PCA
    >>> from sklearn.feature_selection import SelectKBest
    >>> X = np.random.default_rng(0).normal(size=(9, 5))
    >>> fitted = Pipeline([("few", SelectKBest(k=2)), ("mixed", PCA(1))]).fit(X, X[:, 3] > 0)
    >>> len(columns_used(fitted, 5))
    2
    """
    if hasattr(model, "get_support"):
        return np.flatnonzero(model.get_support())
    if isinstance(model, Pipeline):
        return _of_pipeline(model, n_columns)
    if isinstance(model, FeatureUnion):
        return _any([part for _, part in model.transformer_list], n_columns)
    for name in WITHIN:
        if hasattr(model, name):
            return columns_used(getattr(model, name), n_columns)
    for name in SEVERAL:
        if isinstance(members := getattr(model, name, None), list) and members:
            return _any(members, n_columns)
    return np.arange(n_columns)


def _of_pipeline(model: Pipeline, n_columns: int) -> np.ndarray:
    """Follow the steps up to the first that mixes columns."""
    columns = np.arange(n_columns)
    for _, step in model.steps:
        if step is None or step == "passthrough":
            continue
        kept = selected_columns(step)
        if kept is None:
            return columns[columns_used(step, len(columns))]
        columns = columns[kept]
    return columns


def _any(members: list[Any], n_columns: int) -> np.ndarray:
    return np.unique(np.concatenate([columns_used(member, n_columns) for member in members]))
