"""Committees: several procedures whose predictions are combined."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

__all__ = ["CommitteeClassifier", "CommitteeRegressor", "majority"]


def majority(votes: np.ndarray, n_classes: int) -> np.ndarray:
    """Give the class that most members vote for.

    Of classes with equally many votes it is the one that the most trusted of their voters names.

    Parameters
    ----------
    votes : ndarray of shape (n_members, n_rows)
        The class code that each member predicts for each row, the most trusted member first.
    n_classes : int
        The number of classes.

    Returns
    -------
    ndarray of shape (n_rows,)
        The class codes.

    Examples
    --------
    >>> majority(np.array([[0, 2, 1], [1, 0, 1], [1, 1, 0]]), 3)
    array([1, 2, 1])
    """
    counts = (votes[:, :, None] == np.arange(n_classes)).sum(axis=0)
    # a bonus below one vote breaks ties; it falls with the rank of the member, and since members
    # are visited from last to first, each class keeps the bonus of its most trusted voter
    weight = len(votes) + 1.0 - np.arange(len(votes))
    bonus = np.zeros_like(counts, dtype=float)
    for member, row in reversed(list(enumerate(votes))):
        bonus[np.arange(len(row)), row] = weight[member] / (len(votes) + 2.0)
    return (counts + bonus).argmax(axis=1)


class _Committee(BaseEstimator):
    """Members fitted on the same table, the most trusted first."""

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
    """Classifiers that vote, each with one vote; ties go to the most trusted.

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
        """Predict the class with the most votes."""
        return self.classes_[majority(self._votes(X), len(self.classes_))]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Average the class probabilities of the members.

        A member without ``predict_proba`` counts as probability 1 for the class it predicts.
        """
        return np.mean([self._probabilities(member, X) for member in self.members_], axis=0)

    def _votes(self, X: Any) -> np.ndarray:
        """Give the class codes, an array of shape (n_members, n_rows)."""
        return np.stack(
            [np.searchsorted(self.classes_, member.predict(X)) for member in self.members_]
        )

    def _probabilities(self, member: Any, X: Any) -> np.ndarray:
        """Give the probabilities of one member, an array of shape (n_rows, n_classes)."""
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
        """Average the predictions of the members."""
        return np.mean([member.predict(X) for member in self.members_], axis=0)
