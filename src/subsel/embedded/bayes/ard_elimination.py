"""Backward elimination by relevances that are learnt again after every removal."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from subsel.data.columns import ColumnSelector
from subsel.data.task import Task
from subsel.models.bayes.ard_classifier import ARDKernelClassifier
from subsel.models.relevance import model_relevance

__all__ = ["ARDElimination"]


class ARDElimination(ColumnSelector):
    """Backward elimination by the relevances of a Bayesian model [1]_.

    The least relevant input is dropped and the relevances are learnt again, until a given number
    of inputs is left. Redundant inputs share their relevance arbitrarily; when one is dropped, the
    other has all of it.

    Parameters
    ----------
    n_features : int
        Number of inputs to keep.
    estimator : estimator or None
        A model with relevances (:func:`subsel.models.relevance.model_relevance`); None stands for
        :class:`subsel.models.ARDKernelClassifier` with two starts.

    Attributes
    ----------
    ranking_ : ndarray of int
        All columns: those kept by falling relevance, then the dropped ones, the last dropped first.
    feature_importances_ : ndarray of shape (n_features,)
        The relevance in the last model, 0 for dropped inputs.
    estimator_ : estimator
        The last model, on the kept and standardised columns.
    support_ : ndarray of bool
        Mask of the selected columns.

    Notes
    -----
    Every dropped input costs a fit of the model.

    References
    ----------
    .. [1] Chu, Keerthi, Ong and Ghahramani, *Bayesian support vector machines for feature ranking
       and selection*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006,
       chapter 18, section 4.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 4))
    >>> y = X[:, 0] + X[:, 2] > 0
    >>> model = ARDKernelClassifier("linear", n_starts=1, random_state=0)
    >>> ARDElimination(2, model).fit(X, y).get_support(indices=True)
    array([0, 2])
    """

    def __init__(self, n_features: int = 1, estimator: Any = None) -> None:
        self.n_features = n_features
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> ARDElimination:
        """Eliminate one input at a time."""
        X, y = self._receive(X, y)
        task = Task.of(X, y, "classification")
        if not 1 <= self.n_features <= task.n_columns:
            raise ValueError(
                f"n_features must lie in [1, {task.n_columns}], got {self.n_features!r}."
            )
        Z = StandardScaler().fit_transform(task.matrix)
        model = self.estimator
        if model is None:
            model = ARDKernelClassifier(n_starts=2, random_state=0)
        left, dropped = np.arange(task.n_columns), []
        while True:
            self.estimator_ = clone(model).fit(Z[:, left], task.y)
            relevances = model_relevance(self.estimator_)
            if len(left) == self.n_features:
                break
            weakest = int(np.argmin(relevances))
            dropped.append(left[weakest])
            left = np.delete(left, weakest)
        order = left[np.argsort(-relevances, kind="stable")]
        self.ranking_ = np.concatenate([order, np.array(dropped[::-1], dtype=int)])
        self.feature_importances_ = np.zeros(task.n_columns)
        self.feature_importances_[left] = relevances
        self.support_ = np.isin(np.arange(task.n_columns), left)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags
