"""An eligible subset near one that is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from subsel.space.candidates import Subset
from subsel.space.sampling import sample, sample_size

if TYPE_CHECKING:
    from subsel.space.space import Space

__all__ = ["repair"]

_TRIES = 100


def repair(space: Space, subset: Subset, rng: np.random.Generator) -> Subset:
    """Drop or add random units until the bounds hold; where chance does not find an answer, the cheapest units do."""
    if space.eligible(subset):
        return subset
    for _ in range(_TRIES):
        subset = _add(space, _drop(space, subset, rng), rng)
        if space.eligible(subset):
            return subset
        subset = sample(space, rng, sample_size(space, rng))
    return _cheapest(space, subset)


def _drop(space: Space, subset: Subset, rng: np.random.Generator) -> Subset:
    """Drop random units until neither the size nor the cost is too large."""
    for unit in rng.permutation(space.units(subset)).tolist():
        if subset.size <= space.high and space.within_cost(subset):
            break
        if subset.size - space.width(unit) >= min(space.low, space.high):
            subset = space.flip(subset, unit)
    return subset


def _add(space: Space, subset: Subset, rng: np.random.Generator) -> Subset:
    """Add random units that can be paid for until the size is large enough."""
    for unit in rng.permutation(space.others(subset)).tolist():
        if subset.size >= space.low:
            break
        if subset.size + space.width(unit) <= space.high and space.within_cost(
            space.flip(subset, unit)
        ):
            subset = space.flip(subset, unit)
    return subset


def _cheapest(space: Space, subset: Subset) -> Subset:
    """The cheapest units of the first block that make up the least size, the rest of the subset as it is."""
    first = space.block_units[0]
    order = np.argsort(
        (space.prices / np.maximum(space.widths[:-1], 1))[: len(first)], kind="stable"
    )
    mask = space.mask(subset)
    mask[: len(first)] = 0
    grown = space.n_fixed + np.cumsum(space.widths[order])
    mask[order[: int(np.searchsorted(grown, max(space.low, 1))) + 1]] = 1
    subset = space.from_mask(mask)
    if not space.eligible(subset):
        raise ValueError(
            "no eligible subset was found: the size, group and cost bounds leave too few."
        )
    return subset
