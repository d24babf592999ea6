"""Random sampling of subsets: the baseline every other search must beat."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.registry import Steps, search
from subsel.search.walks.membership import settle
from subsel.search.walks.walkers import check_walkers, moves_in_arrays, random_masks
from subsel.space.candidates import Candidates, Subset
from subsel.space.packed import PackedCandidates
from subsel.space.space import Space

__all__ = ["RandomSampling", "draw"]

_BATCH = 32


@search("random")
@dataclass(frozen=True)
class RandomSampling(Parameters):
    """Random sampling, uniform over subsets or over sizes: the baseline of every search.

    With a block of rows of fixed size it is the Monte Carlo selection of prototypes.

    Parameters
    ----------
    over : {"subsets", "sizes"}
        Draw uniformly among all subsets within the bounds, so that sizes concentrate at half the
        features; or draw the size first, then a subset of that size.
    n_draws : int or None
        Subsets to draw. None: the horizon, or 100 per unit between 1,000 and 10,000.
    walkers : int
        Above 1: so many are drawn with array operations, and evaluated in one batch.

    References
    ----------
    .. [1] Skalak, *Prototype and feature selection by sampling and random mutation hill climbing
       algorithms*, ICML 1994: Monte Carlo 1.
    .. [2] Stracuzzi, *Randomized feature selection*, in Liu and Motoda (eds.), *Computational
       Methods of Feature Selection*, 2007.

    Examples
    --------
    >>> space, rng = Space.of(6, low=2, high=2), np.random.default_rng(0)
    >>> batch = next(RandomSampling(n_draws=3).steps(space, rng))
    >>> [subset.size for subset in batch]
    [2, 2, 2]
    """

    over: str = "subsets"
    n_draws: int | None = None
    _: KW_ONLY
    walkers: int = 1

    def steps(self, space: Space, rng: np.random.Generator, horizon: int | None = None) -> Steps:
        """Draw."""
        check_walkers(self.walkers)
        if self.walkers > 1 and self.over == "subsets" and moves_in_arrays(space):
            yield from self._together(space, rng, horizon)
            return
        left, batch = self._length(space, horizon), _BATCH if self.walkers == 1 else self.walkers
        while left > 0:
            yield Candidates.of(
                space, [draw(space, rng, self.over) for _ in range(min(left, batch))]
            )
            left -= batch

    def _together(self, space: Space, rng: np.random.Generator, horizon: int | None) -> Steps:
        left = self._length(space, horizon)
        while left > 0:
            yield PackedCandidates.of_masks(
                space, random_masks(space, rng, min(left, self.walkers))
            )
            left -= self.walkers

    def _length(self, space: Space, horizon: int | None) -> int:
        return self.n_draws or horizon or min(max(1000, 100 * space.n_units), 10_000)


def draw(space: Space, rng: np.random.Generator, over: str) -> Subset:
    """A random subset within the bounds, uniform over ``"subsets"`` or over ``"sizes"`` first."""
    if over not in ("subsets", "sizes"):
        raise ValueError(f"over must be 'subsets' or 'sizes', got {over!r}.")
    size = None if over == "subsets" else space.sample_size(rng)
    return settle(space, space.sample(rng, size), rng)
