"""Selection of a prefix of a ranking: features are added until the error rises."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import check_cv, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from subsel.data.columns import ColumnSelector
from subsel.data.task import Task
from subsel.embedded.targets import kind_of
from subsel.models.bayes.ard_classifier import ARDKernelClassifier
from subsel.models.relevance import model_relevance

__all__ = ["ForwardWalk"]


class ForwardWalk(ColumnSelector):
    """Add inputs in the order of a model's relevances as long as the score does not fall [1]_.

    For k = 1, 2, ... a learner is cross-validated on the first k inputs of the ranking. The walk
    ends when the mean score is more than ``tolerance`` standard errors below the best so far, or
    at the last input. The best k is selected, the smallest of equals. The standard error is that
    over the folds at the best k.

    Parameters
    ----------
    ranker : estimator or None
        A model with relevances (:func:`subsel.models.relevance.model_relevance`); None stands for
        :class:`subsel.models.ARDKernelClassifier`.
    estimator : estimator or None
        The learner, or a search for its hyperparameters such as ``GridSearchCV``; None stands for
        a Gaussian support vector machine on standardised columns.
    cv : int or splitter
        Folds for the learner.
    scoring : str, callable or None
        The score; None stands for that of the learner.
    tolerance : float
        Number of standard errors.

    Attributes
    ----------
    ranking_ : ndarray of int
        All columns, best first.
    scores_ : ndarray of shape (n_tried,)
        The mean score with the first 1, 2, ... inputs. It is too optimistic, because the ranking
        uses the same rows.
    n_features_ : int
        Number of selected columns.
    support_ : ndarray of bool
        Mask of the selected columns.

    References
    ----------
    .. [1] Chu, Keerthi, Ong and Ghahramani, *Bayesian support vector machines for feature ranking
       and selection*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006,
       chapter 18, section 4, which leaves open what a significant rise of the error is.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> ForwardWalk(Ridge(), Ridge()).fit(X, X[:, 1] + X[:, 4]).get_support(indices=True)
    array([1, 4])
    """

    def __init__(
        self,
        ranker: Any = None,
        estimator: Any = None,
        *,
        cv: Any = 5,
        scoring: Any = None,
        tolerance: float = 1.0,
    ) -> None:
        self.ranker = ranker
        self.estimator = estimator
        self.cv = cv
        self.scoring = scoring
        self.tolerance = tolerance

    def fit(self, X: Any, y: Any) -> ForwardWalk:
        """Rank the inputs and choose their number."""
        X, y = self._receive(X, y)
        learner, ranker = self.estimator, self.ranker
        if learner is None:
            learner = make_pipeline(StandardScaler(), SVC())
        if ranker is None:
            ranker = ARDKernelClassifier(random_state=0)
        task = Task.of(X, y, kind_of(learner))
        Z = StandardScaler().fit_transform(task.matrix)
        self.ranking_ = np.argsort(-model_relevance(clone(ranker).fit(Z, task.y)), kind="stable")
        cv = list(
            check_cv(self.cv, task.y, classifier=task.kind == "classification").split(
                task.matrix, task.y
            )
        )
        scores: list[float] = []
        for k in range(1, task.n_columns + 1):
            folds = cross_val_score(
                learner, task.matrix[:, self.ranking_[:k]], task.y, cv=cv, scoring=self.scoring
            )
            scores.append(float(folds.mean()))
            if scores[-1] == max(scores) and scores.count(scores[-1]) == 1:
                self.n_features_, error = k, folds.std(ddof=1) / np.sqrt(len(folds))
            if scores[-1] < max(scores) - self.tolerance * error:
                break
        self.scores_ = np.array(scores)
        self.support_ = np.isin(np.arange(task.n_columns), self.ranking_[: self.n_features_])
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags
