"""Which judge answers for an estimator without refitting it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

import numpy as np
from sklearn.pipeline import Pipeline

from subsel.criteria.base import Criterion, Evaluator
from subsel.criteria.cross_validated import CrossValidated
from subsel.criteria.scoring import NotExact
from subsel.task import Task

__all__ = ["Exact", "judge_of"]

Exact = Literal["auto", "require", "never"]


def judge_of(estimator: Any, scoring: Any = None, cv: Any = 5, exact: Exact = "auto") -> Criterion:
    """Give the exact judge of an estimator where there is one, else the one that refits.

    An estimator has an exact judge if it is of one of the types below with parameters whose closed form is known,
    alone or behind a scaler in a pipeline. Whether the folds and the scoring allow it shows when the judge is bound.
    """
    if exact not in ("auto", "require", "never"):
        raise ValueError(f"exact must be 'auto', 'require' or 'never', got {exact!r}.")
    cv = list(cv) if isinstance(cv, Iterator) else cv  # both judges may have to look at it
    refit = CrossValidated(estimator, scoring, cv)
    judge = None if exact == "never" else exact_judge(estimator, scoring, cv)
    if judge is None:
        if exact == "require":
            raise NotExact(f"there is no exact judge for {estimator!r}: use exact='auto' to refit.")
        return refit
    return judge if exact == "require" else ExactOrRefit(judge, refit)


@dataclass(frozen=True)
class ExactOrRefit:
    """The exact judge, unless the data, the folds or the scoring leave no closed form."""

    judge: Criterion
    refit: CrossValidated

    def bind(self, task: Task, seed: int | np.random.SeedSequence | None = None) -> Evaluator:
        """Try the exact one first."""
        try:
            return self.judge.bind(task, seed)
        except NotExact:
            return self.refit.bind(task, seed)


def exact_judge(estimator: Any, scoring: Any, cv: Any) -> Criterion | None:
    """The exact judge of an estimator, or None."""
    scaling, model = _unscaled(estimator)
    if model is None or type(model).__name__ not in _JUDGES or not type(model).__module__.startswith("sklearn."):
        return None
    module, name, read = _JUDGES[type(model).__name__]
    settings = read(model) if _valid(model) else None
    if settings is None:
        return None
    judge = getattr(import_module(f"subsel.criteria.{module}"), name)
    return judge(**settings, scoring=scoring, cv=cv, scaling=scaling)


def _valid(model: Any) -> bool:
    """Whether scikit-learn would fit a model with these parameters; if not, its own error is shown by refitting."""
    try:
        model._validate_params()
    except ValueError:
        return False
    return True


def _unscaled(estimator: Any) -> tuple[str | None, Any]:
    """Split a pipeline of one plain scaler and a model; the model is None where there is more to it."""
    if not isinstance(estimator, Pipeline):
        return None, estimator
    steps = [step for _, step in estimator.steps if step not in (None, "passthrough")]
    if len(steps) == 1:
        return None, steps[0]
    if len(steps) != 2:
        return None, None
    scaler, model = steps
    kind = {"StandardScaler": "standard", "MinMaxScaler": "minmax"}.get(type(scaler).__name__)
    plain: dict[str, dict[str, Any]] = {
        "StandardScaler": {"with_mean": True, "with_std": True},
        "MinMaxScaler": {"feature_range": (0, 1), "clip": False},
    }
    ours = type(scaler).__module__.startswith("sklearn.")
    if kind is None or not ours or any(getattr(scaler, k) != v for k, v in plain[type(scaler).__name__].items()):
        return None, None
    return kind, model


# How each estimator is read: the settings of its judge, or None where the closed form does not cover them -----------------


def _ridge(model: Any) -> dict | None:
    if np.ndim(model.alpha) or model.positive or getattr(model, "class_weight", None) is not None:
        return None
    direct = model.solver in ("auto", "svd", "cholesky")
    return {"alpha": model.alpha, "fit_intercept": model.fit_intercept, "solver": model.solver} if direct else None


def _linear_regression(model: Any) -> dict | None:
    if model.positive or getattr(model, "tol", 1e-6) != 1e-6:  # where the solver cuts off singular values
        return None
    return {"alpha": 0.0, "fit_intercept": model.fit_intercept}


def _lda(model: Any) -> dict | None:
    if model.covariance_estimator is not None or model.tol != 1e-4:
        return None
    if model.solver == "svd" and model.shrinkage is None:
        return {"kind": "lda", "priors": model.priors}
    if model.solver == "lsqr" and isinstance(model.shrinkage, (int, float)):
        return {"kind": "lda", "priors": model.priors, "shrinkage": float(model.shrinkage)}
    return None


def _qda(model: Any) -> dict | None:
    usual = getattr(model, "solver", "svd") == "svd" and getattr(model, "shrinkage", None) is None and model.tol == 1e-4
    return {"kind": "qda", "priors": model.priors, "reg_param": model.reg_param} if usual else None


def _gaussian_nb(model: Any) -> dict | None:
    return {"kind": "gaussian-nb", "priors": model.priors, "var_smoothing": model.var_smoothing}


def _nearest_centroid(model: Any) -> dict | None:
    uniform = isinstance(getattr(model, "priors", "uniform"), str) and getattr(model, "priors", "uniform") == "uniform"
    return {"metric": model.metric} if model.shrink_threshold is None and uniform else None


def _neighbours(model: Any) -> dict | None:
    metric = {"euclidean": "euclidean", "l2": "euclidean", "manhattan": "l1", "l1": "l1", "cityblock": "l1"}.get(
        model.metric
    )
    if model.metric == "minkowski":
        metric = {2: "euclidean", 1: "l1"}.get(model.p)
    if metric is None or model.metric_params or model.weights not in ("uniform", "distance"):
        return None
    return {"n_neighbors": model.n_neighbors, "weights": model.weights, "metric": metric}


def _kernel_ridge(model: Any) -> dict | None:
    if np.ndim(model.alpha) or callable(model.kernel) or model.kernel_params or model.kernel == "precomputed":
        return None
    names = ("alpha", "kernel", "gamma", "degree", "coef0")
    return {name: getattr(model, name) for name in names}


_JUDGES: dict[str, tuple[str, str, Callable[[Any], dict | None]]] = {
    "GaussianNB": ("discriminant", "Discriminant", _gaussian_nb),
    "KNeighborsClassifier": ("nearest_neighbours", "NearestNeighbours", _neighbours),
    "KNeighborsRegressor": ("nearest_neighbours", "NearestNeighbours", _neighbours),
    "KernelRidge": ("kernel_ridge", "KernelRidge", _kernel_ridge),
    "LinearDiscriminantAnalysis": ("discriminant", "Discriminant", _lda),
    "LinearRegression": ("least_squares", "LeastSquares", _linear_regression),
    "NearestCentroid": ("nearest_centroid", "NearestCentroid", _nearest_centroid),
    "QuadraticDiscriminantAnalysis": ("discriminant", "Discriminant", _qda),
    "Ridge": ("least_squares", "LeastSquares", _ridge),
    "RidgeClassifier": ("least_squares", "LeastSquares", _ridge),
}
