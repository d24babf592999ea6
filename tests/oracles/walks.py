"""Walks in arrays of numpy that do not keep the place of each unit: the same draws from masks."""

import numpy as np

from subsel.search.walks.walkers import ArrayWalkers
from subsel.space.packed import PackedCandidates


class MaskWalkers(ArrayWalkers):
    """Proposals are drawn from the order of units as they are by the loops; subsets are masks."""

    def step(self, rng):
        walks, low, high = self._walks, self.space.low, self.space.high
        n_on, sizes, n_units = walks.n_on, walks.sizes, self.n_units
        swap = (n_on > 0) & (n_on < n_units)
        add, drop = (sizes < high) & (n_on < n_units), (sizes > low) & (n_on > self._floor)
        sides = swap.astype(np.int64) + add + drop
        if not sides.all():
            return None
        side = (rng.random(len(sides)) * sides).astype(np.int64)
        swaps, adds = swap & (side == 0), add & (side == swap)
        return self._units(swaps | adds, ~adds, rng)

    def after(self, proposal):
        masks = self._masks()
        for units in proposal:
            for walk in np.flatnonzero(units >= 0):
                masks[walk, units[walk]] ^= True
        return PackedCandidates.of_masks(self.space, masks)

    def move(self, proposal, which):
        for units in proposal:
            for walk in np.flatnonzero((units >= 0) & which):
                self._exchange(walk, units[walk])
        there = PackedCandidates.of_masks(self.space, self._masks())
        self._walks.words[:], self._walks.keys[:] = there.words, there.keys
        self._walks.sizes[:] = there.sizes

    def _exchange(self, walk, unit):
        """Flip a unit: it changes places with the last that is on, or the first that is off."""
        order, place, n_on = (part[walk] for part in self._walks[:3])
        at, grows = place[unit], place[unit] >= n_on
        edge = n_on if grows else n_on - 1
        order[at], order[edge] = order[edge], unit
        place[order[at]], place[unit] = at, edge
        self._walks.n_on[walk] += 1 if grows else -1

    def _masks(self):
        return self._walks.place < self._walks.n_on[:, None]
