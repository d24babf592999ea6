"""EmbeddedSelector: columns by the relevances of any model, and the model trained on these."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from subsel.data.columns import ColumnSelector
from subsel.data.task import is_frame
from subsel.embedded.importance.importance import Importance, with_seed
from subsel.models.relevance import Reader, fitted
from subsel.ranking.selector import RankingSelector

__all__ = ["EmbeddedSelector"]


def _can(method: str) -> Any:
    """Make a method available only if the estimator has it."""
    return available_if(lambda selector: hasattr(selector.estimator, method))


class EmbeddedSelector(ColumnSelector):
    """Select the columns that a model uses most, and train the model again on these.

    It is both a selector and a predictor.

    Parameters
    ----------
    estimator : estimator
        Any classifier or regressor; it needs weights or importances unless `relevance` is
        ``"permutation"`` or a function.
    relevance : {"auto", "coef", "importance", "permutation", "shap"} or callable
        As in :class:`subsel.embedded.Importance`.
    cut : int, float or str
        Any cut of :class:`subsel.RankingSelector`: a number, a share, ``"fdr:0.1"`` (by comparison
        with probes), ``"threshold:1e-8"`` (all columns that a sparse model uses), ``"cv"``
        (cross-validation with the same estimator) and others.
    cv, scoring : int or splitter, str or callable
        Folds and score for ``cut="cv"`` and ``relevance="permutation"``.
    n_probes, n_permutations : int
        For cuts by probes and by shuffled labels.
    random_state : int, RandomState or None
        Seed of the probes, of the shuffles, and of the model where it has none.

    Attributes
    ----------
    estimator_ : estimator
        The model, trained on the kept columns; None if no column was kept.
    scores_, ranking_, support_, p_values_, q_values_, probe_scores_, evidence_ : ndarray
        As in :class:`subsel.RankingSelector`; the scores are the relevances.
    classes_ : ndarray
        The classes, for a classifier.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    >>> model = EmbeddedSelector(pipeline, cut=3).fit(X, y)
    >>> model.get_feature_names_out().tolist(), round(model.score(X, y), 2)
    (['radius error', 'worst radius', 'worst texture'], 0.94)
    """

    def __init__(
        self,
        estimator: Any,
        relevance: str | Reader = "auto",
        *,
        cut: Any = 0.5,
        cv: Any = 5,
        scoring: Any = None,
        n_probes: int | None = None,
        n_permutations: int = 199,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.relevance = relevance
        self.cut = cut
        self.cv = cv
        self.scoring = scoring
        self.n_probes = n_probes
        self.n_permutations = n_permutations
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> EmbeddedSelector:
        """Train, select columns, and train again on these."""
        X, y = self._receive(X, y)
        ranking = self._ranking().fit(X, y, sample_weight=sample_weight)
        for name in (
            "scores_",
            "ranking_",
            "support_",
            "p_values_",
            "q_values_",
            "probe_scores_",
            "evidence_",
        ):
            setattr(self, name, getattr(ranking, name))
        self.validation_ = getattr(ranking, "validation_", None)
        self.estimator_ = None
        if self.support_.any():
            seed = None
            if isinstance(self.random_state, (int, np.integer)):
                seed = self.random_state
            if sample_weight is not None:
                sample_weight = np.asarray(sample_weight, dtype=float)
            model = with_seed(self.estimator, seed)
            self.estimator_ = fitted(model, self._kept(X), y, sample_weight)
        if is_classifier(self):
            self.classes_ = np.unique(y)
        return self

    def _ranking(self) -> RankingSelector:
        """Build the selector that ranks and cuts."""
        score = Importance(self.estimator, self.relevance, cv=self.cv, scoring=self.scoring)
        return RankingSelector(
            score,
            self.cut,
            estimator=self.estimator,
            cv=self.cv,
            scoring=self.scoring,
            n_probes=self.n_probes,
            n_permutations=self.n_permutations,
            random_state=self.random_state,
        )

    def _kept(self, X: Any) -> Any:
        """Select the kept columns of any rows, without names."""
        kept = self.transform(X)
        if is_frame(kept):
            return kept.to_numpy()
        return kept

    def _model(self) -> Any:
        """Return the fitted model, or refuse if there is none."""
        check_is_fitted(self, "support_")
        if self.estimator_ is None:
            raise ValueError(
                f"cut {self.cut!r} kept no column, so there is no model to predict with."
            )
        return self.estimator_

    @_can("predict")
    def predict(self, X: Any) -> np.ndarray:
        """Predict with the model of the kept columns."""
        return self._model().predict(self._kept(X))

    @_can("predict_proba")
    def predict_proba(self, X: Any) -> np.ndarray:
        """Compute class probabilities with the model of the kept columns."""
        return self._model().predict_proba(self._kept(X))

    @_can("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the decision function of the model of the kept columns."""
        return self._model().decision_function(self._kept(X))

    @_can("score")
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Score the model of the kept columns."""
        model, kept = self._model(), self._kept(X)
        if sample_weight is None:
            return model.score(kept, y)
        return model.score(kept, y, sample_weight=sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        if is_classifier(self.estimator) or is_regressor(self.estimator):
            tags.estimator_type = inner.estimator_type
            tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
            if tags.classifier_tags is not None:
                tags.classifier_tags.multi_label = False
        tags.target_tags.required = True
        tags.input_tags.sparse, tags.input_tags.allow_nan = (
            inner.input_tags.sparse,
            inner.input_tags.allow_nan,
        )
        return tags
