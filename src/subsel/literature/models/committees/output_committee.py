"""A committee that averages what different models say, each on its own scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import _BaseComposition

from subsel.models.two_classes import BinaryDecision

__all__ = ["OutputCommittee"]


class OutputCommittee(BinaryDecision, _BaseComposition):
    """The mean of several models' outputs, each divided by its standard deviation over the training rows [1]_.

    Outputs are decisions, or logarithms of odds where a model gives probabilities. Those more than
    ``most`` standard deviations from zero are cut off, so that one model that is far too sure does
    not outvote the rest. The outputs of a model that is quite sure of a training row, by a
    probability of 0 or 1, have no standard deviation and are not divided.

    Parameters
    ----------
    members : list of (str, classifier)
        Different ones, as in scikit-learn's ``VotingClassifier``, which averages probabilities.
    most : float
        The largest output of a member, in standard deviations.

    Attributes
    ----------
    members_ : list of classifier
        Trained on all rows.
    scales_ : ndarray
        The standard deviation of each one's outputs.
    classes_ : ndarray
        The class labels.

    References
    ----------
    .. [1] Kittler, Hatef, Duin and Matas, *On combining classifiers*, IEEE Transactions on Pattern
       Analysis and Machine Intelligence 20, 1998 (the sum rule).

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression, RidgeClassifier
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [3.0]]), ["a", "a", "b", "b"]
    >>> committee = OutputCommittee([("ridge", RidgeClassifier()), ("logistic", LogisticRegression())])
    >>> committee.fit(X, y).predict([[4.0], [-3.0]]).tolist()
    ['b', 'a']
    """

    _accept_sparse = "csr"

    def __init__(self, members: Sequence[tuple[str, Any]], *, most: float = 3.0) -> None:
        self.members = members
        self.most = most

    def fit(self, X: Any, y: Any) -> OutputCommittee:
        """Train every member."""
        if not self.members:
            raise ValueError("members must hold at least one classifier, got none.")
        X, codes, _ = self._receive(X, y)
        self.members_ = [clone(member).fit(X, codes) for _, member in self.members]
        with np.errstate(invalid="ignore"):  # infinite outputs
            spreads = np.array([np.std(_output(member, X)) for member in self.members_])
        self.scales_ = np.where(spreads > 0, spreads, 1.0)
        return self

    def _decide(self, X: Any) -> np.ndarray:
        outputs = [_output(member, X) / scale for member, scale in zip(self.members_, self.scales_)]
        return np.clip(outputs, -self.most, self.most).mean(axis=0)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters of the committee and of its members, by name."""
        return self._get_params("members", deep=deep)

    def set_params(self, **params: Any) -> OutputCommittee:
        """Set parameters of the committee or of its members."""
        return self._set_params("members", **params)


def _output(member: Any, X: Any) -> np.ndarray:
    """Positive for the second class."""
    if hasattr(member, "decision_function"):
        return member.decision_function(X)
    with np.errstate(divide="ignore"):  # of a probability of 0
        logs = member.predict_log_proba(X)
    return logs[:, 1] - logs[:, 0]
