"""Ctrl-C in the middle of a long fit: what is done stands, unless it is part of a larger job."""

import numpy as np
import pytest

from subsel.literature.models import (
    FoldCommittee,
    MARTRegressor,
    MLPCommittee,
    RLSCCommittee,
    WeightedForestClassifier,
    sample_diffusion_trees,
)
from subsel.literature.models.committees import fold_committee, mlp_committee, rlsc_committee
from subsel.literature.models.hierarchies import diffusion_tree as diffusion_sampler
from subsel.literature.models.trees import mart, weighted_forest
from subsel.models.bayes import subset_chain as variable_dimension
from subsel.models.bayes.subset_chain import Conjugate, visit_subsets
from subsel.runtime.interruption import part_of_a_job

X = np.random.default_rng(0).standard_normal((30, 3))
Y = X[:, 0] > 0


def pressed_at(monkeypatch, home, name, call):
    """Raise KeyboardInterrupt when a function is called for the so-manieth time."""
    plain, calls = getattr(home, name), []

    def counted(*given, **named):
        calls.append(1)
        if len(calls) == call:
            raise KeyboardInterrupt
        return plain(*given, **named)

    monkeypatch.setattr(home, name, counted)


def boosted():
    """Rounds done."""
    return len(MARTRegressor(9, random_state=0).fit(X, X[:, 0]).trees_)


def forest():
    """Trees grown."""
    return len(WeightedForestClassifier(9, random_state=0).fit(X, Y).trees_)


def networks():
    """Networks trained."""
    return len(
        MLPCommittee(9, hidden=2, worst_error=1.0, max_iter=5, random_state=0).fit(X, Y).members_
    )


def machines():
    """Members that vote, each with a width of its own.

    Their weights are from a regression on the members completed.
    """
    model = RLSCCommittee(9, width=(0.1, 0.4), weights="out-of-bag", random_state=0).fit(X, Y)
    assert len(model.predict(X)) == 30 and len(model.variance_) == len(model.member_weights_)
    return len(model.dual_coef_)


def folds():
    """Folds of which a model is kept, with its score and its competence."""
    model = FoldCommittee(cv=9, competence=3, random_state=0).fit(X, Y)
    assert len(model.predict(X)) == 30 and len(model.scores_) == len(model.held_out_)
    return len(model.members_)


def subsets():
    """Visits made; a sweep of three inputs makes three or four proposals."""
    return len(
        visit_subsets(
            Conjugate(X - X.mean(axis=0), g=30.0), X[:, 0], 0, 9, np.random.default_rng(0)
        ).subsets
    )


def hierarchies():
    """Draws made."""
    return len(sample_diffusion_trees(X[:4], 9, n_warmup=1, random_state=0))


@pytest.mark.parametrize(
    ("fit", "home", "name", "call", "left"),
    [
        (boosted, mart._MART, "_round", 4, 3),
        (forest, weighted_forest._WeightedForest, "_tree", 4, 3),
        (networks, mlp_committee, "_fit", 4, 3),
        (machines, rlsc_committee, "_solve", 4, 3),
        (folds, FoldCommittee, "_member", 4, 3),
        (subsets, variable_dimension, "_propose", 13, 3),
        (hierarchies, diffusion_sampler._Chain, "sweep", 5, 3),
    ],
)
def test_what_is_done_stands(monkeypatch, fit, home, name, call, left):
    """At the fourth step three results are kept (for four proposals a sweep, at least).

    In a job, and at the first step, the interruption is raised.
    """
    assert fit() == 9
    with monkeypatch.context() as pressed:
        pressed_at(pressed, home, name, call)
        assert left <= fit() < 9
    with monkeypatch.context() as pressed, part_of_a_job(), pytest.raises(KeyboardInterrupt):
        pressed_at(pressed, home, name, call)
        fit()
    with monkeypatch.context() as pressed, pytest.raises(KeyboardInterrupt):
        pressed_at(pressed, home, name, 1)
        fit()


def test_a_line_says_how_far_it_is(monkeypatch):
    """With verbose a status line is open while members are trained, and it counts them."""
    seen = []

    class Line:
        def __init__(self, text, shown):
            self.text, self.shown = text, shown

        def __enter__(self):
            return self

        def __exit__(self, *error):
            seen.append((self.text(), self.shown))

    for home in (mart, weighted_forest, mlp_committee, rlsc_committee, fold_committee):
        monkeypatch.setattr(home, "StatusLine", Line)
    MARTRegressor(4, random_state=0, verbose=1).fit(X, X[:, 0])
    WeightedForestClassifier(3, random_state=0).fit(X, Y)
    MLPCommittee(2, hidden=2, max_iter=5, random_state=0, verbose=1).fit(X, Y)
    RLSCCommittee(5, random_state=0, verbose=1).fit(X, Y)
    FoldCommittee(cv=3, random_state=0).fit(X, Y)
    told = ["4 of 4 rounds", "3 of 3 trees", "2 of 2 networks", "5 of 5 members", "3 of 3 folds"]
    assert seen == list(zip(told, [True, False, True, True, False]))
