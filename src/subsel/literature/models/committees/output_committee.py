"""A committee that averages the standardised outputs of different models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import _BaseComposition

from subsel.models.two_classes import BinaryDecision

__all__ = ["OutputCommittee"]


class OutputCommittee(BinaryDecision, _BaseComposition):
    """A mean of the outputs of several models, in units of their standard deviations [1]_.

    The output of a model is its decision, or the log odds if it has probabilities only; the
    standard deviation is that over the training rows. Outputs are clipped at ``most`` standard
    deviations, so that an overconfident model does not outvote the others. If a model gives some
    training row a probability of 0 or 1, its outputs have no standard deviation and are not
    divided.

    Parameters
    ----------
    members : list of (str, classifier)
        Names and models, as in scikit-learn's ``VotingClassifier``, which averages probabilities.
    most : float
        The largest output of a member, in standard deviations.

    Attributes
    ----------
    members_ : list of classifier
        The models, fitted on all rows.
    scales_ : ndarray of shape (n_members,)
        The standard deviations of their outputs.
    classes_ : ndarray of shape (2,)
        The class labels.

    References
    ----------
    .. [1] Kittler, Hatef, Duin and Matas, *On combining classifiers*, IEEE Transactions on Pattern
       Analysis and Machine Intelligence 20, 1998 (the sum rule).

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression, RidgeClassifier
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [3.0]]), ["a", "a", "b", "b"]
    >>> members = [("ridge", RidgeClassifier()), ("logistic", LogisticRegression())]
    >>> OutputCommittee(members).fit(X, y).predict([[4.0], [-3.0]]).tolist()
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
        with np.errstate(invalid="ignore"):  # infinite outputs have a deviation of NaN
            spreads = np.array([np.std(_output(member, X)) for member in self.members_])
        self.scales_ = np.where(spreads > 0, spreads, 1.0)
        return self

    def _decide(self, X: Any) -> np.ndarray:
        outputs = [_output(member, X) / scale for member, scale in zip(self.members_, self.scales_)]
        return np.clip(outputs, -self.most, self.most).mean(axis=0)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the committee and of its members by name."""
        return self._get_params("members", deep=deep)

    def set_params(self, **params: Any) -> OutputCommittee:
        """Set parameters of the committee or of its members."""
        return self._set_params("members", **params)


def _output(member: Any, X: Any) -> np.ndarray:
    """Return the output of a model for each row, positive for the second class."""
    if hasattr(member, "decision_function"):
        return member.decision_function(X)
    with np.errstate(divide="ignore"):  # the logarithm of a probability of 0
        logs = member.predict_log_proba(X)
    return logs[:, 1] - logs[:, 0]
