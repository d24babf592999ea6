"""Random subsets of a space, within its size bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from subsel.space.candidates import Subset

if TYPE_CHECKING:
    from subsel.space.space import Space

__all__ = ["repair", "sample", "sample_size"]

_REJECTIONS = 20  # draws over all subsets before the size is drawn first


def sample(space: Space, rng: np.random.Generator, size: int | None = None) -> Subset:
    """Draw a random subset within the size bounds.

    It is uniform over all of them, or has about ``size`` columns in the first block.
    """
    mask = np.zeros(len(space.widths) - 1, dtype=np.uint8)
    for number, (block, units) in enumerate(zip(space.blocks, space.block_units)):
        if not block.choice:
            mask[units.start : units.stop] = _sample_block(
                space, number, rng, size if number == 0 else None
            )
    return _draw_options(space, space.from_mask(mask), rng)


def sample_size(
    space: Space, rng: np.random.Generator, low: int | None = None, high: int | None = None
) -> int:
    """A size drawn uniformly between the bounds."""
    if low is None:
        low = space.low
    if high is None:
        high = space.high
    low = max(low, space.n_fixed, 1)
    return int(rng.integers(low, max(low, high) + 1))


def _sample_block(
    space: Space, number: int, rng: np.random.Generator, size: int | None
) -> np.ndarray:
    """Draw the units of one block, uniformly or of about ``size`` columns.

    Uniform draws use rejection first, then (for narrow bounds) a random size.
    """
    block, widths = space.blocks[number], space.block_widths[number]
    n_free, fixed = int(widths.sum()), block.fixed_size
    low, high = block.size_bounds(n_free)
    low = max(low, 1)
    if size is None and low == high:
        size = low
    if size is None:
        for _ in range(_REJECTIONS):
            mask = rng.integers(0, 2, size=len(widths), dtype=np.uint8)
            if low <= fixed + int(widths @ mask) <= high:
                return mask
        n_columns = _likely_size(rng, low - fixed, high - fixed, n_free)
    else:
        n_columns = size - fixed
    # the shortest beginning of a random order that has at least ``n_columns`` columns
    order = rng.permutation(len(widths))
    mask = np.zeros(len(widths), dtype=np.uint8)
    before = int(np.searchsorted(np.cumsum(widths[order]), n_columns, side="left"))
    mask[order[: before + (n_columns > 0)]] = 1
    return mask


def _draw_options(space: Space, subset: Subset, rng: np.random.Generator) -> Subset:
    """The subset with a random option of every choice."""
    for options in space.choices:
        unit = options.start + int(rng.integers(len(options)))
        if not subset.bits >> unit & 1:
            subset = space.flip(subset, unit)
    return subset


def _likely_size(rng: np.random.Generator, low: int, high: int, n: int) -> int:
    """Draw a size within the bounds, with a probability proportional to its subsets.

    This is exact where every unit is one column.
    """
    from scipy.special import gammaln

    sizes = np.arange(low, high + 1)
    log_count = -gammaln(sizes + 1) - gammaln(n - sizes + 1)
    weight = np.exp(log_count - log_count.max())
    return int(rng.choice(sizes, p=weight / weight.sum()))


_TRIES = 100


def repair(space: Space, subset: Subset, rng: np.random.Generator) -> Subset:
    """Drop or add random units until the bounds hold; if chance fails, the cheapest units."""
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
    """Replace the first block by its cheapest units that reach the least size."""
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
