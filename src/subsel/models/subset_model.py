"""A fitted model that reads some columns of the table."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from subsel.data.task import select_columns

__all__ = ["SubsetModel"]


class SubsetModel(BaseEstimator):
    """A model behind a choice of columns, so that it can be given the whole table.

    Parameters
    ----------
    columns : array of int
        The columns that the model reads, by number.
    model : estimator
        It is fitted on those columns.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.array([[0.0, 9.0], [1.0, 9.0]])
    >>> SubsetModel(np.array([0]), LinearRegression()).fit(X, [1.0, 3.0]).predict(X)
    array([1., 3.])
    """

    def __init__(self, columns: Any, model: Any) -> None:
        self.columns = columns
        self.model = model

    def fit(self, X: Any, y: Any, **rows: Any) -> SubsetModel:
        """Fit the model on its columns."""
        self.model.fit(self._kept(X), y, **rows)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict from its columns."""
        return self.model.predict(self._kept(X))

    @available_if(lambda self: hasattr(self.model, "predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Class probabilities from its columns."""
        return self.model.predict_proba(self._kept(X))

    @available_if(lambda self: hasattr(self.model, "decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """How far on which side of the border rows lie."""
        return self.model.decision_function(self._kept(X))

    def _kept(self, X: Any) -> Any:
        if X.shape[1] == len(self.columns):
            return X
        return select_columns(X, self.columns)
