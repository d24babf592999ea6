"""Simulated annealing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import KW_ONLY, dataclass
from itertools import count, takewhile

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.registry import Steps, search
from subsel.search.walks.acceptance import metropolis, metropolis_each, temperature_accepting
from subsel.search.walks.membership import Walker
from subsel.search.walks.random_walk import wander, wander_together
from subsel.search.walks.uniforms import Chances, Uniforms
from subsel.search.walks.walkers import check_walkers, start_walkers
from subsel.space.candidates import Subset
from subsel.space.space import Space

__all__ = ["Annealing", "cooling_factor", "geometric"]


@search("annealing")
@dataclass(frozen=True)
class Annealing(Parameters):
    r"""Simulated annealing: many flips and bold when hot, one flip and careful when cold.

    From a random start, flip some random units; keep the result if it is no worse, else with
    probability :math:`e^{\Delta q / T}`; cool by a constant factor each step.

    .. math:: T_0 = -\,\mathrm{median}|\Delta q| \,/\, \ln a

    Parameters
    ----------
    initial_temperature : float or None
        None takes it from a probe walk that accepts everything, so that a typical loss is accepted
        with probability ``accept_probability`` (a above).
    final_temperature : float or None
        None: a hundredth of the first. The cooling factor follows from both and the steps.
    accept_probability : float
        The chance with which a typical loss is accepted at first.
    n_flips : int or None
        Units flipped at the first temperature, falling in proportion to the temperature to one.
        None: a tenth of the units, at most 16.
    n_steps : int or None
        None: the horizon, or 100 per unit between 1,000 and 20,000.
    n_probe : int
        Steps of the probe walk, at most a fifth of the horizon.
    walkers : int
        Independent walks that are cooled together and evaluated in one batch; the horizon is shared
        out among them.
    cooling_factor : float or None
        What the temperature is multiplied by after each step; with one, the walk ends below the
        final temperature. None: so that it gets there in ``n_steps``.
    neighbour : callable or None
        Takes the space, the subset, the temperature and a generator, and gives another subset of
        the space: the published listing leaves it to the user. None: flips as above.

    Notes
    -----
    Reunanen cools after a number of trials without improvement, Stracuzzi after every step; ours
    follows the latter. At a fixed temperature with one flip per step the visits follow the Gibbs
    law :math:`e^{q/T}`, but for the sizes at a bound, where fewer flips are open. Where the size is
    fixed a flip is a swap.

    References
    ----------
    .. [1] Kirkpatrick, Gelatt and Vecchi, *Optimization by simulated annealing*, Science 220, 1983.
    .. [2] Stracuzzi, *Randomized feature selection*, in Liu and Motoda (eds.), *Computational
       Methods of Feature Selection*, 2007, section on simulated annealing.
    .. [3] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 4
       (Reunanen).

    Examples
    --------
    >>> space = Space.of(6)
    >>> steps = Annealing(n_steps=2, n_probe=0).steps(space, np.random.default_rng(0))
    >>> start, neighbour = next(steps), steps.send(0.5)
    >>> (start.bits ^ neighbour.bits).bit_count()
    1
    """

    initial_temperature: float | None = None
    final_temperature: float | None = None
    _: KW_ONLY
    accept_probability: float = 0.8
    n_flips: int | None = None
    n_steps: int | None = None
    n_probe: int = 20
    walkers: int = 1
    cooling_factor: float | None = None
    neighbour: Callable[[Space, Subset, float, np.random.Generator], Subset] | None = None

    def steps(self, space: Space, rng: np.random.Generator, horizon: int | None = None) -> Steps:
        """Anneal."""
        check_walkers(self.walkers)
        if self.neighbour is not None and self.walkers != 1:
            raise ValueError("a neighbour function is for one walker.")
        if self.walkers == 1:
            return self._one(space, rng, horizon)
        return self._together(space, rng, horizon)

    def _one(self, space: Space, rng: np.random.Generator, horizon: int | None) -> Steps:
        walker = Walker.start(space, rng)
        quality = yield walker.subset
        start, n_probe, plainly = self.initial_temperature, 0, self.neighbour is None
        drawing: AbstractContextManager[Chances] = nullcontext(rng)
        if plainly:  # else the user's function draws from rng too
            drawing = Uniforms(rng)
        with drawing as chances:
            if start is None:
                n_probe = self.n_probe
                if horizon is not None:
                    n_probe = min(n_probe, horizon // 5)
                quality, gains = yield from wander(walker, walker.flip, quality, n_probe, chances)
                start = temperature_accepting(gains, self.accept_probability)
            n_steps = self._length(space, horizon, n_probe)
            for temperature, flips in self._cooling(space, start, n_steps):
                here = walker.subset
                if plainly:
                    undo = walker.leap(flips, chances)
                else:
                    undo = self._leave(walker, temperature, rng)
                if not undo:
                    return
                seen = yield walker.subset
                if metropolis(seen - quality, temperature, chances):
                    quality = seen
                else:
                    walker.undo(undo, here)

    def _together(self, space: Space, rng: np.random.Generator, horizon: int | None) -> Steps:
        walkers = start_walkers(space, rng, self.walkers)
        qualities = np.array((yield walkers.here()))
        if horizon is not None:
            horizon = max(1, horizon // self.walkers)
        start, n_probe = self.initial_temperature, 0
        if start is None:
            n_probe = -(-self.n_probe // self.walkers)
            qualities, gains = yield from wander_together(
                walkers, walkers.flip, qualities, self.n_probe, rng
            )
            start = temperature_accepting(gains.tolist(), self.accept_probability)
        n_steps = self._length(space, horizon, n_probe)
        for temperature, flips in self._cooling(space, start, n_steps):
            undo = walkers.leap(flips, rng)
            if undo is None:
                return
            seen = np.array((yield walkers.here()))
            with np.errstate(invalid="ignore"):
                moves = metropolis_each(seen - qualities, temperature, rng)
            walkers.move(undo, ~moves)
            qualities = np.where(moves, seen, qualities)

    def _cooling(self, space: Space, start: float, n_steps: int) -> Iterator[tuple[float, int]]:
        """Temperatures, and how many units are flipped at each."""
        end, hottest = self.final_temperature, self.n_flips
        if end is None:
            end = start / 100
        if hottest is None:
            hottest = min(space.n_units // 10, 16)
        for temperature in self._temperatures(start, end, n_steps):
            flips = 1
            if start > 0:
                flips = max(1, round(hottest * temperature / start))
            yield temperature, flips

    def _leave(self, walker: Walker, temperature: float, rng: np.random.Generator) -> list[int]:
        """Move to the neighbour of the user's function.

        Returns the units whose flips undo the move, none where the neighbour is the same subset.
        """
        assert self.neighbour is not None
        here = walker.subset
        there = self.neighbour(walker.space, here, temperature, rng)
        units = tuple(
            int(u) for u in np.setxor1d(walker.space.units(here), walker.space.units(there))
        )
        return walker.move(units, there)

    def _temperatures(self, start: float, end: float, n_steps: int) -> Iterable[float]:
        if self.cooling_factor is None:
            return geometric(start, end, n_steps)
        if not 0 < self.cooling_factor < 1:
            raise ValueError(
                f"cooling_factor must lie strictly between 0 and 1, got {self.cooling_factor!r}."
            )
        if not 0 < end <= start:
            raise ValueError(
                "with a cooling factor, temperatures must fall to a positive end, got "
                f"{start} to {end}."
            )
        return takewhile(lambda t: t >= end, (start * self.cooling_factor**k for k in count()))

    def _length(self, space: Space, horizon: int | None, n_probe: int) -> int:
        if self.n_steps is not None:
            return self.n_steps
        if horizon is None:
            return min(max(1000, 100 * space.n_units), 20_000)
        return max(1, horizon - 1 - n_probe)


def cooling_factor(start: float, end: float, n_steps: int) -> float:
    r"""The factor that leads from one temperature to another: :math:`(T_1 / T_0)^{1/(n - 1)}`.

    Examples
    --------
    >>> cooling_factor(8.0, 1.0, 4)
    0.5
    """
    if start <= 0 or n_steps <= 1:
        return 1.0
    factor: float = (end / start) ** (1 / (n_steps - 1))
    return factor


def geometric(start: float, end: float, n_steps: int) -> Iterator[float]:
    """Temperatures from the first to the last, each a constant fraction of the one before.

    Examples
    --------
    >>> list(geometric(8.0, 1.0, 4))
    [8.0, 4.0, 2.0, 1.0]
    """
    factor, temperature = cooling_factor(start, end, n_steps), start
    for _ in range(n_steps):
        yield temperature
        temperature *= factor
