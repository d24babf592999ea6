"""Recursive elimination as an order: the features that stay longest come first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.utils import check_array

from subsel.criteria.base import Evaluator
from subsel.criteria.exact import criterion_of
from subsel.data.task import Task, guess_kind
from subsel.embedded.design import unit_columns
from subsel.embedded.targets import kind_of
from subsel.ranking.feature_order import FeatureOrder, path_length
from subsel.ranking.registry import order
from subsel.result.rounding import round_qualities
from subsel.search.relevance_request import Relevance, Relevances
from subsel.search.sequential.recursive_elimination import Drop, RecursiveElimination
from subsel.space.space import Space

__all__ = ["rfe"]


@order("rfe", "recursive_elimination", regression=True, sparse=True, weights=True)
def rfe(
    X: Any,
    y: Any,
    n_features: int | None = None,
    *,
    estimator: Any = None,
    drop: Drop = 1,
    scale: bool = True,
    sample_weight: Any = None,
) -> FeatureOrder:
    """Order features in the reverse order of recursive elimination [1]_.

    The score is the relevance of a feature in the last model that had it; features that are never
    dropped are ordered by their relevance. ``RankingSelector("rfe", cut="cv", estimator=...)``
    eliminates again in every fold and chooses the number of features on held-out rows, as
    scikit-learn's ``RFECV`` does; the answers agree for
    :func:`subsel.ranking.cuts.cross_validation.validated_size` with all numbers and
    ``one_se=False``. :class:`subsel.search.RecursiveElimination` is the search.

    Parameters
    ----------
    X : array-like or sparse
        Numeric features.
    y : array-like
        Numbers or classes.
    n_features : int, optional
        Number of features at which elimination ends; by default it ends at the last feature.
    estimator : estimator, optional
        An estimator with ``coef_`` or ``feature_importances_``; ridge by default. Ridge, least
        squares and linear discriminants are updated instead of refitted.
    drop : int, float, "half" or "powers"
        Number or share of the features dropped at a time.
    scale : bool
        Whether to divide the columns by their standard deviations first, without which weights of
        columns in different units cannot be compared.
    sample_weight : array-like, optional
        A row of weight w counts as w rows.

    References
    ----------
    .. [1] Guyon, Weston, Barnhill and Vapnik, *Gene selection for cancer classification using
       support vector machines*, Machine Learning 46, 2002.

    Examples
    --------
    >>> X = np.array([[1.0, 1, 0], [1, -1, 1], [-1, 1, 1], [-1, -1, 0]])
    >>> rfe(X, X @ [1.5, 3.0, 0.1]).features
    array([1, 0, 2])
    """
    X = check_array(X, accept_sparse="csc", dtype=np.float64)
    length = path_length(n_features, X.shape[1])
    model = _model(estimator, y)
    if scale:
        X = unit_columns(X, sample_weight)
    task = Task.of(X, y, kind_of(model), sample_weight=sample_weight)
    all_rows = np.arange(task.n_rows)
    # the evaluator serves for its relevances only, so that the folds do not matter
    evaluator = criterion_of(model, cv=[(all_rows, all_rows)]).bind(task, 0)
    space = Space.of(task.n_columns, low=1 if n_features is None else length)
    batches = list(_dropped_batches(RecursiveElimination(drop), space, evaluator))
    features, scores = (np.concatenate(part)[::-1][:length] for part in zip(*batches))
    return FeatureOrder(features, scores)


def _dropped_batches(
    search: RecursiveElimination, space: Space, evaluator: Evaluator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the columns dropped in each step and their relevances, the weakest first.

    The last batch holds the columns that are never dropped.
    """

    def relevances(columns: np.ndarray) -> np.ndarray:
        return round_qualities(np.abs(evaluator.relevances(columns)))

    steps = search.steps(space, np.random.default_rng(0))
    request: Any = next(steps)
    while isinstance(request, Relevance):
        columns = space.columns(request.subset)
        answer = Relevances(columns, relevances(columns), np.empty(0))
        request = steps.send(answer)
        remaining = space.columns(getattr(request, "subset", request))
        yield _weakest_first(columns, answer.values, ~np.isin(columns, remaining))
    columns = space.columns(request)
    yield _weakest_first(columns, relevances(columns), np.ones(len(columns), dtype=bool))


def _weakest_first(
    columns: np.ndarray, values: np.ndarray, mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Sort the columns in the mask by their values; all arrays have one entry per column."""
    places = np.flatnonzero(mask)
    places = places[np.argsort(values[places], kind="stable")]
    return columns[places], values[places]


def _model(estimator: Any, y: Any) -> Any:
    if estimator is not None:
        return estimator
    if guess_kind(np.asarray(y)) == "classification":
        return RidgeClassifier()
    return Ridge()
