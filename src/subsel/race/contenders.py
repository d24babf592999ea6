"""The procedures that a race offers for a table: all features, rankings, paths, importances, searches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LassoCV, LogisticRegressionCV, RidgeClassifierCV, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from subsel.race.contender import Contender
from subsel.race.costs import FIT, Shape
from subsel.ranking.selector import RankingSelector
from subsel.task import Kind

__all__ = ["Field", "plain_contenders"]

PENALTIES = np.logspace(-2, 3, 6)
N_TREES = 200


@dataclass(frozen=True)
class Field:
    """What the contenders must know of the table.

    Parameters
    ----------
    kind : str
        Classification or regression.
    shape : Shape
        Of a training part.
    sparse : bool
        Whether the table is sparse, so that it must not be centred.
    """

    kind: Kind
    shape: Shape
    sparse: bool = False

    @property
    def classes(self) -> bool:
        """Whether classes are to be told apart."""
        return self.kind == "classification"

    def scaler(self) -> StandardScaler:
        """Columns of unit spread."""
        return StandardScaler(with_mean=not self.sparse)

    def ranking(self, k: int) -> RankingSelector:
        """The k best columns, each seen alone."""
        return RankingSelector("anova-f" if self.classes else "pearson", cut=k)

    def model(self, name: str) -> Any:
        """A model by its name in the cost table."""
        classifier, regressor = _MODELS[name]
        return classifier() if self.classes else regressor()

    def cost(self, model: str, columns: int) -> float:
        """Seconds of one fit of a model on so many columns."""
        return FIT[model](self.shape._replace(columns=columns))


_MODELS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "ridge": (lambda: RidgeClassifierCV(PENALTIES), lambda: RidgeCV(PENALTIES)),
    "svm": (lambda: SVC(C=10), lambda: SVR(C=10)),
    "forest": (lambda: RandomForestClassifier(N_TREES), lambda: RandomForestRegressor(N_TREES)),
    "extra trees": (lambda: ExtraTreesClassifier(N_TREES), lambda: ExtraTreesRegressor(N_TREES)),
    "boosting": (HistGradientBoostingClassifier, HistGradientBoostingRegressor),
    "l1": (
        lambda: LogisticRegressionCV(penalty="l1", solver="liblinear", Cs=5, cv=3),
        lambda: LassoCV(cv=5, n_alphas=50),
    ),
}


def plain_contenders(field: Field) -> Iterator[Contender]:
    """Procedures without a search, the most promising for their price first."""
    p = field.shape.columns
    yield _whole(field, "ridge")
    yield _whole(field, "extra trees")
    yield _whole(field, "svm")
    for k in (100, 20, 500):
        if k < p:
            yield _ranked(field, k, "ridge")
            yield _ranked(field, k, "svm")
    yield _l1(field)
    for k in (20, 100):
        if k < p:
            yield _by_trees(field, k, "svm")
            yield _by_trees(field, k, "forest")
    yield _whole(field, "forest")
    if field.shape.rows >= 200 and not field.sparse:
        yield _whole(field, "boosting")


def _whole(field: Field, model: str) -> Contender:
    seconds = field.cost(model, field.shape.columns)
    return Contender(f"all features, {model}", make_pipeline(field.scaler(), field.model(model)), seconds)


def _ranked(field: Field, k: int, model: str) -> Contender:
    procedure = make_pipeline(field.scaler(), field.ranking(k), field.model(model))
    seconds = field.cost("rank", field.shape.columns) + field.cost(model, k)
    return Contender(f"{k} best one by one, {model}", procedure, seconds)


def _l1(field: Field) -> Contender:
    """L1-penalised: what it keeps, refitted by ridge; a very wide table is screened first."""
    wide = field.shape.columns > 2000
    columns = min(field.shape.columns, 2000)
    keep = SelectFromModel(field.model("l1"))
    procedure = make_pipeline(field.scaler(), *([field.ranking(2000)] if wide else []), keep, field.model("ridge"))
    return Contender("l1 path, ridge", procedure, field.cost("l1", columns) + field.cost("rank", field.shape.columns))


def _by_trees(field: Field, k: int, model: str) -> Contender:
    keep = SelectFromModel(field.model("extra trees"), max_features=k, threshold=-np.inf)
    procedure = make_pipeline(field.scaler(), keep, field.model(model))
    seconds = field.cost("extra trees", field.shape.columns) + field.cost(model, k)
    return Contender(f"{k} best by extra trees, {model}", procedure, seconds)
