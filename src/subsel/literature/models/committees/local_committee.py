"""A committee in which each member counts as much as it was right nearby."""

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
    """Different models vote on a row, each with its share of right predictions on the nearest training rows [1]_.

    What a member is right about was predicted by its fold models, which had not seen the row; the
    members that vote are trained on all rows. Columns are standardised to say which rows are near.

    Parameters
    ----------
    estimators : list of estimators, optional
        The members; a linear model, nearest neighbours and a tree unless given. Whatever looks at
        the target must be part of them.
    n_neighbors : int
        Rows asked for the competence; all of them where there are fewer.
    cv : int
        Folds.
    random_state : int, RandomState or None
        Of the folds.

    Attributes
    ----------
    members_ : list of estimators
        Fitted on all rows.
    right_ : ndarray of shape (n_rows, n_members)
        Whether each member's fold model was right.

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
        """Predict every row by fold models, then train the members on all rows."""
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
        """Return each member's share of right predictions on the training rows nearest to each row."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.right_[
            self.near_.kneighbors((X - self.mean_) / self.scale_, return_distance=False)
        ].mean(axis=1)

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of largest competence in favour, the first of equals."""
        weights = self.competence(X)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        votes = np.column_stack([member.predict(X) for member in self.members_])
        counts = (weights[:, :, None] * (votes[:, :, None] == self.classes_)).sum(axis=1)
        return self.classes_[counts.argmax(axis=1)]


def _default(seed: int) -> list[Any]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    near = make_pipeline(StandardScaler(), KNeighborsClassifier(5))
    return [linear, near, DecisionTreeClassifier(random_state=seed)]
