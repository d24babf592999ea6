"""Contenders that search among screened columns, guided by exact evaluators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import check_random_state, get_tags

from subsel.assessment.folds.splits import make_splits
from subsel.assessment.race.contender import Contender
from subsel.assessment.race.contenders import Field
from subsel.assessment.race.costs import EVALUATION
from subsel.assessment.race.group_constraints import complete_groups
from subsel.criteria.exact import criterion_of
from subsel.criteria.scoring.measures import measurable
from subsel.data.columns import ColumnSelector
from subsel.data.encoding.missing_values import without_gaps
from subsel.data.routing import takes_weights
from subsel.data.storage import dense
from subsel.data.task import Kind, Task, select_columns
from subsel.models.short_names import MANY_ROWS, estimator_of, quick_models
from subsel.ranking.selector import RankingSelector
from subsel.result.result import Result, SelectedSubset
from subsel.search.sequential.recursive_elimination import RecursiveElimination
from subsel.selector.subset import SubsetSelector

__all__ = [
    "ScreenedSearch",
    "elimination_contender",
    "finer_scoring",
    "search_contender",
    "search_contenders",
]

WIDE = 500  # with more columns, a table is screened before a search
MOST = 30  # the default limit of selected columns in a search
FEW = (2, 4, 8)  # the limits where few columns are preferred
N_EVALUATIONS = 20_000
NARROW, N_REFITS = 20, 200  # numbers of columns and subsets for a model refitted for each subset
SAMPLED = 2_000  # rows in a search with nearest neighbours if there are over MANY_ROWS
LONGEST = 1 / 30  # largest share of the seconds of a race for one search, which limits its subsets
SHARE = 0.01  # share of the seconds of a race for the more careful guides of CARE
CARE = (
    (3, True),
    (1, True),
    (3, False),
)  # repeats of the folds, and whether the size is chosen on held-out rows; most careful first
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
    """Give one contender per quick model, with a search by its evaluator.

    Columns are screened and searched; then the best of several models is fitted to the selection.

    With ``few``, the same searches with increasing bounds on the number of columns come first.
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
    """Create a search guided by one model; ``settings`` are passed to the selector.

    A model that must be refitted evaluates few subsets: it searches among the columns that are best
    one by one, so that every column is evaluated at least once.
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
    """Give how columns are screened, and the constraints on them."""
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
    """Create a recursive elimination by the weights of ridge.

    A tenth of the columns is removed at a time; the size is chosen on held-out rows.
    """
    searched = min(field.shape.columns, WIDE)
    most = min(field.allowed(searched), searched, field.whole_size)
    model = estimator_of("ridge", field.kind)[-1]
    scoring = finer_scoring("ridge", settings.pop("scoring", None))
    search = RecursiveElimination(drop=0.1, evaluate_sizes=True)
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
    """Give the measure that guides a search, finer than accuracy where accuracy is the measure.

    On few rows many subsets have the same accuracy, and the best of many is best by chance; the
    squared error of the output of the model before its decision has less variance.
    """
    if not isinstance(scoring, str):
        return scoring
    finer = {"accuracy": FINER, "balanced_accuracy": FINER_BALANCED}.get(scoring, {})
    return finer.get(name, scoring)


def _care(seconds: float, allowed: float) -> tuple[int, bool]:
    """Give the most careful guide of a search whose cost in seconds is within those allowed."""
    return next((care for care in CARE if _cost(seconds, *care) <= allowed), (1, False))


def _cost(seconds: float, repeats: int, held_out_size: bool) -> float:
    """Give the cost in seconds of a search, from that with five folds drawn once."""
    return seconds * repeats * (1 + 4 * held_out_size)  # five times on four fifths of the rows


def _best_model(field: Field, model: Any) -> GridSearchCV:
    """Create a choice between the guiding model and richer ones on the selected columns.

    Nearest neighbours must be better than the others, because on columns with few values most rows
    are equally near, and which of them count is arbitrary.
    """
    richer = [field.model("svm")]
    if field.classes and field.only is None:
        richer.append(field.model("logistic"))
    by_neighbours = isinstance(model, KNeighborsClassifier | KNeighborsRegressor)
    models = [*richer, model] if by_neighbours else [model, *richer]
    models = [each for each in models if measurable(each, field.scoring)] or models[:1]
    return GridSearchCV(Pipeline([("model", models[0])]), {"model": models}, cv=field.folds())


N_FOLDS = 5
Pairs = list[tuple[np.ndarray, np.ndarray]]


class ScreenedSearch(ColumnSelector):
    """A search among the columns that are best one by one [1]_.

    A search is guided by folds of its rows, and the quality of its best subset is biased upwards,
    the more so the more columns it may select. With ``held_out_size`` all of it, with the
    screening, is therefore run again without the rows of each fold. The size is the best one on
    those rows, and the answer is the best subset of that size on all rows.

    Parameters
    ----------
    selector : SubsetSelector
        The search; its groups, fixed columns and folds are given here instead.
    width : int, default=500
        The number of columns that are searched; a table with no more is not screened.
    screen_by : str, default="anova-f"
        Score by which the columns are screened.
    groups : list of lists of int, optional
        Columns that are selected together.
    fixed : list of int, optional
        Columns that are always selected.
    sizes : sequence of int, optional
        The contribution of each column to the size of a selection; by default 1.
    repeats : int, default=1
        How often the five folds that guide the search are drawn.
    held_out_size : bool, default=False
        Whether the size is chosen on rows that the search has not seen.
    most_rows : int, optional
        A table with more rows is screened and searched on a sample of so many.

    Attributes
    ----------
    result_ : Result
        The result of the search, in the columns of the complete table.
    screened_ : ndarray of int
        The columns that were searched.
    sizes_ : dict of int to float
        With ``held_out_size``, the mean quality of every size on the rows held out.

    References
    ----------
    .. [1] Reunanen, *Search strategies*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature
       Extraction: Foundations and Applications*, 2006, chapter 4.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from subsel import SubsetSelector
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = SubsetSelector(GaussianNB(), "sfs", n_features=2)
    >>> ScreenedSearch(selector, width=5).fit(X, y).screened_
    array([ 0,  6,  9, 11, 12])
    """

    def __init__(
        self,
        selector: Any,
        width: int = 500,
        *,
        screen_by: str = "anova-f",
        groups: list[list[int]] | None = None,
        fixed: list[int] | None = None,
        sizes: Sequence[int] | None = None,
        repeats: int = 1,
        held_out_size: bool = False,
        most_rows: int | None = None,
    ) -> None:
        self.selector = selector
        self.width = width
        self.screen_by = screen_by
        self.groups = groups
        self.fixed = fixed
        self.sizes = sizes
        self.repeats = repeats
        self.held_out_size = held_out_size
        self.most_rows = most_rows

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> ScreenedSearch:
        """Screen the columns, then search among the rest."""
        X, y = self._receive(X, y)
        kind: Kind = "regression"
        if is_classifier(self.selector.estimator):
            kind = "classification"
        gaps = get_tags(self.selector).input_tags.allow_nan
        if not takes_weights(self.selector.estimator):
            sample_weight = None
        task = Task.of(X, y, kind, sample_weight=sample_weight, groups=groups, allow_nan=gaps)
        seed = int(check_random_state(self.selector.random_state).randint(2**31 - 10**4))
        if self.most_rows is not None and task.n_rows > self.most_rows:
            task = task.rows(
                np.random.default_rng(seed).choice(task.n_rows, self.most_rows, replace=False)
            )
        result, self.screened_ = self._screen_and_search(task, seed)
        if self.held_out_size and len(result.front) > 1:
            result = self._of_held_out_size(result, task, seed)
        self.result_ = replace(result, names=tuple(getattr(self, "feature_names_in_", ())))
        self.support_ = np.isin(np.arange(self.n_features_in_), self.result_.chosen)
        return self

    def transform(self, X: Any) -> Any:
        """Select the columns and give them as a dense table, which every model accepts."""
        return dense(super().transform(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        searches = self.selector is not None  # a saved model has no search any more
        tags.input_tags.allow_nan = searches and get_tags(self.selector).input_tags.allow_nan
        return tags

    def _screen_and_search(self, task: Task, seed: int) -> tuple[Result, np.ndarray]:
        """Screen and search these rows.

        Returns the result in the columns of the complete table, and the columns that were searched.
        """
        screened = self._screen(task)
        place = {int(column): i for i, column in enumerate(screened)}
        inside = [[place[c] for c in group] for group in self.groups or [] if group[0] in place]
        fixed = [place[c] for c in self.fixed or []]
        sizes = None
        if self.sizes is not None:
            sizes = [self.sizes[c] for c in screened]
        search = clone(self.selector).set_params(
            feature_groups=inside or None,
            fixed=fixed or None,
            feature_sizes=sizes,
            n_features=_within(
                self.selector.n_features, self._size(screened), self._size(self.fixed or [])
            ),
            cv=[
                pair
                for repeat in range(self.repeats)
                for pair in _pairs(task, seed + repeat, self._cv)
            ],
        )
        search.fit(_dense(task.X, screened), task.y, sample_weight=task.sample_weight)
        return search.result_.in_columns(screened, ()), screened

    @property
    def _cv(self) -> Any:
        """The folds: ordered in time where requested, otherwise their number."""
        if isinstance(self.selector.cv, str):
            return self.selector.cv
        return N_FOLDS

    def _size(self, columns: Iterable[int]) -> int:
        if self.sizes is None:
            return len(list(columns))
        return sum(self.sizes[c] for c in columns)

    def _screen(self, task: Task) -> np.ndarray:
        everything = np.arange(task.n_columns)
        if len(everything) <= self.width:
            return everything
        best = (
            RankingSelector(self.screen_by, cut=self.width)
            .fit(without_gaps(task.X), task.y)
            .get_support()
        )
        return np.flatnonzero(complete_groups(best, self.groups or [], self.fixed or []))

    def _of_held_out_size(self, result: Result, task: Task, seed: int) -> Result:
        """Choose the best subset of the size that is best on held-out rows; sets ``sizes_``."""
        largest = max(found.size for found in result.front)
        curves = [
            self._held_out(task, pair, largest, seed)
            for pair in _pairs(task, seed + 10**3, self._cv)
        ]
        mean = np.mean(curves, axis=0)
        self.sizes_ = dict(enumerate(mean.tolist(), start=1))
        chosen = _largest_within(result.front, int(np.argmax(mean)) + 1)
        return replace(result, chosen=chosen.columns, chosen_quality=chosen.quality)

    def _held_out(
        self, task: Task, pair: tuple[np.ndarray, np.ndarray], largest: int, seed: int
    ) -> np.ndarray:
        """Give the quality on held-out rows of the best subset of each size, shape (largest,)."""
        front = self._screen_and_search(task.rows(pair[0]), seed)[0].front
        columns = np.unique(np.concatenate([found.columns for found in front]))
        narrow = Task(
            _dense(task.X, columns),
            task.y,
            task.kind,
            [str(c) for c in columns],
            task.sample_weight,
        )
        evaluator = criterion_of(
            self.selector.estimator, self.selector.scoring, [pair], self.selector.exact
        ).bind(narrow)
        qualities = {
            f.size: evaluator.explain(np.searchsorted(columns, f.columns)).quality for f in front
        }
        return np.array(
            [qualities[_largest_within(front, size).size] for size in range(1, largest + 1)]
        )


def _pairs(task: Task, seed: int, cv: Any = N_FOLDS) -> Pairs:
    """Make the folds that guide a search, as pairs of row numbers."""
    return [(split.train, split.test) for split in make_splits(cv, task, seed)]


def _largest_within(front: tuple[SelectedSubset, ...], size: int) -> SelectedSubset:
    """Give the largest subset of the front within a size, or the smallest where all are larger."""
    within = [found for found in front if found.size <= size]
    if not within:
        return min(front, key=lambda found: found.size)
    return max(within, key=lambda found: found.size)


def _dense(X: Any, columns: np.ndarray) -> np.ndarray:
    return np.asarray(dense(select_columns(X, columns)))


def _within(n_features: Any, n_columns: int, n_fixed: int) -> Any:
    """Limit the bounds of the size to the available columns."""
    if not isinstance(n_features, tuple):
        n_features = (n_features, n_features)
    low, high = n_features
    if high is None:
        high = n_columns
    high = min(max(high, n_fixed, 1), n_columns)
    return min(low or 1, high), high
