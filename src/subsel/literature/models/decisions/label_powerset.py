"""Several labels at once as one class: the set of labels that a row has."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_array, get_tags
from sklearn.utils.validation import check_is_fitted

__all__ = ["LabelPowerset"]


class LabelPowerset(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Any classifier of many classes for rows with several labels: each set of labels met in training is a class [1]_.

    Sets of labels that training has not met are never predicted. With one label per row (a vector
    of classes) this is the classifier itself.

    Parameters
    ----------
    estimator : classifier or None
        One of many classes; None is logistic regression.

    Attributes
    ----------
    estimator_ : classifier
        Trained on the numbers of the sets.
    label_sets_ : ndarray of shape (n_sets, n_labels) or None
        The sets, one row each; None for a vector of classes.

    References
    ----------
    .. [1] Ben-Hur and Brutlag, *Sequence motifs: highly predictive features of protein function*,
       in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 31.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, Y = np.array([[0.0], [1.0], [5.0]]), np.array([[1, 0], [1, 1], [0, 1]])
    >>> LabelPowerset(KNeighborsClassifier(1)).fit(X, Y).predict(np.array([[0.9], [4.0]]))
    array([[1, 1], [0, 1]])
    """

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> LabelPowerset:
        """Number the sets of labels and train on the numbers."""
        model = clone(self._model)
        labels: Any = y
        if issparse(labels):
            labels = labels.toarray()
        labels = np.asarray(labels)
        self.label_sets_: np.ndarray | None = None
        if labels.ndim == 2 and labels.shape[1] > 1:
            labels = check_array(labels, dtype=None, input_name="y")
            self.label_sets_, codes = np.unique(labels, axis=0, return_inverse=True)
            self.classes_ = [np.unique(column) for column in labels.T]
            self.estimator_ = model.fit(X, codes.ravel())
        else:
            self.estimator_ = model.fit(X, y)
            self.classes_ = self.estimator_.classes_
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the labels of each row."""
        check_is_fitted(self)
        found = self.estimator_.predict(X)
        if self.label_sets_ is None:
            return found
        return self.label_sets_[found]

    @property
    def _model(self) -> Any:
        if self.estimator is None:
            return LogisticRegression()
        return self.estimator

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._model)
        tags.input_tags.sparse, tags.input_tags.allow_nan = (
            inner.input_tags.sparse,
            inner.input_tags.allow_nan,
        )
        tags.classifier_tags.multi_label = True
        return tags
