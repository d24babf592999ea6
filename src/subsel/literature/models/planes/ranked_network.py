"""Ranked networks: planes that cut off rows of one class, one after another."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.literature.models.planes.cpl_planes import plane_with_one_class_pure

__all__ = ["RankedNetwork"]


class _Unit(NamedTuple):
    coef: np.ndarray
    intercept: float
    code: int


class RankedNetwork(ClassifierMixin, BaseEstimator):
    """A layer of ranked planes, each with rows of one class alone on its positive side [1]_.

    At each step the plane that cuts off most rows of some class, and no row of another, is found by
    a linear programme; those rows are set aside, and so on until one class is left. A new row is of
    the class of the first plane that has it on the positive side. Rows that differ in class and not
    in any column apart, every row it was trained on is classified rightly: it is a network for sets
    that no plane separates, not a protection from noise, for which ``max_units`` is.

    Parameters
    ----------
    max_units : int or None
        Planes at most; the rest are of the class that most of them have.

    Attributes
    ----------
    units_ : list
        ``coef``, ``intercept`` and ``code`` (number of the class) of each plane, in order.
    default_ : int
        Number of the class of rows on no positive side.

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
        """Cut off rows of one class until one is left."""
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
            unit, caught = _best(X[left], codes[left])
            if unit is None:
                break
            self.units_.append(unit)
            left = left[~caught]
        if len(left):
            self.default_ = int(np.bincount(codes[left]).argmax())
        else:
            self.default_ = int(codes[0])
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of the first plane with the row on its positive side."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        codes = np.full(len(X), self.default_)
        for unit in reversed(self.units_):
            codes[X @ unit.coef + unit.intercept > 0] = unit.code
        return self.classes_[codes]


def _best(X: np.ndarray, codes: np.ndarray) -> tuple[_Unit | None, np.ndarray]:
    """The plane that cuts off most rows of one class."""
    best, most = None, np.zeros(len(X), dtype=bool)
    for code in np.unique(codes):
        weights, intercept, caught = plane_with_one_class_pure(X, codes == code)
        if caught.sum() > most.sum():
            best, most = _Unit(weights, intercept, int(code)), caught
    return best, most
