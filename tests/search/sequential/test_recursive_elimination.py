"""Recursive elimination: the steps of scikit-learn's RFE, whatever is dropped at a time."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, load_wine, make_regression
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from subsel import SubsetSelector
from subsel.criteria import CrossValidated
from subsel.data.task import Task
from subsel.engine import run
from subsel.literature.problems.toys import forward_against_backward
from subsel.search import RecursiveElimination, find_search
from subsel.search.relevance_request import Relevances
from subsel.space.space import Space
from tests.oracles.table import Table

WINE, KINDS = load_wine(return_X_y=True)
WINE = StandardScaler().fit_transform(WINE)
CANCER, STATE = load_breast_cancer(return_X_y=True)
CANCER = StandardScaler().fit_transform(CANCER)[:150, :12]
STATE = STATE[:150]
NUMBERS, TARGET = make_regression(60, 10, n_informative=4, noise=5.0, random_state=0)
PROBLEMS = {
    "linear SVC": (SVC(kernel="linear", tol=1e-8), CANCER, STATE),
    "linear SVC of three classes": (SVC(kernel="linear", tol=1e-8), WINE[:, :9], KINDS),
    "logistic regression": (LogisticRegression(tol=1e-8, max_iter=2000), CANCER, STATE),
    "logistic regression of three classes": (
        LogisticRegression(tol=1e-8, max_iter=2000),
        WINE[:, :9],
        KINDS,
    ),
    "ridge": (Ridge(), NUMBERS, TARGET),
    "forest": (RandomForestClassifier(5, random_state=0), WINE[:, :7], KINDS),
}


def path(model, X, y, **options):
    """The subsets that are trained on, and the answer."""
    asked = []

    class Noting(RecursiveElimination):
        def steps(self, space, rng, horizon=None):
            steps, answer = super().steps(space, rng, horizon), None
            while True:
                try:
                    question = steps.send(answer)
                except StopIteration as stop:
                    return stop.value
                asked.append(space.columns(getattr(question, "subset", question)).tolist())
                answer = yield question

    evaluator = CrossValidated(model, cv=2).bind(Task.of(X, y), 0)
    result = run(Noting(**options), evaluator, Space.of(X.shape[1]), seed=0)
    return asked, result


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("step", [1, 3])
def test_drops_what_scikit_learn_drops_at_every_step(problem, step):
    """After every step the features that remain are those of RFE stopped there."""
    model, X, y = PROBLEMS[problem]
    asked, _ = path(model, X, y, drop=step)
    sizes = [len(columns) for columns in asked[:-1]]
    assert sizes == list(range(X.shape[1], 1, -step))[: len(sizes)]
    for columns in asked:
        expected = RFE(model, n_features_to_select=len(columns), step=step).fit(X, y).support_
        assert columns == np.flatnonzero(expected).tolist()


@pytest.mark.parametrize(
    ("drop", "sizes"),
    [
        ("half", [12, 6, 3, 2, 1]),
        ("powers", [12, 8, 4, 2, 1]),
        (0.3, [12, 9, 7, 5, 4, 3, 2, 1]),
        (5, [12, 7, 2, 1]),
    ],
)
def test_how_much_is_dropped(drop, sizes):
    """A share is of those that remain; nothing goes under the lower bound."""
    asked, result = path(LogisticRegression(), CANCER, STATE, drop=drop)
    assert [len(columns) for columns in asked] == sizes
    assert result.n_evaluations == len(sizes)
    assert len(result.chosen) == 1


@pytest.mark.parametrize("drop", [0, -1, 1.5, "all"])
def test_what_cannot_be_dropped_is_refused(drop):
    """The message says what drop may be."""
    with pytest.raises(ValueError, match="drop must be"):
        next(RecursiveElimination(drop=drop).steps(Space.of(3), None))


def test_the_answer_has_its_quality():
    """The quality of the answer is its cross-validated score."""
    selector = SubsetSelector(LogisticRegression(), "rfe", n_features=3, cv=3).fit(CANCER, STATE)
    criterion = CrossValidated(LogisticRegression(), cv=3).bind(Task.of(CANCER, STATE))
    assert selector.result_.chosen_quality == pytest.approx(
        criterion.explain(selector.result_.chosen).quality
    )
    assert selector.result_.n_evaluations == 10


@pytest.mark.parametrize("choose", ["search", "best"])
def test_sizes_are_judged_where_wanted(choose):
    """The answer is the best subset on the way, of equals the smallest."""
    search = RecursiveElimination(evaluate_sizes=True)
    selector = SubsetSelector(LogisticRegression(), search, cv=3, choose=choose).fit(CANCER, STATE)
    seen = [f for f in selector.result_.finalists if f.quality == selector.result_.best_quality]
    assert len(selector.result_.chosen) == min(f.size for f in seen)
    assert len(selector.result_.finalists) == CANCER.shape[1]


def test_groups_go_whole_and_fixed_features_stay():
    """A group is worth the root of its summed squares.

    Fixed columns are trained on and never dropped.
    """
    space = Space.of(6, groups=[(0, 1), (2, 3)], fixed=[5])
    weights = np.array([1.0, 1.0, 1.5, 0.1, 0.2, 0.0])
    seen = []

    class Weights(Table):
        def relevances(self, columns, stream=(0, 0)):
            seen.append(columns.tolist())
            return weights[columns]

    run(find_search("rfe"), Weights(lambda s: 0.0), space, seed=0)
    assert seen == [[0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 5], [2, 3, 5]]


def test_ties_go_to_the_first_unit():
    """Of equally relevant features the first goes first."""
    answer = Relevances(np.array([1, 4, 6]), np.array([0.5, 0.5, 0.5]), np.empty(0))
    assert answer.weakest(2).tolist() == answer.least(2).tolist() == [1, 4]


@pytest.mark.parametrize("n_values", [1, 2, 3, 40])
def test_the_weakest_are_those_that_sorting_finds(n_values):
    """However many go, with equals and without; `least` gives the same units in their order."""
    rng = np.random.default_rng(n_values)
    units = np.sort(rng.permutation(100)[:40])
    answer = Relevances(units, rng.integers(n_values, size=40).astype(float), np.empty(0))
    for n in range(1, 42):
        expected = units[np.argsort(answer.values, kind="stable")[:n]]
        assert_array_equal(answer.weakest(n), expected)
        assert_array_equal(answer.least(n), np.sort(expected))


def test_pipelines_answer_by_their_last_step():
    """Scaling inside the pipeline changes which weight is the least."""
    model = make_pipeline(StandardScaler(), LogisticRegression())
    X = CANCER * np.logspace(0, 3, 12)
    asked, _ = path(model, X, STATE)
    plain, _ = path(LogisticRegression(), CANCER, STATE)
    assert asked == plain


@pytest.mark.parametrize("choices", [None, {"alpha": [0.1, 10.0]}])
def test_exact_evaluators_eliminate_as_refitting_does(choices):
    """An estimator with an exact evaluator that knows its weights is not refitted, with the
    same answer.
    """
    found = [
        SubsetSelector(
            Ridge(), "rfe", n_features=3, choices=choices, exact=exact, random_state=0
        ).fit(NUMBERS, TARGET)
        for exact in ("auto", "never")
    ]
    assert found[0].result_.chosen.tolist() == found[1].result_.chosen.tolist()
    assert found[0].result_.chosen_quality == pytest.approx(found[1].result_.chosen_quality)
    assert found[0].result_.evaluator.exact
    assert not found[1].result_.evaluator.exact


def test_who_cannot_say_what_it_used_is_refused_at_the_start():
    """An exact evaluator, and an estimator without weights, each with a message that says so."""
    with pytest.raises(
        TypeError,
        match=r"RecursiveElimination needs .* exact 5-nearest neighbours does not give",
    ):
        SubsetSelector(KNeighborsClassifier(), "rfe", exact="require").fit(CANCER, STATE)
    with pytest.raises(
        ValueError, match="KNeighborsClassifier has no coef_ or feature_importances_"
    ):
        SubsetSelector(KNeighborsClassifier(), "rfe", exact="never").fit(CANCER, STATE)


def test_halving_agrees_with_one_at_a_time_on_what_stands_out():
    """Where a linear machine's weights are well apart, both end at the same few columns."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 64))
    y = X[:, [3, 17, 40, 59]] @ [4.0, -3.0, 3.0, 5.0] > 0
    ends = [
        SubsetSelector(SVC(kernel="linear"), key, n_features=4, cv=2).fit(X, y)
        for key in ("rfe", "rfe-half")
    ]
    assert [end.get_support(indices=True).tolist() for end in ends] == [[3, 17, 40, 59]] * 2


@pytest.mark.parametrize("model", [SVC(kernel="linear"), Ridge()])
def test_a_complementary_pair_outlives_the_best_single_column(model):
    """Backward elimination drops the column that is best alone first, as the two others
    complete each other.
    """
    draw = forward_against_backward(400, random_state=0)
    asked, _ = path(
        model,
        StandardScaler().fit_transform(draw.X),
        draw.y.astype(float if model.__class__ is Ridge else int),
    )
    assert asked[:2] == [[0, 1, 2], [0, 1]]
