"""The loss of every row under the models that did not see it: out of bag, or over repeated folds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold
from sklearn.utils import _safe_indexing, check_random_state

__all__ = ["HeldOutLosses", "out_of_bag_losses", "repeated_losses"]

Loss = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class HeldOutLosses:
    """The mean loss of each row over the models that did not see it.

    Attributes
    ----------
    mean : float
        Over the rows that were held out at least once.
    per_row, spread : ndarray
        Mean and standard deviation of each row's losses; NaN where it was never held out. A row that nearly every model
        gets wrong may be mislabelled.
    counts : ndarray of int
        How many models did not see it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> found = repeated_losses(GaussianNB(), *load_iris(return_X_y=True), n_folds=5, n_repeats=2, random_state=0)
    >>> round(found.mean, 2), set(found.counts.tolist())
    (0.04, {2})
    """

    mean: float
    per_row: np.ndarray
    spread: np.ndarray
    counts: np.ndarray


def out_of_bag_losses(
    estimator: Any, X: Any, y: Any, *, n_bags: int = 100, loss: Loss | None = None, random_state: Any = None
) -> HeldOutLosses:
    """Train on bootstrap samples; give the mean loss of each row over the models whose bag lacks it [1]_.

    scikit-learn's ``oob_score`` is that of the vote; this is the mean of the losses. A row is out of a bag with
    probability 0.368.

    Parameters
    ----------
    estimator : estimator
        Any, a selector with its model in a pipeline too.
    X, y : array or data frame, array
        The table and its target.
    n_bags : int
        Bootstrap samples.
    loss : callable, optional
        Of true and predicted values, one number per row; by default 0/1 of classes and squared differences of quantities.
    random_state : int, RandomState or None
        The seed.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 2, section 2.3.4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> out_of_bag_losses(GaussianNB(), *load_iris(return_X_y=True), n_bags=20, random_state=0).mean < 0.07
    True
    """
    rng, n = check_random_state(random_state), len(np.asarray(y))
    bags = (rng.randint(0, n, n) for _ in range(n_bags))
    return _losses(estimator, X, y, ((bag, np.setdiff1d(np.arange(n), bag)) for bag in bags), loss)


def repeated_losses(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_folds: int = 10,
    n_repeats: int = 10,
    loss: Loss | None = None,
    random_state: int | None = None,
) -> HeldOutLosses:
    """Repeat cross-validation; give the mean loss of each row over the repeats, in each of which one model lacks it [1]_.

    Parameters
    ----------
    estimator, X, y, loss : Any
        As in :func:`out_of_bag_losses`.
    n_folds, n_repeats : int
        Of the folds.
    random_state : int or None
        The seed.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 2, section 2.3.4 (which
       averages over the folds where it means the repeats).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> repeated_losses(GaussianNB(), *load_iris(return_X_y=True), n_repeats=2, random_state=0).counts.max()
    np.int64(2)
    """
    kind = RepeatedStratifiedKFold if is_classifier(estimator) else RepeatedKFold
    folds = kind(n_splits=n_folds, n_repeats=n_repeats, random_state=random_state)
    return _losses(estimator, X, y, folds.split(np.zeros(len(np.asarray(y))), y), loss)


def _losses(
    estimator: Any, X: Any, y: Any, splits: Iterable[tuple[np.ndarray, np.ndarray]], loss: Loss | None
) -> HeldOutLosses:
    y = np.asarray(y)
    if loss is None:
        loss = _zero_one if is_classifier(estimator) else _squared
    counts, sums, squares = np.zeros((3, len(y)))
    for train, test in splits:
        if not len(test):
            continue
        model = clone(estimator).fit(_safe_indexing(X, train), y[train])
        found = np.asarray(loss(y[test], model.predict(_safe_indexing(X, test))), dtype=float)
        counts[test] += 1
        sums[test] += found
        squares[test] += found**2
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = sums / counts
        spread = np.sqrt(np.maximum(squares / counts - mean**2, 0.0))
    return HeldOutLosses(float(np.nanmean(mean)), mean, spread, counts.astype(int))


def _zero_one(y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    return y != predicted


def _squared(y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    return (y - predicted) ** 2
