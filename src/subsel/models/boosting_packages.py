"""XGBoost and LightGBM through their scikit-learn faces, where they are installed."""

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
}  # workers are ours: threads within them would stand in each other's way
LIGHT = {
    "verbosity": -1,
    "deterministic": True,
    "force_row_wise": True,
    "importance_type": "gain",
    **SETTINGS,
}


def xgboost_classifier() -> Any:
    """Give XGBoost's classifier, made to take any labels."""
    return EncodedClasses(_made("xgboost", "XGBClassifier", **SETTINGS))


def xgboost_regressor() -> Any:
    """Give XGBoost's regressor."""
    return _made("xgboost", "XGBRegressor", **SETTINGS)


def lightgbm_classifier() -> Any:
    """Give LightGBM's classifier, silent, the same for the same seed."""
    return _made("lightgbm", "LGBMClassifier", **LIGHT)


def lightgbm_regressor() -> Any:
    """Give LightGBM's regressor, silent, the same for the same seed."""
    return _made("lightgbm", "LGBMRegressor", **LIGHT)


def _made(package: str, name: str, **settings: Any) -> Any:
    try:
        module = import_module(package)
    except ImportError:
        raise ValueError(
            f"estimator {package!r} needs its package: pip install 'subsel[boosting]'."
        ) from None
    return getattr(module, name)(**settings)


class EncodedClasses(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Number the classes before training and name them again in predictions.

    Some classifiers, such as XGBoost's, take the numbers 0, 1, 2, ... only.

    Parameters
    ----------
    estimator : classifier
        The model inside.

    Attributes
    ----------
    encoded_ : classifier
        Trained on the numbers.
    classes_ : ndarray
        The labels.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = EncodedClasses(GaussianNB()).fit([[0.0], [1.0], [5.0], [6.0]], ["no", "no", "yes", "yes"])
    >>> model.predict([[0.4], [5.5]]), model.encoded_.classes_
    (array(['no', 'yes'], dtype='<U3'), array([0, 1]))
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> EncodedClasses:
        """Number the classes and train."""
        check_classification_targets(y)
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        given = {}
        if sample_weight is not None:
            given["sample_weight"] = sample_weight
        self.encoded_ = clone(self.estimator).fit(X, codes, **given)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Labels."""
        check_is_fitted(self)
        return self.classes_[np.asarray(self.encoded_.predict(X)).astype(int)]

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, in their order."""
        check_is_fitted(self)
        return self.encoded_.predict_proba(X)

    @available_if(lambda self: hasattr(self.estimator, "decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """Of the model inside."""
        check_is_fitted(self)
        return self.encoded_.decision_function(X)

    @property
    def n_features_in_(self) -> int:
        """Columns seen."""
        return int(self.encoded_.n_features_in_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags
