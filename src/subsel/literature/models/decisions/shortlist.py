"""Many classes: one-class machines shortlist them, pairs decide among the shortlisted."""

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
    """One machine per class says which classes a row may be of, one per pair of classes decides among those [1]_.

    Only pairs that some training row has on its shortlist are trained, which are few of the c (c -
    1) / 2. A pair that was never met in training is decided by the one-class machines. One against
    the rest and one against one without a shortlist are scikit-learn's ``OneVsRestClassifier`` and
    ``OneVsOneClassifier``; where decisions differ in scale, its
    ``CalibratedClassifierCV(method="sigmoid")`` puts them on one.

    Parameters
    ----------
    estimator : classifier or None
        Of two classes; None is a linear support vector machine.
    n_shortlisted : int
        Classes on the shortlist.
    one_class : estimator or None
        Of one class, with ``decision_function``; None is ``OneClassSVM(nu=0.1)``.

    Attributes
    ----------
    one_class_ : list of estimators
        One per class.
    pairs_ : dict
        The classifier of each pair of numbers of classes that was trained.

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
        """Train the one-class machines, and those pairs that a training row needs."""
        if self.n_shortlisted < 1:
            raise ValueError(f"n_shortlisted must be at least 1, got {self.n_shortlisted!r}.")
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y holds one class only ({self.classes_[0]!r}): there is nothing to tell apart."
            )
        alone, pair = self.one_class, self.estimator
        if alone is None:
            alone = OneClassSVM(nu=0.1)
        if pair is None:
            pair = SVC(kernel="linear")
        self.one_class_ = [clone(alone).fit(X[codes == c]) for c in range(len(self.classes_))]
        met = {
            two
            for listed in self._shortlists(self._fits(X))
            for two in combinations(sorted(listed), 2)
        }
        rows = {two: np.isin(codes, two) for two in sorted(met)}
        self.pairs_ = {two: clone(pair).fit(X[here], codes[here]) for two, here in rows.items()}
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the shortlisted class that wins most of its pairs."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        fits = self._fits(X)
        listed = self._shortlists(fits)
        wins = np.full(fits.shape, -1.0)
        np.put_along_axis(wins, listed, 0.0, axis=1)
        for two in combinations(range(len(self.classes_)), 2):
            rows = np.flatnonzero((wins[:, list(two)] >= 0).all(axis=1))
            if not len(rows):
                continue
            if two in self.pairs_:
                winners = self.pairs_[two].predict(X[rows])
            else:
                winners = np.where(fits[rows, two[0]] >= fits[rows, two[1]], *two)
            wins[rows, winners] += 1
        best = wins.max(axis=1, keepdims=True)
        return self.classes_[np.where(wins == best, fits, -np.inf).argmax(axis=1)]

    def _fits(self, X: np.ndarray) -> np.ndarray:
        """How well each class accepts each row."""
        return np.column_stack([model.decision_function(X) for model in self.one_class_])

    def _shortlists(self, fits: np.ndarray) -> np.ndarray:
        """The numbers of the classes that accept each row best."""
        return np.argsort(-fits, axis=1, kind="stable")[:, : self.n_shortlisted]
