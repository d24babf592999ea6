"""The questions that searches put to an evaluator: additions, removals, swaps, populations, walks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from subsel.space.candidates import Candidates, Subset
from subsel.space.space import Space

__all__ = ["moves", "walk"]


def moves(
    space: Space, rng: np.random.Generator, size: int = 4, n: int = 4
) -> dict[str, Candidates]:
    """Give candidates of every structure around a random base.

    Parameters
    ----------
    space : Space
        Of more columns than ``size``.
    rng : Generator
        Chooses the base, and some of the moves.
    size : int
        Columns of the base.
    n : int
        Candidates of each kind, at most.

    Returns
    -------
    dict of str to Candidates
        By the kind of move.

    Examples
    --------
    >>> {kind: len(batch) for kind, batch in moves(Space.of(9), np.random.default_rng(0)).items()}
    {'first': 4, 'addition': 4, 'removal': 4, 'swap': 4, 'pair': 4, 'single': 1, 'random': 4}
    """
    base = space.sample(rng, size)

    def some(batch: Candidates) -> Candidates:
        return batch.take(np.sort(rng.permutation(len(batch))[:n]))

    return {
        "first": some(space.additions(space.empty())),
        "addition": some(space.additions(base)),
        "removal": some(space.removals(base)),
        "swap": some(space.swaps(base)),
        "pair": some(space.removals(base, 2)),
        "single": Candidates.of(space, [base]),
        "random": Candidates.of(space, [space.sample(rng, s) for s in range(1, n + 1)]),
    }


def walk(space: Space, rng: np.random.Generator, n_moves: int, size: int = 4) -> Iterator[Subset]:
    """Walk by additions, removals and swaps, between 2 columns and all but one.

    Examples
    --------
    >>> sorted({subset.size for subset in walk(Space.of(5), np.random.default_rng(0), 100)})
    [2, 3, 4]
    """
    current = space.sample(rng, size)
    for _ in range(n_moves):
        inside, outside = space.units(current), space.others(current)
        out, into = rng.choice(inside), rng.choice(outside)
        steps = [(out, into)] + [(out,)] * (len(inside) > 2) + [(into,)] * (len(outside) > 1)
        current = space.flip(current, *map(int, steps[rng.integers(len(steps))]))
        yield current
