"""Genetic algorithms over subsets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeAlias

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.populations.breeding import (
    breeds_in_arrays,
    cross_masks,
    draw_masks,
    mutate_masks,
    settle_masks,
)
from subsel.search.registry import Steps, search
from subsel.search.walks.membership import settle
from subsel.search.walks.random_sampling import draw
from subsel.space.candidates import Candidates, Subset
from subsel.space.packed import PackedCandidates
from subsel.space.space import Space

__all__ = ["Genetic"]


@search("genetic")
@dataclass(frozen=True)
class Genetic(Parameters):
    """Genetic algorithm: parents chosen by quality, crossed, mutated; the best survive.

    Children outside the size bounds are repaired by random additions or removals. The qualities of
    survivors are kept, not evaluated again.

    Parameters
    ----------
    population : int or None
        Subsets per generation (and island). None: two per unit, between 10 and 100.
    selection : {"tournament", "rank", "proportional"}
        How parents are chosen: the better of two random members, in proportion to the rank, or to
        the quality above the worst of the population (since qualities may be negative).
    crossover : {"one-point", "uniform", "size-keeping"}
        Tails exchanged, a coin per unit, or what both parents have and so many random ones of their
        differences that the child is as large as the first.
    crossover_rate : float
        The chance that two parents are crossed; otherwise the child is a copy of the first.
    mutation : float or None
        The chance that a unit of a child flips. None: one over the number of units. A choice is
        redrawn with that chance per option.
    elite : int
        How many of the best go on unchanged. With one or more the best quality never falls.
    start : {"subsets", "sizes"}
        What the first population is uniform over, see `RandomSampling`.
    patience : int or None
        Generations without a new best after which it ends. None: 20; where a horizon is known, all
        of it.
    islands : int
        Populations that evolve side by side. Every tenth generation the best of each replaces the
        worst of the next.

    Notes
    -----
    Populations of 256 or more are bred with array operations, by the same law, where every unit is
    one column.

    References
    ----------
    .. [1] Siedlecki and Sklansky, *A note on genetic algorithms for large-scale feature selection*,
       Pattern Recognition Letters 10, 1989.
    .. [2] Stracuzzi, *Randomized feature selection*, in Liu and Motoda (eds.), *Computational
       Methods of Feature Selection*, 2007, section on genetic algorithms.
    .. [3] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 4
       (Reunanen).

    Examples
    --------
    The first generation is asked for at once; one of ten goes on, so nine children follow.

    >>> steps = Genetic(population=10).steps(Space.of(6), np.random.default_rng(0))
    >>> len(next(steps)), len(steps.send(np.arange(10.0)))
    (10, 9)
    """

    population: int | None = None
    selection: str = "tournament"
    _: KW_ONLY
    crossover: str = "one-point"
    crossover_rate: float = 0.9
    mutation: float | None = None
    elite: int = 1
    start: str = "subsets"
    patience: int | None = None
    islands: int = 1

    def steps(self, space: Space, rng: np.random.Generator, horizon: int | None = None) -> Steps:
        """Evolve."""
        select, cross = (
            _find("selection", self.selection, _SELECTIONS),
            _find("crossover", self.crossover, _CROSSOVERS),
        )
        islands = yield from self._first(space, rng)
        best, idle, generation = max(max(island.qualities) for island in islands), 0, 0
        patience = self.patience
        if patience is None:
            patience = 20 if horizon is None else horizon
        while idle < patience:
            broods = [self._brood(space, island, select, cross, rng) for island in islands]
            qualities = yield _together(space, broods)
            parts = zip(islands, broods, np.split(np.asarray(qualities), self.islands))
            islands = [
                island.survivors(self.elite).joined(brood, part) for island, brood, part in parts
            ]
            generation += 1
            if generation % 10 == 0 and self.islands > 1:
                islands = [
                    island.taking(islands[number - 1]) for number, island in enumerate(islands)
                ]
            seen = float(np.max(qualities))
            idle += 1
            if seen > best:
                idle = 0
            best = max(best, seen)

    def _first(self, space: Space, rng: np.random.Generator) -> Steps:
        """The first population of every island."""
        size = self.population or min(max(10, 2 * space.n_units), 100)
        first: list[_Members]
        if breeds_in_arrays(space, size):
            first = [draw_masks(space, rng, self.start, size) for _ in range(self.islands)]
        else:
            first = [
                [draw(space, rng, self.start) for _ in range(size)] for _ in range(self.islands)
            ]
        qualities = yield _together(space, first)
        return [
            _Population(*pair) for pair in zip(first, np.split(np.asarray(qualities), self.islands))
        ]

    def _brood(
        self,
        space: Space,
        parents: _Population,
        select: _Select,
        cross: _Cross,
        rng: np.random.Generator,
    ) -> _Members:
        """The children of one generation."""
        n_children = max(1, len(parents.subsets) - self.elite)
        chosen = select(parents.qualities, 2 * n_children, rng)
        if isinstance(parents.subsets, np.ndarray):
            return self._brood_of_masks(space, parents.subsets, chosen, rng)
        children = []
        for one, other in zip(chosen[::2].tolist(), chosen[1::2].tolist()):
            child = parents.subsets[one]
            if rng.random() < self.crossover_rate:
                child = space.cross(
                    child, parents.subsets[other], cross(space, child, parents.subsets[other], rng)
                )
            children.append(settle(space, self._mutate(space, child, rng), rng))
        return children

    def _brood_of_masks(
        self, space: Space, parents: np.ndarray, chosen: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """The same for rows of bits."""
        children = parents[chosen[::2]]
        crossed = np.flatnonzero(rng.random(len(children)) < self.crossover_rate)
        children[crossed] = cross_masks(
            children[crossed], parents[chosen[1::2][crossed]], self.crossover, rng
        )
        mutate_masks(children, self._rate(space), rng)
        return settle_masks(space, children, rng)

    def _rate(self, space: Space) -> float:
        if self.mutation is not None:
            return self.mutation
        return 1 / max(1, space.n_units)

    def _mutate(self, space: Space, subset: Subset, rng: np.random.Generator) -> Subset:
        rate = self._rate(space)
        n_flips = int(rng.binomial(space.n_units, rate))
        units = rng.choice(space.n_units, n_flips, replace=False).tolist()
        for options in space.choices:
            if rng.random() < rate:
                units.append(options.start + int(rng.random() * len(options)))
        return space.flip(subset, *units)


_Members: TypeAlias = Any  # a list of subsets, or an array of bits, one row each


@dataclass(frozen=True)
class _Population:
    """Subsets and their qualities."""

    subsets: _Members
    qualities: np.ndarray

    def survivors(self, n: int) -> _Population:
        """The n best, best first."""
        order = np.argsort(-self.qualities, kind="stable")[:n]
        if isinstance(self.subsets, np.ndarray):
            return _Population(self.subsets[order], self.qualities[order])
        return _Population([self.subsets[i] for i in order], self.qualities[order])

    def joined(self, subsets: _Members, qualities: np.ndarray) -> _Population:
        """With these added."""
        qualities = np.concatenate([self.qualities, qualities])
        if isinstance(subsets, np.ndarray):
            return _Population(np.concatenate([self.subsets, subsets]), qualities)
        return _Population(self.subsets + subsets, qualities)

    def taking(self, other: _Population) -> _Population:
        """With the best of another population in place of the worst."""
        migrant = other.survivors(1)
        return self.survivors(len(self.subsets) - 1).joined(migrant.subsets, migrant.qualities)


def _together(space: Space, islands: list[_Members]) -> Candidates:
    """The subsets of all islands in one batch."""
    if isinstance(islands[0], np.ndarray):
        return PackedCandidates.of_masks(space, np.concatenate(islands))
    return Candidates.of(space, [subset for island in islands for subset in island])


_Select = Callable[[np.ndarray, int, np.random.Generator], np.ndarray]
_Cross = Callable[[Space, Subset, Subset, np.random.Generator], int]


def _tournament(qualities: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    one, other = rng.integers(len(qualities), size=(2, n))
    winners: np.ndarray = np.where(qualities[one] >= qualities[other], one, other)
    return winners


def _rank(qualities: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    ranks = np.argsort(np.argsort(qualities, kind="stable")) + 1.0
    return rng.choice(len(qualities), n, p=ranks / ranks.sum())


def _proportional(qualities: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    finite = np.isfinite(qualities)
    above = np.where(finite, qualities - np.min(qualities[finite], initial=np.inf), 0.0)
    return rng.choice(len(qualities), n, p=above / above.sum() if above.sum() > 0 else None)


def _one_point(
    space: Space,
    first: Subset,  # noqa: ARG001
    second: Subset,  # noqa: ARG001
    rng: np.random.Generator,
) -> int:
    n_bits = space.n_units + sum(map(len, space.choices))
    return (1 << 1 + int(rng.random() * (n_bits - 1))) - 1


def _uniform(
    space: Space,
    first: Subset,  # noqa: ARG001
    second: Subset,  # noqa: ARG001
    rng: np.random.Generator,
) -> int:
    n_bits = space.n_units + sum(map(len, space.choices))
    return int.from_bytes(rng.bytes((n_bits + 7) // 8), "little")


def _size_keeping(space: Space, first: Subset, second: Subset, rng: np.random.Generator) -> int:
    """Turn on as many random units where the parents differ as the first has, block by block."""
    one, other = space.mask(first), space.mask(second)
    from_first = np.ones(len(one), dtype=np.uint8)
    for units, block in zip(space.block_units, space.blocks):
        if block.choice:
            from_first[units.start : units.stop] = rng.random() < 0.5
            continue
        differ = (
            np.flatnonzero(one[units.start : units.stop] != other[units.start : units.stop])
            + units.start
        )
        on = rng.permutation(len(differ)) < one[differ].sum()
        from_first[differ] = on == (one[differ] == 1)
    return int.from_bytes(np.packbits(from_first, bitorder="little").tobytes(), "little")


_SELECTIONS: dict[str, _Select] = {
    "tournament": _tournament,
    "rank": _rank,
    "proportional": _proportional,
}
_CROSSOVERS: dict[str, _Cross] = {
    "one-point": _one_point,
    "uniform": _uniform,
    "size-keeping": _size_keeping,
}


def _find(argument: str, name: str, table: dict[str, Callable[..., Any]]) -> Callable[..., Any]:
    if name not in table:
        raise ValueError(f"{argument} must be one of {', '.join(map(repr, table))}, got {name!r}.")
    return table[name]
