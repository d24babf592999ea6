"""Estimators by short names, scaled within each training fold where scale matters."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from subsel.data.task import Kind
from subsel.registry.table import Registry

__all__ = ["ESTIMATORS", "Model", "add_estimator", "estimator_of", "quick_models"]

MANY_ROWS = 4_000  # rows beyond which distances between all of them take too long for a first look
ENOUGH_ROWS = 150  # rows below which a covariance matrix of twenty columns is not worth inverting
Make = str | Callable[..., Any]


class Model(NamedTuple):
    """An entry of the table: a classifier, a regressor or both.

    Parameters
    ----------
    classifier, regressor : str, callable or None
        What makes it: a class, or where it stands as ``"module:name"``.
    scaled : bool
        Whether it stands behind a ``StandardScaler``.
    """

    classifier: Make | None
    regressor: Make | None
    scaled: bool


ESTIMATORS: Registry[Model] = Registry("estimator", "subsel.models.short_names")


def add_estimator(
    key: str, *, classifier: Make | None = None, regressor: Make | None = None, scaled: bool = False
) -> None:
    """Enter an estimator in the table of short names.

    Parameters
    ----------
    key : str
        The short name.
    classifier, regressor : str, callable or None
        A class, or where it stands as ``"module:name"``, which is imported when it is first asked for. One of them is
        enough.
    scaled : bool, default=False
        Whether its columns are brought to mean 0 and variance 1 within each training fold.

    Examples
    --------
    >>> add_estimator("dummy", classifier="sklearn.dummy:DummyClassifier")
    >>> estimator_of("dummy", "classification")
    DummyClassifier(random_state=0)
    """
    home = classifier
    if home is None:
        home = regressor
    if home is None:
        raise ValueError(f"the estimator {key!r} needs a classifier or a regressor.")
    if not isinstance(home, str):
        home = f"{home.__module__}:{home.__qualname__}"
    ESTIMATORS.add(key, Model(classifier, regressor, scaled), home=home)


def estimator_of(key: str, kind: Kind) -> Any:
    """Give an estimator by its short name.

    Parameters
    ----------
    key : str
        The short name.
    kind : {"classification", "regression"}
        What it is for.

    Returns
    -------
    estimator
        With its usual parameters, a fixed ``random_state`` where it has one, behind a scaler where scale matters.

    Examples
    --------
    >>> estimator_of("nb", "classification")
    GaussianNB()
    """
    entry = ESTIMATORS.find(key)
    make = entry.regressor
    if kind == "classification":
        make = entry.classifier
    if make is None:
        raise ValueError(f"estimator {key!r} does not do {kind}; use another, or --task.")
    if isinstance(make, str):
        make = _imported(make)
    model = make()
    if "random_state" in model.get_params(deep=False):
        model.set_params(random_state=0)
    if not entry.scaled:
        return model
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), model)


def quick_models(kind: Kind, n_rows: int) -> dict[str, Any]:
    """Give the models that have an exact evaluator and are quick for so many rows.

    Parameters
    ----------
    kind : {"classification", "regression"}
        What they must predict.
    n_rows : int
        Rows of the table.

    Returns
    -------
    dict
        Models, not fitted, by their names.

    Examples
    --------
    >>> list(quick_models("regression", 100)), list(quick_models("classification", 5000))
    (['ridge', 'nearest neighbours'], ['ridge', 'naive Bayes', 'linear discriminant'])
    """
    keys = {"ridge": "ridge"}
    if kind == "classification":
        keys["naive Bayes"] = "nb"
        if n_rows >= ENOUGH_ROWS:
            keys["linear discriminant"] = "lda"
    if n_rows <= MANY_ROWS:
        keys["nearest neighbours"] = "knn"
    return {name: estimator_of(key, kind) for name, key in keys.items()}


def _imported(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def _add_scikit_learns() -> None:
    for key, module, classifier, regressor, scaled in (
        ("knn", "neighbors", "KNeighborsClassifier", "KNeighborsRegressor", True),
        ("ridge", "linear_model", "RidgeClassifier", "Ridge", True),
        ("linear", "linear_model", None, "LinearRegression", False),
        ("lda", "discriminant_analysis", "LinearDiscriminantAnalysis", None, False),
        ("qda", "discriminant_analysis", "QuadraticDiscriminantAnalysis", None, False),
        ("nb", "naive_bayes", "GaussianNB", None, False),
        ("centroid", "neighbors", "NearestCentroid", None, True),
        ("logistic", "linear_model", "LogisticRegression", None, True),
        ("svm", "svm", "SVC", "SVR", True),
        ("tree", "tree", "DecisionTreeClassifier", "DecisionTreeRegressor", False),
        ("forest", "ensemble", "RandomForestClassifier", "RandomForestRegressor", False),
        (
            "boosting",
            "ensemble",
            "HistGradientBoostingClassifier",
            "HistGradientBoostingRegressor",
            False,
        ),
        ("kernel-ridge", "kernel_ridge", None, "KernelRidge", True),
    ):
        add_estimator(
            key,
            classifier=_path(module, classifier),
            regressor=_path(module, regressor),
            scaled=scaled,
        )


def _path(module: str, name: str | None) -> str | None:
    """Where a class of scikit-learn is found."""
    if name is None:
        return None
    return f"sklearn.{module}:{name}"


def _add_boosting_packages() -> None:
    """Those of the extra ``boosting``: who asks for one without its package is told what to install."""
    for key in ("lightgbm", "xgboost"):
        home = f"subsel.models.boosting_packages:{key}"
        add_estimator(key, classifier=f"{home}_classifier", regressor=f"{home}_regressor")


_add_scikit_learns()
_add_boosting_packages()
