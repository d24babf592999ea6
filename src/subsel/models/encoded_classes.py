"""Classifiers that ask for classes 0, 1, 2, ... made to take any."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

__all__ = ["EncodedClasses"]


class EncodedClasses(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Number the classes before training and name them again in predictions.

    Some classifiers, such as XGBoost's, take the numbers 0, 1, 2, ... only.

    Parameters
    ----------
    estimator : classifier
        The model inside.

    Attributes
    ----------
    encoded_ : classifier
        Trained on the numbers.
    classes_ : ndarray
        The labels.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = EncodedClasses(GaussianNB()).fit([[0.0], [1.0], [5.0], [6.0]], ["no", "no", "yes", "yes"])
    >>> model.predict([[0.4], [5.5]]), model.encoded_.classes_
    (array(['no', 'yes'], dtype='<U3'), array([0, 1]))
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> EncodedClasses:
        """Number the classes and train."""
        check_classification_targets(y)
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        given = {}
        if sample_weight is not None:
            given["sample_weight"] = sample_weight
        self.encoded_ = clone(self.estimator).fit(X, codes, **given)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Labels."""
        check_is_fitted(self)
        return self.classes_[np.asarray(self.encoded_.predict(X)).astype(int)]

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, in their order."""
        check_is_fitted(self)
        return self.encoded_.predict_proba(X)

    @available_if(lambda self: hasattr(self.estimator, "decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """Of the model inside."""
        check_is_fitted(self)
        return self.encoded_.decision_function(X)

    @property
    def n_features_in_(self) -> int:
        """Columns seen."""
        return int(self.encoded_.n_features_in_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags
