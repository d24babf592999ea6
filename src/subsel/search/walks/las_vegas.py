"""The Las Vegas filter: ever smaller random subsets that are still good enough."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.registry import BudgetSpent, Steps, search
from subsel.search.walks.membership import settle
from subsel.space.space import Space

__all__ = ["LasVegas"]


@search("lvf")
@dataclass(frozen=True)
class LasVegas(Parameters):
    """Las Vegas filter: the smallest random subset that is as good as all features.

    Draw a size uniformly between the lower bound and the smallest good size so far, then that many
    random features. A subset is good if its quality reaches the threshold. The answer is the
    smallest good one, the better one of two that are equally small (the tie rule is ours). Meant
    for a monotone criterion such as the inconsistency rate; with a criterion that trains a learner
    it is the Las Vegas wrapper.

    Parameters
    ----------
    threshold : float or None
        The quality to reach. None: that of the full set.
    n_draws : int or None
        Subsets to draw. None: the horizon, or 77 per unit between 1,000 and 10,000.

    Notes
    -----
    The prose draws uniformly among all subsets, the figure draws the size first; ours follows the
    figure [1]_, with sizes from 1 rather than 0. Where no eligible subset reaches the threshold,
    the best one seen is the answer.

    References
    ----------
    .. [1] Liu and Setiono, *A probabilistic approach to feature selection: a filter solution*, ICML
       1996.
    .. [2] Stracuzzi, *Randomized feature selection*, in Liu and Motoda (eds.), *Computational
       Methods of Feature Selection*, 2007, section on a simple Las Vegas approach.

    Examples
    --------
    Once a pair is as good as all five features, nothing larger is drawn.

    >>> steps = LasVegas().steps(Space.of(5), np.random.default_rng(0))
    >>> full = next(steps)
    >>> sizes, quality = [], 1.0
    >>> for _ in range(20):
    ...     subset = steps.send(quality)
    ...     quality = float(subset.size >= 2)
    ...     sizes.append(subset.size)
    >>> max(sizes[sizes.index(2):])
    2
    """

    threshold: float | None = None
    n_draws: int | None = None

    def steps(self, space: Space, rng: np.random.Generator, horizon: int | None = None) -> Steps:
        """Draw, keep what is good and no larger."""
        subset = space.full()
        quality = yield subset
        threshold = quality if self.threshold is None else self.threshold
        good, smallest, best = None, space.high, -np.inf
        if quality >= threshold and space.eligible(subset):
            good, smallest, best = subset, subset.size, quality
        for _ in range(self.n_draws or horizon or min(max(1000, 77 * space.n_units), 10_000)):
            size = space.sample_size(rng, high=smallest)
            subset = settle(space, space.sample(rng, size), rng)
            try:
                quality = yield subset
            except BudgetSpent:
                break
            if (
                quality >= threshold
                and space.eligible(subset)
                and (-subset.size, quality) > (-smallest, best)
            ):
                good, smallest, best = subset, subset.size, quality
        return good
