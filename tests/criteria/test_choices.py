"""Choices searched with the features: each setting has the qualities of its own criterion."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from subsel import SubsetSelector
from subsel.criteria import IcompPerf, criterion_of
from subsel.criteria.choices import Choices, choice_blocks
from subsel.data.task import Task
from subsel.space.candidates import Candidates
from subsel.space.space import Block, Space

X, Y = load_wine(return_X_y=True)
K = {"n_neighbors": [1, 5, 15], "weights": ["uniform", "distance"]}


def test_every_request_equals_the_criterion_of_its_setting():
    """Additions, removals, swaps, flips and populations are routed to the right evaluator."""
    task, space = Task.of(X[:, :6], Y), Space((Block(6), *choice_blocks(K)))
    evaluator = Choices.of(KNeighborsClassifier(), K, criterion_of).bind(task)
    rng = np.random.default_rng(0)
    base = space.sample(rng, 3)
    population = Candidates.of(space, [space.sample(rng) for _ in range(8)])
    for request in (
        space.additions(base),
        space.removals(base),
        space.swaps(base)[:20],
        space.flips(base),
        population,
    ):
        qualities = evaluator.evaluate(request)
        for subset, quality in zip(request, qualities):
            setting = {name: K[name][space.option(subset, c)] for c, name in enumerate(K)}
            alone = criterion_of(KNeighborsClassifier(**setting)).bind(task)
            one = Space.of(6)
            expected = alone.evaluate(Candidates.of(one, [one.from_columns(space.columns(subset))]))
            assert quality == pytest.approx(expected[0])


@pytest.mark.parametrize("search", ["sfs", "sffs", "rfs1", "genetic", "annealing", "exhaustive"])
def test_selectors_search_hyper_parameters_too(search):
    """The chosen options are the best for the chosen features among those the search saw."""
    pipeline = make_pipeline(StandardScaler(), KNeighborsClassifier())
    choices = {"kneighborsclassifier__n_neighbors": [1, 5, 40]}
    selector = SubsetSelector(
        pipeline, search=search, n_features=2, choices=choices, cv=5, budget=300, random_state=0
    )
    selector.fit(X[:, :6], Y)
    chosen = selector.chosen_options_["kneighborsclassifier__n_neighbors"]
    again = SubsetSelector(
        pipeline.set_params(kneighborsclassifier__n_neighbors=chosen),
        search="exhaustive",
        n_features=2,
        cv=5,
    )
    again.fit(X[:, :6], Y)
    seen = {tuple(f.columns): f.quality for f in again.result_.finalists}
    assert seen[tuple(selector.result_.chosen)] == selector.result_.chosen_quality


def test_refitted_estimators_have_choices_as_well():
    """A tree's depth is chosen together with the features."""
    selector = SubsetSelector(
        DecisionTreeClassifier(random_state=0),
        search="sfs",
        n_features=2,
        choices={"max_depth": [1, 4]},
        cv=3,
    ).fit(X, Y)
    assert selector.chosen_options_ == {"max_depth": 4}


@pytest.mark.parametrize(
    ("choices", "message"),
    [({"n_neighbors": []}, "must list"), ({"weights": "uniform"}, "must list")],
)
def test_empty_choices_are_refused(choices, message):
    """A choice needs options."""
    with pytest.raises(ValueError, match=message):
        SubsetSelector(KNeighborsClassifier(), choices=choices).fit(X, Y)


class RandomAdditions:
    """Asks for all additions to random bases."""

    def steps(self, space, rng, horizon=None):
        while True:
            yield space.additions(space.sample(rng, 8))


def test_settings_that_share_state_run_on_one_thread():
    """With choices among naive Bayes classifiers, two jobs see the qualities of one job."""
    rng = np.random.default_rng(0)
    table, labels = rng.standard_normal((300, 40)), rng.integers(0, 2, 300)
    selector = SubsetSelector(
        GaussianNB(),
        RandomAdditions(),
        choices={"var_smoothing": [1e-8, 1e-7]},
        scoring="neg_log_loss",
        budget=1200,
        restarts=6,
        random_state=0,
    )
    one, two = (clone(selector).set_params(n_jobs=n).fit(table, labels).result_ for n in (1, 2))
    assert np.array_equal(one.trace, two.trace)


def test_finalists_of_random_splits_are_scored_again_with_their_own_setting():
    """The chosen subset and kernel of ICOMP-PERF have their median over the splits as quality."""
    kernels = ["linear", "gaussian"]
    selector = SubsetSelector(
        IcompPerf(), "random", choices={"kernel": kernels}, budget=60, random_state=0
    )
    result = selector.fit(X[:, :5], Y).result_
    kernel = selector.chosen_options_["kernel"]
    final = IcompPerf(kernel=kernel).bind(Task.of(X[:, :5], Y), np.random.SeedSequence(0)).final
    assert result.chosen_quality == pytest.approx(final.explain(result.chosen).quality)
    assert {kernels[found.options[0]] for found in result.finalists} == set(kernels)


def test_one_standard_error_is_that_of_the_chosen_setting():
    """The error of the best subset is computed with the options that it was found with."""
    settings = {
        "choices": {"n_neighbors": [1, 60]},
        "choose": "one-se",
        "n_features": (1, 2),
        "cv": 5,
    }
    selector = SubsetSelector(KNeighborsClassifier(), "exhaustive", **settings)
    result = selector.fit(X[:, :4], Y).result_
    best = next(f for f in result.front if f.standard_error is not None)
    task = Task.of(X[:, :4], Y)
    errors = [
        criterion_of(KNeighborsClassifier(n)).bind(task).explain(best.columns).standard_error
        for n in (1, 60)
    ]
    assert best.options == (1,)
    assert best.standard_error == errors[1] != errors[0]


def test_settings_share_what_is_bound_and_count_refits_once():
    """Three restarts of a refitted estimator with choices count each quality as one refit."""
    tree = DecisionTreeClassifier(random_state=0)
    selector = SubsetSelector(
        tree, "rmhc", choices={"max_depth": [1, 2], "min_samples_leaf": [1, 9]}, cv=2
    )
    result = (
        selector.set_params(budget=12, restarts=3, random_state=0).fit(X[::3, :4], Y[::3]).result_
    )
    assert result.evaluator.n_refits == result.n_computed
