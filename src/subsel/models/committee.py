"""Several procedures that decide together."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

__all__ = ["CommitteeClassifier", "CommitteeRegressor", "majority"]


def majority(votes: np.ndarray, n_classes: int) -> np.ndarray:
    """The class that most members vote for; of equals, the one that the first of their voters names.

    Parameters
    ----------
    votes : ndarray of shape (n_members, n_rows)
        Class codes, the most trusted member first.
    n_classes : int
        How many classes there are.

    Examples
    --------
    >>> majority(np.array([[0, 2, 1], [1, 0, 1], [1, 1, 0]]), 3)
    array([1, 2, 1])
    """
    counts = (votes[:, :, None] == np.arange(n_classes)).sum(axis=0)
    weight = len(votes) + 1.0 - np.arange(len(votes))  # less than a vote, more for the first
    first = np.zeros_like(counts, dtype=float)
    for member, row in reversed(list(enumerate(votes))):
        first[np.arange(len(row)), row] = weight[member] / (len(votes) + 2.0)
    return (counts + first).argmax(axis=1)


class _Committee(BaseEstimator):
    """Fitted members, the most trusted first; each reads the whole table."""

    def __init__(self, members: list[Any]) -> None:
        self.members = members

    def fit(self, X: Any, y: Any, **rows: Any) -> Any:
        """Fit every member on the same rows."""
        from sklearn.base import clone

        from subsel.data.routing import fit_arguments

        self.members_ = [
            clone(member).fit(X, y, **fit_arguments(member, rows)) for member in self.members
        ]
        if hasattr(self.members_[0], "classes_"):
            self.classes_ = self.members_[0].classes_
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "members_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


class CommitteeClassifier(ClassifierMixin, _Committee):
    """Classifiers that vote, each with one voice; ties go to the most trusted.

    Parameters
    ----------
    members : list of estimators
        The most trusted first.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> CommitteeClassifier([GaussianNB(), KNeighborsClassifier()]).fit(X, y).predict(X[:3])
    array([0, 0, 0])
    """

    def predict(self, X: Any) -> np.ndarray:
        """The class of most votes."""
        return self.classes_[majority(self._votes(X), len(self.classes_))]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The mean of the members' probabilities; a member without any votes with certainty."""
        return np.mean([self._chances(member, X) for member in self.members_], axis=0)

    def _votes(self, X: Any) -> np.ndarray:
        return np.stack(
            [np.searchsorted(self.classes_, member.predict(X)) for member in self.members_]
        )

    def _chances(self, member: Any, X: Any) -> np.ndarray:
        if hasattr(member, "predict_proba"):
            return member.predict_proba(X)
        return np.eye(len(self.classes_))[np.searchsorted(self.classes_, member.predict(X))]


class CommitteeRegressor(RegressorMixin, _Committee):
    """Regressors whose predictions are averaged.

    Parameters
    ----------
    members : list of estimators
        The most trusted first.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression, Ridge
    >>> X, y = np.arange(4.0)[:, None], np.arange(4.0)
    >>> CommitteeRegressor([LinearRegression(), Ridge(alpha=5)]).fit(X, y).predict(X).round(2)
    array([0.38, 1.12, 1.88, 2.62])
    """

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the members' predictions."""
        return np.mean([member.predict(X) for member in self.members_], axis=0)
