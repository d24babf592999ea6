"""What is left of the full set while a search removes units from it at random."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

import numpy as np

from subsel.search.elimination.removals import expected_failures
from subsel.search.moves import settings
from subsel.search.registry import BudgetSpent, Steps
from subsel.search.walks.membership import settle
from subsel.space.candidates import Subset
from subsel.space.space import Space

__all__ = ["EliminationState", "come_down"]


class EliminationState:
    """What is left of the full set, and its quality."""

    subset: Subset
    quality: float
    _mask: np.ndarray
    _on: np.ndarray

    def __init__(
        self,
        space: Space,
        subset: Subset,
        quality: float,
        tolerance: float,
        rng: np.random.Generator,
    ) -> None:
        self.space, self._tolerance, self._rng = space, tolerance, rng
        self._keep(space.mask(subset), subset, quality)
        self._mean_width = 1.0
        if self.n:
            self._mean_width = max(1.0, float(space.widths[self._on].mean()))
        never_empty = int(not any(block.fixed for block in space.blocks))
        self._floor = max(space.low, never_empty)
        self.least = max(never_empty, self.units_in(space.low))

    @classmethod
    def start(cls, space: Space, tolerance: float, rng: np.random.Generator) -> Steps:
        """Everything, at the option of each choice that suits it best."""
        full = space.full()
        if len(space.block_units) > 1 + len(space.choices):  # further blocks keep to their bounds
            inside = space.mask(settle(space, full, rng))
            inside[: len(space.block_units[0])] = 1
            full = space.from_mask(inside)
        starts = settings(space, full)
        qualities = yield starts
        best = int(np.argmax(qualities))
        return cls(space, starts[best], float(qualities[best]), tolerance, rng)

    @property
    def n(self) -> int:
        """How many units are left."""
        return len(self._on)

    def units_in(self, size: int) -> int:
        """About how many units make up this many columns."""
        return max(0, round((size - self.space.n_fixed) / self._mean_width))

    def units_allowed(self) -> int:
        """About how many units an answer may hold."""
        space, limit = self.space, self.space.blocks[0].max_cost
        allowed = self.units_in(space.high)
        if limit is None or not self.n:
            return allowed
        fixed = space.cost(space.empty())
        price = (space.cost(self.subset) - fixed) / self.n
        if price <= 0:
            return allowed
        return min(allowed, max(self.least, int((limit - fixed) / price)))

    def too_large(self) -> bool:
        """Whether the answer may not have so many columns, or cost so much."""
        limit = self.space.blocks[0].max_cost
        dear = limit is not None and self.space.cost(self.subset) > limit * (1 + 1e-12)
        return dear or self.subset.size > self.space.high

    def removable(self) -> bool:
        """Whether any unit may still go."""
        return self._fitting().size > 0

    def remove(self, k: int) -> Steps:
        """Try to remove k random units; whether that was kept."""
        trial = yield from self._without(k)
        kept = trial[2] >= self.quality - self._tolerance
        if kept:
            self._keep(*trial)
        return kept

    def remove_at_last(self, k: int, tries: int) -> Steps:
        """Remove k random units: the first harmless ones, or the least harmful of some tries."""
        least_harm = None
        for _ in range(tries):
            trial = yield from self._without(k)
            if least_harm is None or trial[2] > least_harm[2]:
                least_harm = trial
            if trial[2] >= self.quality - self._tolerance:
                break
        assert least_harm is not None
        self._keep(*least_harm)

    def answer_after(self, removals: Steps) -> Steps:
        """Return what is left, or an eligible subset near it where it is not eligible."""
        try:
            yield from removals
            if not self.space.eligible(self.subset):
                near = settle(self.space, self.subset, self._rng)
                yield near
                self.subset = near
        except BudgetSpent:
            pass
        return self.subset if self.space.eligible(self.subset) else None

    def _without(self, k: int) -> Steps:
        fitting = self._fitting()
        drawn = self._rng.choice(fitting, min(k, len(fitting)), replace=False)
        grown = np.cumsum(self.space.widths[drawn])
        mask = self._mask.copy()
        mask[drawn[: int(np.searchsorted(grown, self.subset.size - self._floor, side="right"))]] = 0
        subset = self.space.from_mask(mask)
        quality = yield subset
        return mask, subset, quality

    def _keep(self, mask: np.ndarray, subset: Subset, quality: float) -> None:
        self._mask, self.subset, self.quality = mask, subset, quality
        self._on = np.flatnonzero(mask[: len(self.space.block_units[0])])

    def _fitting(self) -> np.ndarray:
        """The units that may go without leaving too little."""
        removable: np.ndarray = self._on[
            self.space.widths[self._on] <= self.subset.size - self._floor
        ]
        return removable


def come_down(
    state: EliminationState, r: int, n_removed: Callable[[int], int], patience: float
) -> Steps:
    """Remove units until the upper bounds hold, even at a loss, as if r units were relevant."""
    while state.too_large() and state.removable():
        k = max(1, n_removed(state.n)) if state.n > r else 1
        failures = expected_failures(state.n, min(r, state.n - 1), k)
        yield from state.remove_at_last(k, ceil(patience * (1 + failures)))
