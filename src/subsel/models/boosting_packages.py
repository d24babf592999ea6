"""XGBoost and LightGBM by their scikit-learn interfaces, where they are installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

__all__ = [
    "EncodedClasses",
    "lightgbm_classifier",
    "lightgbm_regressor",
    "xgboost_classifier",
    "xgboost_regressor",
]

SETTINGS = {
    "random_state": 0,
    "n_jobs": 1,
}  # subsel runs workers of its own: threads inside them would compete for the same cores
LIGHT = {
    "verbosity": -1,
    "deterministic": True,
    "force_row_wise": True,
    "importance_type": "gain",
    **SETTINGS,
}


def xgboost_classifier() -> Any:
    """Create XGBoost's classifier, wrapped so that it accepts any labels."""
    return EncodedClasses(_create("xgboost", "XGBClassifier", **SETTINGS))


def xgboost_regressor() -> Any:
    """Create XGBoost's regressor."""
    return _create("xgboost", "XGBRegressor", **SETTINGS)


def lightgbm_classifier() -> Any:
    """Create LightGBM's classifier, silent and deterministic."""
    return _create("lightgbm", "LGBMClassifier", **LIGHT)


def lightgbm_regressor() -> Any:
    """Create LightGBM's regressor, silent and deterministic."""
    return _create("lightgbm", "LGBMRegressor", **LIGHT)


def _create(package: str, name: str, **settings: Any) -> Any:
    """Create an object of a class of a package that may not be installed."""
    try:
        module = import_module(package)
    except ImportError:
        raise ValueError(
            f"estimator {package!r} needs its package: pip install 'subsel[boosting]'."
        ) from None
    return getattr(module, name)(**settings)


class EncodedClasses(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier trained on class numbers that predicts the original labels.

    Some classifiers, such as XGBoost's, accept only the labels 0, 1, 2, ...

    Parameters
    ----------
    estimator : classifier
        The classifier to be trained on the numbers.

    Attributes
    ----------
    encoded_ : classifier
        The classifier trained on the numbers.
    classes_ : ndarray of shape (n_classes,)
        The labels.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = [[0.0], [1.0], [5.0], [6.0]], ["no", "no", "yes", "yes"]
    >>> model = EncodedClasses(GaussianNB()).fit(X, y)
    >>> model.predict([[0.4], [5.5]]), model.encoded_.classes_
    (array(['no', 'yes'], dtype='<U3'), array([0, 1]))
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> EncodedClasses:
        """Number the classes and train."""
        check_classification_targets(y)
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        arguments = {}
        if sample_weight is not None:
            arguments["sample_weight"] = sample_weight
        self.encoded_ = clone(self.estimator).fit(X, codes, **arguments)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict the labels."""
        check_is_fitted(self)
        return self.classes_[np.asarray(self.encoded_.predict(X)).astype(int)]

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Give the probabilities of the classes, in the order of ``classes_``."""
        check_is_fitted(self)
        return self.encoded_.predict_proba(X)

    @available_if(lambda self: hasattr(self.estimator, "decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """Give the decision function of the classifier."""
        check_is_fitted(self)
        return self.encoded_.decision_function(X)

    @property
    def n_features_in_(self) -> int:
        """The number of columns seen in fit."""
        return int(self.encoded_.n_features_in_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags
