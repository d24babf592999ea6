"""What fills the gaps of a table: learnt from the rows it is fitted on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from subsel.data.encoding.kinds import ColumnPlan

__all__ = ["Filling", "filling_of", "without_gaps"]

N_NEIGHBOURS = 5


class Filling(Protocol):
    """Something that fills gaps."""

    def filled(self, X: np.ndarray) -> np.ndarray:
        """The table without gaps; it may be changed in place."""


def filling_of(impute: str, plans: Sequence[ColumnPlan], X: np.ndarray) -> Filling:
    """Learn what fills the gaps of a table of numbers that was made by these plans."""
    if impute == "none":
        return _Text(
            np.array([plan.kind == "text" for plan in plans for _ in plan.names], dtype=bool)
        )
    usual = _Usual(_usual_values(plans, X))
    if impute == "median" or not np.isnan(X).any():
        return usual
    return _Neighbours.of(X, usual)


def without_gaps(X: Any) -> Any:
    """A table of numbers with each gap filled by the median of its column; one without gaps as it is.

    >>> without_gaps(np.array([[1.0, 5.0], [np.nan, 6.0], [3.0, 7.0]]))[1]
    array([2., 6.])
    """
    if sparse.issparse(X) or not np.isnan(np.sum(values := np.asarray(X, dtype=float))):
        return X
    plans = [ColumnPlan("", "number")] * values.shape[1]
    return _Usual(_usual_values(plans, values)).filled(values.copy())


@dataclass(frozen=True)
class _Text:
    """Missing text is a value of its own, which its column for gaps tells; other gaps stay."""

    text: np.ndarray

    def filled(self, X: np.ndarray) -> np.ndarray:
        X[:, self.text] = np.nan_to_num(X[:, self.text])
        return X


@dataclass(frozen=True)
class _Usual:
    """One value per column."""

    values: np.ndarray

    def filled(self, X: np.ndarray) -> np.ndarray:
        for j in np.flatnonzero(np.isnan(X.sum(axis=0))):
            X[np.isnan(X[:, j]), j] = self.values[j]
        return X


@dataclass(frozen=True)
class _Neighbours:
    """The mean of the nearest rows, distances taken in columns of unit spread."""

    centre: np.ndarray
    scale: np.ndarray
    imputer: Any
    usual: _Usual

    @classmethod
    def of(cls, X: np.ndarray, usual: _Usual) -> _Neighbours:
        from sklearn.impute import KNNImputer

        with np.errstate(all="ignore"):
            spread = np.nan_to_num(np.nanstd(X, axis=0))
        centre, scale = usual.values, np.where(spread > 0, spread, 1.0)
        imputer = KNNImputer(n_neighbors=N_NEIGHBOURS, keep_empty_features=True)
        return cls(centre, scale, imputer.fit((X - centre) / scale), usual)

    def filled(self, X: np.ndarray) -> np.ndarray:
        told = self.imputer.transform((X - self.centre) / self.scale)
        return np.where(np.isnan(X), told * self.scale + self.centre, X)


def _usual_values(plans: Sequence[ColumnPlan], X: np.ndarray) -> np.ndarray:
    """The median of each column; of text the most frequent value, of truth values the more frequent."""
    values, begin = np.zeros(X.shape[1]), 0
    for plan in plans:
        end = begin + plan.width
        if end > begin:
            values[begin:end] = _usual_value(plan, X[:, begin:end])
        begin = end + plan.gaps
    return values


def _usual_value(plan: ColumnPlan, X: np.ndarray) -> np.ndarray:
    given = X[~np.isnan(X[:, 0])]
    if not len(given):
        return np.zeros(X.shape[1])
    if plan.kind == "text":
        return (np.arange(X.shape[1]) == given.sum(axis=0).argmax()).astype(float)
    if plan.kind == "truth" or np.isin(given, (0.0, 1.0)).all():
        return (given.mean(axis=0) > 0.5).astype(float)
    return np.median(given, axis=0)
