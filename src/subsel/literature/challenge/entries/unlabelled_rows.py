"""Steps that also look at the inputs of rows without labels, as the rules of 2003 allowed."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if

__all__ = ["FittedOnAll", "TrainedWithOthers"]


class FittedOnAll(TransformerMixin, BaseEstimator):
    """A transformer without labels, fitted on the training rows and others together.

    Parameters
    ----------
    transformer : transformer
        It is not given labels.
    others : array or sparse matrix
        The rows without labels.

    Examples
    --------
    >>> from sklearn.preprocessing import StandardScaler
    >>> FittedOnAll(StandardScaler(), np.array([[4.0]])).fit(np.array([[0.0]])).transform(np.array([[2.0]]))
    array([[0.]])
    """

    def __init__(self, transformer: Any, others: Any) -> None:
        self.transformer = transformer
        self.others = others

    def fit(self, X: Any, y: Any = None) -> FittedOnAll:  # noqa: ARG002
        """Fit on both."""
        stack = sparse.vstack if sparse.issparse(X) else np.vstack
        self.n_features_in_ = X.shape[1]
        self.transformer_ = clone(self.transformer).fit(stack([X, self.others]))
        return self

    def transform(self, X: Any) -> Any:
        """As the transformer does."""
        return self.transformer_.transform(X)

    @available_if(lambda step: hasattr(step.transformer, "get_feature_names_out"))
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names that the transformer gives: by them columns that only change their scale are followed."""
        return self.transformer_.get_feature_names_out(input_features)


class TrainedWithOthers(ClassifierMixin, BaseEstimator):
    """What comes before a machine is learnt from the training rows, the machine from others, too.

    Parameters
    ----------
    front : transformer
        Selection and scaling.
    machine : classifier
        One whose ``fit`` takes rows ``unlabelled``.
    others : array or sparse matrix
        Those rows.

    Examples
    --------
    >>> from sklearn.preprocessing import StandardScaler
    >>> from subsel.models import TransductiveSVM
    >>> X = np.array([[0.0], [4.0]])
    >>> model = TrainedWithOthers(StandardScaler(), TransductiveSVM(), np.array([[1.0], [5.0]])).fit(X, [-1, 1])
    >>> model.predict(np.array([[0.5], [4.5]]))
    array([-1,  1])
    """

    def __init__(self, front: Any, machine: Any, others: Any) -> None:
        self.front = front
        self.machine = machine
        self.others = others

    def fit(self, X: Any, y: Any) -> TrainedWithOthers:
        """Fit the front, then the machine."""
        front = clone(self.front).fit(X, y)
        machine = clone(self.machine).fit(
            front.transform(X), y, unlabelled=front.transform(self.others)
        )
        self.estimator_, self.classes_ = (
            Pipeline([("front", front), ("machine", machine)]),
            machine.classes_,
        )
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Give the class of each row."""
        return self.estimator_.predict(X)

    @available_if(lambda model: hasattr(model.machine, "decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """Give the machine's decision."""
        return self.estimator_.decision_function(X)

    @available_if(lambda model: hasattr(model.machine, "predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Give the machine's probabilities."""
        return self.estimator_.predict_proba(X)
