"""Searches with a bound on the columns, for who prefers few."""

import numpy as np
import pytest

from subsel import AutoSelector
from subsel.assessment.race.contenders import Field
from subsel.assessment.race.costs import TableShape
from subsel.assessment.race.searches import FEW, search_contenders


def bounds(contenders):
    return [contender.procedure[1].selector.n_features for contender in contenders]


def test_every_quick_model_searches_within_every_bound():
    """One contender for each model and bound, the smallest bound first.

    Each has a name of its own.
    """
    field = Field("classification", TableShape(100, 40))
    offered, unbounded = list(search_contenders(field, few=True)), list(search_contenders(field))
    assert bounds(offered) == [(1, most) for most in FEW for _ in unbounded] + bounds(unbounded)
    assert len({contender.name for contender in offered}) == len(offered)


@pytest.mark.parametrize(
    ("columns", "most", "expected"), [(40, 4, {2}), (3, None, {2}), (2, None, set())]
)
def test_bounds_that_leave_nothing_out_are_not_offered(columns, most, expected):
    """Neither beyond what the user allows nor of the whole table."""
    field = Field("regression", TableShape(100, columns), most=most)
    small = [
        contender for contender in search_contenders(field, few=True) if "at most" in contender.name
    ]
    assert {high for _, high in bounds(small)} == expected


@pytest.mark.parametrize(("prefer", "offered"), [("few", True), ("balance", False)])
def test_they_race_where_few_are_preferred(prefer, offered):
    """And nowhere else: who wants the best answer does not wait for them."""
    X, y = np.random.default_rng(0).standard_normal((40, 6)), np.arange(40) % 2
    auto = AutoSelector(prefer=prefer, budget="0.5s", random_state=0).fit(X, y)
    names = [*(contender.name for contender in auto.plan_.contenders), *auto.plan_.left_out]
    assert any("at most 2" in name for name in names) == offered


@pytest.mark.parametrize("kind", ["classification", "regression"])
def test_neighbours_must_do_better_than_the_others(kind):
    """Where scores are equal the first model is taken.

    Neighbours, fragile among few values, are asked last.
    """
    for contender in search_contenders(Field(kind, TableShape(100, 40))):
        models = contender.procedure[-1].param_grid["model"]
        places = [
            place for place, model in enumerate(models) if "Neighbors" in type(model).__name__
        ]
        assert places in ([], [len(models) - 1])
