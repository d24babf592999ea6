"""Filling of the gaps of a table with values learnt from training rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from subsel.data.encoding.kinds import ColumnPlan

__all__ = ["Filling", "filling_of", "without_gaps"]

N_NEIGHBOURS = 5  # scikit-learn's default for KNNImputer


class Filling(Protocol):
    """An object that fills the gaps of a table."""

    def filled(self, X: np.ndarray) -> np.ndarray:
        """Return the table without gaps; `X` may be overwritten and returned."""


def filling_of(impute: str, plans: Sequence[ColumnPlan], X: np.ndarray) -> Filling:
    """Learn what fills the gaps of an encoded table.

    Parameters
    ----------
    impute : {"median", "knn", "none"}
        As in :class:`TableEncoder`.
    plans : sequence of ColumnPlan
        The plans by which the table was encoded.
    X : ndarray of shape (n_rows, n_encoded)
        The encoded training rows, NaN in the gaps.
    """
    if impute == "none":
        return _TextGaps(
            np.array([plan.kind == "text" for plan in plans for _ in plan.names], dtype=bool)
        )
    constants = _Constants(_constants(plans, X))
    if impute == "median" or not np.isnan(X).any():
        return constants
    return _Neighbours.of(X, constants)


def without_gaps(X: Any) -> Any:
    """Fill each gap of a table of numbers with the median of its column.

    A table without gaps is returned as it is, not copied; so is a sparse one.

    >>> without_gaps(np.array([[1.0, 5.0], [np.nan, 6.0], [3.0, 7.0]]))[1]
    array([2., 6.])
    """
    if sparse.issparse(X) or not np.isnan(np.sum(values := np.asarray(X, dtype=float))):
        return X
    plans = [ColumnPlan("", "number")] * values.shape[1]
    return _Constants(_constants(plans, values)).filled(values.copy())


@dataclass(frozen=True)
class _TextGaps:
    """Fills missing text with zeros, since a column indicates it; leaves other gaps."""

    text: np.ndarray  # (n_encoded,) mask of the columns that encode text

    def filled(self, X: np.ndarray) -> np.ndarray:
        X[:, self.text] = np.nan_to_num(X[:, self.text])
        return X


@dataclass(frozen=True)
class _Constants:
    """Fills the gaps of each column with one value."""

    values: np.ndarray  # (n_encoded,)

    def filled(self, X: np.ndarray) -> np.ndarray:
        for j in np.flatnonzero(np.isnan(X.sum(axis=0))):
            X[np.isnan(X[:, j]), j] = self.values[j]
        return X


@dataclass(frozen=True)
class _Neighbours:
    """Fills gaps with the mean of the nearest rows, by distances in standardised columns."""

    centre: np.ndarray  # (n_encoded,) what is subtracted from each column
    scale: np.ndarray  # (n_encoded,) its standard deviation, 1 for a constant column
    imputer: Any  # a KNNImputer fitted on the standardised training rows
    constants: _Constants

    @classmethod
    def of(cls, X: np.ndarray, constants: _Constants) -> _Neighbours:
        from sklearn.impute import KNNImputer

        with np.errstate(all="ignore"):
            spread = np.nan_to_num(np.nanstd(X, axis=0))
        centre, scale = constants.values, np.where(spread > 0, spread, 1.0)
        imputer = KNNImputer(n_neighbors=N_NEIGHBOURS, keep_empty_features=True)
        return cls(centre, scale, imputer.fit((X - centre) / scale), constants)

    def filled(self, X: np.ndarray) -> np.ndarray:
        imputed = self.imputer.transform((X - self.centre) / self.scale)
        return np.where(np.isnan(X), imputed * self.scale + self.centre, X)


def _constants(plans: Sequence[ColumnPlan], X: np.ndarray) -> np.ndarray:
    """Return what fills each encoded column, an array of shape (n_encoded,); see `_constant`."""
    values, begin = np.zeros(X.shape[1]), 0
    for plan in plans:
        end = begin + plan.width
        if end > begin:
            values[begin:end] = _constant(plan, X[:, begin:end])
        begin = end + plan.gaps
    return values


def _constant(plan: ColumnPlan, X: np.ndarray) -> np.ndarray:
    """Return what fills the encoded columns X of one column: its median, or most frequent value."""
    present = X[~np.isnan(X[:, 0])]
    if not len(present):
        return np.zeros(X.shape[1])
    if plan.kind == "text":
        return (np.arange(X.shape[1]) == present.sum(axis=0).argmax()).astype(float)
    if plan.kind == "truth" or np.isin(present, (0.0, 1.0)).all():
        return (present.mean(axis=0) > 0.5).astype(float)
    return np.median(present, axis=0)
