"""Wrappers of evaluators change no quality.

Choices, stored tables, prototypes, for every family of searches.
"""

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from subsel import SubsetSelector
from subsel.criteria import CrossValidated, IcompPerf
from subsel.criteria.base import Wrapper
from subsel.criteria.choices import Choices
from subsel.criteria.neighbours.prototype_accuracy import PrototypeAccuracy
from subsel.data.task import Task
from subsel.engine import run
from subsel.literature.recipes.prototypes import PrototypeSelector, _Remembered
from subsel.report.figures.visits import _Recorder
from subsel.search import find_search
from subsel.selector.stored import _Held
from subsel.space.candidates import Candidates
from subsel.space.space import Block, Space

X, Y = load_wine(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
ROWS = np.arange(0, len(Y), 3)
TASK = Task.of(X[ROWS, :6], Y[ROWS])
FAMILIES = ["sfs", "sffs", "random", "rfs1", "annealing", "genetic", "rmhc", "beam", "rfe"]


def chosen_among(n_jobs, restarts, search):
    """Two settings of a classifier that is exact and shares state, or is refitted where
    relevances are asked.
    """
    model, choices = (GaussianNB(), {"var_smoothing": [1e-9, 0.1]})
    if search == "rfe":
        model, choices = LogisticRegression(), {"C": [0.1, 10.0]}
    selector = SubsetSelector(model, search, choices=choices, cv=2, budget=30, n_features=(1, 3))
    selector.set_params(restarts=restarts, n_jobs=n_jobs, random_state=1)
    return selector.fit(X[ROWS, :6], Y[ROWS]).result_


class Line(BaseEstimator):
    """Least squares on the class numbers, without the checks that take most of the time of
    a small fit.
    """

    def fit(self, X, y):
        self.coef_ = np.linalg.lstsq(X, y, rcond=None)[0]
        return self

    def score(self, X, y):
        return -np.abs(X @ self.coef_ - y).mean()


def stored(n_jobs, restarts, search):
    """An evaluator of some columns, asked in the numbers of a wider table."""
    held = np.array([1, 2, 4, 5])
    evaluator = _Held(
        CrossValidated(Line(), cv=2).bind(Task.of(X[ROWS][:, held], Y[ROWS]), 0), held
    )
    space = Space.of(6, forbidden=[0, 3])
    return run(
        find_search(search), evaluator, space, budget=12, restarts=restarts, n_jobs=n_jobs, seed=1
    )


def prototypes(n_jobs, restarts, search):
    """Rows, with the best candidate of each restart remembered."""
    selector = PrototypeSelector(2, search=search, budget=90, restarts=restarts, n_jobs=n_jobs)
    return selector.set_params(random_state=1).fit(X[ROWS[::3], :3], Y[ROWS[::3]]).result_


def refuses(wrapper, search):
    """Prototypes train no model, so that no elimination can ask what it used."""
    return wrapper is prototypes and search == "rfe"


@pytest.mark.parametrize("restarts", [1, 3])
@pytest.mark.parametrize(
    "wrapper", [chosen_among, stored, prototypes], ids=["choices", "stored", "prototypes"]
)
@pytest.mark.parametrize("search", FAMILIES)
def test_jobs_change_no_quality(search, wrapper, restarts):
    """One job and two give the same qualities, evaluation by evaluation, and the same answers."""
    if refuses(wrapper, search):
        with pytest.raises(TypeError, match="does not give"):
            wrapper(1, restarts, search)
        return
    with parallel_config(backend="threading"):
        one, two = wrapper(1, restarts, search), wrapper(2, restarts, search)
    assert np.array_equal(one.trace, two.trace)
    assert [f.columns.tolist() for f in one.restart_answers] == [
        f.columns.tolist() for f in two.restart_answers
    ]
    assert one.evaluator == two.evaluator


@pytest.mark.parametrize(
    "make", [_Recorder, _Remembered, lambda e: _Held(e, np.arange(6)), Wrapper]
)
@pytest.mark.parametrize("fresh", [False, True])
def test_wrappers_pass_everything_on(make, fresh):
    """Traits, finalists' evaluator, explanation, relevances and forks are the inner ones,
    changed where the wrapper says.
    """
    inner = CrossValidated(LogisticRegression(), cv=3, fresh=fresh).bind(TASK, 0)
    outer, columns = make(inner), np.array([1, 4])
    expected = {**vars(inner.traits), **type(outer).changed}
    assert vars(outer.traits) == vars(outer.fork().traits) == expected
    assert (outer.final is None) == (inner.final is None)
    assert outer.explain(columns).quality == inner.explain(columns).quality
    assert np.array_equal(outer.relevances(columns), inner.relevances(columns))
    space = Space.of(6)
    batch = Candidates.of(space, [space.subset([1, 4]), space.subset([0])])
    expected = inner.evaluate(batch)
    assert np.array_equal(outer.evaluate(batch), expected)
    assert np.array_equal(outer.fork().evaluate(batch), expected)


def test_choices_join_the_traits_of_their_settings():
    """One setting on fresh splits makes all of it random, whichever stands first.

    Its finalists are scored again.
    """
    for splits in ([None, 3], [3, None]):
        criterion = Choices.of(IcompPerf(), {"splits": splits}, lambda criterion: criterion)
        evaluator = criterion.bind(TASK, 0)
        assert not evaluator.traits.deterministic
        assert evaluator.final is not None
        assert evaluator.at((splits.index(3),)).traits.deterministic


def test_nested_wrappers_are_asked_for_their_setting():
    """The recorder of a choice gives the evaluator of a setting, recorded alike."""

    def make(model):
        return CrossValidated(model, cv=3)

    choices = Choices.of(KNeighborsClassifier(), {"n_neighbors": [1, 9]}, make).bind(TASK, 0)
    outer, columns = _Recorder(choices), np.array([0, 2])
    assert outer.at((1,)).explain(columns).quality == choices.at((1,)).explain(columns).quality
    assert outer.at((1,)).traits.name == "refit of KNeighborsClassifier"
    space = Space((Block(6), Block(2, name="n", choice=True)))
    subset = space.at(space.subset([0, 2]), (1,))
    assert outer.evaluate(Candidates.of(space, [subset]))[0] == pytest.approx(
        choices.at((1,)).explain(columns).quality
    )


def test_prototypes_have_a_criterion_of_their_own():
    """The wrapper that remembers the best keeps the name of what it wraps."""
    inner = PrototypeAccuracy().bind(TASK)
    assert _Remembered(inner).traits.name == inner.traits.name == "1-nearest prototypes"
