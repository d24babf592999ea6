"""A model that reads some columns of the table."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from subsel.data.task import select_columns

__all__ = ["SubsetModel"]


class SubsetModel(BaseEstimator):
    """A model on some columns that accepts the table with all columns.

    Parameters
    ----------
    columns : array of int
        The numbers of the columns that the model reads.
    model : estimator
        The model; it is fitted in place on those columns.

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
        self.model.fit(self._select(X), y, **rows)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict from its columns."""
        return self.model.predict(self._select(X))

    @available_if(lambda self: hasattr(self.model, "predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Give class probabilities from its columns."""
        return self.model.predict_proba(self._select(X))

    @available_if(lambda self: hasattr(self.model, "decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """Give the decision function of the model on its columns."""
        return self.model.decision_function(self._select(X))

    def _select(self, X: Any) -> Any:
        """Select the columns; a table with that many columns is taken as already selected."""
        if X.shape[1] == len(self.columns):
            return X
        return select_columns(X, self.columns)
