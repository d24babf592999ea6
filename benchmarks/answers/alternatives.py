"""What a careful person does by hand with scikit-learn: all features, or one of the usual selections, lightly tuned."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_selection import RFECV, SelectFromModel, SelectKBest, f_classif, f_regression
from sklearn.linear_model import (
    LassoCV,
    LogisticRegression,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
)
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from benchmarks.answers.sets import Problem

__all__ = ["ALTERNATIVES", "selects"]

PENALTIES = np.logspace(-3, 4, 15)
N_TREES = 500


def _folds(problem: Problem) -> Any:
    return (KFold if problem.regression else StratifiedKFold)(5, shuffle=True, random_state=0)


def _scaler(problem: Problem) -> StandardScaler:
    return StandardScaler(with_mean=not hasattr(problem.X, "tocsr"))


def _ridge(problem: Problem) -> Any:
    return make_pipeline(
        _scaler(problem),
        RidgeCV(PENALTIES)
        if problem.regression
        else RidgeClassifierCV(PENALTIES, **problem.weights),
    )


def _forest(problem: Problem) -> Any:
    kind = RandomForestRegressor if problem.regression else RandomForestClassifier
    return kind(N_TREES, random_state=0, **problem.weights)


def _boosting(problem: Problem) -> Any:
    kind = HistGradientBoostingRegressor if problem.regression else HistGradientBoostingClassifier
    return kind(random_state=0, **problem.weights)


def _l1(problem: Problem) -> Any:
    if problem.regression:
        return make_pipeline(_scaler(problem), LassoCV(cv=_folds(problem)))
    logistic = LogisticRegression(l1_ratio=1, solver="liblinear", max_iter=300, **problem.weights)
    several = len(np.unique(problem.y)) > 2
    model = OneVsRestClassifier(logistic) if several else logistic
    grid = {"estimator__C" if several else "C": np.logspace(-2, 2, 9)}
    return make_pipeline(
        _scaler(problem), GridSearchCV(model, grid, scoring=problem.scoring, cv=_folds(problem))
    )


def _best_k(problem: Problem) -> Any:
    score, models = f_classif, [RidgeClassifier(**problem.weights), SVC(C=10, **problem.weights)]
    if problem.regression:
        score, models = f_regression, [Ridge(), SVR(C=10)]
    p = problem.X.shape[1]
    sizes = [k for k in (2, 5, 10, 20, 50, 100, 200, 500, 1000) if k < p]
    steps = Pipeline(
        [("scale", _scaler(problem)), ("best", SelectKBest(score)), ("model", models[0])]
    )
    return GridSearchCV(
        steps, {"best__k": sizes, "model": models}, scoring=problem.scoring, cv=_folds(problem)
    )


def _rfecv(problem: Problem) -> Any:
    model = Ridge() if problem.regression else RidgeClassifier(**problem.weights)
    step = 0.1 if problem.X.shape[1] > 100 else 1
    return make_pipeline(
        _scaler(problem), RFECV(model, step=step, scoring=problem.scoring, cv=_folds(problem))
    )


def _from_forest(problem: Problem) -> Any:
    return make_pipeline(SelectFromModel(_forest(problem)), _forest(problem))


def _boruta(problem: Problem) -> Any:
    from boruta import BorutaPy

    kind = RandomForestRegressor if problem.regression else RandomForestClassifier
    chosen = BorutaPy(
        kind(max_depth=5, **problem.weights), n_estimators="auto", max_iter=50, random_state=0
    )
    return make_pipeline(chosen, _forest(problem))


ALTERNATIVES: dict[str, Callable[[Problem], Any]] = {
    "all, ridge": _ridge,
    "all, forest": _forest,
    "all, boosting": _boosting,
    "L1 by its CV": _l1,
    "SelectKBest, tuned": _best_k,
    "RFECV": _rfecv,
    "SelectFromModel, forest": _from_forest,
    "Boruta, forest": _boruta,
}


def selects(fitted: Any, n_columns: int) -> int:
    """How many columns a fitted procedure reads."""
    model = getattr(fitted, "best_estimator_", fitted)
    if not isinstance(model, Pipeline):
        return n_columns
    for step in model.named_steps.values():
        support = getattr(step, "support_", None)
        if hasattr(step, "get_support") or (
            support is not None and np.asarray(support).dtype == bool
        ):
            return int(np.sum(step.get_support() if hasattr(step, "get_support") else support))
    last = getattr(model[-1], "best_estimator_", model[-1])
    l1 = isinstance(last, (LassoCV, OneVsRestClassifier)) or getattr(last, "l1_ratio", None) == 1
    if not l1:
        return n_columns
    weights = [e.coef_ for e in last.estimators_] if hasattr(last, "estimators_") else [last.coef_]
    return int(np.any(np.vstack([np.atleast_2d(w) for w in weights]) != 0, axis=0).sum())
