"""Importances by training again with one column shuffled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, check_random_state

from subsel.data.probes import replace_by_probes
from subsel.data.storage import csr_if_sparse
from subsel.models.relevance import fitted

__all__ = ["NoisedOut", "noised_out"]


@dataclass(frozen=True)
class NoisedOut:
    """The answer of :func:`noised_out`.

    Attributes
    ----------
    importances : ndarray of shape (n_columns,)
        The fall of the cross-validated score when the column is shuffled in all rows, averaged over
        folds and repeats.
    standard_errors : ndarray of shape (n_columns,)
        The standard errors of these means over folds and repeats. As folds share rows, they are
        too small rather than too large.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> loss = noised_out(LinearRegression(), X, X[:, 2], random_state=0)
    >>> int(loss.importances.argmax()), loss.standard_errors.shape
    (2, (3,))
    """

    importances: np.ndarray
    standard_errors: np.ndarray


def noised_out(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    scoring: Any = None,
    n_repeats: int = 1,
    sample_weight: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> NoisedOut:
    """Compute the fall of the cross-validated score when a column is shuffled before training [1]_.

    Unlike shuffling after training, it is near 0 for a redundant column. It costs a full
    cross-validation for every column and repeat.

    Parameters
    ----------
    estimator : estimator
        Any estimator with scikit-learn's interface. It should have a seed, or its random
        variation is counted as loss.
    X : array, sparse matrix or data frame
        The table.
    y : array
        The target.
    cv, scoring : any
        Folds and score, as in scikit-learn.
    n_repeats : int
        Number of shuffles of every column.
    sample_weight : array, optional
        Weights of the rows in training and scoring.
    random_state : int, RandomState or None
        Seed of the shuffles.
    n_jobs : int, optional
        Number of columns processed at a time; it does not change the answer.

    References
    ----------
    .. [1] Tuv, *Ensemble learning*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature
       Extraction*, 2006, chapter 7, section 3.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.random.default_rng(0).standard_normal((60, 3))
    >>> noised_out(LinearRegression(), X, X[:, 1], random_state=0).importances.round()
    array([0., 1., 0.])
    """
    if n_repeats < 1:
        raise ValueError(f"n_repeats must be at least 1, got {n_repeats!r}.")
    if not sparse.issparse(X):
        X = np.asarray(X)
    y = np.asarray(y)
    folds = list(check_cv(cv, y, classifier=is_classifier(estimator)).split(X, y))
    scorer = check_scoring(estimator, scoring)
    seed = int(check_random_state(random_state).randint(2**31))
    weight = sample_weight
    if weight is not None:
        weight = np.asarray(weight, dtype=float)
    baseline = _scores(estimator, X, y, folds, scorer, weight)

    def losses(j: int) -> np.ndarray:
        shuffled = (
            replace_by_probes(X, [j], np.random.default_rng([seed, j, r])) for r in range(n_repeats)
        )
        return np.concatenate(
            [baseline - _scores(estimator, Z, y, folds, scorer, weight) for Z in shuffled]
        )

    results = np.array(Parallel(n_jobs=n_jobs)(delayed(losses)(j) for j in range(X.shape[1])))
    errors = results.std(axis=1, ddof=1) / np.sqrt(results.shape[1])
    return NoisedOut(results.mean(axis=1), errors)


def _scores(
    estimator: Any, X: Any, y: np.ndarray, folds: Any, scorer: Any, weight: np.ndarray | None
) -> np.ndarray:
    """Train and score on every fold; the answer has shape (folds,)."""
    X, results = csr_if_sparse(X), []
    for train, test in folds:
        seen, hidden = _safe_indexing(X, train), _safe_indexing(X, test)
        if weight is None:
            model = fitted(estimator, seen, y[train])
            results.append(scorer(model, hidden, y[test]))
        else:
            model = fitted(estimator, seen, y[train], weight[train])
            results.append(scorer(model, hidden, y[test], sample_weight=weight[test]))
    return np.array(results)
