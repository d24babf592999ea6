"""A model whose settings a pattern search finds by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import cross_val_score
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

__all__ = ["Pattern", "PatternTuned", "pattern_search"]


def _can(method: str) -> Any:
    return available_if(lambda model: hasattr(model.estimator, method))


class PatternTuned(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Any classifier, with settings found by :func:`~subsel.literature.models.pattern_search` on their logarithms.

    Parameters
    ----------
    estimator : classifier
        The model.
    start : mapping
        From names of positive settings to the powers of two at which the search begins.
    step, least_step : float
        Of the search, in powers of two.
    cv, scoring : object
        As of scikit-learn's ``cross_val_score``.

    Attributes
    ----------
    best_params_ : dict
        The settings found.
    best_score_ : float
        Their cross-validated score, which guided the search and flatters.
    n_scored_ : int
        Settings that were scored.
    estimator_ : classifier
        Trained with these settings on all rows.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> tuned = PatternTuned(SVC(), {"C": 0, "gamma": -1}).fit(X, X[:, 0] * X[:, 1] > 0)
    >>> sorted(tuned.best_params_), bool(tuned.best_score_ > 0.8)
    (['C', 'gamma'], True)
    """

    def __init__(
        self,
        estimator: Any,
        start: Mapping[str, float],
        *,
        step: float = 2.0,
        least_step: float = 0.5,
        cv: Any = 5,
        scoring: Any = None,
    ) -> None:
        self.estimator = estimator
        self.start = start
        self.step = step
        self.least_step = least_step
        self.cv = cv
        self.scoring = scoring

    def fit(self, X: Any, y: Any) -> PatternTuned:
        """Search, then train on all rows."""
        if not self.start:
            raise ValueError("start must name at least one setting.")
        names = list(self.start)

        def setting(point: np.ndarray) -> dict[str, float]:
            return dict(zip(names, (2.0**p for p in point.tolist())))

        def model(point: np.ndarray) -> Any:
            return clone(self.estimator).set_params(**setting(point))

        def score(point: np.ndarray) -> float:
            scores = cross_val_score(model(point), X, y, cv=self.cv, scoring=self.scoring)
            return float(np.mean(scores))

        found = pattern_search(
            score, list(self.start.values()), step=self.step, least_step=self.least_step
        )
        self.best_params_, self.best_score_, self.n_scored_ = (
            setting(found.point),
            found.score,
            found.n_scored,
        )
        self.estimator_ = model(found.point).fit(X, y)
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of each row."""
        return self.estimator_.predict(X)

    @_can("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """Return the model's decision."""
        return self.estimator_.decision_function(X)

    @_can("predict_proba")
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the model's probabilities."""
        return self.estimator_.predict_proba(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        return tags


class Pattern(NamedTuple):
    """Where a pattern search ended.

    Attributes
    ----------
    point : ndarray
        The best point.
    score : float
        Its score.
    n_scored : int
        How many different points were scored.
    """

    point: np.ndarray
    score: float
    n_scored: int


def pattern_search(
    score: Callable[[np.ndarray], float],
    start: Sequence[float],
    *,
    step: float | Sequence[float] = 2.0,
    least_step: float | Sequence[float] = 0.25,
    corners: bool = False,
    max_points: int = 1000,
) -> Pattern:
    """Raise a score by moving to the best point of a stencil, and shrinking the stencil where none is better [1]_.

    The stencil is one step up and down along each axis; settings of a model are best given by their
    logarithms. It needs no derivative, moves only uphill and never scores a point twice.

    Parameters
    ----------
    score : callable
        Of a point, larger is better; a cross-validated score, say.
    start : sequence of float
        Where to begin.
    step, least_step : float or sequence of float
        The first step along each axis, and the one under which the search ends; steps are halved.
    corners : bool
        Whether the stencil has its corners, too: 3**d - 1 points in place of 2 d.
    max_points : int
        The most points to score.

    References
    ----------
    .. [1] Momma and Bennett, *A pattern search method for model selection of support vector
       regression*, SIAM International Conference on Data Mining, 2002; as used by Roobaert,
       Karakoulas and Chawla, *Information gain, correlation and support vector machines*, in Guyon
       et al. (eds.), *Feature Extraction*, 2006, chapter 22.

    Examples
    --------
    >>> found = pattern_search(lambda p: -((p[0] - 3) ** 2) - (p[1] + 1) ** 2, [0.0, 0.0])
    >>> found.point, found.n_scored
    (array([ 3., -1.]), 24)
    """
    point = np.array(start, dtype=float)
    width = np.broadcast_to(np.asarray(step, dtype=float), point.shape).copy()
    least = np.broadcast_to(np.asarray(least_step, dtype=float), point.shape)
    if not ((width > 0).all() and (least > 0).all()):
        raise ValueError(f"step and least_step must be positive, got {step!r} and {least_step!r}.")
    stencil, known = _stencil(len(point), corners), {}
    best = known[tuple(point)] = float(score(point))
    while (width >= least).any() and len(known) < max_points:
        moved = point
        for direction in stencil:
            trial = point + direction * width
            if tuple(trial) in known or len(known) >= max_points:
                continue
            known[tuple(trial)] = value = float(score(trial))
            if value > best:
                best, moved = value, trial
        if moved is point:
            width = width / 2
        point = moved
    return Pattern(point, best, len(known))


def _stencil(n: int, corners: bool) -> np.ndarray:
    """Directions around a point."""
    if corners:
        return np.array([d for d in product((-1.0, 0.0, 1.0), repeat=n) if any(d)])
    return np.concatenate([np.eye(n), -np.eye(n)])
