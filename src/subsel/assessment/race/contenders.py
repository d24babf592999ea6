"""The procedures without a search that a race offers for a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LassoCV, LogisticRegression, RidgeClassifierCV, RidgeCV
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from subsel.assessment.race.contender import Contender
from subsel.assessment.race.costs import FIT, TableShape
from subsel.assessment.race.group_constraints import GroupConstraint
from subsel.data.folds import LoweredFolds
from subsel.data.task import Kind
from subsel.models.scaled_svr import ScaledSVR
from subsel.ranking.selector import RankingSelector

__all__ = ["Field", "plain_contenders"]

PENALTIES = np.logspace(-2, 4, 7)
N_TREES = 200
A_THIRD = 1 / 3  # share of the columns that a split of a regression tree considers
NARROW = 29  # with fewer columns, 20 of them are nearly all
L1_WIDTH = 2000  # with more columns, a table is screened before an L1 path


@dataclass(frozen=True)
class Field:
    """What the contenders must know about the table.

    Parameters
    ----------
    kind : str
        Classification or regression.
    shape : TableShape
        The shape of a training part.
    sparse : bool, default=False
        Whether the table is sparse, so that it must not be centred.
    groups : tuple of tuples of int, optional
        Columns that are selected together.
    fixed : tuple of int, optional
        Columns that are always selected.
    most : int, optional
        The largest number of columns that may be selected.
    balanced : bool, default=False
        Whether all classes have the same weight, whatever their numbers of rows.
    only : estimator, optional
        The model of all contenders.
    seconds : float, default=inf
        The time limit of the race.
    column_sizes : tuple of int, optional
        The contribution of each column to the size of a selection; by default 1.
    scoring : str or callable, optional
        The measure of the race.
    """

    kind: Kind
    shape: TableShape
    sparse: bool = False
    groups: tuple[tuple[int, ...], ...] = ()
    fixed: tuple[int, ...] = ()
    most: int | None = None
    balanced: bool = False
    only: Any = None
    seconds: float = float("inf")
    column_sizes: tuple[int, ...] | None = None
    scoring: Any = None

    @property
    def whole_size(self) -> int:
        """The size of a selection of all columns."""
        if self.column_sizes is None:
            return self.shape.columns
        return sum(self.column_sizes)

    @property
    def classes(self) -> bool:
        """Whether the task is classification."""
        return self.kind == "classification"

    def scaler(self) -> StandardScaler:
        """Create a scaler of the columns to unit standard deviation."""
        return StandardScaler(with_mean=not self.sparse)

    @property
    def score(self) -> str:
        """The score by which columns are ranked one by one."""
        return "anova-f" if self.classes else "pearson"

    def ranking(self, k: int) -> Any:
        """Create a selector of the k best columns, ranked one by one."""
        return self.completed(RankingSelector(self.score, cut=k))

    def completed(self, selector: Any) -> Any:
        """Extend a selector so that it respects groups and fixed columns."""
        if not self.groups and not self.fixed:
            return selector
        return GroupConstraint(selector, [list(group) for group in self.groups], list(self.fixed))

    def sizes(self, wanted: tuple[int, ...]) -> list[int]:
        """Give the sizes that are allowed and leave out a good part of the table.

        For a narrow table these are half of its size, and smaller ones.

        >>> Field("classification", TableShape(100, 60)).sizes((5, 20, 100))
        [5, 20]
        >>> Field("regression", TableShape(100, 13)).sizes((5, 20))
        [5, 7]
        >>> Field("classification", TableShape(100, 60), most=3).sizes((5, 20, 100))
        [3]
        """
        if self.whole_size <= 1:
            return []
        allowed = self.allowed(self.whole_size)
        half = min(allowed, (self.whole_size + 1) // 2)
        fitting = [k for k in wanted if k <= min(allowed, 0.7 * self.whole_size)]
        if self.whole_size < NARROW or not fitting:
            fitting = [*(k for k in wanted if k < half), half]
        return fitting

    def allowed(self, usual: int) -> int:
        """Give the largest number of columns that may be selected, by default the usual one."""
        if self.most is None:
            return usual
        return self.most

    def model(self, name: str) -> Any:
        """Create a model by its name in the cost table."""
        if self.only is not None:
            return clone(self.only)
        model = (_CLASSIFIERS if self.classes else _REGRESSORS)[name]()
        if self.balanced and "class_weight" in model.get_params():
            model.set_params(class_weight="balanced")
        return model

    def folds(self) -> Any:
        """Create shuffled folds, for a choice within a procedure."""
        return LoweredFolds(5, random_state=0)

    def cost(self, model: str, columns: int) -> float:
        """Give the cost in seconds of one fit of a model on so many columns."""
        return FIT[model](self.shape._replace(columns=columns))


_CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "ridge": lambda: RidgeClassifierCV(PENALTIES),
    "logistic": lambda: LogisticRegression(C=0.1, max_iter=500),
    "svm": lambda: SVC(C=10),
    "forest": lambda: RandomForestClassifier(N_TREES),
    "extra trees": lambda: ExtraTreesClassifier(N_TREES),
    "boosting": HistGradientBoostingClassifier,
    "l1": lambda: LinearSVC(penalty="l1", dual=False, C=0.1, max_iter=2000),
}
_REGRESSORS: dict[str, Callable[[], Any]] = {
    "ridge": lambda: RidgeCV(PENALTIES),
    "svm": lambda: ScaledSVR(C=3),
    "forest": lambda: RandomForestRegressor(N_TREES, max_features=A_THIRD),
    "extra trees": lambda: ExtraTreesRegressor(N_TREES, max_features=A_THIRD),
    "boosting": HistGradientBoostingRegressor,
    "l1": lambda: LassoCV(cv=KFold(5, shuffle=True, random_state=0)),
}


def plain_contenders(field: Field) -> Iterator[Contender]:
    """Give the procedures without a search, the most promising for their cost in seconds first.

    Those that use all features always run, because selections are compared with them.
    """
    if field.only is not None:
        yield from _of_one_model(field)
        return
    sizes = field.sizes((5, 20, 100, 500))
    yield _whole(field, "ridge")
    yield from (_ranked(field, k, "ridge") for k in sizes)
    yield _whole(field, "extra trees")
    if field.classes:
        yield _whole(field, "logistic")
        yield from (_ranked(field, k, "logistic") for k in sizes)
    yield _whole(field, "svm")
    yield from (_ranked(field, k, "svm") for k in sizes)
    if field.most is None:
        yield _l1(field)
    by_trees = field.sizes((20, 100))
    yield from (_by_trees(field, k, "extra trees") for k in by_trees[:1])
    if field.shape.rows >= 200 and not field.sparse:
        yield _whole(field, "boosting")
    yield from (_by_trees(field, k, "extra trees") for k in by_trees[1:])
    yield from (_by_trees(field, k, "svm") for k in by_trees)
    yield _whole(field, "forest")
    fewer = [k for k in field.sizes((5, 10)) if k not in by_trees]
    yield from (_by_trees(field, k, model) for k in fewer for model in ("svm", "extra trees"))


def _of_one_model(field: Field) -> Iterator[Contender]:
    """Give the contenders of the model that the user gave."""
    yield replace(_whole(field, "forest"), name="all features")
    for k in field.sizes((20, 100, 500)):
        yield replace(_ranked(field, k, "forest"), name=f"{k} best one by one")


def _whole(field: Field, model: str) -> Contender:
    seconds, p = field.cost(model, field.shape.columns), field.whole_size
    procedure = make_pipeline(field.scaler(), field.model(model))
    return Contender(
        f"all features, {model}", procedure, seconds, eligible=field.most is None or field.most >= p
    )


def _ranked(field: Field, k: int, model: str) -> Contender:
    procedure = make_pipeline(field.scaler(), field.ranking(k), field.model(model))
    seconds = field.cost("rank", field.shape.columns) + field.cost(model, k)
    return Contender(f"{k} best one by one, {model}", procedure, seconds)


def _l1(field: Field) -> Contender:
    """Ridge on the columns that an L1-penalised model selects; a wide table is screened first."""
    p = field.shape.columns
    keep = SelectFromModel(field.model("l1"), threshold=1e-8)
    selecting = [field.completed(keep)]
    if p > L1_WIDTH:
        selecting = [field.ranking(L1_WIDTH), keep]
    procedure = make_pipeline(field.scaler(), *selecting, field.model("ridge"))
    return Contender(
        "l1 path, ridge", procedure, field.cost("l1", min(p, L1_WIDTH)) + field.cost("rank", p)
    )


def _by_trees(field: Field, k: int, model: str) -> Contender:
    keep = SelectFromModel(field.model("extra trees"), max_features=k, threshold=-np.inf)
    procedure = make_pipeline(field.scaler(), field.completed(keep), field.model(model))
    seconds = field.cost("extra trees", field.shape.columns) + field.cost(model, k)
    return Contender(f"{k} best by extra trees, {model}", procedure, seconds)
