"""Naive Bayes on the most probable intervals of each column."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.data.intervals.base import interval
from subsel.data.intervals.modl import MODL
from subsel.models.decisions import class_decision

__all__ = ["IntervalNaiveBayes", "interval_tables"]


class IntervalNaiveBayes(ClassifierMixin, BaseEstimator):
    r"""A naive Bayes classifier on the intervals that MODL finds in each column [1]_.

    Intervals of different columns are taken as independent within classes. The log of the joint
    probability of a class c and a row is

    .. math:: \ln P(c) + \sum_j \ln \frac{m_{j v c} + 1}{m_c + I_j}

    for the interval v of column j that contains the row, with :math:`I_j` the number of intervals
    of the column. A column without cuts has no influence. Subsets of columns are evaluated without
    refitting by :class:`subsel.criteria.IntervalNaiveBayes`; the published system is
    :func:`subsel.literature.recipes.selective_naive_bayes`.

    Attributes
    ----------
    cut_points_ : list of ndarray
        The cut points of each column.
    log_likelihoods_ : list of ndarray of shape (n_intervals, n_classes)
        The logarithms of the smoothed shares of intervals within classes, one table per column.
    log_prior_ : ndarray of shape (n_classes,)
        The logarithms of the shares of the classes.

    References
    ----------
    .. [1] Boulle, *An enhanced selective naive Bayes method with optimal discretization*, in Guyon
       et al. (eds.), *Feature Extraction*, 2006, chapter 25; which leaves the smoothing open: it is
       ours.

    Examples
    --------
    >>> X = np.array([[1, 7], [2, 8], [3, 7], [4, 8], [5, 7], [6, 8]])
    >>> model = IntervalNaiveBayes().fit(X, [0, 0, 0, 1, 1, 1])
    >>> model.cut_points_, model.decision_function(X).round(2)
    ([array([3.5]), array([], dtype=float64)], array([-1.39, -1.39, -1.39,  1.39,  1.39,  1.39]))
    """

    def fit(self, X: Any, y: Any) -> IntervalNaiveBayes:
        """Cut the columns and count the rows in each interval by class."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y must hold at least two classes, got one class only ({self.classes_[0]!r})."
            )
        self.cut_points_, self.log_likelihoods_ = interval_tables(X, codes, len(self.classes_))
        self.log_prior_ = np.log(np.bincount(codes) / len(codes))
        return self

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """Give the log of prior times likelihood of each class, shape (n_rows, n_classes)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        total = np.repeat(self.log_prior_[None], len(X), axis=0)
        for column, cuts, table in zip(X.T, self.cut_points_, self.log_likelihoods_):
            total += table[interval(column, cuts)]
        return total

    def predict_proba(self, X: Any) -> np.ndarray:
        """Give the probability of each class."""
        total = self.predict_joint_log_proba(X)
        return np.exp(total - logsumexp(total, axis=1, keepdims=True))

    def decision_function(self, X: Any) -> np.ndarray:
        """Give the joint logs, or for two classes their difference, positive for the second.

        They rank rows also where probabilities saturate at 0 or 1.
        """
        return class_decision(self.predict_joint_log_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable class."""
        total = self.predict_joint_log_proba(X)
        return self.classes_[total.argmax(axis=1)]


def interval_tables(
    X: np.ndarray, codes: np.ndarray, n_classes: int
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Give the cut points of each column and the logs of the shares of its intervals by class.

    The shares are smoothed; a table has shape (n_intervals, n_classes).
    """
    cuts = MODL().fit(X, codes).cut_points_
    sizes = np.bincount(codes, minlength=n_classes)
    logs = []
    for column, edges in zip(X.T, cuts):
        n_intervals = len(edges) + 1
        cells = interval(column, edges) * n_classes + codes
        counts = np.bincount(cells, minlength=n_intervals * n_classes).reshape(
            n_intervals, n_classes
        )
        logs.append(np.log(counts + 1.0) - np.log(sizes + float(n_intervals)))
    return cuts, logs
