"""Shrunken centroids: class means shrunk towards the overall mean until few columns differ."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import check_cv
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.models.decisions import class_decision, decided_codes
from subsel.models.planes.nearest_mean import METRICS

__all__ = ["ShrunkenCentroids"]

Distance = Literal["standardised", "l1", "l2"]


class ShrunkenCentroids(ClassifierMixin, BaseEstimator):
    r"""Nearest centroids that have been shrunk towards the mean of all rows [1]_ [2]_.

    .. math:: d_{cj} = \frac{\mu_{cj} - \mu_j}{m_c (s_j + s_0)}, \quad
        d'_{cj} = \mathrm{sign}(d_{cj}) (|d_{cj}| - \Delta)_+, \quad \mu'_{cj} = \mu_j + m_c (s_j +
        s_0) d'_{cj}

    Here :math:`m_c = \sqrt{1/n_c - 1/m}`, :math:`s_j` is the pooled standard deviation within
    classes and :math:`s_0` the median of all :math:`s_j`. A column is selected if
    :math:`d'_{cj}` is not zero for some class. The threshold at which a column vanishes is its
    largest :math:`|d_{cj}|`, so that one sort yields the selections for all thresholds.

    Parameters
    ----------
    threshold : float or "cv"
        The threshold :math:`\Delta`. If ``"cv"``, the largest threshold with the best balanced
        accuracy in a cross-validation is chosen.
    n_features : int or None
        If given, the least threshold that selects no more columns than this replaces `threshold`.
    distance : {"standardised", "l1", "l2"}
        How distances to the centroids are measured: squared differences in units of :math:`s_j +
        s_0`, less twice the log of the share of the class (scikit-learn omits :math:`s_0` here);
        the sum of absolute differences; or that of squared differences.
    n_thresholds : int
        Number of thresholds compared if ``threshold="cv"``, evenly spaced from zero to where no
        column is left; the chapter uses 200.
    cv : int or splitter
        Folds of the cross-validation.

    Attributes
    ----------
    centroids_ : ndarray of shape (n_classes, n_features)
        The shrunken centroids :math:`\mu'_{cj}`.
    deviations_ : ndarray of shape (n_classes, n_features)
        The shrunken deviations :math:`d'_{cj}`.
    feature_importances_ : ndarray of shape (n_features,)
        The largest :math:`|d'_{cj}|` over the classes; positive for the columns selected.
    threshold_ : float
        The threshold used.
    path_ : ndarray of shape (n_features,)
        The largest :math:`|d_{cj}|` of each column, the least threshold without it.
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    References
    ----------
    .. [1] Tibshirani, Hastie, Narasimhan and Chu, *Diagnosis of multiple cancer types by shrunken
       centroids of gene expression*, PNAS 99, 2002.
    .. [2] Levner, Bulitko and Lin, *Feature extraction for classification of proteomic mass
       spectra: a comparative study*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       30.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ShrunkenCentroids(n_features=2).fit(X, y)
    >>> np.flatnonzero(model.feature_importances_), round(model.score(X, y), 2)
    (array([2, 3]), 0.81)
    """

    def __init__(
        self,
        threshold: float | Literal["cv"] = 0.0,
        *,
        n_features: int | None = None,
        distance: Distance = "standardised",
        n_thresholds: int = 200,
        cv: Any = 5,
    ) -> None:
        self.threshold = threshold
        self.n_features = n_features
        self.distance = distance
        self.n_thresholds = n_thresholds
        self.cv = cv

    def fit(self, X: Any, y: Any) -> ShrunkenCentroids:
        """Standardise the differences of the means and shrink them."""
        if self.distance not in ("standardised", "l1", "l2"):
            raise ValueError(
                f"distance must be 'standardised', 'l1' or 'l2', got {self.distance!r}."
            )
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y holds one class only ({self.classes_[0]!r}): there is nothing to tell apart."
            )
        self._fitted = _Centred.from_rows(X, codes, len(self.classes_))
        self.path_ = np.abs(self._fitted.deviations).max(axis=0)
        self.threshold_ = self._threshold(X, codes)
        self.deviations_, self.centroids_ = self._fitted.shrunken(self.threshold_)
        self.feature_importances_ = np.abs(self.deviations_).max(axis=0)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return minus the distance to each centroid, of shape (n_rows, n_classes).

        For two classes it is the difference, of shape (n_rows,), positive for the second class.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        near = -self._fitted.distances(X, self.centroids_, self.distance)
        return class_decision(near)

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of the nearest centroid of each row."""
        codes = decided_codes(self.decision_function(X))
        return self.classes_[codes]

    def _threshold(self, X: np.ndarray, codes: np.ndarray) -> float:
        """Return the threshold that the parameters specify."""
        if self.n_features is not None:
            if not 1 <= self.n_features <= X.shape[1]:
                raise ValueError(
                    f"n_features must lie in [1, {X.shape[1]}], got {self.n_features!r}."
                )
            beyond = np.sort(self.path_)[::-1][self.n_features :]
            return float(beyond[0]) if len(beyond) else 0.0
        if isinstance(self.threshold, str):
            if self.threshold != "cv":
                raise ValueError(f"threshold must be a number or 'cv', got {self.threshold!r}.")
            return self._cross_validated(X, codes)
        if self.threshold < 0:
            raise ValueError(f"threshold must be at least 0, got {self.threshold!r}.")
        return float(self.threshold)

    def _cross_validated(self, X: np.ndarray, codes: np.ndarray) -> float:
        """Return the largest threshold of the best balanced accuracy on the held-out rows."""
        thresholds = np.linspace(0.0, self.path_.max(), self.n_thresholds, endpoint=False)
        hits = np.zeros((self.n_thresholds, len(self.classes_)))
        for train, test in check_cv(self.cv, codes, classifier=True).split(X, codes):
            part = _Centred.from_rows(X[train], codes[train], len(self.classes_))
            for i, threshold in enumerate(thresholds):
                centroids = part.shrunken(threshold)[1]
                predicted = part.distances(X[test], centroids, self.distance).argmin(axis=1)
                np.add.at(hits[i], codes[test][predicted == codes[test]], 1)
        # rounding must not decide between thresholds of equal accuracy
        accuracy = (hits / np.bincount(codes)).mean(axis=1).round(12)
        return float(thresholds[np.flatnonzero(accuracy == accuracy.max())[-1]])


class _Centred(NamedTuple):
    """The class means, as standardised differences from the overall mean."""

    mean: np.ndarray  # (n_features,) of all rows
    deviations: np.ndarray  # (n_classes, n_features) d, the standardised differences
    units: np.ndarray  # (n_classes, n_features) m_c (s_j + s_0), the units of the differences
    spread: np.ndarray  # (n_features,) s_j + s_0
    shares: np.ndarray  # (n_classes,) shares of the classes

    @classmethod
    def from_rows(cls, X: np.ndarray, codes: np.ndarray, n_classes: int) -> _Centred:
        """Compute the differences for rows with classes ``codes``, of shape (n_rows,)."""
        sizes = np.bincount(codes, minlength=n_classes)
        if not sizes.all():
            raise ValueError(
                "cv must leave rows of every class in each training part, got a part without rows "
                f"of {np.count_nonzero(sizes == 0)} of {n_classes} classes: use fewer folds."
            )
        means = np.stack([X[codes == c].mean(axis=0) for c in range(n_classes)])
        deviation = np.sqrt(((X - means[codes]) ** 2).sum(axis=0) / max(len(X) - n_classes, 1))
        spread = deviation + np.median(deviation)
        units = np.outer(np.sqrt(1 / sizes - 1 / len(X)), spread)
        gaps = means - X.mean(axis=0)
        deviations = np.divide(gaps, units, out=np.zeros_like(gaps), where=units > 0)
        return cls(X.mean(axis=0), deviations, units, spread, sizes / len(X))

    def shrunken(self, threshold: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the shrunken deviations and centroids, both of shape (n_classes, n_features)."""
        shrunken = np.sign(self.deviations) * np.maximum(np.abs(self.deviations) - threshold, 0.0)
        return shrunken, self.mean + self.units * shrunken

    def distances(self, X: np.ndarray, centroids: np.ndarray, distance: Distance) -> np.ndarray:
        """Return the distances of rows to centroids, of shape (n_rows, n_classes)."""
        if distance == "standardised":
            unit = np.where(self.spread > 0, self.spread, 1.0)
            return cdist(X / unit, centroids / unit, "sqeuclidean") - 2 * np.log(self.shares)
        return cdist(X, centroids, METRICS[distance])
