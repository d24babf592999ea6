"""What each sequential or exact search must do in spaces of every kind."""

from itertools import combinations

import numpy as np

from subsel.space import Block, Space
from tests.oracles.sequential import drive

SPACES = {
    "plain": Space.of(5),
    "one": Space.of(1),
    "bounds": Space.of(6, low=2, high=3),
    "exactly": Space.of(6, low=3, high=3),
    "fixed": Space.of(6, fixed=[1], forbidden=[4], low=2, high=4),
    "only fixed": Space.of(5, fixed=[1, 3]),
    "groups": Space.of(7, groups=[(0, 1), (3, 4, 5)], low=2, high=5),
    "dead ends": Space.of(7, groups=[(0, 1, 2), (3, 4), (5, 6)], low=4, high=4),
    "costs": Space.of(5, costs=[1, 2, 1, 3, 1], max_cost=5),
    "tight costs": Space.of(4, costs=[3, 3, 3, 1], max_cost=3, low=1),
    "choice": Space((Block(5), Block(3, name="kernel", choice=True))),
    "choice, exactly": Space((Block(5, low=2, high=2), Block(2, name="kernel", choice=True))),
    "rows": Space((Block(3), Block(3, name="rows"))),
}
EMPTY_ALLOWED = Space.of(4, low=0)


def bumpy(seed, n=7):
    """A criterion with main effects and interactions of all pairs."""
    rng = np.random.default_rng(seed)
    weight, pair = rng.normal(size=n), rng.normal(size=(n, n))
    return lambda s: float(sum(weight[c] for c in s) + sum(pair[a, b] for a, b in combinations(sorted(s), 2)))


def keeps_its_promises(search, space):
    """It asks for visitable subsets only, for an eligible one among them, ends by itself, and repeats under a seed."""
    for seed in range(2):
        requests, asked, answer = drive(search, space, bumpy(seed), seed)
        subsets = [s for request in requests for s in request]
        assert all(space.visitable(s) for s in subsets)
        assert any(space.eligible(s) for s in subsets)
        assert answer is None or (space.eligible(answer) and answer in subsets)
        assert drive(search, space, bumpy(seed), seed)[1] == asked
    for constant in (1.0, -np.inf):
        requests, _, _ = drive(search, space, lambda s, c=constant: c)
        assert any(space.eligible(s) for request in requests for s in request)
