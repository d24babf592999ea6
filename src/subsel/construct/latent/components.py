"""The number of latent features, by the minimum of a smoothed cross-validation curve."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    MetaEstimatorMixin,
    TransformerMixin,
    clone,
)
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing as rows
from sklearn.utils.validation import _num_samples, check_is_fitted, indexable

from subsel.construct.latent.base import Latent
from subsel.construct.latent.linear import LatentFeatures

__all__ = ["LatentFeaturesCV", "smoothed"]


class LatentFeaturesCV(
    ClassNamePrefixFeaturesOutMixin, MetaEstimatorMixin, TransformerMixin, BaseEstimator
):
    """Latent features whose number is chosen by cross-validation [1]_.

    The error with i components is averaged over the folds, and then with the errors of i - 1 and
    i + 1 components; the smallest i of least smoothed error is chosen. One fit per fold gives the
    errors for all numbers.

    Parameters
    ----------
    features : Latent
        `LatentFeatures` (the default), `KernelLatentFeatures` or `KernelPLS`.
    max_components : int
        Largest number tried.
    cv : int or splitter
        Folds, as in scikit-learn.

    Attributes
    ----------
    n_components_ : int
        The number chosen.
    errors_, smoothed_ : arrays
        The curve, whose entry 0 is for one component, and the smoothed curve. Errors are shares of
        wrong classes, or mean squared or absolute errors for these losses.
    features_ : Latent
        The features fitted on all rows.

    References
    ----------
    .. [1] Momma and Bennett, Constructing orthogonal latent features for arbitrary loss, in
       *Feature Extraction: Foundations and Applications*, 2006, section 28.8.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 5))
    >>> LatentFeaturesCV(max_components=4).fit(X, X @ [3, 0, 0, 0, 0]).transform(X).shape[0]
    60
    """

    def __init__(
        self, features: Latent | None = None, max_components: int = 10, *, cv: Any = 10
    ) -> None:
        self.features = features
        self.max_components = max_components
        self.cv = cv

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LatentFeaturesCV:
        """Choose the number and fit on all rows."""
        features = LatentFeatures()
        if self.features is not None:
            features = clone(self.features)
        features.set_params(n_components=self.max_components)
        features.fit(X, y, sample_weight)  # validates the arguments
        if hasattr(features, "feature_names_in_"):
            self.feature_names_in_ = features.feature_names_in_
        self.n_features_in_ = features.n_features_in_
        self.errors_ = self._curve(features, X, y, sample_weight)
        self.smoothed_ = smoothed(self.errors_)
        self.n_components_ = int(np.argmin(self.smoothed_)) + 1
        self.features_ = features.set_params(n_components=self.n_components_).fit(
            X, y, sample_weight
        )
        self._n_features_out = self.features_.n_components_
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Compute the latent features."""
        check_is_fitted(self)
        return self.features_.transform(X)

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the boosted function."""
        check_is_fitted(self)
        return self.features_.decision_function(X)

    def _curve(self, features: Latent, X: Any, y: Any, sample_weight: Any) -> np.ndarray:
        """Compute the cross-validated errors, of shape (max_components,)."""
        if sample_weight is None:
            sample_weight = np.ones(_num_samples(X))
        X, y, weight = indexable(X, np.asarray(y), sample_weight)
        classes = getattr(features, "classes_", None)
        folds = self.cv
        if isinstance(folds, int):
            folds = min(folds, _num_samples(X))
        curves = []
        for train, test in check_cv(folds, y, classifier=classes is not None).split(X, y):
            fitted = clone(features).fit(rows(X, train), y[train], rows(weight, train))
            values = list(fitted.staged_decision_function(rows(X, test)))
            values += [values[-1]] * (self.max_components - len(values))
            curves.append(errors(np.array(values), y[test], features.loss, classes))
        return np.mean(curves, axis=0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


def errors(values: np.ndarray, y: np.ndarray, loss: str, classes: np.ndarray | None) -> np.ndarray:
    """Compute the mean error of each row of `values`, of shape (components, rows of the table)."""
    if classes is not None:
        return np.mean(classes[(values > 0).astype(int)] != y, axis=1)
    deviations = np.abs(values - y)
    if loss == "absolute":
        return np.mean(deviations, axis=1)
    return np.mean(deviations**2, axis=1)


def smoothed(curve: np.ndarray) -> np.ndarray:
    """Average each entry with its neighbours, the first and last with the one they have.

    >>> smoothed(np.array([3.0, 0.0, 3.0, 5.0]))
    array([1.5       , 2.        , 2.66666667, 4.        ])
    """
    return np.array([curve[max(i - 1, 0) : i + 2].mean() for i in range(len(curve))])
