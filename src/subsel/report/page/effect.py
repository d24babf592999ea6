"""Which way a feature goes with the target, seen alone."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from subsel.report.labels import class_name

__all__ = ["direction", "has_few_values", "rank_correlation"]

FEW_VALUES = 6
SLIGHT = 0.1  # a rank correlation below which no direction is told


def direction(values: np.ndarray, y: np.ndarray, kind: str) -> str:
    """Say in a few words how the target goes with a feature; seen alone, which need not be its part in the model.

    Examples
    --------
    >>> direction(np.array([1.0, 2.0, 3.0, 4.0]), np.array(["no", "no", "yes", "yes"]), "classification")
    'higher for yes'
    >>> direction(np.array([1.0, 2.0, 3.0, 4.0]), np.array([9.0, 7.0, 5.0, 1.0]), "regression")
    'falls as the target rises (rank correlation -1.00)'
    """
    if values.dtype.kind != "f":
        return _of_categories(values, y, kind)
    if kind == "classification":
        return _of_classes(values, y)
    r = rank_correlation(values, y.astype(float))
    if not abs(r) >= SLIGHT:
        return f"no direction by itself (rank correlation {r:+.2f})"
    return f"{'rises' if r > 0 else 'falls'} as the target rises (rank correlation {r:+.2f})"


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's, over rows where both are known; 0 where one does not vary.

    Examples
    --------
    >>> rank_correlation(np.array([1.0, 2.0, np.nan, 4.0]), np.array([2.0, 4.0, 0.0, 9.0]))
    1.0
    """
    known = ~(np.isnan(a) | np.isnan(b))
    if known.sum() < 2:
        return 0.0
    first, second = rankdata(a[known]), rankdata(b[known])
    first, second = first - first.mean(), second - second.mean()
    size = np.sqrt((first**2).sum() * (second**2).sum())
    if size == 0:
        return 0.0
    return float((first * second).sum() / size)


def has_few_values(values: np.ndarray) -> bool:
    """Whether a column is one of categories, or a number of so few values that they are told one by one."""
    return values.dtype.kind != "f" or len(np.unique(values[~np.isnan(values)])) <= FEW_VALUES


def _of_classes(values: np.ndarray, y: np.ndarray) -> str:
    """Higher in which class, by how far the mean ranks of the classes lie apart."""
    known = ~np.isnan(values)
    classes, codes = np.unique(y[known], return_inverse=True)
    if len(classes) < 2:
        return "no direction by itself"
    ranks = rankdata(values[known]) / known.sum()
    means = np.bincount(codes, weights=ranks) / np.bincount(codes)
    if means.max() - means.min() < SLIGHT / 2:
        return "no direction by itself"
    high, low = class_name(classes[means.argmax()]), class_name(classes[means.argmin()])
    if len(classes) == 2:
        return f"higher for {high}"
    return f"highest for {high}, lowest for {low}"


def _of_categories(values: np.ndarray, y: np.ndarray, kind: str) -> str:
    """The value with which the target stands out most."""
    found, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    usual = counts >= max(2, len(y) / 50)
    if usual.sum() < 2:
        return "no direction by itself"
    if kind == "regression":
        means = np.bincount(codes, weights=y.astype(float)) / counts
        best = np.where(usual, means, -np.inf).argmax()
        return f"the target is highest where it is {found[best]}"
    classes, targets = np.unique(y, return_inverse=True)
    share = np.zeros((len(found), len(classes)))
    np.add.at(share, (codes, targets), 1.0)
    ahead = share / counts[:, None] - share.sum(axis=0) / len(y)
    ahead[~usual] = -np.inf
    value, label = np.unravel_index(ahead.argmax(), ahead.shape)
    return f"{class_name(classes[label])} is most frequent where it is {found[value]}"
