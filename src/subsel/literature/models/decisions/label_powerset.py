"""A multi-label classifier for which each set of labels is one class."""

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
    """A multi-label classifier that predicts sets of labels of training rows as classes [1]_.

    Other sets of labels are never predicted. With one label per row (a vector of classes) it is the
    wrapped classifier.

    Parameters
    ----------
    estimator : classifier or None
        A classifier of many classes; logistic regression by default.

    Attributes
    ----------
    estimator_ : classifier
        The classifier, fitted on the indices of the sets.
    label_sets_ : ndarray of shape (n_sets, n_labels) or None
        The sets, one row each; None for a vector of classes.
    classes_ : list of ndarray, or ndarray
        The values of each label; for a vector of classes the class labels.

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
        """Fit the classifier on the indices of the sets of labels.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)
            The table.
        y : array of shape (n_rows, n_labels) or (n_rows,)
            Indicators of the labels, or classes.
        """
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
        """Return the labels of each row, in the form of those given to `fit`."""
        check_is_fitted(self)
        codes = self.estimator_.predict(X)
        if self.label_sets_ is None:
            return codes
        return self.label_sets_[codes]

    @property
    def _model(self) -> Any:
        """The wrapped classifier, not fitted."""
        if self.estimator is None:
            return LogisticRegression()
        return self.estimator

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._model)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.classifier_tags.multi_label = True
        return tags
