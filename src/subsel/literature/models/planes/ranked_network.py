"""Ranked networks: a list of planes, each of which separates rows of one class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.literature.models.planes.cpl_planes import plane_with_one_class_pure

__all__ = ["RankedNetwork"]


class _Unit(NamedTuple):
    """A plane, and the class of the rows on its positive side."""

    coef: np.ndarray  # (n_features,)
    intercept: float
    code: int  # index of the class


class RankedNetwork(ClassifierMixin, BaseEstimator):
    """A layer of ranked planes, each with rows of one class alone on its positive side [1]_.

    At each step a linear programme finds the plane that separates most rows of some class, and no
    row of another class, from the others; these rows are removed, until one class is left. A new
    row has the class of the first plane on whose positive side it is. Every training row is
    classified correctly, except where equal rows have different classes: the network suits classes
    that no single plane separates, and overfits noise unless ``max_units`` is set.

    Parameters
    ----------
    max_units : int or None
        Most planes; the remaining rows have their most frequent class.

    Attributes
    ----------
    units_ : list
        ``coef``, ``intercept`` and ``code`` (the index of the class) of each plane, in order.
    default_ : int
        Index of the class of rows that are on no positive side.
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    References
    ----------
    .. [1] Bobrowski and Łukaszuk, *Selection of the linearly separable feature subsets*, ICAISC
       2004, conclusion, on hierarchical networks by the ranked strategy of earlier work of the
       first author.

    Examples
    --------
    >>> X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), [0, 0, 1, 1]
    >>> model = RankedNetwork().fit(X, y)
    >>> model.predict(X), len(model.units_)
    (array([0, 0, 1, 1]), 2)
    """

    def __init__(self, max_units: int | None = None) -> None:
        self.max_units = max_units

    def fit(self, X: Any, y: Any) -> RankedNetwork:
        """Separate rows of one class by planes until only one class is left."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y holds one class only ({self.classes_[0]!r}): there is nothing to tell apart."
            )
        self.units_: list[_Unit] = []
        left = np.arange(len(X))
        while len(np.unique(codes[left])) > 1 and (
            self.max_units is None or len(self.units_) < self.max_units
        ):
            unit, separate = _best(X[left], codes[left])
            if unit is None:
                break
            self.units_.append(unit)
            left = left[~separate]
        if len(left):
            self.default_ = int(np.bincount(codes[left]).argmax())
        else:
            self.default_ = int(codes[0])
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of the first plane on whose positive side each row is."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        codes = np.full(len(X), self.default_)
        for unit in reversed(self.units_):
            codes[X @ unit.coef + unit.intercept > 0] = unit.code
        return self.classes_[codes]


def _best(X: np.ndarray, codes: np.ndarray) -> tuple[_Unit | None, np.ndarray]:
    """Return the plane that separates most rows of one class, and a mask of these rows."""
    best, largest = None, np.zeros(len(X), dtype=bool)
    for code in np.unique(codes):
        weights, intercept, separate = plane_with_one_class_pure(X, codes == code)
        if separate.sum() > largest.sum():
            best, largest = _Unit(weights, intercept, int(code)), separate
    return best, largest
