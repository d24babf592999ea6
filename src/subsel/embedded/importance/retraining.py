"""What a learner loses when it must be trained again without what a column says."""

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
    """Losses by retraining.

    Attributes
    ----------
    importances : ndarray of shape (n_columns,)
        By how much the cross-validated score falls when the column is shuffled in all rows; mean
        over folds and repeats.
    standard_errors : ndarray of shape (n_columns,)
        Of these means, from their spread over folds and repeats (which share rows, so that it is
        too small rather than too large).

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> found = noised_out(LinearRegression(), X, X[:, 2], random_state=0)
    >>> int(found.importances.argmax()), found.standard_errors.shape
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
    """Shuffle each column before training, train again on the same folds, and see by how much the score falls.

    Unlike shuffling after training it gives near 0 to a column for which there is a substitute. It
    costs a full cross-validation for every column and repeat.

    Parameters
    ----------
    estimator : estimator
        Any model of scikit-learn's kind; seed it, or its own chance is counted as loss.
    X : array, sparse matrix or data frame
        The table.
    y : array
        The target.
    cv, scoring : any
        As in scikit-learn.
    n_repeats : int
        Shuffles of every column.
    sample_weight : array, optional
        For training and scoring.
    random_state : int, RandomState or None
        Seed of the shuffles.
    n_jobs : int, optional
        Columns at a time; it does not change the answer.

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
    whole = _scores(estimator, X, y, folds, scorer, weight)

    def losses(j: int) -> np.ndarray:
        shuffled = (
            replace_by_probes(X, [j], np.random.default_rng([seed, j, r])) for r in range(n_repeats)
        )
        return np.concatenate(
            [whole - _scores(estimator, Z, y, folds, scorer, weight) for Z in shuffled]
        )

    found = np.array(Parallel(n_jobs=n_jobs)(delayed(losses)(j) for j in range(X.shape[1])))
    errors = found.std(axis=1, ddof=1) / np.sqrt(found.shape[1])
    return NoisedOut(found.mean(axis=1), errors)


def _scores(
    estimator: Any, X: Any, y: np.ndarray, folds: Any, scorer: Any, weight: np.ndarray | None
) -> np.ndarray:
    """The score on every fold."""
    X, found = csr_if_sparse(X), []
    for train, test in folds:
        seen, hidden = _safe_indexing(X, train), _safe_indexing(X, test)
        if weight is None:
            model = fitted(estimator, seen, y[train])
            found.append(scorer(model, hidden, y[test]))
        else:
            model = fitted(estimator, seen, y[train], weight[train])
            found.append(scorer(model, hidden, y[test], sample_weight=weight[test]))
    return np.array(found)
