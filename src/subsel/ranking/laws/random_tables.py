"""P-values of tied columns by random contingency tables, where too many tables are possible."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np

from subsel.ranking.laws.sequential import derived_seed, stages

__all__ = ["sampled_tails"]

Array = np.ndarray
# Random tables that reach the observed statistic after which no more are drawn. The relative
# standard error of a p-value is about 1 / sqrt(N_REACHING): 14 %.
N_REACHING = 50
# The same for equally frequent values: columns cut into intervals of equal frequency all have
# these margins, share their random tables, and hence the error of their p-values (3 %).
N_REACHING_EQUAL = 1000
CELLS = 1 << 20  # table cells in memory at a time: 8 MB of floats
TABLES_PER_SEED = 128  # tables of one margin drawn from one seed
CACHED = 1 << 21  # statistics of random tables in the cache: 16 MB of floats


def sampled_tails(
    masses: Array, statistic: Callable[[Array], Array], n_permutations: int, random_state: Any
) -> Array:
    """Estimate P(S >= s) under permuted labels for a statistic of each column's tied masses.

    The tables that :func:`subsel.ranking.laws.ties.tied_log_tails` enumerates are drawn at random
    here, given how often the values and the classes occur, until 50 of them reach the observed
    statistic (:func:`subsel.ranking.laws.sequential.sequential_p_values` explains why this is
    valid). Columns of the same margins share their tables. Where all values are equally frequent,
    1000 must reach it, because all columns without ties that were cut into intervals of equal
    frequency share one set of tables.

    Parameters
    ----------
    masses : array, shape (n_classes, n_columns, n_values)
        Whole numbers of rows; values that do not occur in a column are zero in all classes.
    statistic : callable
        Gives one number for each column of such masses. It must be hashable and equal to itself in
        later calls, because results are cached under it.
    n_permutations : int
        The largest number of tables that are drawn for a column.
    random_state : int, Generator or None
        The seed.

    Returns
    -------
    ndarray of shape (n_columns,)
        ``(1 + reached) / (1 + drawn)``.

    Examples
    --------
    >>> masses = np.array([[[3.0, 0.0]], [[0.0, 3.0]]])
    >>> sampled_tails(masses, lambda masses: masses[1, :, 1], 10_000, 0).round(2)
    array([0.05])
    """
    # Tables with the observed statistic must reach it: the bar is lowered by more than the rounding
    # of a sum of logarithms or squares, and by less than the gap between different tables.
    bars = statistic(masses)
    bars = bars - 1e-9 * np.maximum(np.abs(bars), 0.1)
    of_class, sizes, groups = _groups(masses)
    least = np.where(_are_equal(sizes), N_REACHING_EQUAL, N_REACHING)
    seed, p = derived_seed(random_state), np.ones(len(bars))
    reached, drawn = np.zeros(len(bars)), 0
    open_ = np.arange(len(groups))
    for stage, n_tables in enumerate(stages(n_permutations)):
        drawn += n_tables
        for k, sample in _statistics(sizes, of_class, open_, statistic, n_tables, (seed, stage)):
            members = groups[k]
            reached[members] += n_tables - np.searchsorted(sample, bars[members])
            p[members] = (1 + reached[members]) / (1 + drawn)
            groups[k] = members[reached[members] < least[k]]
        open_ = np.array([k for k in open_ if len(groups[k])], dtype=np.intp)
        if len(open_) == 0:
            break
    return p


def _groups(masses: Array) -> tuple[Array, Array, list[Array]]:
    """Find the distinct margins of masses of shape (n_classes, n_columns, n_values).

    Returns
    -------
    of_class : ndarray of shape (n_margins, n_classes)
        How often each class occurs.
    sizes : ndarray of shape (n_margins, n_values)
        How often each value occurs.
    groups : list of ndarray
        For each margin, the columns that have it.
    """
    margins = np.hstack([masses.sum(axis=2).T, masses.sum(axis=0)]).astype(np.int64)
    shapes, which = np.unique(margins, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(which.ravel()))[:-1])
    return shapes[:, : len(masses)], shapes[:, len(masses) :], groups


def _are_equal(sizes: Array) -> Array:
    """Give, for each row of margins, whether the values that occur are equally frequent to 1."""
    return sizes.max(axis=1) - np.where(sizes > 0, sizes, sizes.max()).min(axis=1) <= 1


@dataclass
class _SampleCache:
    """Statistics of random tables from earlier calls; emptied when it grows beyond `CACHED`."""

    samples: dict[Hashable, Array] = field(default_factory=dict)  # ascending statistics by key
    size: int = 0  # numbers in all samples, and 64 for the overhead of each

    def store(self, key: Hashable, sample: Array) -> Array:
        """Enter a sample, emptying the cache first if it would be too large, and return it."""
        self.size += len(sample) + 64
        if self.size > CACHED:
            self.samples, self.size = {}, len(sample) + 64
        self.samples[key] = sample
        return sample


_cache = _SampleCache()


def _statistics(
    sizes: Array,
    of_class: Array,
    lines: Array,
    statistic: Callable[[Array], Array],
    n_tables: int,
    seed: tuple,
) -> Iterator[tuple[int, Array]]:
    """Yield the number of a margin and its statistics of random tables, ascending.

    Parameters
    ----------
    sizes : ndarray of shape (n_margins, n_values)
        How often each value occurs.
    of_class : ndarray of shape (n_margins, n_classes)
        How often each class occurs.
    lines : ndarray of int
        The margins that are asked for.
    statistic : callable
        As of :func:`sampled_tails`.
    n_tables : int
        Random tables of each margin.
    seed : tuple of int
        The seed of the call and the number of the stage.
    """
    keys = {k: (statistic, n_tables, _seed(seed, of_class[k], sizes[k])) for k in lines}
    hits = {k: _cache.samples[key] for k, key in keys.items() if key in _cache.samples}
    yield from hits.items()
    misses = np.array([k for k in lines if k not in hits], dtype=np.intp)
    cells = min(n_tables, TABLES_PER_SEED) * of_class.shape[1] * sizes.shape[1]
    width = max(1, CELLS // cells)
    for start in range(0, len(misses), width):
        block = misses[start : start + width]
        samples = _samples(sizes[block], of_class[block], statistic, n_tables, seed)
        yield from ((k, _cache.store(keys[k], sample)) for k, sample in zip(block, samples))


def _samples(
    sizes: Array, of_class: Array, statistic: Callable[[Array], Array], n_tables: int, seed: tuple
) -> Array:
    """Give the ascending statistics of random tables, shape (n_margins, n_tables)."""
    from subsel._loops.statistics.random_tables import random_tables

    parts = []
    for begin in range(0, n_tables, TABLES_PER_SEED):
        seeds = np.array(
            [_seed((*seed, begin), *margins) for margins in zip(of_class, sizes)], dtype=np.uint64
        )
        tables = random_tables(sizes, of_class, seeds, min(TABLES_PER_SEED, n_tables - begin))
        parts.append(statistic(tables).reshape(len(sizes), -1))
    return np.sort(np.hstack(parts), axis=1)


def _seed(seed: tuple, *margins: Array) -> int:
    """Derive a 64-bit seed from a seed and the margins of one column.

    It does not depend on the other columns, nor on values that do not occur.
    """
    text = repr((seed, [part[part > 0].tolist() for part in margins]))
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
