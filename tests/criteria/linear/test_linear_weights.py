"""Relevances from the held factor equal those of a model refitted at every step."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import RFE
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.model_selection import LeaveOneOut
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from subsel import SubsetSelector
from subsel.criteria.exact import criterion_of
from subsel.criteria.linear import linear_weights
from subsel.criteria.linear.discriminant import Discriminant
from subsel.data.task import Task
from subsel.engine import run
from subsel.models.relevance import model_relevance
from subsel.search import RecursiveElimination
from subsel.space.space import Space
from tests.criteria.battery import SITUATIONS, problem

MODELS = {
    "ridge": (Ridge(alpha=0.5), "regression"),
    "ridge without intercept": (Ridge(fit_intercept=False), "regression"),
    "least squares": (LinearRegression(), "regression"),
    "ridge classifier": (RidgeClassifier(), "classification"),
    "lda": (LinearDiscriminantAnalysis(), "classification"),
    "shrunk lda": (LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.2), "classification"),
    "scaled ridge": (make_pipeline(StandardScaler(), Ridge()), "regression"),
    "scaled lda": (make_pipeline(MinMaxScaler(), LinearDiscriminantAnalysis()), "classification"),
}


class Noting(RecursiveElimination):
    """Keeps what it is told."""

    def steps(self, space, rng, horizon=None):
        self.__dict__["heard"] = []
        steps, answer = super().steps(space, rng, horizon), None
        while True:
            try:
                question = steps.send(answer)
            except StopIteration as stop:
                return stop.value
            answer = yield question
            if hasattr(question, "subset"):
                self.heard.append((space.columns(question.subset), answer))


def refitted(model, task, columns):
    """The relevances of a model trained anew on all rows."""
    weight = {}
    if task.sample_weight is not None:
        last = (
            "sample_weight"
            if not hasattr(model, "steps")
            else f"{model.steps[-1][0]}__sample_weight"
        )
        weight = {last: task.sample_weight}
    return model_relevance(clone(model).fit(task.matrix[:, columns], task.y, **weight))


def eliminate(model, task, space, **options):
    """The questions and answers of an elimination, and how many refits it took."""
    evaluator, search = criterion_of(model, cv=3, exact="require").bind(task, 0), Noting(**options)
    result = run(search, evaluator, space, seed=0)
    return search.heard, result.evaluator.n_refits


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("name", MODELS)
def test_every_step_equals_refitting(name, situation, monkeypatch):
    """Whatever the table, the relevances of every step are those of the refitted model."""
    model, kind = MODELS[name]
    if "lda" in name and situation == "weights":
        pytest.skip("scikit-learn's discriminant takes no weights")
    monkeypatch.setattr(linear_weights, "_LEAVERS", 4)
    prob = problem(situation, kind)
    heard, _ = eliminate(model, prob.task, prob.space)
    assert len(heard) == prob.task.n_columns - 1
    for columns, answer in heard:
        expected = refitted(model, prob.task, columns)
        assert_allclose(
            answer.values, expected, rtol=1e-6, atol=1e-8 * expected.max(), err_msg=str(columns)
        )


@pytest.mark.parametrize("name", ["ridge", "ridge classifier", "lda", "scaled ridge"])
def test_a_sound_table_is_never_refitted(name):
    """On independent columns nothing is fitted anew, and the answers have ten digits."""
    model, kind = MODELS[name]
    prob = problem("balanced", kind)
    heard, n_refits = eliminate(model, prob.task, prob.space)
    assert n_refits == 0
    for columns, answer in heard:
        assert_allclose(answer.values, refitted(model, prob.task, columns), rtol=1e-9)


def test_groups_and_fixed_columns():
    """A group has the root of its summed squared weights; fixed columns stay in the model."""
    prob = problem("weights", "regression")
    space = Space.of(10, groups=[(0, 5), (2, 3, 7)], fixed=[4])
    heard, _ = eliminate(Ridge(), prob.task, space)
    assert len(heard) == 6
    for columns, answer in heard:
        weights = dict(zip(columns.tolist(), refitted(Ridge(), prob.task, columns)))
        expected = [
            np.sqrt(sum(weights[c] ** 2 for c in space.unit_columns(u)))
            for u in answer.units.tolist()
        ]
        assert_allclose(answer.values, expected, rtol=1e-9)
        assert_allclose(answer.fixed, weights[4], rtol=1e-9)


@pytest.mark.parametrize("step", [1, 7])
@pytest.mark.parametrize("name", ["ridge", "ridge classifier", "lda"])
def test_the_order_is_that_of_scikit_learn(name, step):
    """At every ninth size columns are those of RFE, also after the inverse is computed again."""
    model, kind = MODELS[name]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 90)) @ (np.eye(90) + 0.1 * rng.normal(size=(90, 90)))
    y = X @ rng.normal(size=90) + rng.normal(size=300)
    y = y if kind == "regression" else np.digitize(y, np.quantile(y, [0.3, 0.6]))
    heard, n_refits = eliminate(model, Task.of(X, y), Space.of(90), drop=step)
    assert n_refits == 0
    for columns, _ in heard[1::9]:
        expected = RFE(model, n_features_to_select=len(columns), step=step).fit(X, y).support_
        assert_array_equal(columns, np.flatnonzero(expected))


@pytest.mark.parametrize("drift", [linear_weights._DRIFT, 0.0])
def test_columns_are_taken_out_of_the_inverse(drift, monkeypatch):
    """A sound table is factorised once for the whole path.

    Where no drift of the weights is allowed it is factorised again, with the same answers.
    """
    monkeypatch.setattr(linear_weights, "_LEAVERS", 16)
    monkeypatch.setattr(linear_weights, "_DRIFT", drift)
    built, build = [], linear_weights.LinearWeights._build
    monkeypatch.setattr(
        linear_weights.LinearWeights, "_build", lambda *given: built.append(1) or build(*given)
    )
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 80)) @ (np.eye(80) + 0.1 * rng.normal(size=(80, 80)))
    X *= 10.0 ** rng.integers(-1, 2, size=80)
    task = Task.of(X, X @ rng.normal(size=80) + rng.normal(size=150))
    for columns, answer in eliminate(LinearRegression(), task, Space.of(80))[0]:
        assert_allclose(answer.values, refitted(LinearRegression(), task, columns), rtol=1e-8)
    assert (len(built) == 1) == (drift > 0)


def test_digits_lost_one_by_one_are_noticed(monkeypatch):
    """Columns that are nearly sums of others leave in turn, and the weights keep their digits.

    No pivot alone shows that they are.
    """
    monkeypatch.setattr(linear_weights, "_LEAVERS", 3)
    rng = np.random.default_rng(1)
    shared = rng.normal(size=(200, 1))
    X = shared + 0.02 * rng.normal(size=(200, 40))
    task = Task.of(X, X @ rng.normal(size=40) + rng.normal(size=200))
    model = Ridge(alpha=1e-6)
    for columns, answer in eliminate(model, task, Space.of(40))[0]:
        expected = refitted(model, task, columns)
        assert_allclose(answer.values, expected, rtol=1e-8, atol=1e-9 * expected.max())


def test_columns_that_are_not_one_less_begin_anew():
    """As many columns as if one had left, but others, have the weights of a fresh model.

    So do the subsets after it.
    """
    rng = np.random.default_rng(2)
    task = Task.of(rng.normal(size=(60, 12)), rng.normal(size=60))
    evaluator = criterion_of(Ridge(), cv=3, exact="require").bind(task, 0)
    for columns in (
        [0, 1, 2, 3, 4, 5],
        [1, 2, 3, 5, 9],
        [1, 3, 5, 9],
        [1, 3, 5],
        [0, 3],
        [3],
        [3, 4],
    ):
        found = evaluator.relevances(np.array(columns))
        assert_allclose(
            found, refitted(Ridge(), task, np.array(columns)), rtol=1e-9, err_msg=str(columns)
        )


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csr_array])
@pytest.mark.parametrize("n", [7, 70, 701])
def test_a_column_of_one_value_has_no_weight(n, form):
    """A constant column has weight zero without rounding, however the table is stored.

    Otherwise chance would decide which of several goes first.
    """
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 9))
    X[:, [2, 5, 8]] = 1 / 3, 1.0, 1e7 / 7
    y = X[:, 0] + rng.normal(size=n)
    weights = (
        criterion_of(Ridge(), cv=2).bind(Task.of(form(X), y, "regression")).relevances(np.arange(9))
    )
    assert_array_equal(weights == 0, np.isin(np.arange(9), [2, 5, 8]))


@pytest.mark.parametrize("size", [1, 63, 64, 65, 200])
def test_a_triangle_is_inverted_by_halves(size):
    """The product with the triangle is the identity."""
    rng = np.random.default_rng(size)
    upper = np.asfortranarray(np.triu(rng.normal(size=(size, size))) / size + 2 * np.eye(size))
    assert_allclose(linear_weights._triangle_inverse(upper) @ upper, np.eye(size), atol=1e-12)


def test_halving_equals_refitting():
    """Where half the columns leave at once the inverse is formed anew, with the same answers."""
    prob = problem("wide", "regression")
    for columns, answer in eliminate(Ridge(), prob.task, prob.space, drop="half")[0]:
        assert_allclose(answer.values, refitted(Ridge(), prob.task, columns), rtol=1e-8)


def test_forks_walk_apart():
    """Two forks that eliminate other columns, in turns, each answer as if alone."""
    prob, rng = problem("balanced", "regression"), np.random.default_rng(0)
    evaluator = criterion_of(Ridge(), cv=3, exact="require").bind(prob.task)
    paths = [rng.permutation(10) for _ in range(2)]
    forks = [evaluator.fork(), evaluator.fork()]
    for size in range(10, 0, -1):
        for fork, path in zip(forks, paths):
            columns = np.sort(path[:size])
            assert_allclose(
                fork.relevances(columns), refitted(Ridge(), prob.task, columns), rtol=1e-9
            )


def test_leave_one_out_and_the_selector():
    """The selector uses the exact evaluator, also with leave-one-out, and keeps the same columns.

    They are those of scikit-learn.
    """
    prob = problem("balanced", "regression")
    selector = SubsetSelector(
        Ridge(), "rfe", cv=LeaveOneOut(), scoring="neg_mean_squared_error", n_features=4
    )
    selector.fit(prob.task.X, prob.task.y)
    assert selector.result_.evaluator.exact
    expected = RFE(Ridge(), n_features_to_select=4).fit(prob.task.X, prob.task.y).support_
    assert_array_equal(selector.support_, expected)


def test_models_without_weights_cannot_say():
    """A quadratic discriminant has no weights, and its evaluator does not pretend to."""
    evaluator = Discriminant("qda", cv=3).bind(problem("balanced").task)
    assert not evaluator.traits.relevance
    with pytest.raises(TypeError, match="cannot say how much a trained model used"):
        evaluator.relevances(np.arange(3))


@pytest.mark.parametrize("memory", [0, 2**30])
@pytest.mark.parametrize("n_targets", [1, 3])
def test_products_with_a_part_of_the_moments(memory, n_targets):
    """Equal to forming the part and multiplying, whether the moments are held whole or not."""
    rng = np.random.default_rng(0)
    task = Task.of(rng.normal(size=(40, 9)), rng.normal(size=40), "regression")
    blocks, _ = criterion_of(Ridge(), exact="require").bind(task).weights.moments()
    blocks.memory, columns, weights = (
        memory,
        np.array([1, 2, 6, 8]),
        rng.normal(size=(n_targets, 4)),
    )
    X = task.matrix[:, columns] - task.matrix[:, columns].mean(axis=0)
    assert (blocks.whole is None) == (memory == 0)
    assert_allclose(blocks.times(weights, columns), weights @ (X.T @ X + np.eye(4)), rtol=1e-10)
