"""Scikit-learn estimators by short names, scaled within each training fold where scale matters."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from subsel.task import Kind

__all__ = ["ESTIMATORS", "estimator_of"]


class _Entry(NamedTuple):
    module: str
    classifier: str | None
    regressor: str | None
    scaled: bool


ESTIMATORS = {
    "knn": _Entry("neighbors", "KNeighborsClassifier", "KNeighborsRegressor", True),
    "ridge": _Entry("linear_model", "RidgeClassifier", "Ridge", True),
    "linear": _Entry("linear_model", None, "LinearRegression", False),
    "lda": _Entry("discriminant_analysis", "LinearDiscriminantAnalysis", None, False),
    "qda": _Entry("discriminant_analysis", "QuadraticDiscriminantAnalysis", None, False),
    "nb": _Entry("naive_bayes", "GaussianNB", None, False),
    "centroid": _Entry("neighbors", "NearestCentroid", None, True),
    "logistic": _Entry("linear_model", "LogisticRegression", None, True),
    "svm": _Entry("svm", "SVC", "SVR", True),
    "tree": _Entry("tree", "DecisionTreeClassifier", "DecisionTreeRegressor", False),
    "forest": _Entry("ensemble", "RandomForestClassifier", "RandomForestRegressor", False),
    "boosting": _Entry("ensemble", "HistGradientBoostingClassifier", "HistGradientBoostingRegressor", False),
    "kernel-ridge": _Entry("kernel_ridge", None, "KernelRidge", True),
}


def estimator_of(key: str, kind: Kind) -> Any:
    """Give an estimator by its short name.

    >>> estimator_of("nb", "classification")
    GaussianNB()
    """
    if key not in ESTIMATORS:
        raise ValueError(f"there is no estimator {key!r}; known: {', '.join(ESTIMATORS)}.")
    entry = ESTIMATORS[key]
    name = entry.classifier if kind == "classification" else entry.regressor
    if name is None:
        raise ValueError(f"estimator {key!r} does not do {kind}; use another, or --task.")
    cls = getattr(import_module(f"sklearn.{entry.module}"), name)
    model = cls(random_state=0) if "random_state" in cls().get_params() else cls()
    if not entry.scaled:
        return model
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), model)
