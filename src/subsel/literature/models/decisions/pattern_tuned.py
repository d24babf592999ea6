"""A model whose settings a pattern search finds by cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import cross_val_score
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from subsel.literature.models.decisions.stencil import pattern_search

__all__ = ["PatternTuned"]


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
        """Give the class of each row."""
        return self.estimator_.predict(X)

    @_can("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """Give the model's decision."""
        return self.estimator_.decision_function(X)

    @_can("predict_proba")
    def predict_proba(self, X: Any) -> np.ndarray:
        """Give the model's probabilities."""
        return self.estimator_.predict_proba(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        return tags
