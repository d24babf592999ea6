"""Branch and bound: exact for criteria that no added feature lowers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.moves import ask_start, bare, growing, settings
from subsel.search.registry import Steps, search
from subsel.search.sequential.sequential import greedy
from subsel.space.candidates import Candidates, Subset
from subsel.space.space import Space

__all__ = ["BranchAndBound"]


@search("branch-and-bound")
@dataclass(frozen=True)
class BranchAndBound(Parameters):
    """Branch and bound: exact search for monotone criteria, dropping features from the full set.

    Where adding a feature never lowers the quality, a subset no better than the best answer known
    cannot lead to a better one, and nothing below it is looked at. Forward selection gives the
    first answer. At a node all removals still open to it are evaluated; the worst comes first in
    the order and so gets the largest branch, which is the likeliest to be cut off, and the best
    branch is entered first. No subset is asked for twice, and beside those of forward selection
    only subsets of at least the greatest eligible size d (larger is no worse). The number of
    subsets remains exponential at worst. For criteria that are not monotone the answer may miss the
    optimum.

    References
    ----------
    .. [1] Narendra and Fukunaga, *A branch and bound algorithm for feature subset selection*, IEEE
       Transactions on Computers 26, 1977.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 4
       (Reunanen).

    Examples
    --------
    To find the best of three features, forward selection asks for each of them; no removal that
    leaves a pair no better than the first answer is followed.

    >>> steps = BranchAndBound().steps(Space.of(3, low=1, high=1), np.random.default_rng(0))
    >>> [len(next(steps)), len(steps.send([0.9, 0.1, 0.1]))]
    [3, 3]
    >>> steps.send([0.2, 0.9, 0.9])
    Traceback (most recent call last):
    StopIteration
    """

    needs_monotone: ClassVar[bool] = True

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,  # noqa: ARG002
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Bound by forward selection, then branch from the full set."""
        start, best = yield from ask_start(space, bare(space))
        _, best = yield from greedy(space, start, partial(growing, space), best)
        if space.eligible(space.full()):
            yield from ask_start(space, space.full())
            return
        for root in settings(space, space.full()):
            best = yield from _branch(space, root, best)


def _branch(space: Space, root: Subset, best: float) -> Steps:
    """Search the subsets of the root for one better than ``best``; returns the best quality."""
    open_list = [(np.inf, root, np.flatnonzero(space.widths[: space.n_units]))]
    while open_list:
        bound, subset, removable = open_list.pop()
        removable = removable[subset.size - space.widths[removable] >= max(space.low, 1)]
        spare = space.widths[removable]
        if bound <= best or not len(spare) or subset.size - spare.sum() > space.high:
            continue
        if (
            subset.size - (spare.sum() - spare.min()) > space.high
        ):  # none may stay: one subset is left of the branch
            leaf = space.flip(subset, *removable.tolist())
            if space.eligible(leaf):
                best = max(best, (yield leaf))
            continue
        candidates = Candidates(space, subset, removable[:, None])
        qualities = np.asarray((yield candidates), dtype=float)
        order = np.argsort(qualities, kind="stable")
        for rank, row in enumerate(order.tolist(), start=1):
            if qualities[row] > best and space.eligible(candidates[row]):
                best = float(qualities[row])
            elif qualities[row] > best:
                open_list.append((float(qualities[row]), candidates[row], removable[order[rank:]]))
    return best
