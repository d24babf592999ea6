"""The number of features of a ranking, chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.utils import _safe_indexing

from subsel.data.folds import split_rows
from subsel.ranking.one_standard_error import smallest_within

__all__ = ["ValidatedSize", "size_grid", "validated_size"]


@dataclass(frozen=True, eq=False)
class ValidatedSize:
    """Cross-validated scores for several numbers of features, and the chosen number.

    The scores guided the choice, so that the score of the chosen number is not an estimate of
    performance.

    Examples
    --------
    >>> sizes, scores, errors = np.array([1, 2]), np.array([0.8, 0.81]), np.array([0.02, 0.02])
    >>> ValidatedSize(sizes, scores, errors, best=2, chosen=1).chosen
    1
    """

    sizes: np.ndarray  # (n_sizes,) the numbers of features, ascending
    scores: np.ndarray  # (n_sizes,) mean held-out scores
    standard_errors: np.ndarray  # (n_sizes,) their standard errors over the folds
    best: int  # the number of largest mean
    chosen: int  # the chosen number


def validated_size(
    order: Callable[[Any, np.ndarray], np.ndarray],
    estimator: Any,
    X: Any,
    y: np.ndarray,
    cv: Any = 5,
    scoring: Any = None,
    *,
    sizes: Any = None,
    one_se: bool = True,
    columns_of: Callable[[np.ndarray], np.ndarray] = np.asarray,
) -> ValidatedSize:
    """Choose how many features of a ranking to keep by cross-validation [1]_ [2]_.

    With the order of :func:`subsel.ranking.single_variable_classifier` and its classifier, this is
    ordered selection.

    Parameters
    ----------
    order : callable
        ``order(X, y)`` gives the columns, best first. It is called in every training fold, so that
        held-out rows have no part in the ranking.
    estimator : estimator
        The model.
    X : array or CSR matrix
        Numeric features.
    y : ndarray
        The target.
    cv, scoring : object
        Folds and score, as in scikit-learn.
    sizes : sequence of int, optional
        The numbers of features to try; by default about four per octave up to all.
    one_se : bool
        Whether the smallest number within one standard error (over folds) of the best is chosen,
        instead of the best.
    columns_of : callable, optional
        Maps some of the numbers that ``order`` gives to columns of X; by default they are columns.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       ranking with a validated cut.
    .. [2] I. Levner, V. Bulitko and G. Lin, "Feature Extraction for Classification of Proteomic
       Mass Spectra: A Comparative Study", in Guyon et al. (eds.), *Feature Extraction*, 2006,
       chapter 30, ordered selection.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 8))
    >>> y = X[:, 3] + X[:, 5] + 0.1 * rng.standard_normal(60)
    >>> from subsel.ranking.scores.moments.pearson import pearson
    >>> validated_size(lambda X, y: np.argsort(-pearson(X, y)), LinearRegression(), X, y).chosen
    2
    """
    scorer = check_scoring(estimator, scoring)
    if sizes is None:
        sizes = size_grid(X.shape[1])
    sizes = np.unique(sizes)
    folds = []
    for train, test in split_rows(cv, y, classifier=is_classifier(estimator)):
        X_train, X_test = _safe_indexing(X, train), _safe_indexing(X, test)
        ranked = order(X_train, y[train])
        if len(ranked) == 0:
            raise ValueError(
                "cut 'cv': in one of the folds no feature was selected, so that no model can be "
                "fitted."
            )
        # Columns are in the order of the table, as a selector gives them.
        subsets = [np.sort(columns_of(ranked[:k])) for k in sizes]
        folds.append(
            [
                scorer(clone(estimator).fit(X_train[:, s], y[train]), X_test[:, s], y[test])
                for s in subsets
            ]
        )
    return _choice(sizes, np.array(folds), one_se)


def _choice(sizes: np.ndarray, folds: np.ndarray, one_se: bool) -> ValidatedSize:
    """Choose a size from the scores of all folds, shape (n_folds, n_sizes)."""
    if bad := np.argwhere(~np.isfinite(folds)).tolist():
        where = f"fold {bad[0][0]} with {sizes[bad[0][1]]} features"
        raise ValueError(
            f"cut 'cv': the score of {where} is not a number: use folds that hold every class, or "
            "other scoring."
        )
    mean, n_folds = folds.mean(axis=0), len(folds)
    error = np.zeros(len(sizes))
    if n_folds > 1:
        error = folds.std(axis=0, ddof=1) / np.sqrt(n_folds)
    best = int(np.argmax(mean))
    chosen = smallest_within(mean, mean[best], error[best] if one_se else 0.0)
    return ValidatedSize(sizes, mean, error, int(sizes[best]), int(sizes[chosen]))


def size_grid(n: int) -> np.ndarray:
    """Give about four sizes per octave, up to all columns.

    Examples
    --------
    >>> size_grid(5)
    array([1, 2, 3, 4, 5])
    """
    return np.unique(np.append(np.round(2 ** np.arange(0, np.log2(n) + 1e-9, 0.25)), n).astype(int))
