"""Self-training: the surest rows of an unlabelled table join the training rows with their predicted classes."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.svm import SVC
from sklearn.utils.validation import validate_data

from subsel.models.two_classes import BinaryDecision

__all__ = ["SelfTraining"]


class SelfTraining(BinaryDecision):
    r"""Train, label the surest share of the unlabelled rows, train again, some rounds [1]_.

    It is no transductive machine (:class:`TransductiveSVM`): labels, once given, are kept.
    Performance on the rows that were used so is no estimate for others.

    Parameters
    ----------
    estimator : classifier or None
        One of two classes with ``decision_function``; None is a linear support vector machine.
    n_rounds : int
        How often rows join.
    share : float
        Of the unlabelled rows, those furthest from the boundary, that join in a round.
    share_of : {"remaining", "all"}
        Whether the share is one of the rows still unlabelled or of all that were given; the source
        does not say.
    balance : bool
        Price the rows of the first class by :math:`n_+ / n_-`, where the estimator takes
        ``class_weight``.

    Attributes
    ----------
    estimator_ : classifier
        Trained on all rows that have a label in the end.
    labels_ : ndarray of object
        The class each unlabelled row was given, None for those that never joined.

    References
    ----------
    .. [1] Gilad-Bachrach and Navot, *Margin based feature selection and infogain with standard
       classifiers*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 17.

    Examples
    --------
    >>> X, y = np.array([[0.0], [10.0]]), ["a", "b"]
    >>> SelfTraining(n_rounds=2, share=0.5).fit(X, y, unlabelled=np.array([[1.0], [4.8], [9.0], [5.1]])).labels_.tolist()
    ['a', 'a', 'b', None]
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_rounds: int = 5,
        share: float = 0.1,
        share_of: Literal["remaining", "all"] = "remaining",
        balance: bool = False,
    ) -> None:
        self.estimator = estimator
        self.n_rounds = n_rounds
        self.share = share
        self.share_of = share_of
        self.balance = balance

    def fit(self, X: Any, y: Any, unlabelled: Any = None) -> SelfTraining:
        """Train on the labelled rows, then with those that join; without ``unlabelled``, train once."""
        if self.share_of not in ("remaining", "all"):
            raise ValueError(f"share_of must be 'remaining' or 'all', got {self.share_of!r}.")
        if not 0 < self.share <= 1:
            raise ValueError(f"share must lie in (0, 1], got {self.share!r}.")
        X, codes, _ = self._receive(X, y)
        self.estimator_ = self._trained(X, codes)
        self.labels_: np.ndarray = np.empty(0, dtype=object)
        if unlabelled is None:
            return self
        other = validate_data(self, unlabelled, dtype=np.float64, reset=False)
        given = np.full(len(other), -1)
        for _ in range(self.n_rounds):
            left = np.flatnonzero(given < 0)
            if not len(left):
                break
            decision = self.estimator_.decision_function(other[left])
            pool = left if self.share_of == "remaining" else other
            number = max(1, round(self.share * len(pool)))
            surest = np.argsort(-np.abs(decision), kind="stable")[:number]
            given[left[surest]] = decision[surest] > 0
            joined = np.flatnonzero(given >= 0)
            self.estimator_ = self._trained(
                np.vstack([X, other[joined]]), np.append(codes, given[joined])
            )
        self.labels_ = np.asarray(self.classes_, dtype=object)[np.maximum(given, 0)]
        self.labels_[given < 0] = None
        return self

    def _trained(self, X: np.ndarray, codes: np.ndarray) -> Any:
        model = SVC(kernel="linear")
        if self.estimator is not None:
            model = clone(self.estimator)
        if self.balance:
            model.set_params(
                class_weight={
                    0: np.count_nonzero(codes == 1) / np.count_nonzero(codes == 0),
                    1: 1.0,
                }
            )
        return model.fit(X, codes.astype(int))

    def _decide(self, X: np.ndarray) -> np.ndarray:
        return self.estimator_.decision_function(X)
