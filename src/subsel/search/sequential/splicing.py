"""Splicing: the best subset of every size, by exchanging selected columns with others."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from itertools import combinations, islice, product
from math import comb

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.moves import ask_start, bare, growing, within
from subsel.search.registry import Steps, search
from subsel.space.candidates import Candidates, Subset
from subsel.space.space import Space

__all__ = ["Splicing"]


@search("splicing")
@dataclass(frozen=True)
class Splicing(Parameters):
    """Best subset selection by splicing: selected units are exchanged with others.

    The sizes are visited upwards, each from the best subset of the size before and the unit that
    helps it most. At each size the selected units are ordered by what their removal costs, the
    others by what their addition brings, and the best exchange of one of the weakest with one of
    the strongest is made as long as that helps [1]_. Where no such exchange helps, every exchange
    of one unit is tried, and exchanges of two, where there are few of them [2]_. A size whose
    best subset is improved from above is visited again. The best subset is a local optimum: no
    exchange of one unit improves it.

    Parameters
    ----------
    shortlist : int, default=10
        So many of the weakest selected units are exchanged with so many of the strongest others.
    swaps : int, default=5_000
        At each size every exchange of one unit is tried where there are at most so many; for the
        best subset of all they are always tried.
    pairs : int, default=5_000
        Exchanges of two units are tried at a size of k units of p where p k^2 is at most this.

    References
    ----------
    .. [1] Zhu, Wen, Zhu, Zhang and Wang, *A polynomial algorithm for best-subset selection
       problem*, PNAS
       117(52), 2020, algorithms 1 and 2.
    .. [2] Hazimeh and Mazumder, *Fast best subset selection: coordinate descent and local
       combinatorial
       optimization algorithms*, Operations Research 68(5), 2020, section 3 (partial swap
       optimality).

    Examples
    --------
    Forward selection begins with column 0, the best alone; columns 1 and 2 are better together.

    >>> from subsel.criteria import LeastSquares
    >>> from subsel.data.task import Task
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 5))
    >>> y = X[:, 1] + X[:, 2]
    >>> X[:, 0] = y + rng.standard_normal(200)
    >>> from subsel import SubsetSelector
    >>> criterion = LeastSquares(alpha=0.0)
    >>> for search in ("sfs", "splicing"):
    ...     selector = SubsetSelector(criterion, search, n_features=2).fit(X, y)
    ...     selector.result_.chosen.tolist()
    [0, 1]
    [1, 2]
    """

    shortlist: int = 10
    swaps: int = 5_000
    _: KW_ONLY
    pairs: int = 5_000

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,  # noqa: ARG002
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Visit the sizes upwards, and splice at each."""
        current, quality = yield from ask_start(space, bare(space))
        best = {current.size: (quality, current)}
        while candidates := growing(space, current):
            qualities = yield candidates
            first = int(np.argmax(qualities))
            step = float(qualities[first]), candidates[first]
            size = step[1].size
            quality, current = max(step, best.get(size, step), key=lambda known: known[0])
            quality, current = yield from self._splice(space, quality, current, best)
            best[size] = quality, current
        # the best of all is a local optimum, whatever the number of its swaps
        eligible = [known for known in best.values() if space.eligible(known[1])]
        if not eligible:
            return
        quality, current = max(eligible, key=lambda known: (known[0], -known[1].size))
        while True:
            step = yield from _best_of(_swaps(space, current))
            if step is None or step[0] <= quality:
                return
            quality, current = yield from self._splice(space, step[0], step[1], best)

    def _splice(
        self, space: Space, quality: float, current: Subset, best: dict[int, tuple[float, Subset]]
    ) -> Steps:
        """Exchange units of ``current`` until nothing helps; updates ``best`` in place.

        ``best`` holds the quality and the subset that are best of each size.
        """
        while True:
            step = yield from self._exchange(space, current, best)
            if step is None or step[0] <= quality:
                step = yield from self._swap(space, current)
            if step is None or step[0] <= quality:
                step = yield from self._exchange_two(space, quality, current)
            if step is None or step[0] <= quality:
                return quality, current
            quality, current = step

    def _exchange(
        self, space: Space, current: Subset, best: dict[int, tuple[float, Subset]]
    ) -> Steps:
        """Find the best exchange of one of the weakest selected units with a strong other."""
        removals, additions = space.removals(current), space.additions(current)
        if len(removals) < 2 or not len(additions):
            return None
        without = yield removals
        weakest = np.argsort(-without, kind="stable")
        smaller = removals[int(weakest[0])]
        known = best.get(smaller.size)
        if known is not None and without[weakest[0]] > known[0]:
            best[smaller.size] = float(without[weakest[0]]), smaller
        strongest = np.argsort(-(yield additions), kind="stable")
        out = dict.fromkeys(removals.flips[weakest, 0].tolist())
        into = dict.fromkeys(additions.flips[strongest, 0].tolist())
        exchanges = product(islice(out, self.shortlist), islice(into, self.shortlist))
        candidates = Candidates(space, current, np.array(list(exchanges)))
        return (yield from _best_of(within(candidates, current.size, current.size)))

    def _swap(self, space: Space, current: Subset) -> Steps:
        """The best exchange of one unit, where there are few enough."""
        if len(space.units(current)) * len(space.others(current)) > self.swaps:
            return None
        return (yield from _best_of(_swaps(space, current)))

    def _exchange_two(self, space: Space, quality: float, current: Subset) -> Steps:
        """Find an exchange of two units that helps: each pair leaves for the best other pair.

        Where these are too many, the units that join are chosen one after the other.
        """
        selected = dict.fromkeys(space.removals(current).flips[:, 0].tolist())
        k, p = len(selected), space.n_units
        if k**2 * p > self.pairs:
            return None
        together = comb(k, 2) * comb(p - k, 2) <= self.pairs / 10  # evaluated from scratch
        for pair in combinations(selected, 2):
            subset, step = space.flip(current, *pair), None
            for n in (2,) if together else (1, 1):
                step = yield from _best_of(space.additions(subset, n))
                if step is None:
                    break
                subset = step[1]
            if step is not None and step[0] > quality and step[1].size == current.size:
                return step
        return None


def _swaps(space: Space, subset: Subset) -> Candidates:
    """All exchanges of one selected unit with another that keep the size."""
    return within(space.swaps(subset), subset.size, subset.size)


def _best_of(candidates: Candidates) -> Steps:
    """The quality and the subset of the best candidate; None where there is none."""
    if not len(candidates):
        return None
    qualities = yield candidates
    first = int(np.argmax(qualities))
    return float(qualities[first]), candidates[first]
