"""Exhaustive search: every eligible subset once, in an order of single exchanges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import comb, prod

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.moves import settings, within
from subsel.search.registry import Steps, search
from subsel.space.candidates import Candidates
from subsel.space.space import Space

__all__ = ["Exhaustive"]

_CELLS = (
    2**16
)  # the most entries in the array of one request: enough to share out, small enough to hold


@search("exhaustive")
@dataclass(frozen=True)
class Exhaustive(Parameters):
    r"""Exhaustive search: requests every eligible subset, small ones first.

    It is certain to find the best.

    Within a size the subsets come in revolving-door order, up and down by turns, so that each
    differs from the one before by one addition or one exchange. They are asked for in batches that
    add a few features to a common base. The number of subsets is counted first: :math:`\sum_k
    \binom{n}{k}` over the eligible sizes k, times the settings of the choices.

    Parameters
    ----------
    limit : int
        Refuse to start on more subsets than this.

    References
    ----------
    .. [1] Nijenhuis and Wilf, *Combinatorial Algorithms*, 2nd edition, 1978, chapter 3: the
       revolving door.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 4
       (Reunanen).

    Examples
    --------
    >>> space = Space.of(4, low=2, high=2)
    >>> batch = next(Exhaustive().steps(space, np.random.default_rng(0)))
    >>> [space.columns(subset).tolist() for subset in batch]
    [[0, 1], [1, 2], [0, 2], [2, 3], [1, 3], [0, 3]]
    """

    limit: int = 10**8

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,  # noqa: ARG002
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Ask for everything, batch by batch."""
        numbers = _numbers_of_units(space)
        count = sum(comb(space.n_units, k) for k in numbers) * prod(map(len, space.choices))
        if count > self.limit:
            raise ValueError(
                f"exhaustive search would evaluate {count:,} subsets, more than "
                f"limit={self.limit:,}: "
                "narrow n_features, raise the limit, or take another search."
            )
        for k in numbers:
            for base, added in _batches(space.n_units, k, upward=(k - numbers[0]) % 2 == 0):
                for setting in settings(space, space.subset(base)):
                    batch = Candidates.of(space, [setting])
                    if k:
                        batch = Candidates(space, setting, added)
                    if candidates := _eligible(space, batch):
                        yield candidates


def _numbers_of_units(space: Space) -> range:
    """How many units an eligible subset may have on."""
    widths = np.sort(space.widths[: space.n_units])
    least, most = (
        space.n_fixed + np.concatenate([[0], np.cumsum(w)]) for w in (widths, widths[::-1])
    )
    return range(int(np.argmax(most >= max(space.low, 1))), int(np.sum(least <= space.high)))


def _eligible(space: Space, candidates: Candidates) -> Candidates:
    """Select the eligible candidates of a batch; all of them if only sizes are bounded."""
    candidates = within(candidates, max(space.low, 1), space.high)
    if space.blocks[0].max_cost is None and all(block.choice for block in space.blocks[1:]):
        return candidates
    return candidates.take(
        np.flatnonzero(
            [space.eligible(subset) and space.visitable(subset) for subset in candidates]
        )
    )


def _batches(n: int, k: int, upward: bool) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
    """List all k-subsets of n units in revolving-door order, or backwards.

    Yields the top units, and arrays of the units below them.

    The list of (n, k) is that of (n - 1, k), then that of (n - 1, k - 1) backwards with unit n - 1
    in each.
    """
    waiting: list[tuple[tuple[int, ...], int, int, bool]] = [((), n, k, upward)]
    while waiting:
        top, n, k, upward = waiting.pop()
        if k <= 1 or k * comb(n, k) <= _CELLS:
            below = _revolving_door(n, k)
            if len(below):
                yield top, below if upward else below[::-1]
        else:
            halves = [(top, n - 1, k, upward), ((*top, n - 1), n - 1, k - 1, not upward)]
            waiting += halves[::-1] if upward else halves


@lru_cache(maxsize=256)
def _revolving_door(n: int, k: int) -> np.ndarray:
    """The k-subsets of n units, one a row."""
    if k > n:
        return np.empty((0, k), dtype=np.int64)
    if k <= 1 or k == n:
        return np.arange(n)[:, None] if k == 1 else np.arange(k)[None, :]
    without, rest = _revolving_door(n - 1, k), _revolving_door(n - 1, k - 1)[::-1]
    return np.vstack([without, np.column_stack([rest, np.full(len(rest), n - 1)])])
