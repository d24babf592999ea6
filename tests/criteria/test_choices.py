"""Choices searched with the features: each setting has the qualities of its own criterion."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from subsel import SubsetSelector
from subsel.candidates import Candidates
from subsel.criteria import judge_of
from subsel.criteria.choices import Choices, choice_blocks
from subsel.space import Block, Space
from subsel.task import Task

X, Y = load_wine(return_X_y=True)
K = {"n_neighbors": [1, 5, 15], "weights": ["uniform", "distance"]}


def test_every_request_equals_the_criterion_of_its_setting():
    """Additions, removals, swaps, flips and populations are routed to the right judge."""
    task, space = Task.of(X[:, :6], Y), Space((Block(6), *choice_blocks(K)))
    evaluator = Choices.of(KNeighborsClassifier(), K, judge_of).bind(task)
    rng = np.random.default_rng(0)
    base = space.sample(rng, 3)
    population = Candidates.of(space, [space.sample(rng) for _ in range(8)])
    for request in (space.additions(base), space.removals(base), space.swaps(base)[:20], space.flips(base), population):
        qualities = evaluator.evaluate(request)
        for subset, quality in zip(request, qualities):
            setting = {name: K[name][space.option(subset, c)] for c, name in enumerate(K)}
            alone = judge_of(KNeighborsClassifier(**setting)).bind(task)
            one = Space.of(6)
            expected = alone.evaluate(Candidates.of(one, [one.from_columns(space.columns(subset))]))
            assert quality == pytest.approx(expected[0])


@pytest.mark.parametrize("search", ["sfs", "sffs", "rfs1", "genetic", "annealing", "exhaustive"])
def test_selectors_search_hyper_parameters_too(search):
    """The chosen options are the best for the chosen features among those the search saw."""
    pipeline = make_pipeline(StandardScaler(), KNeighborsClassifier())
    choices = {"kneighborsclassifier__n_neighbors": [1, 5, 40]}
    selector = SubsetSelector(pipeline, search=search, n_features=2, choices=choices, budget=300, random_state=0)
    selector.fit(X[:, :6], Y)
    chosen = selector.chosen_options_["kneighborsclassifier__n_neighbors"]
    again = SubsetSelector(
        pipeline.set_params(kneighborsclassifier__n_neighbors=chosen), search="exhaustive", n_features=2
    )
    again.fit(X[:, :6], Y)
    seen = {tuple(f.columns): f.quality for f in again.result_.finalists}
    assert seen[tuple(selector.result_.chosen)] == selector.result_.chosen_quality


def test_refitted_estimators_have_choices_as_well():
    """A tree's depth is chosen together with the features."""
    selector = SubsetSelector(
        DecisionTreeClassifier(random_state=0), search="sfs", n_features=2, choices={"max_depth": [1, 4]}, cv=3
    ).fit(X, Y)
    assert selector.chosen_options_ == {"max_depth": 4}


@pytest.mark.parametrize(
    ("choices", "message"), [({"n_neighbors": []}, "must list"), ({"weights": "uniform"}, "must list")]
)
def test_empty_choices_are_refused(choices, message):
    """A choice needs options."""
    with pytest.raises(ValueError, match=message):
        SubsetSelector(KNeighborsClassifier(), choices=choices).fit(X, Y)
