"""Estimators by short names, scaled within each training fold where scale matters."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from subsel.data.task import Kind
from subsel.registry.table import Registry

__all__ = ["ESTIMATORS", "Model", "add_estimator", "estimator_of", "quick_models"]

MANY_ROWS = 4_000  # with more rows, distances between all pairs are too slow for a quick model
ENOUGH_ROWS = 150  # with fewer rows, a covariance matrix of twenty columns is too noisy to invert
Make = str | Callable[..., Any]


class Model(NamedTuple):
    """An entry of the table: a classifier, a regressor or both.

    Parameters
    ----------
    classifier, regressor : str, callable or None
        A class or function that creates it, or its path as ``"module:name"``; None where there is
        none.
    scaled : bool
        Whether its columns are standardised before it, by a ``StandardScaler``.
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
        A class, or its path as ``"module:name"``, which is imported on first use. One of them is
        enough.
    scaled : bool, default=False
        Whether its columns are standardised within each training fold.

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
        raise ValueError(f"estimator {key!r} needs a classifier or a regressor, got neither.")
    if not isinstance(home, str):
        home = f"{home.__module__}:{home.__qualname__}"
    ESTIMATORS.add(key, Model(classifier, regressor, scaled), home=home)


def estimator_of(key: str, kind: Kind) -> Any:
    """Create an estimator by its short name.

    Parameters
    ----------
    key : str
        The short name.
    kind : {"classification", "regression"}
        The task of the estimator.

    Returns
    -------
    estimator
        An estimator with its usual parameters and a fixed ``random_state`` where it has one, after
        a scaler where scale matters.

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
        make = _import(make)
    model = make()
    if "random_state" in model.get_params(deep=False):
        model.set_params(random_state=0)
    if not entry.scaled:
        return model
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), model)


def quick_models(kind: Kind, n_rows: int) -> dict[str, Any]:
    """Create the models that have an exact evaluator and are quick for so many rows.

    Parameters
    ----------
    kind : {"classification", "regression"}
        The task of the models.
    n_rows : int
        The number of rows of the table.

    Returns
    -------
    dict
        Unfitted models by name.

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


def _import(path: str) -> Any:
    """Import the object at ``"module:name"``."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def _add_scikit_learn() -> None:
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
    """Give the path of a class of scikit-learn, None for no class."""
    if name is None:
        return None
    return f"sklearn.{module}:{name}"


def _add_boosting_packages() -> None:
    """Add the estimators of the extra ``boosting``.

    Creating one without its package raises an error that says what to install.
    """
    for key in ("lightgbm", "xgboost"):
        home = f"subsel.models.boosting_packages:{key}"
        add_estimator(key, classifier=f"{home}_classifier", regressor=f"{home}_regressor")


_add_scikit_learn()
_add_boosting_packages()
