"""The exact evaluator of an estimator has the qualities of refits, or says that it cannot."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

from subsel import SubsetSelector
from subsel.criteria import CrossValidated, NotExact, criterion_of
from subsel.data.task import Task
from subsel.space.candidates import Candidates
from subsel.space.space import Space

CLASSIFIERS = [
    RidgeClassifier(),
    RidgeClassifier(alpha=0.1, fit_intercept=False),
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3),
    QuadraticDiscriminantAnalysis(reg_param=0.1),
    GaussianNB(),
    NearestCentroid(),
    KNeighborsClassifier(1),
    KNeighborsClassifier(7, weights="distance", metric="manhattan"),
]
REGRESSORS = [
    Ridge(),
    Ridge(alpha=10, fit_intercept=False),
    LinearRegression(),
    KNeighborsRegressor(),
    KernelRidge(kernel="rbf", gamma=0.05),
    KernelRidge(alpha=0.5, kernel="linear"),
]
SCALERS = [None, StandardScaler(), MinMaxScaler()]
PEOPLE = np.arange(178) // 4


def rough(X, seed=0):
    """Columns on scales of their own, without ties in distance."""
    rng = np.random.default_rng(seed)
    return (X - X.mean(axis=0)) / X.std(axis=0) * rng.uniform(
        0.5, 3, X.shape[1]
    ) + 1e-3 * rng.normal(size=X.shape)


def classes():
    X, y = load_wine(return_X_y=True)
    return rough(X)[:, :9], y


def numbers():
    X, y = load_diabetes(return_X_y=True)
    return rough(X)[:150, :8], y[:150] / 100


def requests(space, rng):
    base = space.sample(rng, 3)
    walk = base
    for _ in range(3):
        walk = space.flip(walk, int(rng.integers(space.n_units)))

    def some(batch):
        return batch.take(rng.permutation(len(batch))[:3])

    return [
        some(space.additions(base)),
        some(space.removals(base)),
        some(space.swaps(base)),
        Candidates.of(space, [walk]),
    ]


def assert_equal_to_refitting(estimator, X, y, cv, scoring=None, groups=None, exact="require"):
    task, space, rng = Task.of(X, y, groups=groups), Space.of(X.shape[1]), np.random.default_rng(0)
    ours = criterion_of(estimator, scoring, cv, exact).bind(task)
    refit = CrossValidated(estimator, scoring, cv=cv).bind(task)
    for request in requests(space, rng):
        assert ours.evaluate(request) == pytest.approx(refit.evaluate(request), abs=1e-9), (
            request.columns()
        )
    return ours


@pytest.mark.parametrize("scaler", SCALERS, ids=str)
@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
def test_classifiers(model, scaler):
    """Alone and behind a scaler fitted within each training fold."""
    estimator = model if scaler is None else make_pipeline(scaler, model)
    assert_equal_to_refitting(estimator, *classes(), cv=3)


@pytest.mark.parametrize("scaler", SCALERS, ids=str)
@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_regressors(model, scaler):
    """Alone and behind a scaler fitted within each training fold."""
    estimator = model if scaler is None else make_pipeline(scaler, model)
    assert_equal_to_refitting(estimator, *numbers(), cv=3)


@pytest.mark.parametrize(
    "cv",
    [
        KFold(4, shuffle=True, random_state=0),
        RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0),
        GroupKFold(3),
        ShuffleSplit(3, test_size=0.3, random_state=0),
    ],
    ids=lambda cv: type(cv).__name__,
)
@pytest.mark.parametrize("model", [CLASSIFIERS[i] for i in (0, 2, 4, 5, 6, 7)], ids=str)
def test_splitters(model, cv):
    """Any train and test rows will do: repeated, grouped, overlapping, not all rows tested."""
    assert_equal_to_refitting(model, *classes(), cv=cv, groups=PEOPLE)


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "f1_macro", "neg_log_loss", "accuracy"])
@pytest.mark.parametrize(
    "model", [LinearDiscriminantAnalysis(), GaussianNB(), KNeighborsClassifier(9)], ids=str
)
def test_scorings_of_classes(model, scoring):
    """Labels and probabilities are scored as scikit-learn scores them."""
    assert_equal_to_refitting(model, *classes(), cv=StratifiedKFold(3), scoring=scoring)


@pytest.mark.parametrize("scoring", ["roc_auc", "f1", "neg_log_loss"])
@pytest.mark.parametrize(
    "model", [LinearDiscriminantAnalysis(), GaussianNB(), RidgeClassifier()], ids=str
)
def test_scorings_of_two_classes(model, scoring):
    """Ranks too; what a model cannot give is left to scikit-learn's own error.

    An example is the probabilities of ridge.
    """
    X, y = classes()
    if scoring == "neg_log_loss" and isinstance(model, RidgeClassifier):
        pytest.skip("ridge has no probabilities")
    assert_equal_to_refitting(model, X, (y == 1).astype(int), cv=3, scoring=scoring)


@pytest.mark.parametrize(
    "scoring", ["r2", "neg_root_mean_squared_error", "neg_mean_absolute_error"]
)
@pytest.mark.parametrize(
    "model", [Ridge(), KNeighborsRegressor(), KernelRidge(kernel="rbf", gamma=0.1)], ids=str
)
def test_scorings_of_numbers(model, scoring):
    """Errors of predicted values."""
    assert_equal_to_refitting(model, *numbers(), cv=3, scoring=scoring)


@pytest.mark.parametrize(
    "model", [Ridge(), KernelRidge(kernel="rbf", gamma=0.1), KNeighborsRegressor(3)], ids=str
)
def test_leave_one_out(model):
    """Each row alone, without refitting."""
    X, y = numbers()
    ours = assert_equal_to_refitting(
        model, X[:40], y[:40], cv=LeaveOneOut(), scoring="neg_mean_squared_error"
    )
    assert ours.n_refits == 0


@pytest.mark.parametrize(
    "model", [RidgeClassifier(), NearestCentroid(), KNeighborsClassifier(1)], ids=str
)
def test_leave_one_out_of_classes(model):
    """Each row alone, without refitting."""
    X, y = classes()
    ours = assert_equal_to_refitting(model, X[50:110], y[50:110], cv=LeaveOneOut())
    assert ours.n_refits == 0


def test_leave_one_out_with_scaling_refits():
    """There is no closed form: auto refits, require refuses."""
    X, y = numbers()
    estimator = make_pipeline(StandardScaler(), Ridge())
    assert_equal_to_refitting(
        estimator, X[:30], y[:30], LeaveOneOut(), "neg_mean_squared_error", exact="auto"
    )
    with pytest.raises(NotExact):
        criterion_of(estimator, "neg_mean_squared_error", LeaveOneOut(), "require").bind(
            Task.of(X[:30], y[:30])
        )


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        Lasso(),
        Ridge(positive=True),
        RidgeClassifier(class_weight="balanced"),
        KNeighborsClassifier(metric="cosine"),
        KNeighborsClassifier(weights=lambda d: 1 / (d + 1)),
        NearestCentroid(shrink_threshold=0.2),
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
        make_pipeline(RobustScaler(), Ridge()),
        make_pipeline(StandardScaler(), MinMaxScaler(), Ridge()),
        make_pipeline(MinMaxScaler(feature_range=(0, 2)), Ridge()),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_what_has_no_closed_form_is_refitted(estimator):
    """Other models and other settings are left to the refitting evaluator; require says so."""
    assert isinstance(criterion_of(estimator), CrossValidated)
    with pytest.raises(NotExact, match="exact criterion"):
        criterion_of(estimator, exact="require")


def test_subclasses_are_not_taken_for_their_parents():
    """A subclass may predict otherwise, so it is refitted."""

    class Other(Ridge):
        def predict(self, X):
            return -super().predict(X)

    assert isinstance(criterion_of(Other()), CrossValidated)


def test_callable_scorers_are_refitted_unless_known():
    """A scorer of one's own works, by refitting; scikit-learn's own names stay exact."""
    X, y = classes()

    def mine(model, A, b):
        return model.score(A, b) ** 2

    selector = SubsetSelector(GaussianNB(), search="sfs", n_features=2, scoring=mine).fit(X, y)
    assert selector.result_.evaluator.name.startswith("refit")
    assert (
        SubsetSelector(GaussianNB(), search="sfs", n_features=2, scoring="accuracy")
        .fit(X, y)
        .result_.evaluator.exact
    )


def test_minimum_norm_when_there_are_fewer_rows_than_columns():
    """Plain least squares on n < p gives the qualities of scikit-learn, and counts its refits."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(16, 40)), rng.normal(size=16)
    task, space = Task.of(X, y, "regression"), Space.of(40)
    ours = criterion_of(LinearRegression(), None, 4, "require").bind(task)
    refit = CrossValidated(LinearRegression(), None, cv=4).bind(task)
    for size in (3, 11, 12, 13, 30):
        batch = Candidates.of(space, [space.sample(rng, size) for _ in range(3)])
        assert ours.evaluate(batch) == pytest.approx(refit.evaluate(batch), rel=1e-6)
    assert ours.n_refits >= 3


def test_weights_reach_ridge():
    """Row weights enter the closed form as they enter the fit."""
    X, y = numbers()
    weights = np.random.default_rng(0).uniform(0.1, 3, len(y))
    task, space, rng = Task.of(X, y, sample_weight=weights), Space.of(8), np.random.default_rng(1)
    ours, refit = (
        criterion_of(Ridge(), None, 3, "require").bind(task),
        CrossValidated(Ridge(), None, cv=3).bind(task),
    )
    for request in requests(space, rng):
        assert ours.evaluate(request) == pytest.approx(refit.evaluate(request), abs=1e-9)


@pytest.mark.parametrize(
    "model", [*CLASSIFIERS, make_pipeline(StandardScaler(), KNeighborsClassifier(3))], ids=str
)
def test_restarts_on_threads_change_nothing(model):
    """Forks of an evaluator do not disturb each other: two workers give the trace of one."""
    X, y = classes()

    def fit(jobs):
        return SubsetSelector(
            model, search="rfs1", budget=150, restarts=4, n_jobs=jobs, random_state=0, cv=3
        )

    assert np.array_equal(fit(1).fit(X, y).result_.trace, fit(2).fit(X, y).result_.trace)


def two_classes():
    X, y = classes()
    return X[y < 2], y[y < 2]


@pytest.mark.parametrize(
    ("model", "data"),
    [
        *((m, d) for m in CLASSIFIERS for d in (classes, two_classes)),
        *((m, numbers) for m in REGRESSORS),
    ],
    ids=lambda part: getattr(part, "__name__", str(part)),
)
def test_forks_that_walk_apart_equal_refitting(model, data):
    """Two forks asked in turn, each from a place of its own, answer as refits do."""
    X, y = data()
    task, space = Task.of(X, y), Space.of(X.shape[1])
    first = criterion_of(model, None, 3, "require").bind(task)
    forks, refit = [first, first.fork(), first.fork()], CrossValidated(model, None, cv=3).bind(task)
    places = [space.sample(np.random.default_rng(seed), 2 + seed) for seed in range(3)]
    for ask in (space.additions, space.removals, space.swaps):
        for fork, place in zip(forks, places):
            request = ask(place)
            request = request.take(np.arange(min(4, len(request))))
            assert fork.evaluate(request) == pytest.approx(refit.evaluate(request), abs=1e-9)
        places = [space.flip(place, int(space.others(place)[0])) for place in places]


def bootstrap(y, seed=0):
    """Folds that train on a sample with replacement, as large as the rest of the rows."""
    rng, n = np.random.default_rng(seed), len(y)
    tests = [rng.permutation(n)[: n // 4] for _ in range(3)]
    return [(rng.choice(np.setdiff1d(np.arange(n), test), n - len(test)), test) for test in tests]


def leaking(y, seed=0):
    """Folds that partition the rows, each training part holding one of its test rows."""
    parts = np.array_split(np.random.default_rng(seed).permutation(len(y)), 4)
    return [
        (np.append(np.concatenate(parts[:k] + parts[k + 1 :])[1:], parts[k][0]), parts[k])
        for k in range(4)
    ]


def masks(y):
    return [
        tuple(np.isin(np.arange(len(y)), rows) for rows in pair)
        for pair in KFold(3, shuffle=True, random_state=0).split(y)
    ]


def single_rows(y):
    """As many single held-out rows as there are rows, some of them twice and some never."""
    return ShuffleSplit(len(y), test_size=1, random_state=0)


@pytest.mark.parametrize("folds", [bootstrap, leaking, masks, single_rows])
@pytest.mark.parametrize("model", [CLASSIFIERS[i] for i in (0, 1, 2, 4, 5, 6, 7)], ids=str)
def test_odd_folds_of_classes(model, folds):
    """Folds with the sizes of a partition that are none are evaluated as they are, or refitted."""
    X, y = classes()
    some = np.r_[45:73]
    X, y = X[some], y[some]
    assert_equal_to_refitting(model, X, y, cv=folds(y), exact="auto")


@pytest.mark.parametrize("folds", [bootstrap, leaking, masks, single_rows])
@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_odd_folds_of_numbers(model, folds):
    """The same for quantities."""
    X, y = numbers()
    scoring = "neg_mean_squared_error"
    assert_equal_to_refitting(
        model, X[:30], y[:30], cv=folds(y[:30]), scoring=scoring, exact="auto"
    )


@pytest.mark.parametrize("solver", ["svd", "cholesky"])
def test_refits_are_those_of_the_estimator_given(solver):
    """Where a pivot vanishes, Ridge with its own solver is refitted, not LinearRegression."""
    X, y = numbers()
    X[:, 3] = X[:, 0] + 1e-8 * X[:, 4]
    task = Task.of(X, y)
    columns = np.array([0, 1, 3])
    for model in (Ridge(alpha=0.0, solver=solver), Ridge(alpha=1e-13, solver=solver)):
        ours, refit = (
            criterion_of(model, None, 3, "require").bind(task),
            CrossValidated(model, None, cv=3).bind(task),
        )
        space = Space.of(8)
        batch = Candidates.of(space, [space.from_columns(columns)])
        assert ours.evaluate(batch) == pytest.approx(refit.evaluate(batch), rel=1e-9)
        assert ours.n_refits == 1


@pytest.mark.parametrize(
    "estimator",
    [
        LinearRegression(tol=1e-2),
        KNeighborsClassifier(5.0),
        Ridge(alpha=-1.0),
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage=2.0),
        QuadraticDiscriminantAnalysis(reg_param=2.0),
        KernelRidge(kernel="rbf", gamma=-0.1),
    ],
    ids=str,
)
def test_parameters_are_checked_as_scikit_learn_checks_them(estimator):
    """A cut-off that changes the solution, and values that scikit-learn refuses, are left to it."""
    assert isinstance(criterion_of(estimator), CrossValidated)


def test_scalers_of_others_are_not_taken_for_scikit_learns():
    """A class of the same name may scale otherwise."""
    Other = type("StandardScaler", (StandardScaler,), {"__module__": "elsewhere"})
    assert isinstance(criterion_of(make_pipeline(Other(), Ridge())), CrossValidated)
    assert not isinstance(criterion_of(make_pipeline(StandardScaler(), Ridge())), CrossValidated)


@pytest.mark.parametrize("exact", ["auto", "require", "never"])
@pytest.mark.parametrize(
    "model", [KNeighborsClassifier(), NearestCentroid(), LinearDiscriminantAnalysis()], ids=str
)
def test_weights_are_refused_where_the_model_has_none(model, exact):
    """Exact or not, weights are never ignored in silence."""
    X, y = classes()
    with pytest.raises(ValueError, match="does not take sample"):
        criterion_of(model, exact=exact).bind(Task.of(X, y, sample_weight=np.ones(len(y))))


def test_priors_are_checked_as_scikit_learn_checks_them():
    """Negative ones, and those of naive Bayes that do not add up to one, are named."""
    X, y = two_classes()
    for model in (GaussianNB(priors=[0.5, 0.6]), LinearDiscriminantAnalysis(priors=[-0.5, 1.5])):
        with pytest.raises(ValueError, match="priors"):
            criterion_of(model, exact="require").bind(Task.of(X, y))


def test_a_class_without_weight_is_refitted():
    """Naive Bayes has no closed form for a class whose training rows all weigh nothing."""
    X, y = two_classes()
    weights = np.where(y == 0, 0.0, 1.0)
    weights[:5] = 1.0
    cv = [(np.arange(5, len(y)), np.arange(5)), (np.arange(0, len(y), 2), np.arange(1, len(y), 2))]
    task = Task.of(X, y, sample_weight=weights)
    with pytest.raises(NotExact, match="no weight"):
        criterion_of(GaussianNB(), None, cv, "require").bind(task)
    assert not criterion_of(GaussianNB(), None, cv).bind(task).traits.exact


def test_an_iterator_of_folds_serves_both_judges():
    """Folds that can be read once are stored where the exact evaluator falls back on refitting."""
    X, y = two_classes()
    lacking = iter([(np.flatnonzero(y == 1), np.arange(5)), (np.arange(10, len(y)), np.arange(10))])
    selector = SubsetSelector(RidgeClassifier(), search="sfs", n_features=1, cv=lacking).fit(X, y)
    assert selector.result_.evaluator.name == "refit of RidgeClassifier"


def test_the_result_says_which_judge_is_exact():
    """Kernel ridge is exact although it is slow; a refitted estimator is not."""
    X, y = numbers()

    def fit(model):
        return (
            SubsetSelector(model, search="sfs", n_features=1, cv=3)
            .fit(X[:60], y[:60])
            .result_.evaluator
        )

    assert fit(KernelRidge(kernel="rbf", gamma=0.1)).exact
    assert not fit(Lasso()).exact


@pytest.mark.parametrize("scoring", ["roc_auc_ovr", "precision_macro"])
@pytest.mark.parametrize(
    "model",
    [
        LinearDiscriminantAnalysis(),
        QuadraticDiscriminantAnalysis(),
        GaussianNB(),
        KNeighborsClassifier(9),
    ],
    ids=str,
)
def test_any_score_of_held_out_outputs_of_classes(model, scoring):
    """Scores without a formula of their own are asked of scikit-learn, from the exact outputs."""
    ours = assert_equal_to_refitting(model, *classes(), cv=StratifiedKFold(3), scoring=scoring)
    assert ours.n_refits == 0


@pytest.mark.parametrize(
    "scoring", ["average_precision", "neg_brier_score", make_scorer(fbeta_score, beta=2)], ids=str
)
@pytest.mark.parametrize(
    "model", [LinearDiscriminantAnalysis(), GaussianNB(), KNeighborsClassifier(9)], ids=str
)
def test_any_score_of_held_out_outputs_of_two_classes(model, scoring):
    """Decisions, probabilities and labels."""
    X, y = two_classes()
    assert_equal_to_refitting(model, X, y, cv=3, scoring=scoring)


@pytest.mark.parametrize(
    "scoring", ["neg_median_absolute_error", "neg_max_error", "explained_variance"]
)
@pytest.mark.parametrize(
    "model", [Ridge(), KNeighborsRegressor(), KernelRidge(kernel="rbf", gamma=0.1)], ids=str
)
def test_any_score_of_held_out_values(model, scoring):
    """Values."""
    assert_equal_to_refitting(model, *numbers(), cv=3, scoring=scoring)


@pytest.mark.parametrize("scoring", ["roc_auc", "roc_auc_ovr"])
@pytest.mark.parametrize(
    "model",
    [
        RidgeClassifier(),
        LinearDiscriminantAnalysis(),
        QuadraticDiscriminantAnalysis(reg_param=0.5),
    ],
    ids=str,
)
def test_rows_that_agree_share_their_rank(model, scoring):
    """Binary columns give many equal decisions, which rounding along a walk must not separate."""
    rng = np.random.default_rng(3)
    X = (rng.normal(size=(151, 7)) > 0).astype(float)
    y = (X[:, 0] + X[:, 1] + rng.normal(size=151) > 1).astype(int) + (scoring == "roc_auc_ovr") * (
        np.arange(151) % 3 == 0
    )
    if scoring == "roc_auc_ovr" and not hasattr(model, "predict_proba"):
        pytest.skip("ridge has no probabilities")
    task, space = Task.of(X, y), Space.of(7)
    ours = criterion_of(model, scoring, StratifiedKFold(3), "require").bind(task)
    refit = CrossValidated(model, scoring, cv=StratifiedKFold(3)).bind(task)
    at = space.subset([0, 1, 2, 3])
    for step in range(12):
        there = space.flip(at, int(rng.integers(7)))
        if not there.size:
            continue
        batches = [
            Candidates.of(space, [there]),
            space.removals(there) if there.size > 1 else space.additions(there),
        ]
        for batch in batches[: 1 + step % 2]:
            assert ours.evaluate(batch) == pytest.approx(refit.evaluate(batch), abs=1e-9), step
        at = there


def test_a_vote_of_one_class_is_certain():
    """Weighted by distance, rows whose neighbours all agree have equal probabilities and ranks."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 4)), np.arange(120) % 3
    X[:, 0] += 4 * y
    task, space = Task.of(X, y), Space.of(4)
    model = KNeighborsClassifier(4, weights="distance")
    ours = criterion_of(model, "roc_auc_ovr", StratifiedKFold(3), "require").bind(task)
    refit = CrossValidated(model, "roc_auc_ovr", cv=StratifiedKFold(3)).bind(task)
    batch = Candidates.of(
        space, [space.from_columns(c) for c in ([0], [0, 1], [0, 2, 3], [0, 1, 2, 3])]
    )
    assert ours.evaluate(batch) == pytest.approx(refit.evaluate(batch), abs=1e-9)
