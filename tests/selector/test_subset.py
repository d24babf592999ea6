"""SubsetSelector keeps scikit-learn's contract and gives the same answer in every dress."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_iris,
    load_wine,
    make_classification,
)
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneOut,
    StratifiedKFold,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel import Budget, SubsetSelector, criteria
from subsel.criteria import CrossValidated
from subsel.literature.recipes.searches import RECIPES
from subsel.runtime.memory import NotEnoughMemory
from subsel.search import RandomWalk

X, Y = load_wine(return_X_y=True, as_frame=True)
TREE = DecisionTreeClassifier(random_state=0, max_depth=3)


EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": "a weight of two is not a row twice in folds",
    "check_sample_weight_equivalence_on_sparse_data": "a weight of two is not a row twice in folds",
}
RECIPES = {
    name: make(GaussianNB(), cv=2, budget=20, random_state=0) for name, make in RECIPES.items()
}
UNLIKE = [
    SubsetSelector(GaussianNB(), search="sfs", cv=2),
    SubsetSelector(Ridge(), search="sffs", cv=2),
    SubsetSelector("ridge", search="sfs", cv=2),
    *(RECIPES.pop(name) for name in ("las_vegas_filter", "rfs2", "rmhc")),
]
ALIKE = [
    SubsetSelector(TREE, search="sfs", n_features=1, cv=2),
    *RECIPES.values(),
]  # the other folds choose the same


@parametrize_with_checks(
    [*UNLIKE, *ALIKE],
    expected_failed_checks=lambda estimator: (
        EXPECTED_FAILURES if any(estimator is one for one in UNLIKE) else {}
    ),
)
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes, but for weights under inner cross-validation."""
    check(estimator)


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize(
    ("estimator", "data", "k"),
    [
        (DecisionTreeClassifier(random_state=0, max_depth=4), load_wine, 4),
        (KNeighborsClassifier(), load_iris, 2),
        (RidgeClassifier(), load_wine, 5),
        (Ridge(), load_diabetes, 4),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_sequential_search_equals_scikit_learn(estimator, data, k, direction):
    """SFS and SBS select the features of SequentialFeatureSelector on the same folds,
    refitting or not.
    """
    table, y = data(return_X_y=True)
    peer = SequentialFeatureSelector(
        estimator, n_features_to_select=k, direction=direction, cv=3
    ).fit(table, y)
    key = "sfs" if direction == "forward" else "sbs"
    for exact in ("auto", "never"):
        ours = SubsetSelector(estimator, search=key, n_features=k, cv=3, exact=exact).fit(table, y)
        assert ours.get_support(indices=True).tolist() == peer.get_support(indices=True).tolist()


def test_frames_reach_the_estimator_as_frames():
    """Categories and missing values that the estimator can handle pass through, from pandas."""
    rng = np.random.default_rng(0)
    colour = rng.integers(0, 3, 120)
    frame = pd.DataFrame(
        {
            "colour": pd.Categorical(np.array(["red", "green", "blue"])[colour]),
            "noise": np.where(rng.random(120) < 0.3, np.nan, rng.normal(size=120)),
            "more": rng.normal(size=120),
        }
    )
    model = HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=5)
    selector = SubsetSelector(model, search="sfs", n_features=1, cv=3).fit(frame, colour == 1)
    assert selector.get_feature_names_out().tolist() == ["colour"]


@pytest.mark.parametrize(
    "frame", [X, pl.DataFrame({c: X[c].to_numpy() for c in X})], ids=["pandas", "polars"]
)
def test_transform_finds_reordered_columns_by_name(frame):
    """Columns in another order give the same selection."""
    selector = SubsetSelector(GaussianNB(), search="sfs", n_features=3).fit(frame, Y)
    names = list(frame.columns)
    expected = selector.transform(frame)
    assert np.array_equal(np.asarray(selector.transform(frame[names[::-1]])), np.asarray(expected))
    with pytest.raises(ValueError, match="feature names"):
        selector.transform(frame[names[1:]])


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_works_inside_pipelines_grids_and_cross_validation(container):
    """Clones, nested parameters and data frame output work."""
    selector = SubsetSelector(GaussianNB(), search="sfs", n_features=2, cv=3)
    pipeline = make_pipeline(selector, LogisticRegression(max_iter=5000)).set_output(
        transform=container
    )
    grid = GridSearchCV(pipeline, {"subsetselector__n_features": [1, 2]}, cv=3).fit(X, Y)
    assert grid.best_params_["subsetselector__n_features"] == 2
    kept = grid.best_estimator_[0].transform(X)
    assert type(kept).__module__.startswith(container)
    assert list(kept.columns) == grid.best_estimator_[0].get_feature_names_out().tolist()
    assert cross_validate(clone(pipeline), X, Y, cv=3)["test_score"].mean() > 0.8


@pytest.mark.parametrize("search", ["rfs1", "sffs", "genetic"])
def test_same_seed_same_result(search):
    """Dense, sparse, framed, one job or two.

    The same trace and the same answer, with an evaluation budget.
    """
    table, y = make_classification(80, 8, random_state=0)

    def fit(data, **options):
        selector = SubsetSelector(
            RidgeClassifier(), search=search, budget=60, restarts=2, random_state=7, cv=3, **options
        )
        return selector.fit(data, y).result_

    base = fit(table)
    for result in (
        fit(table, n_jobs=2),
        fit(table, n_jobs=2, exact="never"),
        fit(sparse.csr_matrix(table)),
        fit(sparse.csc_matrix(table), exact="never"),
        fit(pd.DataFrame(table)),
    ):
        assert np.array_equal(result.trace, base.trace)
        assert result.chosen.tolist() == base.chosen.tolist()


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array])
def test_sparse_tables_reach_trees(make):
    """Columns of a sparse table keep the narrow indices that trees read.

    The trace is that of the dense table.
    """

    def fit(table):
        return SubsetSelector(TREE, search="sfs", n_features=2, cv=3).fit(table, Y).result_.trace

    assert np.array_equal(fit(make(X.to_numpy())), fit(X.to_numpy()))


def test_bounds_fixed_forbidden_groups_and_costs_are_honoured():
    """Names, numbers and masks say what must and must not be selected."""
    selector = SubsetSelector(
        GaussianNB(),
        search="sffs",
        n_features=(3, 6),
        fixed=["ash"],
        forbidden=X.columns == "proline",
        feature_groups=[["hue", "alcohol"]],
        feature_costs={"flavanoids": 100.0},
        max_cost=50,
    ).fit(X, Y)
    names = set(selector.get_feature_names_out())
    assert "ash" in names
    assert not names & {"proline", "flavanoids"}
    assert 3 <= len(names) <= 6
    assert ("hue" in names) == ("alcohol" in names)


@pytest.mark.parametrize("search", ["sfs", "rfs1"])
def test_choose_rules(search):
    """The best is the best seen; one standard error gives a subset no larger and within the
    error.
    """

    def fit(rule):
        selector = SubsetSelector(
            GaussianNB(), search=search, budget=200, choose=rule, random_state=0
        )
        return selector.fit(X, Y)

    best, small = fit("best").result_, fit("one-se").result_
    assert best.chosen_quality == best.best_quality == best.trace["quality"].max()
    error = next(f.standard_error for f in small.front if f.standard_error is not None)
    assert len(small.chosen) <= len(best.chosen)
    assert small.chosen_quality >= small.best_quality - error
    smaller = [f for f in small.front if f.size < len(small.chosen)]
    assert all(f.quality < small.best_quality - error for f in smaller)


def test_rows_are_sampled_and_finalists_judged_on_all():
    """Searching on samples of rows ends with qualities of the whole table."""
    criterion = CrossValidated(GaussianNB(), cv=3, rows=0.4)
    result = (
        SubsetSelector(criterion, search="sfs", n_features=(1, 4), random_state=0).fit(X, Y).result_
    )
    whole = SubsetSelector(GaussianNB(), cv=3, exact="never", search="sfs").fit(X, Y)
    criterion = CrossValidated(GaussianNB(), cv=3)
    from subsel.data.task import Task

    again = criterion.bind(Task.of(X, Y)).explain(result.chosen)
    assert result.chosen_quality == pytest.approx(again.quality)
    assert result.chosen_quality == max(f.quality for f in result.finalists)
    assert whole.result_.evaluator.name.startswith("refit")


def test_fresh_folds_repeat_under_a_seed_and_differ_between_requests():
    """With fresh folds a quality depends on the request, not on the number of jobs."""

    def fit(jobs):
        selector = SubsetSelector(
            CrossValidated(TREE, cv=3, fresh=True),
            search="rfs1",
            budget=25,
            random_state=3,
            n_features=(12, 13),
            n_jobs=jobs,
        )
        return selector.fit(X, Y).result_.trace["quality"]

    assert np.array_equal(fit(1), fit(2))
    assert len(np.unique(fit(1))) > 3


def test_groups_and_weights_are_used():
    """Row groups reach the splitter; weights reach the estimator, and an estimator without
    them refuses.
    """
    rng = np.random.default_rng(0)
    table, y, groups = rng.normal(size=(60, 4)), np.tile([0, 1], 30), np.repeat(np.arange(12), 5)
    table[:, 0] += groups
    SubsetSelector(TREE, search="sfs", n_features=1, cv=GroupKFold(3)).fit(table, y, groups=groups)
    with pytest.raises(ValueError, match="groups"):
        SubsetSelector(TREE, search="sfs", n_features=1, cv=GroupKFold(3)).fit(table, y)
    weights = np.where(np.arange(60) < 30, 1e-9, 1.0)
    half = (y == 1) & (np.arange(60) >= 30)
    table[half, 3] += 5
    chosen = SubsetSelector(TREE, search="sfs", n_features=1).fit(table, y, sample_weight=weights)
    assert chosen.get_support(indices=True).tolist() == [3]
    with pytest.raises(ValueError, match="sample_weight"):
        SubsetSelector(KNeighborsClassifier(), exact="never").fit(table, y, sample_weight=weights)


def test_a_fitted_selector_pickles_small():
    """No evaluator and no data travel with a fitted selector."""
    selector = SubsetSelector(GaussianNB(), search="sfs").fit(X, Y)
    assert len(pickle.dumps(selector)) < 30_000
    assert pickle.loads(pickle.dumps(selector)).transform(X).shape[1] == selector.support_.sum()


def test_alternatives_say_which_feature_can_replace_which():
    """A copy of a selected column is named as its replacement."""
    table = X.copy()
    table["copy"] = table["flavanoids"]
    result = (
        SubsetSelector(GaussianNB(), search="sfs", n_features=2)
        .fit(table[["flavanoids", "copy", "hue", "proline"]], Y)
        .result_
    )
    swaps = result.alternatives().to_dict("records")
    assert {"drop": ["flavanoids"], "add": ["copy"], "quality": result.chosen_quality} in swaps
    assert result.front_table()["features"][0] == list(result.chosen_names)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"search": "sfss"}, "Did you mean sfs"),
        ({"search": 3}, "steps"),
        ({"n_features": 0}, "between 1 and 13"),
        ({"n_features": (5, 2)}, "between 1 and 13"),
        ({"n_features": 14}, "between 1 and 13"),
        ({"n_features": "many"}, "pair"),
        ({"fixed": ["alkohol"]}, "Did you mean alcohol"),
        ({"fixed": [13]}, "0 to 12"),
        ({"fixed": ["ash"], "forbidden": ["ash"]}, "both fixed and forbidden"),
        ({"choose": "luck"}, "choose must be"),
        ({"exact": "maybe"}, "exact must be"),
        ({"restarts": 0}, "restarts"),
        ({"budget": "soon"}, "budget"),
        ({"cv": "tomorrow"}, "cv must be a number, 'time'"),
        ({"feature_costs": {"price": 1}}, "does not have"),
    ],
)
def test_bad_options_are_named(options, message):
    """Each mistake in the options gets a message that names it."""
    with pytest.raises((ValueError, TypeError), match=message):
        SubsetSelector(GaussianNB(), **{"search": "sfs", **options}).fit(X, Y)


def test_an_estimator_that_always_fails_shows_its_own_error():
    """If no subset can be fitted the estimator's message surfaces."""

    class Failing(KNeighborsClassifier):
        def fit(self, X, y):
            raise ValueError("out of order")

    with (
        pytest.warns(UserWarning, match="out of order"),
        pytest.raises(ValueError, match="out of order"),
    ):
        SubsetSelector(Failing(), search="sfs", n_features=1).fit(X, Y)


def test_scikit_learn_callbacks_are_called_where_they_exist():
    """A callback of scikit-learn sees the fit begin and end, and the search in between."""
    pytest.importorskip("sklearn.callback")

    class Recorder:
        def __init__(self):
            self.events = []

        def setup(self, estimator, context):
            self.events.append("setup")

        def on_fit_task_begin(self, estimator, context):
            self.events.append(f"begin {context.task_name}")

        def on_fit_task_end(self, estimator, context):
            self.events.append(f"end {context.task_name}")

        def teardown(self, estimator, context):
            self.events.append("teardown")

    recorder = Recorder()
    endless = RandomWalk(patience=10**9)
    selector = SubsetSelector(
        GaussianNB(), search=endless, budget=Budget(seconds=0.7), cv=StratifiedKFold(3)
    )
    selector.set_callbacks(recorder).fit(X, Y)
    assert recorder.events[:2] == ["setup", "begin fit"]
    assert recorder.events[-2:] == ["end fit", "teardown"]
    assert recorder.events.count("end search") >= 2


def test_breast_cancer_is_selected_as_by_scikit_learn():
    """Ten features forward with ridge.

    The same as SequentialFeatureSelector's, known from a run of it.
    """
    table, y = load_breast_cancer(return_X_y=True)
    peer = SequentialFeatureSelector(RidgeClassifier(), n_features_to_select=3).fit(table, y)
    ours = SubsetSelector(RidgeClassifier(), search="sfs", n_features=3, cv=5).fit(table, y)
    assert ours.get_support().tolist() == peer.get_support().tolist()


def test_the_order_of_the_rows_does_not_matter():
    """A table sorted by its target: folds in that order hold out what was never trained on,
    shuffled ones do not.
    """
    rng = np.random.default_rng(0)
    table = rng.normal(size=(150, 12))
    target = table[:, 3] + table[:, 8] + 0.3 * rng.normal(size=150)
    order = np.argsort(target)

    def fit(rows, **options):
        selector = SubsetSelector(Ridge(), "sfs", n_features=2, **options)
        return selector.fit(table[rows], target[rows])

    assert fit(order).get_support(indices=True).tolist() == [3, 8]
    assert fit(order).result_.chosen_quality > 0.8 > 0 > fit(order, cv=5).result_.chosen_quality
    assert fit(order).result_.chosen_quality == fit(order).result_.chosen_quality
    one, other = (fit(order, random_state=seed).result_.chosen_quality for seed in (1, 2))
    assert one != other and one == fit(order, random_state=1).result_.chosen_quality


def test_a_share_of_the_columns():
    """A float is a share, rounded down as in scikit-learn's SequentialFeatureSelector."""
    X, y = load_wine(return_X_y=True)
    for share in (0.2, 0.5, 0.99):
        peer = SequentialFeatureSelector(GaussianNB(), n_features_to_select=share, cv=3).fit(X, y)
        ours = SubsetSelector(GaussianNB(), "sfs", n_features=share, cv=3).fit(X, y)
        np.testing.assert_array_equal(ours.get_support(), peer.get_support())
    for share in (0.0, 1.0, 2.5, 0.01):
        with pytest.raises(ValueError, match="n_features"):
            SubsetSelector(GaussianNB(), "sfs", n_features=share).fit(X, y)


@pytest.mark.parametrize("exact", ["auto", "never"])
def test_a_score_that_is_never_defined_is_an_error(exact):
    """R2 of one held-out row exists for no subset."""
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ValueError, match="not defined"):
        SubsetSelector(Ridge(), "sfs", n_features=1, cv=LeaveOneOut(), exact=exact).fit(
            X[:20], y[:20]
        )


def test_memory_limits_every_setting_of_a_choice():
    """With choices the limit reaches the evaluator of each setting."""
    X, y = load_diabetes(return_X_y=True)
    selector = SubsetSelector(
        KernelRidge(), "sfs", n_features=1, choices={"alpha": [0.1, 1.0]}, memory="1MB"
    )
    with pytest.raises(NotEnoughMemory):
        selector.fit(X, y)


def test_the_best_is_the_smallest_of_equals():
    """Backward selection meets the best quality first with many columns.

    `best` takes the fewest that reach it.
    """
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 30)
    table = np.column_stack([y + 0.01 * rng.normal(size=60), rng.normal(size=(60, 9))])
    result = SubsetSelector(TREE, search="sbs", choose="best", cv=3).fit(table, y).result_
    equal = [f.size for f in result.front if f.quality == result.best_quality]
    assert len(result.chosen) == len(result.best) == min(equal) == 1
    assert result.chosen_quality == result.best_quality


@pytest.mark.parametrize("criterion", [criteria.Scatter(), criteria.Discriminant()])
def test_a_parameter_called_kind_is_not_the_kind_of_task(criterion):
    """Criteria that have a parameter `kind` of their own are searched against like any other."""
    selector = SubsetSelector(criterion, search="sfs", n_features=2).fit(X.to_numpy(), Y.to_numpy())
    assert selector.support_.sum() == 2


@pytest.mark.parametrize("search", ["sfs", "sffs", "sbs", "exhaustive", "rfs1", "genetic"])
def test_sizes_count_groups_as_one(search):
    """With groups of unequal width that count as one, exact evaluators give what refitting
    gives, within the bounds.
    """
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 8)), np.arange(60) % 2
    X[:, [1, 5]] += y[:, None]
    shape = {
        "feature_groups": [[0, 1, 2], [3, 4]],
        "feature_sizes": [1, 0, 0, 1, 0, 1, 1, 1],
        "n_features": (1, 2),
    }
    for model in (GaussianNB(), LinearDiscriminantAnalysis(), KNeighborsClassifier()):
        found = [
            SubsetSelector(model, search, exact=exact, cv=3, budget=40, random_state=0, **shape)
            .fit(X, y)
            .result_
            for exact in ("require", "never")
        ]
        assert found[0].chosen.tolist() == found[1].chosen.tolist()
        assert [f.quality for f in found[0].front] == pytest.approx(
            [f.quality for f in found[1].front]
        )
        units = [{0, 1, 2}, {3, 4}, {5}, {6}, {7}]
        for front in found[0].front:
            assert sum(unit <= set(front.columns.tolist()) for unit in units) <= 2
