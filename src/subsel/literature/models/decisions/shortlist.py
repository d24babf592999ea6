"""A classifier of many classes: one-class models select candidates, pairs of classes decide."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.svm import SVC, OneClassSVM
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["ShortlistClassifier"]


class ShortlistClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that shortlists classes by one-class models, and decides by pairs of them [1]_.

    Only those of the c (c - 1) / 2 pairs of classes are trained that are on the shortlist of some
    training row. Another pair is decided by the one-class models. Without a shortlist, the methods
    are scikit-learn's ``OneVsRestClassifier`` and ``OneVsOneClassifier``; if decisions differ in
    scale, its ``CalibratedClassifierCV(method="sigmoid")`` makes them comparable.

    Parameters
    ----------
    estimator : classifier or None
        A classifier of two classes; a linear support vector machine by default.
    n_shortlisted : int
        Number of classes on the shortlist of a row.
    one_class : estimator or None
        A one-class model with ``decision_function``; ``OneClassSVM(nu=0.1)`` by default.

    Attributes
    ----------
    one_class_ : list of estimator
        The one-class models, one per class.
    pairs_ : dict
        The classifier for each pair of class indices that was trained.
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    References
    ----------
    .. [1] Ben-Hur and Brutlag, *Sequence motifs: highly predictive features of protein function*,
       in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 31, discussion of many classes.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> model = ShortlistClassifier(n_shortlisted=3).fit(X[:500], y[:500])
    >>> model.score(X[500:900], y[500:900]) > 0.9, len(model.pairs_) < 45
    (True, True)
    """

    def __init__(
        self, estimator: Any = None, *, n_shortlisted: int = 3, one_class: Any = None
    ) -> None:
        self.estimator = estimator
        self.n_shortlisted = n_shortlisted
        self.one_class = one_class

    def fit(self, X: Any, y: Any) -> ShortlistClassifier:
        """Fit the one-class models, and the classifiers of all pairs on some shortlist."""
        if self.n_shortlisted < 1:
            raise ValueError(f"n_shortlisted must be at least 1, got {self.n_shortlisted!r}.")
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y holds one class only ({self.classes_[0]!r}): there is nothing to tell apart."
            )
        one_class, classifier = self.one_class, self.estimator
        if one_class is None:
            one_class = OneClassSVM(nu=0.1)
        if classifier is None:
            classifier = SVC(kernel="linear")
        self.one_class_ = [clone(one_class).fit(X[codes == c]) for c in range(len(self.classes_))]
        pairs = {
            pair
            for shortlist in self._shortlists(self._class_scores(X))
            for pair in combinations(sorted(shortlist), 2)
        }
        masks = {pair: np.isin(codes, pair) for pair in sorted(pairs)}
        self.pairs_ = {
            pair: clone(classifier).fit(X[mask], codes[mask]) for pair, mask in masks.items()
        }
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the shortlisted class that wins most of its pairs for each row.

        Of several such classes, the one-class models decide.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        scores = self._class_scores(X)
        wins = np.full(scores.shape, -1.0)  # -1 for classes that are not on the shortlist
        np.put_along_axis(wins, self._shortlists(scores), 0.0, axis=1)
        for pair in combinations(range(len(self.classes_)), 2):
            rows = np.flatnonzero((wins[:, list(pair)] >= 0).all(axis=1))
            if not len(rows):
                continue
            if pair in self.pairs_:
                winners = self.pairs_[pair].predict(X[rows])
            else:
                winners = np.where(scores[rows, pair[0]] >= scores[rows, pair[1]], *pair)
            wins[rows, winners] += 1
        most = wins.max(axis=1, keepdims=True)
        return self.classes_[np.where(wins == most, scores, -np.inf).argmax(axis=1)]

    def _class_scores(self, X: np.ndarray) -> np.ndarray:
        """Return the decisions of the one-class models, of shape (n_rows, n_classes)."""
        return np.column_stack([model.decision_function(X) for model in self.one_class_])

    def _shortlists(self, scores: np.ndarray) -> np.ndarray:
        """Return the indices of the classes of largest scores, of shape (n_rows, n_shortlisted)."""
        return np.argsort(-scores, axis=1, kind="stable")[:, : self.n_shortlisted]
