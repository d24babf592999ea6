"""The models of a cross-validation as a committee, and the choice among models by accuracy less its spread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import cross_validate
from sklearn.utils import column_or_1d, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

__all__ = ["CVCommittee", "steadiest"]


class CVCommittee(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """The k models of a k-fold cross-validation vote; their error is known for nothing [1]_.

    Any chain with a supervised step must lie wholly inside: give a pipeline.

    Parameters
    ----------
    estimator : classifier
        Any.
    cv : int or splitter
        Folds; an odd number leaves no ties between two classes.
    scoring : str, callable or None
        Of the held-out parts.

    Attributes
    ----------
    members_ : list of classifiers
        One per fold.
    scores_ : ndarray
        Of each on the part it did not see.

    References
    ----------
    .. [1] Grabczewski and Jankowski, *Mining for complex models comprising feature selection and classification*, in Guyon
       et al. (eds.), *Feature Extraction*, 2006, chapter 23.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model = CVCommittee(DecisionTreeClassifier(random_state=0)).fit(*load_iris(return_X_y=True))
    >>> len(model.members_), round(model.scores_.mean(), 2)
    (5, np.float64(0.96))
    """

    def __init__(self, estimator: Any, *, cv: Any = 5, scoring: Any = None) -> None:
        self.estimator = estimator
        self.cv = cv
        self.scoring = scoring

    def fit(self, X: Any, y: Any) -> CVCommittee:
        """Cross-validate and keep the models."""
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        if len(y) < 2:
            raise ValueError(f"a cross-validation needs rows: got n_samples = {len(y)}.")
        found = cross_validate(
            clone(self.estimator), X, y, cv=self.cv, scoring=self.scoring, return_estimator=True, error_score="raise"
        )
        self.members_, self.scores_, self.classes_ = found["estimator"], found["test_score"], np.unique(y)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.members_[0], name):
                setattr(self, name, getattr(self.members_[0], name))
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Give the share of the votes of each class."""
        check_is_fitted(self)
        votes = np.array([member.predict(X) for member in self.members_])
        return (votes[:, :, None] == self.classes_).mean(axis=0)

    def predict(self, X: Any) -> np.ndarray:
        """Give the class with most votes, the first of equals."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.input_tags.sparse, inner.input_tags.allow_nan
        if inner.classifier_tags is not None:
            tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags


def steadiest(scores: Sequence[Sequence[float]], a: float = 1.0) -> int:
    r"""Give the number of the model with the largest mean score less a times its standard deviation over folds [1]_.

    References
    ----------
    .. [1] Grabczewski and Jankowski, *Mining for complex models comprising feature selection and classification*, in Guyon
       et al. (eds.), *Feature Extraction*, 2006, chapter 23.

    Examples
    --------
    >>> steadiest([[0.9, 0.7, 0.9], [0.82, 0.82, 0.82]]), steadiest([[0.9, 0.7, 0.9], [0.82, 0.82, 0.82]], a=0.0)
    (1, 0)
    """
    means = [float(np.mean(s)) - a * float(np.std(s)) for s in scores]
    return int(np.argmax(means))
