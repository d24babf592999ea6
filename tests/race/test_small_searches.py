"""Searches with a bound on the columns, for who prefers few."""

import numpy as np
import pytest

from subsel import AutoSelector
from subsel.race.contenders import Field
from subsel.race.costs import Shape
from subsel.race.searches import FEW, search_contenders, small_searches


def bounds(contenders):
    return [contender.procedure[1].selector.n_features for contender in contenders]


def test_every_quick_model_searches_within_every_bound():
    """One contender for each model and bound, the smallest bound first, under names of their own."""
    field = Field("classification", Shape(100, 40))
    small, unbounded = list(small_searches(field)), list(search_contenders(field))
    assert bounds(small) == [(1, most) for most in FEW for _ in unbounded]
    assert len({contender.name for contender in [*small, *unbounded]}) == len(small) + len(unbounded)


@pytest.mark.parametrize(("columns", "most", "expected"), [(40, 4, {2}), (3, None, {2}), (2, None, set())])
def test_bounds_that_leave_nothing_out_are_not_offered(columns, most, expected):
    """Neither beyond what the user allows nor of the whole table."""
    field = Field("regression", Shape(100, columns), most=most)
    assert {high for _, high in bounds(small_searches(field))} == expected


@pytest.mark.parametrize(("prefer", "offered"), [("few", True), ("balance", False)])
def test_they_race_where_few_are_preferred(prefer, offered):
    """And nowhere else: who wants the best answer does not wait for them."""
    X, y = np.random.default_rng(0).standard_normal((40, 6)), np.arange(40) % 2
    auto = AutoSelector(prefer=prefer, budget="0.5s", random_state=0).fit(X, y)
    names = [*(contender.name for contender in auto.plan_.contenders), *auto.plan_.left_out]
    assert any("at most 2" in name for name in names) == offered
