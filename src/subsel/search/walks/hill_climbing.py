"""Hill climbing by random mutation."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.registry import Steps, search
from subsel.search.walks.acceptance import better
from subsel.search.walks.membership import Walker
from subsel.search.walks.random_walk import patience_in_steps
from subsel.search.walks.uniforms import Uniforms
from subsel.search.walks.walkers import check_walkers, start_walkers
from subsel.space.space import Space

__all__ = ["HillClimbing"]


@search("rmhc")
@dataclass(frozen=True)
class HillClimbing(Parameters):
    """Random mutation hill climbing: flip one random unit, keep it if strictly better.

    Where the size is fixed (a number of prototypes, say) the mutation swaps one unit for another,
    so that exactly one member changes. With a block of rows beside the features, a mutation changes
    one prototype or one feature. A string of row indices may name a row twice after a bit flip;
    sets cannot, so no repair is needed.

    Parameters
    ----------
    patience : int or None
        Mutations in a row without success after which the climb ends. None: see `RandomWalk`.
    walkers : int
        Independent climbs that are moved together and evaluated in one batch; they end together.
    string : bool
        Draw what mutates by the bits of the published string, in which each prototype is the binary
        number of a row and each feature one bit; otherwise by how many rows and features there are.

    References
    ----------
    .. [1] Skalak, *Prototype and feature selection by sampling and random mutation hill climbing
       algorithms*, ICML 1994.
    .. [2] Stracuzzi, *Randomized feature selection*, in Liu and Motoda (eds.), *Computational
       Methods of Feature Selection*, 2007, section on random mutation hill climbing.

    Examples
    --------
    >>> steps = HillClimbing().steps(Space.of(6), np.random.default_rng(0))
    >>> start, neighbour = next(steps), steps.send(0.5)
    >>> (start.bits ^ neighbour.bits).bit_count()
    1
    """

    patience: int | None = None
    walkers: int = 1
    _: KW_ONLY
    string: bool = False

    def steps(self, space: Space, rng: np.random.Generator, horizon: int | None = None) -> Steps:
        """Climb."""
        check_walkers(self.walkers)
        if self.string and self.walkers != 1:
            raise ValueError("string=True is for one walker.")
        if self.walkers == 1:
            return self._one(space, rng, horizon)
        return self._together(space, rng, horizon)

    def _one(self, space: Space, rng: np.random.Generator, horizon: int | None) -> Steps:
        walker = Walker.start(space, rng)
        quality = yield walker.subset
        idle, patience = 0, patience_in_steps(self.patience, space, horizon)
        mutation = walker.mutate if self.string else walker.flip
        with Uniforms(rng) as chances:
            while idle < patience and (units := mutation(chances)):
                candidate = space.flip(walker.subset, *units)
                seen = yield candidate
                idle += 1
                if better(seen - quality):
                    walker.move(units, candidate)
                    quality, idle = seen, 0

    def _together(self, space: Space, rng: np.random.Generator, horizon: int | None) -> Steps:
        walkers = start_walkers(space, rng, self.walkers)
        qualities = np.array((yield walkers.here()))
        idle = np.zeros(self.walkers, dtype=np.int64)
        patience = patience_in_steps(self.patience, space, horizon)
        while idle.min() < patience and (proposal := walkers.flip(rng)) is not None:
            seen = np.array((yield walkers.after(proposal)))
            moves = seen > qualities
            walkers.move(proposal, moves)
            qualities, idle = np.maximum(qualities, seen), np.where(moves, 0, idle + 1)
