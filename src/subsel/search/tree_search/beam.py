"""Beam search: forward selection that keeps several subsets in the running."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.moves import ask_start, bare, growing
from subsel.search.registry import Steps, search
from subsel.search.tree_search.open_list import Entry, entries, unseen
from subsel.space.candidates import Candidates
from subsel.space.space import Space

__all__ = ["Beam"]


@search("beam")
@search("beam-by-size", by_size=True)
@dataclass(frozen=True)
class Beam(Parameters):
    """Beam search: only the best few subsets of each size are extended by every feature.

    As printed, the best w subsets of all sizes wait in one open list and the first of them is
    grown; how long that takes depends on the criterion. Subsets asked for once are not asked for
    again, which the print forgets. The key ``beam-by-size`` keeps the best w subsets of each number
    of features and asks for at most w n of the next. Either way width 1 is forward selection, and
    no width is exhaustive search.

    Parameters
    ----------
    width : int or None
        How many subsets wait, None for all.
    by_size : bool
        Whether subsets compete with those of their own number of features only.

    References
    ----------
    .. [1] Siedlecki and Sklansky, *On automatic feature selection*, International Journal of
       Pattern Recognition and Artificial Intelligence 2, 1988.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 4
       (Reunanen).

    Examples
    --------
    With two places {1} still waits when the pairs from {0} turn out worse, and its pairs come next.

    >>> space = Space.of(3)
    >>> steps = Beam(width=2).steps(space, np.random.default_rng(0))
    >>> requests = next(steps), steps.send([0.9, 0.8, 0.1]), steps.send([0.7, 0.6])
    >>> [[space.columns(subset).tolist() for subset in request] for request in requests]
    [[[0], [1], [2]], [[0, 1], [0, 2]], [[1, 2]]]
    """

    width: int | None = 5
    by_size: bool = False

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,  # noqa: ARG002
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Grow what waits until nothing does."""
        if self.width is not None and self.width < 1:
            raise ValueError(f"width must be at least 1, got {self.width}.")
        yield from ask_start(space, bare(space))
        queue = [Entry(np.inf, -1, Candidates.of(space, [bare(space)]), 0)]
        seen: set[int] = set()
        while queue:
            growers, waiting = (queue, []) if self.by_size else (queue[:1], queue[1:])
            for entry in growers:
                if candidates := unseen(growing(space, entry.subset), seen):
                    qualities = yield candidates
                    waiting = sorted(
                        [*waiting, *islice(entries(candidates, qualities, seen), self.width)]
                    )[: self.width]
            queue = waiting
