"""Self-training: the most certain unlabelled rows become training rows with predicted labels."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.svm import SVC
from sklearn.utils.validation import validate_data

from subsel.models.two_classes import BinaryDecision

__all__ = ["SelfTraining"]


class SelfTraining(BinaryDecision):
    r"""A classifier that labels unlabelled rows, the most certain first, and trains on them [1]_.

    In each round it labels the share of the unlabelled rows that are furthest from the boundary,
    and is fitted again with them. Unlike in a transductive support vector machine
    (:class:`TransductiveSVM`), labels never change. The accuracy on rows used in this way is not an
    estimate for others.

    Parameters
    ----------
    estimator : classifier or None
        A classifier of two classes with ``decision_function``; a linear support vector machine by
        default.
    n_rounds : int
        Number of rounds.
    share : float
        Share of the unlabelled rows that are labelled in a round.
    share_of : {"remaining", "all"}
        Whether the share is one of the rows that are still unlabelled, or of all unlabelled rows.
        The source does not specify it.
    balance : bool
        If True, rows of the first class have the weight :math:`n_+ / n_-`; the estimator must have
        the parameter ``class_weight``.

    Attributes
    ----------
    estimator_ : classifier
        The classifier, fitted on all rows that have a label in the end.
    labels_ : ndarray of object of shape (n_unlabelled,)
        The predicted label of each unlabelled row, None for those that were not labelled.

    References
    ----------
    .. [1] Gilad-Bachrach and Navot, *Margin based feature selection and infogain with standard
       classifiers*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 17.

    Examples
    --------
    >>> X, y = np.array([[0.0], [10.0]]), ["a", "b"]
    >>> other = np.array([[1.0], [4.8], [9.0], [5.1]])
    >>> SelfTraining(n_rounds=2, share=0.5).fit(X, y, unlabelled=other).labels_.tolist()
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
        """Fit the classifier on the labelled rows, then with rows of ``unlabelled``, if given."""
        if self.share_of not in ("remaining", "all"):
            raise ValueError(f"share_of must be 'remaining' or 'all', got {self.share_of!r}.")
        if not 0 < self.share <= 1:
            raise ValueError(f"share must lie in (0, 1], got {self.share!r}.")
        X, codes, _ = self._receive(X, y)
        self.estimator_ = self._fitted_model(X, codes)
        self.labels_: np.ndarray = np.empty(0, dtype=object)
        if unlabelled is None:
            return self
        other = validate_data(self, unlabelled, dtype=np.float64, reset=False)
        other_codes = np.full(len(other), -1)  # -1 for rows without a label
        for _ in range(self.n_rounds):
            left = np.flatnonzero(other_codes < 0)
            if not len(left):
                break
            decision = self.estimator_.decision_function(other[left])
            pool = left if self.share_of == "remaining" else other
            number = max(1, round(self.share * len(pool)))
            surest = np.argsort(-np.abs(decision), kind="stable")[:number]
            other_codes[left[surest]] = decision[surest] > 0
            labelled = np.flatnonzero(other_codes >= 0)
            self.estimator_ = self._fitted_model(
                np.vstack([X, other[labelled]]), np.append(codes, other_codes[labelled])
            )
        self.labels_ = np.asarray(self.classes_, dtype=object)[np.maximum(other_codes, 0)]
        self.labels_[other_codes < 0] = None
        return self

    def _fitted_model(self, X: np.ndarray, codes: np.ndarray) -> Any:
        """Return the classifier, fitted on rows with classes 0 and 1."""
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
