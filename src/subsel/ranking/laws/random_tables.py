"""P-values of statistics of classes and tied values by random tables of the same margins, where too many are possible."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np

from subsel.ranking.laws.sequential import seed_of, stages

__all__ = ["sampled_tails"]

Array = np.ndarray
ENOUGH = 50  # tables that did as well, after which no more are drawn
ENOUGH_OF_EQUAL = (
    1000  # the same for values equally frequent, as intervals are: so many columns share their luck
)
CELLS = 1 << 20  # of tables held at a time
AT_ONCE = 128  # tables of one margin, which have a seed together
KEPT = 1 << 21  # statistics of random tables that are remembered


def sampled_tails(
    masses: Array, statistic: Callable[[Array], Array], n_permutations: int, random_state: Any
) -> Array:
    """P(S >= s) of a statistic of each column's tied masses when the labels are permuted, by sequential Monte Carlo.

    What :func:`subsel.ranking.laws.ties.tied_log_tails` enumerates is drawn here: given how often
    the values and the classes occur, tables are dealt at random until 50 did as well
    (:func:`subsel.ranking.laws.sequential.sequential_p_values` has the argument). Columns of the
    same margins share their tables. As all columns without ties that were cut into intervals of
    equal frequency do, 1000 are asked for where all values are equally frequent.

    Parameters
    ----------
    masses : array, shape (n_classes, n_columns, n_values)
        Whole numbers of rows; values that do not occur in a column are zero in all classes.
    statistic : callable
        Gives one number for each column of such masses.

    Examples
    --------
    >>> masses = np.array([[[3.0, 0.0]], [[0.0, 3.0]]])
    >>> sampled_tails(masses, lambda masses: masses[1, :, 1], 10_000, 0).round(2)
    array([0.05])
    """
    bars = statistic(masses)
    bars = bars - 1e-9 * np.maximum(np.abs(bars), 0.1)
    of_class, sizes, groups = _groups(masses)
    enough = np.where(_are_equal(sizes), ENOUGH_OF_EQUAL, ENOUGH)
    seed, p = seed_of(random_state), np.ones(len(bars))
    reached, drawn = np.zeros(len(bars)), 0
    open_ = np.arange(len(groups))
    for stage, n_tables in enumerate(stages(n_permutations)):
        drawn += n_tables
        for k, found in _statistics(sizes, of_class, open_, statistic, n_tables, (seed, stage)):
            members = groups[k]
            reached[members] += n_tables - np.searchsorted(found, bars[members])
            p[members] = (1 + reached[members]) / (1 + drawn)
            groups[k] = members[reached[members] < enough[k]]
        open_ = np.array([k for k in open_ if len(groups[k])], dtype=np.intp)
        if len(open_) == 0:
            break
    return p


def _groups(masses: Array) -> tuple[Array, Array, list[Array]]:
    """The distinct margins, of classes and of values, and the columns that have each."""
    margins = np.hstack([masses.sum(axis=2).T, masses.sum(axis=0)]).astype(np.int64)
    shapes, which = np.unique(margins, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(which.ravel()))[:-1])
    return shapes[:, : len(masses)], shapes[:, len(masses) :], groups


def _are_equal(sizes: Array) -> Array:
    """Whether the values of each line that occur are equally frequent, to one row."""
    return sizes.max(axis=1) - np.where(sizes > 0, sizes, sizes.max()).min(axis=1) <= 1


@dataclass
class _Memory:
    """Statistics found before; all are forgotten when they grow too many."""

    found: dict[Hashable, Array] = field(default_factory=dict)
    size: int = 0

    def keep(self, key: Hashable, found: Array) -> Array:
        self.size += len(found) + 64
        if self.size > KEPT:
            self.found, self.size = {}, len(found) + 64
        self.found[key] = found
        return found


_memory = _Memory()


def _statistics(
    sizes: Array,
    of_class: Array,
    lines: Array,
    statistic: Callable[[Array], Array],
    n_tables: int,
    seed: tuple,
) -> Iterator[tuple[int, Array]]:
    """The statistic of random tables for some lines of margins, ascending; many lines at a time."""
    keys = {k: (statistic, n_tables, _seed(seed, of_class[k], sizes[k])) for k in lines}
    held = {k: _memory.found[key] for k, key in keys.items() if key in _memory.found}
    yield from held.items()
    fresh = np.array([k for k in lines if k not in held], dtype=np.intp)
    width = max(1, CELLS // (min(n_tables, AT_ONCE) * of_class.shape[1] * sizes.shape[1]))
    for start in range(0, len(fresh), width):
        block = fresh[start : start + width]
        drawn = _drawn(sizes[block], of_class[block], statistic, n_tables, seed)
        yield from ((k, _memory.keep(keys[k], found)) for k, found in zip(block, drawn))


def _drawn(
    sizes: Array, of_class: Array, statistic: Callable[[Array], Array], n_tables: int, seed: tuple
) -> Array:
    """The statistic of random tables, a line of ascending ones for each line of margins."""
    from subsel._loops.statistics.random_tables import random_tables

    found = []
    for begin in range(0, n_tables, AT_ONCE):
        seeds = np.array(
            [_seed((*seed, begin), *margins) for margins in zip(of_class, sizes)], dtype=np.uint64
        )
        tables = random_tables(sizes, of_class, seeds, min(AT_ONCE, n_tables - begin))
        found.append(statistic(tables).reshape(len(sizes), -1))
    return np.sort(np.hstack(found), axis=1)


def _seed(seed: tuple, *margins: Array) -> int:
    """A word for each margin, whatever other columns there are; values that do not occur have no part in it."""
    text = repr((seed, [part[part > 0].tolist() for part in margins]))
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
