"""A classifier by the nearest class mean, in absolute or squared differences."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["NearestMean"]

METRICS = {"l1": "cityblock", "l2": "sqeuclidean"}  # our names and those of scipy's cdist


class NearestMean(ClassifierMixin, BaseEstimator):
    """A classifier that predicts the class with the nearest mean, by default in L1 [1]_.

    With the L1 distance scikit-learn's ``NearestCentroid`` takes medians instead. Subsets of
    columns are evaluated without refitting by :class:`subsel.criteria.NearestCentroid` with
    ``centre="mean"``, leave-one-out included.

    Parameters
    ----------
    distance : {"l1", "l2"}
        The distance: the sum of absolute, or of squared, differences.

    Attributes
    ----------
    centroids_ : ndarray of shape (n_classes, n_features)
        The means.

    References
    ----------
    .. [1] Levner, Bulitko and Lin, *Feature extraction for classification of proteomic mass
       spectra: a comparative study*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       30.

    Examples
    --------
    >>> X, y = np.array([[0.0], [2.0], [5.0], [9.0]]), [0, 0, 1, 1]
    >>> NearestMean().fit(X, y).predict(np.array([[3.9], [4.1]]))
    array([0, 1])
    """

    def __init__(self, distance: Literal["l1", "l2"] = "l1") -> None:
        self.distance = distance

    def fit(self, X: Any, y: Any) -> NearestMean:
        """Compute the mean of each class."""
        if self.distance not in ("l1", "l2"):
            raise ValueError(f"distance must be 'l1' or 'l2', got {self.distance!r}.")
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y must hold at least two classes, got one class only ({self.classes_[0]!r})."
            )
        self.centroids_ = np.stack([X[codes == c].mean(axis=0) for c in range(len(self.classes_))])
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of the nearest mean, the first of equally near ones."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        distances = cdist(X, self.centroids_, METRICS[self.distance])
        return self.classes_[distances.argmin(axis=1)]
