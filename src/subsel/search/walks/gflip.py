"""G-flip: flip features in random order wherever that helps, until a pass changes none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.moves import band
from subsel.search.registry import Steps, search
from subsel.space.candidates import Subset
from subsel.space.space import Space

__all__ = ["GFlip"]


@search("gflip")
@dataclass(frozen=True)
class GFlip(Parameters):
    """G-flip: pass over the features in random order and flip each that raises the quality.

    It ends after a pass without a flip.

    It chooses the number of features itself and stops where no single flip (or other option of a
    choice) helps. A start that is not eligible is first repaired at random: the empty set receives
    one feature. It stays within the bounds, and walks one feature beyond an exact size. One run
    from the empty set often misses features that work only jointly: use restarts, or start from the
    full set. Written for margins, it serves any criterion.

    Parameters
    ----------
    start : {"empty", "full", "random"}
        Where it begins.

    References
    ----------
    .. [1] Gilad-Bachrach, Navot and Tishby, *Margin based feature selection: theory and
       algorithms*, ICML 2004.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter
       29.

    Examples
    --------
    >>> steps = GFlip("full").steps(Space.of(4), np.random.default_rng(0))
    >>> first, second = next(steps), steps.send(0.5)
    >>> first.size, second.size
    (4, 3)
    """

    start: Literal["empty", "full", "random"] = "empty"

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Make passes until one changes nothing."""
        current, (low, high) = self._first(space, rng), band(space)
        quality, changed = (yield current), True
        while changed:
            changed = False
            for unit in rng.permutation(space.n_units + sum(map(len, space.choices))).tolist():
                flipped = space.flip(current, unit)
                inside = (
                    low <= flipped.size <= high
                    and space.visitable(flipped)
                    and space.within_cost(flipped)
                )
                if inside and flipped != current:
                    flipped_quality = yield flipped
                    if flipped_quality > quality:
                        current, quality, changed = flipped, flipped_quality, True

    def _first(self, space: Space, rng: np.random.Generator) -> Subset:
        if self.start not in ("empty", "full", "random"):
            raise ValueError(f"start must be 'empty', 'full' or 'random', got {self.start!r}.")
        if self.start == "empty":
            first = space.empty()
        elif self.start == "full":
            first = space.full()
        else:
            first = space.sample(rng)
        if space.visitable(first) or space.low:
            return space.repair(first, rng)
        return space.sample(rng, 1)
