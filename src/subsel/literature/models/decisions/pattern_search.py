"""Pattern search, and a classifier whose parameters it chooses by cross-validation."""

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


def _if_estimator_has(method: str) -> Any:
    """Return a decorator for methods that exist if the wrapped classifier has them."""
    return available_if(lambda model: hasattr(model.estimator, method))


class PatternTuned(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier whose parameters are chosen by a pattern search on their logarithms.

    The search is :func:`~subsel.literature.models.pattern_search`.

    Parameters
    ----------
    estimator : classifier
        The model.
    start : mapping
        For the name of each positive parameter, the exponent of two at which the search starts.
    step, least_step : float
        First and least step of the search, in exponents of two.
    cv, scoring : object
        As in scikit-learn's ``cross_val_score``.

    Attributes
    ----------
    best_params_ : dict
        The parameters chosen.
    best_score_ : float
        Their cross-validated score, which is biased upwards as the search maximises it.
    n_scored_ : int
        Number of parameter settings that were scored.
    estimator_ : classifier
        The model with these parameters, fitted on all rows.
    classes_ : ndarray of shape (n_classes,)
        The class labels.

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
        """Choose the parameters, then fit the model on all rows."""
        if not self.start:
            raise ValueError(f"start must name at least one setting, got {self.start!r}.")
        names = list(self.start)

        def setting(point: np.ndarray) -> dict[str, float]:
            return dict(zip(names, (2.0**p for p in point.tolist())))

        def model(point: np.ndarray) -> Any:
            return clone(self.estimator).set_params(**setting(point))

        def score(point: np.ndarray) -> float:
            scores = cross_val_score(model(point), X, y, cv=self.cv, scoring=self.scoring)
            return float(np.mean(scores))

        best = pattern_search(
            score, list(self.start.values()), step=self.step, least_step=self.least_step
        )
        self.best_params_ = setting(best.point)
        self.best_score_, self.n_scored_ = best.score, best.n_scored
        self.estimator_ = model(best.point).fit(X, y)
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of each row."""
        return self.estimator_.predict(X)

    @_if_estimator_has("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """Return the decisions of the model."""
        return self.estimator_.decision_function(X)

    @_if_estimator_has("predict_proba")
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probabilities of the model."""
        return self.estimator_.predict_proba(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        return tags


class Pattern(NamedTuple):
    """The result of a pattern search.

    Attributes
    ----------
    point : ndarray of shape (n_dimensions,)
        The best point.
    score : float
        Its score.
    n_scored : int
        Number of different points that were scored.
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
    """Maximise a score by moves on a stencil, which shrinks if no point is better [1]_.

    The stencil has one step up and one down along each axis. The search needs no derivatives, only
    moves uphill and scores no point twice. Parameters of a model are best given as logarithms.

    Parameters
    ----------
    score : callable
        A function of a point, such as a cross-validated score; larger is better.
    start : sequence of float
        The first point.
    step, least_step : float or sequence of float
        The first step along each axis, and that below which the search ends; steps are halved.
    corners : bool
        If True, the stencil also has its corners: 3**d - 1 points in place of 2 d.
    max_points : int
        Most points that are scored.

    Returns
    -------
    Pattern
        The best point.

    References
    ----------
    .. [1] Momma and Bennett, *A pattern search method for model selection of support vector
       regression*, SIAM International Conference on Data Mining, 2002; as used by Roobaert,
       Karakoulas and Chawla, *Information gain, correlation and support vector machines*, in Guyon
       et al. (eds.), *Feature Extraction*, 2006, chapter 22.

    Examples
    --------
    >>> best = pattern_search(lambda p: -((p[0] - 3) ** 2) - (p[1] + 1) ** 2, [0.0, 0.0])
    >>> best.point, best.n_scored
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
    """Return the directions of the stencil in n dimensions, of shape (n_directions, n)."""
    if corners:
        return np.array([d for d in product((-1.0, 0.0, 1.0), repeat=n) if any(d)])
    return np.concatenate([np.eye(n), -np.eye(n)])
