"""The number of columns on held-out rows: by a plain loop of refits, on noise, and at the edges."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GroupKFold, KFold, RepeatedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeRegressor

from subsel import SubsetSelector
from subsel.criteria import Inconsistency, LeastSquares


def problem(seed=0, n=90, p=12, classes=False):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    y = X[:, 2] - X[:, 5] + X[:, 7] + 1.2 * rng.standard_normal(n)
    return X, (y > 0).astype(int) if classes else y


def losses(model, X, y, train, test, columns):
    """Squared errors, or of a classifier those of the chance of class 1, of a model fitted anew."""
    if len(columns) == 0:
        return (y[test] - y[train].mean()) ** 2
    fitted = clone(model).fit(X[train][:, columns], y[train])
    if hasattr(fitted, "predict_proba"):
        return (y[test] - fitted.predict_proba(X[test][:, columns])[:, 1]) ** 2
    if hasattr(fitted, "decision_function"):
        return (2 * y[test] - 1 - fitted.decision_function(X[test][:, columns])) ** 2
    return (y[test] - fitted.predict(X[test][:, columns])) ** 2


@pytest.mark.parametrize("groups", [None, np.repeat(np.arange(18), 5)], ids=["rows", "groups"])
@pytest.mark.parametrize(
    "model",
    [Ridge(), LinearRegression(), GaussianNB(), LogisticRegression(), RidgeClassifier()],
    ids=repr,
)
def test_the_curve_is_that_of_a_plain_loop(model, groups):
    """In each fold the search of the training part; sizes refitted there, scored outside."""
    X, y = problem(
        classes=hasattr(model, "classes_")
        or "Class" in repr(model)
        or "NB" in repr(model)
        or "Logistic" in repr(model)
    )
    cv = KFold(4) if groups is None else GroupKFold(3)
    options = {"search": "sfs", "n_features": (1, 6), "cv": cv}
    selector = SubsetSelector(model, **options, choose="cv").fit(X, y, groups=groups)
    values = np.full((len(y), 7), np.nan)
    for train, test in cv.split(X, y, groups):
        inner = SubsetSelector(model, **options, choose="best")
        inner.fit(X[train], y[train], groups=None if groups is None else groups[train])
        path = {0: [], **{found.size: found.columns for found in inner.result_.by_size}}
        for size in range(7):
            values[test, size] = losses(model, X, y, train, test, path[size])
    curve = selector.size_curve_
    means = values.mean(axis=0)
    if isinstance(model, RidgeClassifier):
        means, curve_means = means[1:], -curve.scores[1:]
    else:
        curve_means = -curve.scores
    assert_allclose(curve_means, means, rtol=1e-7)
    assert curve.chosen == len(selector.result_.chosen) == np.argmin(values.mean(axis=0)[1:]) + 1
    whole = SubsetSelector(model, **options, choose="best").fit(X, y, groups=groups).result_
    assert list(selector.result_.chosen) == list(whole.by_size[curve.chosen - 1].columns)


def test_one_standard_error_takes_fewer_columns_or_as_many():
    """The rule of one error never selects more than the best, of the same curve."""
    for seed in range(6):
        X, y = problem(seed)
        both = [
            SubsetSelector(Ridge(), "sfs", n_features=(1, 8), choose=rule, random_state=0).fit(X, y)
            for rule in ("cv", "cv-one-se")
        ]
        assert both[0].size_curve_.best == both[1].size_curve_.best == both[0].size_curve_.chosen
        assert both[1].size_curve_.chosen <= both[0].size_curve_.chosen


@pytest.mark.parametrize("model", [Ridge(), GaussianNB(), RidgeClassifier()], ids=repr)
def test_on_noise_nothing_is_selected_where_that_is_allowed(model):
    """Of 12 tables of noise at most two keep a column where none is allowed."""
    kept = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((80, 40)), rng.standard_normal(80)
        if not isinstance(model, Ridge):
            y = (y > 0).astype(int)
        selector = SubsetSelector(model, "sfs", n_features="auto", choose="cv", random_state=0)
        kept.append(selector.fit(X, y).get_support().sum())
        assert selector.transform(X).shape == (80, kept[-1])
        if kept[-1] == 0:
            assert any("no column is selected" in note for note in selector.result_.notes)
    assert sum(k > 0 for k in kept) <= 2
    selector.set_params(n_features=(1, 5)).fit(X, y)
    assert selector.get_support().sum() >= 1


def test_true_columns_are_found_and_no_others():
    """Ten true columns of 200 with little noise: these and at most two more."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 200))
    y = X[:, :10].sum(axis=1) + rng.standard_normal(200)
    chosen = SubsetSelector(Ridge(), n_features=(0, 30), choose="cv", random_state=0).fit(X, y)
    found = set(chosen.result_.chosen.tolist())
    assert found >= set(range(10)) and len(found) <= 12


def test_workers_repeats_and_refits_give_an_answer():
    """Two workers give what one gives; repeats and refitted models have a curve, too."""
    X, y = problem()
    one, two = (
        SubsetSelector(
            Ridge(), "sfs", n_features=(0, 6), choose="cv", random_state=0, n_jobs=n
        ).fit(X, y)
        for n in (1, 2)
    )
    assert_allclose(one.size_curve_.scores, two.size_curve_.scores, rtol=0)
    assert list(one.result_.chosen) == list(two.result_.chosen)
    cv = RepeatedKFold(n_splits=3, n_repeats=3, random_state=0)
    repeated = SubsetSelector(Ridge(), "sfs", n_features=(0, 6), choose="cv", cv=cv).fit(X, y)
    assert repeated.size_curve_.standard_errors[1] > 0
    tree = DecisionTreeRegressor(max_depth=3, random_state=0)
    found = SubsetSelector(tree, "sfs", n_features=(0, 3), choose="cv", random_state=0).fit(X, y)
    assert np.isfinite(found.size_curve_.scores).all()


def test_repeats_do_not_shrink_the_error():
    """Rows are averaged over repeats first: ten repeats have no third of the error of one."""
    X, y = problem()
    errors = [
        SubsetSelector(
            Ridge(), "sfs", n_features=(0, 6), choose="cv",
            cv=RepeatedKFold(n_splits=5, n_repeats=n, random_state=0),
        ).fit(X, y).size_curve_.standard_errors[0]
        for n in (1, 2)
    ]  # fmt: skip
    assert errors[1] > 0.8 * errors[0]


def test_an_interrupted_comparison_says_so(monkeypatch):
    """The folds that are done give the curve, and a note tells that there were fewer."""
    from subsel.selector import held_out_sizes

    def interrupted(*args, **options):
        answers, _ = run_jobs(*args, **options)
        return answers[:3], True

    run_jobs = held_out_sizes.run_jobs
    monkeypatch.setattr(held_out_sizes, "run_jobs", interrupted)
    X, y = problem()
    found = SubsetSelector(Ridge(), "sfs", n_features=(0, 4), choose="cv", random_state=0).fit(X, y)
    assert found.size_curve_.interrupted
    assert any("on fewer folds" in note for note in found.result_.notes)


def test_a_criterion_with_folds_has_a_curve_and_others_are_refused():
    """BIC is compared by squared errors; inconsistency predicts no rows."""
    X, y = problem()
    bic = LeastSquares(alpha=0.0, criterion="bic")
    selector = SubsetSelector(bic, "sfs", n_features=(0, 6), choose="cv").fit(X, y)
    assert (
        selector.size_curve_.measure == "neg_mean_squared_error"
        and len(selector.result_.chosen) >= 3
    )
    with pytest.raises(
        ValueError, match="choose='cv' needs an estimator, or a criterion with folds"
    ):
        SubsetSelector(Inconsistency(), "sfs", choose="cv").fit(X, (y > 0).astype(int))
    pairs = [(np.arange(45), np.arange(45, 90)), (np.arange(45, 90), np.arange(45))]
    with pytest.raises(ValueError, match="fixed pairs of rows cannot split"):
        SubsetSelector(Ridge(), "sfs", cv=pairs, choose="cv").fit(X, y)
    with pytest.raises(ValueError, match="n_features must be 'auto', None"):
        SubsetSelector(Ridge(), "sfs", n_features="all").fit(X, y)
