"""A procedure of selection and model, and what a fitted one selected and was guided by."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.feature_selection import RFECV
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline

from subsel.data.routing import fit_arguments
from subsel.data.task import Kind
from subsel.ranking.cuts.cross_validation import ValidatedSize
from subsel.result.result import Result

__all__ = [
    "FittedProcedure",
    "Procedure",
    "guide_quality",
    "guide_scoring",
    "n_evaluations",
    "scoring_name",
    "selected_columns",
    "was_interrupted",
]


@dataclass(frozen=True, eq=False)
class FittedProcedure:
    """A fitted procedure.

    Attributes
    ----------
    front : transformer or None
        The fitted steps before the model.
    model : estimator
        The fitted model.
    columns : ndarray of int, optional
        The columns that were selected; None where they cannot be read.
    constant : bool
        Whether nothing was selected, so that the model is a constant.
    """

    front: Any
    model: Any
    columns: np.ndarray | None
    constant: bool

    @property
    def parts(self) -> list[Any]:
        """All steps, last first within a pipeline, the selection before the model."""
        return _parts(self.front) + _parts(self.model)

    def transform(self, X: Any) -> Any:
        """Give the table that the model reads."""
        if self.constant:
            return np.zeros((X.shape[0], 1))
        if self.front is None:
            return X
        return self.front.transform(X)


@dataclass(frozen=True, eq=False)
class Procedure:
    """A selection followed by a model, neither fitted.

    Attributes
    ----------
    front : transformer or None
        The steps before the model: a selector, a pipeline with one, or nothing.
    model : estimator
        The model.
    """

    front: Any
    model: Any

    @classmethod
    def of(cls, selector: Any, estimator: Any) -> Procedure:
        """Make a procedure of a selector and an estimator, or of a pipeline with a predictor.

        A selector of None selects all columns.
        """
        if estimator is not None:
            if selector is not None and not hasattr(selector, "transform"):
                raise ValueError(f"selector must have transform, got {type(selector).__name__}.")
            return cls(selector, estimator)
        if selector is None or not hasattr(selector, "predict"):
            raise ValueError(
                "estimator may be left out only if selector is a pipeline that ends in a predictor."
            )
        if not isinstance(selector, Pipeline):
            return cls(None, selector)
        if len(selector.steps) == 1:
            return cls(None, selector[-1])
        return cls(selector[:-1], selector[-1])

    @property
    def kind(self) -> Kind | None:
        """The task of the model, None where it does not declare one."""
        if is_classifier(self.model):
            return "classification"
        if is_regressor(self.model):
            return "regression"
        return None

    @property
    def selector(self) -> Any:
        """The steps before the model, or the model itself where there are none."""
        if self.front is None:
            return self.model
        return self.front

    def fit(
        self, X: Any, y: np.ndarray, kind: Kind, rng: np.random.Generator, **rows: np.ndarray | None
    ) -> FittedProcedure:
        """Fit clones on some rows; ``rows`` (weights, groups) go to the steps that take them.

        Steps without a seed get one from ``rng``. Where nothing was selected the model is a
        constant.
        """
        front = None
        if self.front is not None:
            front = with_seed(clone(self.front), rng)
            X = _fit_transform(front, X, y, rows)
        if X.shape[1] == 0:
            return FittedProcedure(
                front, _constant(y, kind, rows.get("sample_weight")), np.arange(0), True
            )
        model = with_seed(clone(self.model), rng)
        model.fit(X, y, **fit_arguments(model, rows))
        if front is not None:
            columns = selected_columns(front)
        elif _selects(model):
            columns = selected_columns(model)
        else:
            columns = np.arange(X.shape[1])
        return FittedProcedure(front, model, columns, False)

    def select(
        self, X: Any, y: np.ndarray, rng: np.random.Generator, **rows: np.ndarray | None
    ) -> np.ndarray | None:
        """Give the columns that a clone selects, without fitting a model after the selection."""
        part = with_seed(clone(self.selector), rng)
        return selected_columns(part.fit(X, y, **fit_arguments(part, rows)))

    def columns(
        self, X: Any, y: np.ndarray, rng: np.random.Generator, **rows: np.ndarray | None
    ) -> np.ndarray | None:
        """Give the columns that a clone selects; all of them where no step selects."""
        if self.front is None and not _selects(self.model):
            return np.arange(X.shape[1])
        return self.select(X, y, rng, **rows)

    @property
    def refers_to_columns(self) -> bool:
        """Whether a setting of the selector refers to columns, whose order then matters."""
        names = {"fixed", "forbidden", "feature_groups", "feature_costs"}
        return any(
            value is not None
            for key, value in _parameters(self.selector).items()
            if key.split("__")[-1] in names
        )

    def bare(self) -> Procedure | None:
        """Give the procedure without its selection, to be fitted on given columns.

        None if the selection is inside the model.
        """
        if self.front is None:
            return None if _selects(self.model) else self
        steps = []
        if isinstance(self.front, Pipeline):
            steps = [(name, step) for name, step in self.front.steps if not _selects(step)]
        if not steps:
            return Procedure(None, self.model)
        return Procedure(Pipeline(steps), self.model)

    def takes(self, argument: str) -> list[bool]:
        """Tell for selection and model whether it accepts an argument with a value per row."""
        parts = [part for part in (self.front, self.model) if part is not None]
        return [bool(fit_arguments(part, {argument: np.empty(0)})) for part in parts]


def with_seed(model: Any, rng: np.random.Generator) -> Any:
    """Set the seed of every part of a model that has none, in order of name, in place."""
    parameters = _parameters(model)
    free = [
        key
        for key in sorted(parameters)
        if key.split("__")[-1] == "random_state" and parameters[key] is None
    ]
    if not free:
        return model
    return model.set_params(**{key: int(rng.integers(2**31)) for key in free})


def _parameters(model: Any) -> dict[str, Any]:
    """Give the parameters of a model and its parts; none without ``get_params``."""
    if not hasattr(model, "get_params"):
        return {}
    return model.get_params(deep=True)


def selected_columns(fitted: Any) -> np.ndarray | None:
    """Give the columns that reach the end of a fitted selector, pipeline or search.

    None where they cannot be traced.

    A step is read by ``get_support``, by ``origin_`` (the column from which each was made), or by
    comparing the names of its output with those of its input.
    """
    reached = _reached(fitted)
    if reached is None:
        return None
    return np.unique(reached)


def _reached(fitted: Any) -> np.ndarray | None:
    """Give for each column that reaches the end the column from which it comes."""
    if hasattr(fitted, "best_estimator_"):
        return _reached(fitted.best_estimator_)
    if not isinstance(fitted, Pipeline):
        return _through(fitted, getattr(fitted, "n_features_in_", None))
    columns = n_columns = None
    for _, step in fitted.steps:
        if (
            step is None
            or step == "passthrough"
            or (columns is not None and not hasattr(step, "transform"))
        ):
            continue
        origins = _through(step, getattr(step, "n_features_in_", n_columns))
        if origins is None:
            return None
        columns = origins if columns is None else columns[origins]
        n_columns = len(columns)
    return columns


def guide_quality(parts: list[Any]) -> float | None:
    """Give the quality that guided a fitted selector or search; None where there is none."""
    for part in parts:
        if (result := _result(part)) is not None:
            return float(result.chosen_quality)
        if isinstance(best := getattr(part, "best_score_", None), Real):
            return float(best)
        if isinstance(part, RFECV):
            return float(np.max(part.cv_results_["mean_test_score"]))
        if isinstance(sizes := getattr(part, "validation_", None), ValidatedSize):
            return float(sizes.scores[sizes.sizes == sizes.chosen][0])
    return None


def scoring_name(scoring: Any) -> str:
    """Give the name of a measure."""
    if isinstance(scoring, str):
        return scoring
    return getattr(scoring, "__name__", str(scoring))


def n_evaluations(parts: list[Any]) -> int | None:
    """Give the number of subsets that a fitted selector of this library evaluated."""
    return next(
        (result.n_evaluations for part in parts if (result := _result(part)) is not None), None
    )


def was_interrupted(parts: list[Any]) -> bool:
    """Whether the user ended a search inside the procedure, which then gave its best so far."""
    return any(
        "interrupted" in result.stopped_by
        for part in parts
        if (result := _result(part)) is not None
    )


def _result(part: Any) -> Result | None:
    """Give the result of a selector of this library; others may use ``result_`` for anything."""
    result = getattr(part, "result_", None)
    return result if isinstance(result, Result) else None


def _parts(model: Any) -> list[Any]:
    """Give the steps of a pipeline, last first, or a model as the only step."""
    if model is None:
        return []
    if not isinstance(model, Pipeline):
        return [model]
    return [step for _, step in reversed(model.steps)]


def guide_scoring(parts: list[Any], kind: Kind) -> Any:
    """Give the measure of the guide quality of a fitted selector or search.

    None where it is not a score of predictions.

    Where no measure was given, a fitted part may report which one it used; for skewed classes it
    may differ from the usual one.
    """
    for part in parts:
        owner = part
        criterion = getattr(part, "estimator", None)
        if criterion is not None and hasattr(criterion, "bind") and not hasattr(criterion, "fit"):
            owner = criterion
        if scoring := getattr(part, "scoring_", None):
            return scoring
        if hasattr(owner, "scoring"):
            return owner.scoring or ("accuracy" if kind == "classification" else "r2")
    return None


def _selects(step: Any) -> bool:
    if isinstance(step, BaseSearchCV) and isinstance(step.estimator, Pipeline):
        return any(_selects(inner) for _, inner in step.estimator.steps)
    return hasattr(step, "get_support")


def _through(step: Any, n_columns: int | None) -> np.ndarray | None:
    """Give for each column that leaves a fitted step the one that entered; None if mixed."""
    if hasattr(step, "get_support"):
        return np.flatnonzero(step.get_support())
    if hasattr(step, "origin_"):
        return step.origin_
    if n_columns is None or not hasattr(step, "get_feature_names_out"):
        return None
    input_names, names = None, getattr(step, "feature_names_in_", None)
    if names is None:
        input_names = names = [f"x{j}" for j in range(n_columns)]
    place = {name: j for j, name in enumerate(names)}
    try:
        leaving = step.get_feature_names_out(input_names)
    except Exception:  # a step may refuse for reasons of its own
        return None
    if not all(name in place for name in leaving):
        return None
    return np.array([place[name] for name in leaving], dtype=int)


def _fit_transform(front: Any, X: Any, y: np.ndarray, rows: dict[str, Any]) -> Any:
    arguments = fit_arguments(front, rows)
    if isinstance(front, Pipeline):
        return front.fit_transform(X, y, **arguments)
    return front.fit(X, y, **arguments).transform(X)


def _constant(y: np.ndarray, kind: Kind, weights: Any) -> Any:
    model: Any = DummyRegressor()
    if kind == "classification":
        model = DummyClassifier(strategy="prior")
    return model.fit(np.zeros((len(y), 1)), y, sample_weight=weights)
