"""Rapid randomised pruning: guess how many features matter, drop as many others at once as pays."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from math import ceil, log, log1p

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.elimination.removals import clean_probability
from subsel.search.elimination.state import EliminationState, come_down
from subsel.search.registry import Steps, search
from subsel.space.space import Space

__all__ = ["Pruning", "greedy_removals"]


@search("pruning")
@dataclass(frozen=True)
class Pruning(Parameters):
    """Rapid randomised pruning: the greedy relative of randomised variable elimination.

    From the full set, remove the number of random features that removes most per trial if r
    features are relevant (`greedy_removals`); keep the removal where the quality does not fall,
    else undo it and draw again. Where so many trials fail in a row that a right r would make it a
    rare event, r doubles. The end comes when that happens with single removals. An exact number of
    features asked for is taken as r, and the search comes down to it.

    The answer is what is left, not the best subset seen.

    Parameters
    ----------
    tolerance : float
        How far the quality may fall in a removal that is kept.
    rare : float
        The chance under which a run of failures is taken as a sign that r is larger.
    patience : float
        Under an upper size bound the least harmful of this many times the expected tries is taken.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 4
       (Reunanen), rapid randomised pruning.
    .. [2] Stracuzzi and Utgoff, *Randomized variable elimination*, Journal of Machine Learning
       Research 5, 2004.

    Examples
    --------
    Nothing is known of 10 features: if one is relevant, removing 5 at once removes most per trial.

    >>> steps = Pruning().steps(Space.of(10), np.random.default_rng(0))
    >>> full = next(steps)
    >>> steps.send([0.9]).size
    5
    """

    tolerance: float = 0.0
    rare: float = 0.05
    _: KW_ONLY
    patience: float = 10.0

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Prune."""
        state = yield from EliminationState.start(space, self.tolerance, rng)
        return (yield from state.answer_after(self._prune(state)))

    def _prune(self, state: EliminationState) -> Steps:
        if state.space.low < state.space.high:
            yield from self._search_for_r(state)
        if state.too_large():
            r = state.units_allowed()
            yield from come_down(state, r, lambda n: greedy_removals(n, r), self.patience)

    def _search_for_r(self, state: EliminationState) -> Steps:
        r, fails = max(1, state.least), 0
        while state.n > state.least and state.removable():
            assumed = min(r, state.n - 1)
            k = greedy_removals(state.n, assumed)
            fails += 1
            if (yield from state.remove(k)):
                fails = 0
            if fails and fails >= _limit(clean_probability(state.n, assumed, k), self.rare):
                if assumed == state.n - 1:
                    return
                r, fails = 2 * r, 0


def greedy_removals(n: int, r: int) -> int:
    r"""The number of removals k with the largest expected effect of a trial, about n / (r + 1).

    It is :math:`\arg\max_k\, k\, p(n, r, k)`.

    Examples
    --------
    >>> greedy_removals(100, 4), greedy_removals(10, 9), greedy_removals(8, 0)
    (20, 1, 8)
    """
    k = np.arange(1, n - r + 1)
    log_p = np.cumsum(np.log((n - r - k + 1.0) / (n - k + 1.0)))
    return int(k[np.argmax(np.log(k) + log_p)])


def _limit(p: float, rare: float) -> int:
    """So many failures in a row are rarer than that, if each trial succeeds with probability p."""
    return 1 if p >= 1 else ceil(log(rare) / log1p(-p))
