"""The Parzen classifier: every training row is the centre of a Gaussian vote for its class."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.models.kernels import squared_distances

__all__ = ["NormalisedRBF", "opposite_class_width"]


class NormalisedRBF(ClassifierMixin, BaseEstimator):
    r"""A normalised radial basis function network with every training row as a centre [1]_.

    .. math:: P(c | x) = \sum_{i \in c} G(x, x_i) \Big/ \sum_i G(x, x_i), \qquad
       G(x, x_i) = \exp(-\|x - x_i\|^2 / \sigma^2)

    With a small width it is the nearest neighbour classifier; with a large one the probabilities
    are the shares of the classes.

    Parameters
    ----------
    width : float or None
        The width :math:`\sigma`; by default the mean distance to the nearest row of another class.

    Attributes
    ----------
    width_ : float
        The width used.
    X_fit_ : ndarray of shape (n_rows, n_features)
        The centres.
    codes_ : ndarray of shape (n_rows,)
        Indices of their classes.
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    References
    ----------
    .. [1] Grabczewski and Jankowski, *Mining for complex models comprising feature selection and
       classification*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 23.

    Examples
    --------
    >>> model = NormalisedRBF(width=1.0).fit(np.array([[0.0], [2.0]]), ["left", "right"])
    >>> model.predict_proba(np.array([[1.0], [0.5]])).round(3)
    array([[0.5  , 0.5  ], [0.881, 0.119]])
    """

    def __init__(self, width: float | None = None) -> None:
        self.width = width

    def fit(self, X: Any, y: Any) -> NormalisedRBF:
        """Store the rows and choose the width."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, self.codes_ = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y holds one class only ({self.classes_[0]!r}): there is nothing to tell apart."
            )
        if self.width is not None and not self.width > 0:
            raise ValueError(f"width must be positive, got {self.width!r}.")
        self.X_fit_ = X
        self.width_ = float(self.width or opposite_class_width(X, self.codes_) or 1.0)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the share of each class in the sum of all units, of shape (n_rows, n_classes)."""
        # in logarithms, so that a row far from all centres has the shares of the nearest, not 0 / 0
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        logs = -squared_distances(X, self.X_fit_) / self.width_**2
        sums = [logsumexp(logs[:, self.codes_ == c], axis=1) for c in range(len(self.classes_))]
        return np.exp(np.column_stack(sums) - logsumexp(logs, axis=1)[:, None])

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of the largest share for each row."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]


def opposite_class_width(X: Any, y: Any) -> float:
    r"""Return the mean distance of a row to the nearest row of another class.

    The source uses it as :math:`\sigma` of :math:`\exp(-\|x - z\|^2 / (2 \sigma^2))` [1]_. It
    depends on the labels, so that it must be computed within each fold of a cross-validation.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        The rows.
    y : array of shape (n_rows,)
        Their classes.

    References
    ----------
    .. [1] Lal, Chapelle and Scholkopf, *Combining a filter method with SVMs*, in Guyon et al.
       (eds.), *Feature Extraction*, 2006, chapter 20.

    Examples
    --------
    >>> opposite_class_width([[0.0], [1.0], [4.0]], ["a", "a", "b"])
    3.3333333333333335
    """
    X, y = check_X_y(X, y, dtype=np.float64)
    classes = np.unique(y)
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only ({classes[0]!r}): there is no other class to be near to."
        )
    nearest = np.empty(len(X))
    for label in classes:
        own = y == label
        nearest[own] = np.sqrt(squared_distances(X[own], X[~own]).min(axis=1))
    return float(nearest.mean())
