"""The nested assessment.

Nested on noise, indifferent to workers, at home with any selector, table and splitter.
"""

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.decomposition import PCA
from sklearn.feature_selection import RFE, SelectFpr, SelectKBest, f_regression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel import RankingSelector, SubsetSelector
from subsel.assessment import assess
from subsel.criteria import Inconsistency, NearestNeighbours
from subsel.literature.recipes.searches import RECIPES
from subsel.selector.screening import ScreenedSelector


def noise(n, p, seed=0):
    """Columns and balanced labels that know nothing of each other."""
    return np.random.default_rng(seed).standard_normal((n, p)), np.arange(n) % 2


def signal(n, p, seed=0, shift=2.0):
    """Noise but for the first two columns."""
    X, y = noise(n, p, seed)
    X[:, :2] += shift * y[:, None]
    return X, y


def test_selection_outside_the_folds_lies_and_nested_does_not():
    """Noise, 50 x 5000, top 20 chosen on all rows: about 4% error.

    Chosen in each fold: about 50%.
    """
    outside, nested = [], []
    for seed in range(3):
        X, y = noise(50, 5000, seed)
        cv = StratifiedKFold(10, shuffle=True, random_state=seed)
        chosen = SelectKBest(k=20).fit_transform(X, y)
        outside.append(1 - cross_val_score(GaussianNB(), chosen, y, cv=cv).mean())
        nested.append(
            1 - assess(SelectKBest(k=20), GaussianNB(), X, y, cv=cv, references=False).performance
        )
    assert np.mean(outside) < 0.10
    assert 0.35 < np.mean(nested) < 0.65


def recipe(name, seed):
    """A recipe with a small budget.

    The nearest neighbour evaluators, but for the one with its own criterion.
    """
    options = {"budget": 150, "random_state": seed}
    if name == "rve":
        options["n_features"] = 3
    if name == "las_vegas_filter":
        return RECIPES[name](**options)
    return RECIPES[name](NearestNeighbours(n_neighbors=1, cv=5), **options)


@pytest.mark.parametrize("name", sorted(RECIPES)[::4])
def test_nested_assessment_of_noise_is_chance(name):
    """On noise chance lies within the interval.

    A guide that scores predictions lies well above it.
    """
    X, y = noise(40, 15, seed=3)
    a = assess(
        recipe(name, 0), KNeighborsClassifier(1), X, y, cv=5, references=False, random_state=0
    )
    assert a.interval[0] <= 0.5 <= a.interval[1]
    if name == "las_vegas_filter":
        assert a.optimism is None
        return
    assert a.guide > 0.6 and f"guide quality {a.guide:.3f}: too good by {a.optimism:.3f}" in str(a)
    assert_allclose(a.optimism, a.guide - a.performance)
    assert a.optimism > 0.08


def test_equals_scikit_learn_on_the_same_folds():
    """Fold scores are those of cross_val_score on the pipeline."""
    X, y = load_iris(return_X_y=True)
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1)
    pipe = make_pipeline(StandardScaler(), SelectKBest(k=2), KNeighborsClassifier())
    expected = cross_val_score(pipe, X, y, cv=cv)
    whole = assess(pipe, None, X, y, cv=cv)
    apart = assess(pipe[:-1], pipe[-1], X, y, cv=cv)
    assert_allclose(whole.folds["score"], expected)
    assert_allclose(apart.folds["score"], expected)
    assert_array_equal(whole.supports, apart.supports)
    assert whole.folds["repeat"].tolist() == [0] * 3 + [1] * 3
    assert whole.folds["fold"].tolist() == [0, 1, 2] * 2
    assert_array_equal(whole.frequency, [0, 0, 1, 1])
    assert whole.stability.value == 1.0


def test_held_out_rows_take_no_part():
    """Neither selector nor model ever sees a row on which it is scored."""
    seen = []

    class Spy(BaseEstimator):
        def fit(self, X, y):
            seen.append(set(X[:, 0].tolist()))
            self.n_features_in_ = X.shape[1]
            return self

        def transform(self, X):
            return X

        def get_support(self):
            return np.ones(self.n_features_in_, bool)

    X, y = noise(20, 3)
    X[:, 0] = np.arange(20)
    a = assess(
        Spy(), GaussianNB(), X, y, cv=StratifiedKFold(4), references=False, stability_pairs=0
    )
    for rows, (_, test) in zip(seen, StratifiedKFold(4).split(X, y), strict=True):
        assert not rows & set(test.tolist())
    assert a.folds["n_train"].tolist() == [15] * 4


@pytest.mark.parametrize("kind", ["sparse", "frame"])
def test_tables_do_not_change_the_answer(kind):
    """Dense, sparse or frame: the same folds, selections and references."""
    X, y = signal(40, 8)
    table = (
        sparse.csr_matrix(X)
        if kind == "sparse"
        else pd.DataFrame(X, columns=[f"c{j}" for j in range(8)])
    )
    expected = assess(SelectKBest(k=3), LogisticRegression(), X, y, probes=4, random_state=3, cv=2)
    found = assess(SelectKBest(k=3), LogisticRegression(), table, y, probes=4, random_state=3, cv=2)
    assert_allclose(found.folds["score"], expected.folds["score"])
    assert_array_equal(found.supports, expected.supports)
    assert found.references.keys() == expected.references.keys()
    for name, reference in expected.references.items():
        assert_allclose(found.references[name].scores, reference.scores)
    assert found.false_selections.n_probes == 4
    if kind == "frame":
        assert set(found.frequency_table()["feature"]) >= {"c0", "c1"}


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
def test_workers_do_not_change_the_answer(backend):
    """One worker or two, threads or processes: the same numbers to the last bit."""
    X, y = signal(40, 8)
    selector = SubsetSelector(NearestNeighbours(n_neighbors=1), search="rfs1", budget=20)
    options = {"probes": 4, "permutations": 2, "random_state": 3, "cv": 3}
    expected = assess(selector, KNeighborsClassifier(1), X, y, **options)
    with parallel_config(backend=backend):
        found = assess(selector, KNeighborsClassifier(1), X, y, n_jobs=2, **options)
    for column in ("score", "guide", "size", "n_evaluations"):
        assert_array_equal(found.folds[column], expected.folds[column])
    assert_array_equal(found.supports, expected.supports)
    assert_array_equal(
        found.false_selections.probes_selected, expected.false_selections.probes_selected
    )
    assert_array_equal(found.permutation.scores, expected.permutation.scores)


def test_a_seed_reaches_steps_that_have_none():
    """The same random_state repeats the assessment although the selector has no seed of its own."""
    X, y = signal(40, 10)
    selector = SubsetSelector(NearestNeighbours(n_neighbors=1), search="rfs1", budget=30)
    runs = [assess(selector, KNeighborsClassifier(1), X, y, cv=3, random_state=5) for _ in range(2)]
    assert_array_equal(runs[0].supports, runs[1].supports)
    assert_array_equal(runs[0].folds["score"], runs[1].folds["score"])
    assert selector.random_state is None


def test_skewed_classes_are_noticed():
    """Skewed classes are scored by balanced accuracy, with a note.

    Told otherwise, by what was told.
    """
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:200]
    y = np.r_[np.zeros(150, int), np.ones(50, int)]
    cv = StratifiedKFold(4)
    a = assess(SelectKBest(k=2), GaussianNB(), X, y, cv=cv, references=False)
    expected = cross_val_score(
        make_pipeline(SelectKBest(k=2), GaussianNB()), X, y, cv=cv, scoring="balanced_accuracy"
    )
    assert a.scoring == "balanced_accuracy"
    assert any("skewed (0: 150, 1: 50)" in note for note in a.notes)
    assert_allclose(a.folds["score"], expected)
    told = assess(SelectKBest(k=2), GaussianNB(), X, y, cv=cv, references=False, scoring="accuracy")
    assert told.scoring == "accuracy" and not told.notes


def test_optimism_is_in_the_measure_of_the_guide():
    """With another measure for the performance the guide is still compared with its own."""
    X, y = signal(60, 6)
    selector = SubsetSelector(GaussianNB(), search="sfs", n_features=2, cv=3)
    a = assess(selector, GaussianNB(), X, y, cv=3, scoring="neg_log_loss", references=False)
    assert a.performance < 0 < a.guide
    assert_allclose(a.optimism, (a.folds["guide"] - a.folds["nested"]).mean())
    assert ((a.folds["nested"] >= 0) & (a.folds["nested"] <= 1)).all()
    b = assess(
        SubsetSelector(Inconsistency(), search="sfs", n_features=2),
        GaussianNB(),
        X,
        y,
        cv=3,
        references=False,
    )
    assert b.guide is not None and b.optimism is None
    assert any("no optimism" in note for note in b.notes)


def test_groups_are_kept_together():
    """No group is both trained and tested on, by default and with a grouped splitter."""
    X, y = signal(60, 5)
    groups = np.repeat(np.arange(12), 5)
    seen = []

    class Groups(SelectKBest):
        def fit(self, X, y, groups=None):
            seen.append(set(groups.tolist()))
            return super().fit(X, y)

    for cv in (None, GroupKFold(4)):
        seen.clear()
        a = assess(
            Groups(k=2), GaussianNB(), X, y, cv=cv, groups=groups, references=False, random_state=0
        )
        n = len(a.folds["score"])
        assert sum(12 - len(g) for g in seen[:n]) == 12 * (1 + a.folds["repeat"].max())
        for first, second in zip(seen[n::2], seen[n + 1 :: 2], strict=True):
            assert not first & second and len(first | second) == 12
        assert len(seen) == n + 6
    assert a.n_folds == 4


def test_time_ordered_folds():
    """A time-ordered splitter trains on the past only; the note warns of the interval."""
    X, y = signal(60, 4)
    a = assess(SelectKBest(k=2), GaussianNB(), X, y, cv=TimeSeriesSplit(4), references=False)
    assert a.folds["n_train"].tolist() == [12, 24, 36, 48]
    assert any("ordered in time" in note for note in a.notes)
    b = assess(SelectKBest(k=2), GaussianNB(), X, y, cv=StratifiedKFold(4), references=False)
    assert not any("ordered in time" in note for note in b.notes)


def test_random_splits_are_repeats():
    """Splits that test a row again begin a new repeat."""
    X, y = signal(30, 4)
    a = assess(
        SelectKBest(k=2),
        GaussianNB(),
        X,
        y,
        cv=ShuffleSplit(4, test_size=0.6, random_state=0),
        references=False,
    )
    assert a.folds["repeat"].tolist() == [0, 1, 2, 3]


def test_weights_reach_fit_and_score():
    """Weights go to selector, model and score: rows of weight zero might as well not be there."""
    X, y = signal(80, 4, shift=1.0)
    weights = np.r_[np.ones(60), np.zeros(20)]
    train, test = np.r_[0:30, 60:70], np.r_[30:60, 70:80]
    model = LogisticRegression()
    a = assess(None, model, X, y, cv=[(train, test)], sample_weight=weights, references=False)
    b = assess(None, model, X[:60], y[:60], cv=[(train[:30], test[:30])], references=False)
    assert_allclose(a.performance, b.performance)
    assert_allclose(a.interval, b.interval)
    assert a.interval[0] < a.performance < a.interval[1]
    with pytest.raises(
        ValueError, match="neither the selector nor the estimator takes sample_weight"
    ):
        assess(SelectKBest(k=1), KNeighborsClassifier(), X, y, sample_weight=weights)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        assess(None, model, X, y, sample_weight=weights, scoring=lambda model, X, y: 1.0)
    half = assess(
        SelectKBest(k=2),
        model,
        X,
        y,
        cv=2,
        sample_weight=np.ones(80),
        references=False,
        random_state=0,
    )
    assert any("does not take sample weights" in note for note in half.notes)
    plain = assess(SelectKBest(k=2), model, X, y, cv=2, references=False, random_state=0)
    assert_allclose(half.folds["score"], plain.folds["score"])


def test_regression():
    """Regression is scored by R2 on shuffled folds, with all references.

    Single rows by squared error.
    """
    X, y = load_diabetes(return_X_y=True)
    a = assess(SelectKBest(f_regression, k=3), LinearRegression(), X, y, random_state=0)
    assert a.scoring == "r2" and a.kind == "regression" and len(a.folds["score"]) == 10
    assert set(a.references) == {
        "all features",
        "best single feature",
        "univariate top-k",
        "random subset",
    }
    assert_allclose(a.references["univariate top-k"].scores, a.folds["score"])
    assert (
        a.references["best single feature"].mean < a.performance < a.references["all features"].mean
    )
    b = assess(None, LinearRegression(), X[:30], y[:30], cv=LeaveOneOut(), references=False)
    assert b.scoring == "neg_mean_squared_error"


@pytest.mark.filterwarnings("ignore:No features were selected")
def test_nothing_selected_scores_a_constant():
    """Where nothing passes the cut the majority is predicted, and a note says so."""
    X, y = noise(40, 5)
    a = assess(SelectFpr(alpha=1e-12), GaussianNB(), X, y, cv=4, random_state=0)
    assert_allclose(a.performance, 0.5)
    assert a.sizes.tolist() == [0] * 4
    assert any("nothing was selected in 4 of 4 folds" in note for note in a.notes)
    assert_allclose(a.references["univariate top-k"].mean, 0.5)
    b = assess(RankingSelector(cut="bonferroni:0.0001"), GaussianNB(), X, y, cv=4, random_state=0)
    assert b.sizes.tolist() == [0] * 4


def test_selection_that_cannot_be_read():
    """Mixed columns have no selection: no frequencies, no stability, and a note."""
    X, y = signal(40, 5)
    a = assess(make_pipeline(PCA(2), GaussianNB()), None, X, y, cv=3, random_state=0)
    assert a.supports is None and a.frequency is None and a.stability is None and len(a.sizes) == 0
    assert set(a.references) == {"all features"}  # PCA(2) cannot be fitted on a single column
    assert any("best single feature could not be computed" in note for note in a.notes)
    assert any("cannot be read" in note for note in a.notes)


@pytest.mark.filterwarnings("ignore:Features", "ignore:invalid value")
def test_selection_read_through_steps():
    """Supports are in terms of the original columns.

    The pipeline has two selectors, a scaler, a search and a model of its own.
    """
    X, y = signal(60, 8)
    X[:, 3] = 0.0
    twice = make_pipeline(SelectKBest(k=5), StandardScaler(), SelectKBest(k=2), GaussianNB())
    search = GridSearchCV(twice, {"selectkbest-2__k": [2]}, cv=2)
    embedded = RFE(LogisticRegression(), n_features_to_select=2)
    for model in (twice, search, embedded):
        a = assess(model, None, X, y, cv=2, random_state=0)
        assert_array_equal(np.flatnonzero(a.frequency == 1), [0, 1])
        assert (a.sizes == 2).all()
        if model is search:  # whose guide is its best inner score
            assert a.guide is not None and a.optimism is not None and a.references == {}


def test_folds_without_spread_do_not_claim_certainty():
    """All folds right: the interval is Wilson's on the tested rows, not a point."""
    X, y = signal(30, 3, shift=50.0)
    a = assess(SelectKBest(k=1), GaussianNB(), X, y, cv=3, references=False)
    assert a.performance == 1.0 and a.interval[1] == 1.0 and 0.85 < a.interval[0] < 0.92


def test_permutation_test():
    """A real signal has the least p-value there is, noise a large one; the cost is told."""
    X, y = signal(40, 10)
    a = assess(
        SelectKBest(k=2),
        GaussianNB(),
        X,
        y,
        cv=4,
        permutations=19,
        random_state=0,
        references=False,
    )
    assert a.permutation.p_value == 0.05 and len(a.permutation.scores) == 19
    assert abs(a.permutation.scores.mean() - 0.5) < 0.1
    assert any("19 x 4 times" in note for note in a.notes)
    X, y = noise(40, 10, seed=1)
    b = assess(
        SelectKBest(k=2),
        GaussianNB(),
        X,
        y,
        cv=4,
        permutations=19,
        random_state=0,
        references=False,
    )
    assert b.permutation.p_value > 0.05
    assert "by 19 shufflings of the labels" in str(b) and "note: the permutation test" in str(b)


class Interrupting(SelectKBest):
    """Raises on its third fit, as Ctrl-C would."""

    calls: list = []

    def fit(self, X, y):
        self.calls.append(1)
        if len(self.calls) == 3:
            raise KeyboardInterrupt
        return super().fit(X, y)


def test_interruption_keeps_the_finished_folds():
    """Ctrl-C gives the assessment of the folds that were finished, with a note."""
    Interrupting.calls.clear()
    X, y = signal(40, 5)
    a = assess(Interrupting(k=2), GaussianNB(), X, y, cv=5, references=False)
    assert len(a.folds["score"]) == 2 and a.n_folds == 5
    assert "interrupted: 2 of 5 folds were finished." in a.notes
    Interrupting.calls[:] = [1, 1]
    with pytest.raises(KeyboardInterrupt):
        assess(Interrupting(k=2), GaussianNB(), X, y, cv=5, references=False)


class Stopped:
    """A search that the user ends after its first answer."""

    def steps(self, space, rng, horizon=None):
        yield space.sample(rng)
        raise KeyboardInterrupt


def test_an_interrupted_search_is_not_taken_for_a_finished_one():
    """A search that caught the interruption and kept its best so far ends the assessment."""
    X, y = signal(40, 5)
    selector = SubsetSelector(NearestNeighbours(), search=Stopped())
    assert selector.fit(X, y).result_.stopped_by == "interrupted"
    with pytest.raises(KeyboardInterrupt):
        assess(selector, KNeighborsClassifier(), X, y, cv=3, references=False)


def test_progress_lines(capsys):
    """Verbose tells each fold on the error stream, in our manner; quiet tells nothing."""
    X, y = signal(40, 5)
    assess(SelectKBest(k=2), GaussianNB(), X, y, cv=3, references=False, verbose=1)
    told = capsys.readouterr()
    assert told.out == "" and "subsel: assess: fold 3 of 3 in" in told.err
    assess(SelectKBest(k=2), GaussianNB(), X, y, cv=3, references=False)
    assert capsys.readouterr().err == ""


def test_missing_values_and_text_columns_reach_models_that_take_them():
    """Missing values are left to the steps.

    References are ranked with the column's mean in their place.
    """
    from sklearn.impute import SimpleImputer

    X, y = signal(60, 6)
    X[::7, 0] = np.nan
    pipe = make_pipeline(SimpleImputer(), SelectKBest(k=2), GaussianNB())
    a = assess(pipe, None, X, y, cv=3, random_state=0)
    assert set(a.references) == {
        "all features",
        "best single feature",
        "univariate top-k",
        "random subset",
    }
    assert_array_equal(np.flatnonzero(a.frequency == 1), [0, 1])


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"probes": -1}, "probes"),
        ({"permutations": -1}, "permutations"),
        ({"confidence": 1.0}, "confidence"),
        ({"selector": GaussianNB()}, "transform"),
        ({"estimator": None}, "ends in a predictor"),
        ({"y": np.r_[np.zeros(39), 1]}, "single row"),
    ],
)
def test_bad_arguments_are_named(arguments, what):
    """A message names the argument or the class at fault."""
    X, y = noise(40, 3)
    given = {"selector": SelectKBest(k=1), "estimator": GaussianNB(), "y": y} | arguments
    selector, estimator, y = given.pop("selector"), given.pop("estimator"), given.pop("y")
    with pytest.raises(ValueError, match=what):
        assess(clone(selector), estimator, X, y, **given)


def test_string_labels():
    """Labels may be words."""
    X, y = signal(40, 4)
    a = assess(SelectKBest(k=2), GaussianNB(), X, np.array(["no", "yes"])[y], cv=4, random_state=0)
    b = assess(SelectKBest(k=2), GaussianNB(), X, y, cv=4, random_state=0)
    assert_allclose(a.folds["score"], b.folds["score"])


def test_imported_measures_are_used():
    """The mean of fold accuracies is accuracy_score on the held-out rows of equal folds."""
    X, y = signal(40, 4, shift=1.0)
    cv = StratifiedKFold(4)
    a = assess(SelectKBest(k=2), GaussianNB(), X, y, cv=cv, references=False)
    b = assess(
        SelectKBest(k=2), GaussianNB(), X, y, cv=cv, references=False, scoring="balanced_accuracy"
    )
    predicted = np.empty(40, int)
    for train, test in cv.split(X, y):
        predicted[test] = (
            make_pipeline(SelectKBest(k=2), GaussianNB()).fit(X[train], y[train]).predict(X[test])
        )
    assert_allclose(a.performance, accuracy_score(y, predicted))
    assert_allclose(b.performance, balanced_accuracy_score(y, predicted))


def test_guide_and_honest_score_use_one_measure():
    """A selector that uses balanced accuracy for skewed classes is compared in it."""
    X, _ = noise(80, 10, seed=2)
    y = (np.arange(80) % 5 == 0).astype(int)
    a = assess(
        ScreenedSelector(GaussianNB(), "sfs", budget=60),
        GaussianNB(),
        X,
        y,
        references=False,
        random_state=0,
    )
    assert a.scoring == a.guide_scoring == "balanced_accuracy"
    assert_array_equal(a.folds["nested"], a.folds["score"])
    assert a.optimism > 0
    assert_allclose(a.optimism, a.guide - a.performance)
    search = SubsetSelector(GaussianNB(), "sfs", n_features=2)
    b = assess(search, GaussianNB(), X, y, references=False, random_state=0, stability_pairs=0)
    assert (
        b.guide_scoring == "accuracy"
        and f"guide quality {b.guide:.3f} (accuracy): too good by" in str(b)
    )
    assert any("optimism is in the guide's" in note for note in b.notes)
