"""Contenders that search: exact evaluators guide a floating search among the columns that a screening leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline

from subsel.race.contender import Contender
from subsel.race.contenders import Field
from subsel.race.costs import EVALUATION
from subsel.selector import SubsetSelector

__all__ = ["quick_models", "search_contenders"]

WIDE = 500  # columns beyond which a table is screened before a search
MOST = 30  # columns that a search may select, unless asked otherwise
ENOUGH_ROWS = 150  # rows below which a covariance matrix of thirty columns is not worth inverting
MANY_ROWS = 5_000  # rows beyond which neighbours are looked for among a sample
N_EVALUATIONS = 20_000


def quick_models(field: Field) -> dict[str, Any]:
    """Models whose held-out score of any subset is computed without refitting, the quickest first."""
    models: dict[str, Any] = {"ridge": RidgeClassifier() if field.classes else Ridge()}
    if field.classes:
        models["naive Bayes"] = GaussianNB()
        if field.shape.rows >= ENOUGH_ROWS:
            models["linear discriminant"] = LinearDiscriminantAnalysis()
    if field.shape.rows <= MANY_ROWS:
        models["nearest neighbours"] = KNeighborsClassifier() if field.classes else KNeighborsRegressor()
    return models


def search_contenders(field: Field, **settings: Any) -> Iterator[Contender]:
    """One contender per quick model: screen, search with its evaluator, then the model that does best on what was found."""
    for name, model in quick_models(field).items():
        yield search_contender(field, name, model, **settings)


def search_contender(field: Field, name: str, model: Any, **settings: Any) -> Contender:
    """A search guided by one model; ``settings`` go to the selector."""
    p = field.shape.columns
    searched = min(p, WIDE)
    settings = {"n_features": (1, min(MOST, searched)), "budget": N_EVALUATIONS, "choose": "best", **settings}
    selector = SubsetSelector(model, alternatives=False, **settings)
    front = [field.scaler(), *([field.ranking(WIDE)] if p > WIDE else []), selector]
    seconds = field.cost("rank", p) + _looks(searched) * EVALUATION[name](field.shape, 5)
    return Contender(f"search guided by {name}", make_pipeline(*front, _best_model(field, model)), seconds)


def _looks(columns: int) -> int:
    """How many subsets a floating search to thirty columns looks at, about."""
    return min(N_EVALUATIONS, 3 * columns * min(MOST, columns))


def _best_model(field: Field, model: Any) -> GridSearchCV:
    """The guiding model, or a richer one where that does better on the few columns that were found."""
    models = [model, field.model("svm"), field.model("extra trees")]
    return GridSearchCV(Pipeline([("model", model)]), {"model": models}, cv=5)
