"""Contenders that search: exact evaluators guide a floating search among the columns that a screening leaves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline

from subsel.assessment.race.contender import Contender
from subsel.assessment.race.contenders import Field
from subsel.assessment.race.costs import EVALUATION
from subsel.assessment.race.screened_search import ScreenedSearch
from subsel.criteria.scoring.usable import measurable
from subsel.models.short_names import MANY_ROWS, estimator_of, quick_models
from subsel.search.sequential.recursive_elimination import RecursiveElimination
from subsel.selector.subset import SubsetSelector

__all__ = ["elimination_contender", "finer_scoring", "search_contender", "search_contenders"]

WIDE = 500  # columns beyond which a table is screened before a search
MOST = 30  # columns that a search may select, unless asked otherwise
FEW = (2, 4, 8)  # the same where few are preferred
N_EVALUATIONS = 20_000
NARROW, N_REFITS = (
    20,
    200,
)  # columns and subsets that a model looks at if it must be refitted for each
SAMPLED = 2_000  # rows on which neighbours are searched where there are too many for distances between all
LONGEST = (
    1 / 30
)  # of the seconds of a race that one search may take; fewer subsets are looked at where it would
SHARE = 0.01  # of the seconds of a race that one fit of a search may take for a steadier guide and an honest size
CARE = (
    (3, True),
    (1, True),
    (3, False),
)  # repeats of the folds, and whether the size is chosen on rows held out
FINER = {
    "ridge": "code_error",
    "naive Bayes": "neg_brier_score",
    "linear discriminant": "neg_brier_score",
}
FINER_BALANCED = {
    "ridge": "balanced_code_error",
    "naive Bayes": "balanced_brier",
    "linear discriminant": "balanced_brier",
}


def search_contenders(
    field: Field, search: Any = "sffs", *, few: bool = False, **settings: Any
) -> Iterator[Contender]:
    """One contender per quick model: screen, search with its evaluator, then the model that does best on what was found.

    Who wants ``few`` columns is offered the same with ever higher bounds on their number first.
    """
    if few:
        yield from _small_searches(field, search, **settings)
    for name, model in quick_models(field.kind, min(field.shape.rows, MANY_ROWS)).items():
        # the contender scales before it screens
        bare = model[-1] if isinstance(model, Pipeline) else model
        yield search_contender(field, name, bare, search, **settings)


def search_contender(
    field: Field, name: str, model: Any, search: Any = "sffs", **settings: Any
) -> Contender:
    """A search guided by one model; ``settings`` go to the selector.

    A model that must be refitted for every subset looks at few of them: it searches among the columns that do best one
    by one, so that every column of the table was looked at once.
    """
    p, exact = field.shape.columns, name in EVALUATION
    most_rows = None
    if name == "nearest neighbours" and field.shape.rows > MANY_ROWS:
        most_rows = SAMPLED
    shape = field.shape._replace(rows=most_rows or field.shape.rows)
    searched, looks = min(p, NARROW), N_REFITS
    if exact:
        searched, looks = min(p, WIDE), N_EVALUATIONS
    most = min(field.allowed(MOST), searched, field.whole_size)
    looks = min(looks, 3 * searched * most)
    if exact:
        one = EVALUATION[name](shape._replace(columns=searched))
        looks = int(min(looks, max(2 * searched, LONGEST * field.seconds / one)))
    else:
        one = 5 * field.cost("extra trees", most)
    settings = {"n_features": (1, most), "budget": looks, "choose": "best", **settings}
    settings["scoring"] = finer_scoring(name, settings.get("scoring"))
    selector = SubsetSelector(model, search, alternatives=False, **settings)
    repeats, held_out_size = _care(looks * one, SHARE * field.seconds)
    chosen = ScreenedSearch(
        selector,
        searched,
        **_rules(field),
        repeats=repeats,
        held_out_size=held_out_size,
        most_rows=most_rows,
    )
    searching = _cost(looks * one, repeats, held_out_size)
    seconds = field.cost("rank", p) + searching + 5 * field.cost("svm", most)
    procedure = make_pipeline(field.scaler(), chosen, _best_model(field, model))
    return Contender(f"search guided by {name}", procedure, seconds)


def _rules(field: Field) -> dict[str, Any]:
    """How columns are screened, and what binds them."""
    return {
        "screen_by": field.score,
        "groups": [list(group) for group in field.groups] or None,
        "fixed": list(field.fixed) or None,
        "sizes": field.column_sizes,
    }


def _small_searches(field: Field, search: Any, **settings: Any) -> Iterator[Contender]:
    allowed = field.allowed(min(field.whole_size, MOST))
    for most in (k for k in FEW if k < allowed):
        for contender in search_contenders(replace(field, most=most), search, **settings):
            yield replace(contender, name=f"{contender.name}, at most {most}")


def elimination_contender(field: Field, **settings: Any) -> Contender:
    """Recursive elimination by the weights of ridge: a tenth of the columns at a time, the size chosen on rows held out."""
    searched = min(field.shape.columns, WIDE)
    most = min(field.allowed(searched), searched, field.whole_size)
    model = estimator_of("ridge", field.kind)[-1]
    scoring = finer_scoring("ridge", settings.pop("scoring", None))
    search = RecursiveElimination(drop=0.1, judge_sizes=True)
    selector = SubsetSelector(
        model,
        search,
        choose="best",
        alternatives=False,
        scoring=scoring,
        n_features=(1, most),
        **settings,
    )
    chosen = ScreenedSearch(selector, searched, **_rules(field), held_out_size=True)
    seconds = (
        field.cost("rank", field.shape.columns)
        + 6 * field.cost("elimination", searched)
        + field.cost("svm", most)
    )
    procedure = make_pipeline(field.scaler(), chosen, _best_model(field, model))
    return Contender("recursive elimination by ridge", procedure, seconds)


def finer_scoring(name: str, scoring: Any) -> Any:
    """The measure that guides a search: where accuracy is asked for, one that tells equal accuracies apart.

    On few rows many subsets have the same accuracy, and the best of many is the luckiest; the squared error of what the
    model puts out before it decides is steadier.
    """
    if not isinstance(scoring, str):
        return scoring
    finer = {"accuracy": FINER, "balanced_accuracy": FINER_BALANCED}.get(scoring, {})
    return finer.get(name, scoring)


def _care(seconds: float, allowed: float) -> tuple[int, bool]:
    """How carefully a search that takes so many seconds can be guided within those allowed."""
    return next((care for care in CARE if _cost(seconds, *care) <= allowed), (1, False))


def _cost(seconds: float, repeats: int, held_out_size: bool) -> float:
    """Of a search that takes so many seconds with five folds drawn once."""
    return seconds * repeats * (1 + 4 * held_out_size)  # five times on four fifths of the rows


def _best_model(field: Field, model: Any) -> GridSearchCV:
    """The guiding model, or a richer one where that does better on the few columns that were found.

    Neighbours must do better than the others: among columns of few values most rows are equally near, and which of them
    count is chance.
    """
    richer = [field.model("svm")]
    if field.classes and field.only is None:
        richer.append(field.model("logistic"))
    by_neighbours = isinstance(model, KNeighborsClassifier | KNeighborsRegressor)
    models = [*richer, model] if by_neighbours else [model, *richer]
    models = [each for each in models if measurable(each, field.scoring)] or models[:1]
    return GridSearchCV(Pipeline([("model", models[0])]), {"model": models}, cv=field.folds())
