"""A committee in which the weight of a member is its accuracy on nearby rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["LocalCommittee"]


class LocalCommittee(ClassifierMixin, BaseEstimator):
    """A vote of different models, weighted by their accuracy on the nearest training rows [1]_.

    The accuracy is that of models of a cross-validation, which were not trained on the row; the
    members that vote are trained on all rows. Distances are between standardised rows.

    Parameters
    ----------
    estimators : list of estimator, optional
        The members; by default a linear model, nearest neighbours and a tree. Every step that uses
        the target must be part of them.
    n_neighbors : int
        Number of nearest rows; all rows if there are fewer.
    cv : int
        Number of folds.
    random_state : int, RandomState or None
        Seed of the folds, and of the default tree.

    Attributes
    ----------
    members_ : list of estimator
        The members, fitted on all rows.
    right_ : ndarray of bool of shape (n_rows, n_members)
        Whether each member was right about each row when it was held out.
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    References
    ----------
    .. [1] Jankowski and Grabczewski, *Learning machines*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction*, 2006, chapter 1, section 3.8; Woods, Kegelmeyer and Bowyer,
       "Combination of multiple classifiers using local accuracy estimates", *IEEE PAMI* 19, 1997.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> LocalCommittee(random_state=0).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    def __init__(
        self,
        estimators: list[Any] | None = None,
        *,
        n_neighbors: int = 10,
        cv: int = 5,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.n_neighbors = n_neighbors
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> LocalCommittee:
        """Cross-validate the members, then train them on all rows."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        if self.n_neighbors < 1:
            raise ValueError(f"n_neighbors must be at least 1, got {self.n_neighbors}.")
        self.classes_, counts = np.unique(y, return_counts=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class only ({y[0]!r}): there is nothing to tell apart.")
        seed = int(check_random_state(self.random_state).randint(2**31))
        models = self.estimators
        if models is None:
            models = _default(seed)
        folds = StratifiedKFold(max(2, min(self.cv, counts.max())), shuffle=True, random_state=seed)
        self.right_ = np.column_stack(
            [cross_val_predict(clone(model), X, y, cv=folds) == y for model in models]
        )
        self.members_ = [clone(model).fit(X, y) for model in models]
        spread = X.std(axis=0)
        self.mean_, self.scale_ = X.mean(axis=0), np.where(spread > 0, spread, 1.0)
        self.near_ = NearestNeighbors(n_neighbors=min(self.n_neighbors, len(X))).fit(
            (X - self.mean_) / self.scale_
        )
        return self

    def competence(self, X: Any) -> np.ndarray:
        """Return the accuracy of each member near each row, of shape (n_rows, n_members)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        rows = self.near_.kneighbors((X - self.mean_) / self.scale_, return_distance=False)
        return self.right_[rows].mean(axis=1)

    def predict(self, X: Any) -> np.ndarray:
        """Return the class with the largest sum of weights, the first of equal ones, per row."""
        weights = self.competence(X)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        votes = np.column_stack([member.predict(X) for member in self.members_])
        counts = (weights[:, :, None] * (votes[:, :, None] == self.classes_)).sum(axis=1)
        return self.classes_[counts.argmax(axis=1)]


def _default(seed: int) -> list[Any]:
    """Return the default members."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    near = make_pipeline(StandardScaler(), KNeighborsClassifier(5))
    return [linear, near, DecisionTreeClassifier(random_state=seed)]
