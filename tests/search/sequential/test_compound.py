"""Backward selection with compound steps."""

import numpy as np
import pytest

from subsel.search.sequential.compound import CompoundBackward
from subsel.search.sequential.sequential import SequentialBackward
from subsel.space.space import Space
from tests.oracles import sequential as oracle
from tests.oracles.sequential import drive
from tests.oracles.table import random_table


@pytest.mark.parametrize(("n", "low"), [(1, 1), (2, 1), (6, 1), (6, 3), (6, 6)])
def test_asks_what_the_plain_version_asks(n, low):
    """The same sets are asked for in the same order as by set arithmetic, with ties or without."""
    for seed in range(15):
        table = random_table(n, seed).function
        for f in (table, lambda s, table=table: round(table(s), 1)):
            assert drive(CompoundBackward(), Space.of(n, low=low), f)[1] == oracle.compound(
                f, n, low
            )


def test_where_compounds_do_harm_it_is_backward_selection():
    """If each further removal lowers the quality, every round drops one feature, the one
    that SBS drops.
    """
    worth = np.random.default_rng(0).random(6)

    def f(s):
        return float(sum(worth[sorted(s)]))

    requests, _, _ = drive(CompoundBackward(), Space.of(6), f)
    rounds = [[s.bits for s in r] for r in requests if len(r) > 1]
    assert rounds == [
        [s.bits for s in r] for r in drive(SequentialBackward(), Space.of(6), f)[0][1:]
    ]


def test_irrelevant_features_go_in_one_round():
    """With 3 relevant of 40 features, two rounds of about 2n requests take away all others."""

    def f(s):
        return float(len(s & {3, 17, 30}))

    _, asked, _ = drive(CompoundBackward(), Space.of(40, low=3), f)
    assert asked[-1] == {3, 17, 30}
    assert len(asked) <= 2 * 40
    assert len(drive(SequentialBackward(), Space.of(40, low=3), f)[1]) > 800
