"""Contenders that search: exact evaluators guide a floating search among the columns that a screening leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline

from subsel.estimators import quick_models
from subsel.race.contender import Contender
from subsel.race.contenders import Field
from subsel.race.costs import EVALUATION
from subsel.race.whole_groups import ScreenedSearch
from subsel.selector import SubsetSelector

__all__ = ["search_contender", "search_contenders"]

WIDE = 500  # columns beyond which a table is screened before a search
MOST = 30  # columns that a search may select, unless asked otherwise
N_EVALUATIONS = 20_000
NARROW, N_REFITS = 20, 200  # columns and subsets that a model looks at if it must be refitted for each


def search_contenders(field: Field, search: Any = "sffs", **settings: Any) -> Iterator[Contender]:
    """One contender per quick model: screen, search with its evaluator, then the model that does best on what was found."""
    for name, model in quick_models(field.kind, field.shape.rows).items():
        bare = model[-1] if isinstance(model, Pipeline) else model  # the contender scales before it screens
        yield search_contender(field, name, bare, search, **settings)


def search_contender(field: Field, name: str, model: Any, search: Any = "sffs", **settings: Any) -> Contender:
    """A search guided by one model; ``settings`` go to the selector.

    A model that must be refitted for every subset looks at few of them: it searches among the columns that do best one
    by one, so that every column of the table was looked at once.
    """
    p, exact = field.shape.columns, name in EVALUATION
    searched = min(p, WIDE if exact else NARROW)
    most = min(MOST if field.most is None else field.most, searched)
    looks = min(N_EVALUATIONS if exact else N_REFITS, 3 * searched * most)
    settings = {"n_features": (1, most), "budget": looks, "choose": "best", **settings}
    selector = SubsetSelector(model, search, alternatives=False, **settings)
    groups, fixed = [list(group) for group in field.groups], list(field.fixed)
    chosen = ScreenedSearch(selector, searched, field.score, groups or None, fixed or None)
    one = EVALUATION[name](field.shape, 5) if exact else 5 * field.cost("extra trees", most)
    seconds = field.cost("rank", p) + looks * one + 5 * field.cost("svm", most)
    procedure = make_pipeline(field.scaler(), chosen, _best_model(field, model))
    return Contender(f"search guided by {name}", procedure, seconds)


def _best_model(field: Field, model: Any) -> GridSearchCV:
    """The guiding model, or a richer one where that does better on the few columns that were found."""
    return GridSearchCV(Pipeline([("model", model)]), {"model": [model, field.model("svm")]}, cv=5)
