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
    """Take features in the reverse of the order in which recursive elimination drops them [1]_.

    The score is the relevance of a feature in the model with which it was dropped; those that are
    left at the end are in the order of their relevance. With a cut by cross-validation,
    ``RankingSelector("rfe", cut="cv", estimator=...)``, the features are eliminated anew in every
    fold and held-out rows choose their number, as scikit-learn's ``RFECV`` does:
    :func:`subsel.ranking.validated_size` of this order, with all numbers and ``one_se=False``, is
    its answer. A search that eliminates is :class:`subsel.search.RecursiveElimination`.

    Parameters
    ----------
    X : array-like or sparse
        Numeric features.
    y : array-like
        Numbers or classes.
    n_features : int, optional
        How many to take: elimination ends there. By default it goes on to the last.
    estimator : estimator, optional
        One that says how much it used each column, by ``coef_`` or ``feature_importances_``; by
        default ridge. With ridge, least squares and linear discriminants nothing is refitted.
    drop : int, float, "half" or "powers"
        How many go at a time.
    scale : bool
        Divide the columns by their standard deviations first: weights of columns of different
        units do not compare.
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
    n_taken = path_length(n_features, X.shape[1])
    model = _model(estimator, y)
    if scale:
        X = unit_columns(X, sample_weight)
    task = Task.of(X, y, kind_of(model), sample_weight=sample_weight)
    everything = np.arange(task.n_rows)
    evaluator = criterion_of(model, cv=[(everything, everything)]).bind(
        task, 0
    )  # for its relevances alone
    space = Space.of(task.n_columns, low=1 if n_features is None else n_taken)
    left = list(_left(RecursiveElimination(drop), space, evaluator))
    features, scores = (np.concatenate(part)[::-1][:n_taken] for part in zip(*left))
    return FeatureOrder(features, scores)


def _left(
    search: RecursiveElimination, space: Space, evaluator: Evaluator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The columns that go at a time, the weakest first, with their relevances; last those that stay."""

    def relevances(columns: np.ndarray) -> np.ndarray:
        return round_qualities(np.abs(evaluator.relevances(columns)))

    steps = search.steps(space, np.random.default_rng(0))
    question: Any = next(steps)
    while isinstance(question, Relevance):
        columns = space.columns(question.subset)
        answer = Relevances(columns, relevances(columns), np.empty(0))
        question = steps.send(answer)
        staying = space.columns(getattr(question, "subset", question))
        yield _weakest_first(columns, answer.values, ~np.isin(columns, staying))
    columns = space.columns(question)
    yield _weakest_first(columns, relevances(columns), np.ones(len(columns), dtype=bool))


def _weakest_first(
    columns: np.ndarray, values: np.ndarray, some: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    places = np.flatnonzero(some)
    places = places[np.argsort(values[places], kind="stable")]
    return columns[places], values[places]


def _model(estimator: Any, y: Any) -> Any:
    if estimator is not None:
        return estimator
    if guess_kind(np.asarray(y)) == "classification":
        return RidgeClassifier()
    return Ridge()
