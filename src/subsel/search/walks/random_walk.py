"""Random walks over subsets."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import KW_ONLY, dataclass
from math import inf
from typing import Any

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.registry import Steps, search
from subsel.search.walks.acceptance import (
    better,
    literal,
    metropolis,
    metropolis_each,
    temperature_accepting,
)
from subsel.search.walks.membership import Walker
from subsel.search.walks.uniforms import Chances, Uniforms
from subsel.search.walks.walkers import Walkers, check_walkers, start_walkers
from subsel.space.space import Space

__all__ = ["RandomWalk", "patience_in_steps", "wander", "wander_together"]


@search("rfs1", accept="metropolis")
@search("rfs2", accept="better")
@search("rfs3", accept="restart")
@dataclass(frozen=True)
class RandomWalk(Parameters):
    r"""Random walk by swaps, additions and removals.

    Start at a uniformly random subset. Each step a fair three-sided coin decides to swap one random
    feature in for one out, to add one, or to drop one; sides that would empty the set, exceed the
    full set or leave the size bounds are not on the coin. A better subset is always moved to.
    Otherwise

    - ``accept="metropolis"`` (``rfs1``) moves with probability :math:`e^{c (q' - q)}`; an equal
      score is a move;
    - ``accept="better"`` (``rfs2``) stays: strict hill climbing;
    - ``accept="restart"`` (``rfs3``) draws a brand-new random subset, scores it, and goes on from
      there;
    - ``accept="literal"`` *stays* with probability :math:`e^{c (q' - q)}`, as algorithm 1 is
      printed (see below).

    The answer is the best subset seen.

    Parameters
    ----------
    accept : {"metropolis", "better", "restart", "literal"}
        What happens at a subset that is not better.
    c : float or None
        Inverse temperature of ``rfs1``. It has the units of 1/quality and no published default:
        None takes it from a probe walk of ``n_probe`` steps, so that the median loss is accepted
        with probability 0.2.
    patience : int or None
        Steps without a new best after which the walk ends. None: 50 per unit, between 100 and
        10,000; where a horizon is known, as many as the horizon.
    tolerance : float
        How much better a new best must be to count.
    n_probe : int
        Steps of the probe walk.
    walkers : int
        Independent walks that are moved together and evaluated in one batch, each by the same law.
        They share the probe walk, and end together once each has gone on for ``patience`` steps
        without a new best of its own.

    Notes
    -----
    Repaired: the text gives :math:`e^{-c(q - q')}` as the probability of *staying*, by which large
    losses would be taken and small ones refused; its analysis uses it as the probability of moving
    (Metropolis acceptance), and so do we. ``"literal"`` is there to compare: c = 0 always stays, a
    large c takes every loss. The listing lets a swap drop the feature it has just added; ours does
    not. A choice among options is one more side of the coin: switch to another option. Where units
    are wider than one column, the walk may leave the size bounds by less than the widest.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*,
       International Journal of Foundations of Computer Science 26, 2015: algorithms 1-3, and
       section 5 for the analysis.

    Examples
    --------
    >>> steps = RandomWalk("better").steps(Space.of(6), np.random.default_rng(0))
    >>> start, neighbour = next(steps), steps.send(0.5)
    >>> (start.bits ^ neighbour.bits).bit_count() in (1, 2)
    True
    """

    accept: str = "metropolis"
    c: float | None = None
    _: KW_ONLY
    patience: int | None = None
    tolerance: float = 0.0
    n_probe: int = 30
    walkers: int = 1

    def steps(self, space: Space, rng: np.random.Generator, horizon: int | None = None) -> Steps:
        """Walk."""
        if self.accept not in ("metropolis", "better", "restart", "literal"):
            raise ValueError(
                "accept must be 'metropolis', 'better', 'restart' or 'literal', "
                f"got {self.accept!r}."
            )
        check_walkers(self.walkers)
        if self.accept == "literal" and self.walkers != 1:
            raise ValueError("accept='literal' is for one walker.")
        if self.walkers == 1:
            return self._one(space, rng, horizon)
        return self._together(space, rng, horizon)

    def _one(self, space: Space, rng: np.random.Generator, horizon: int | None) -> Steps:
        at_random = {"metropolis": metropolis, "literal": literal}.get(self.accept)
        walker = Walker.start(space, rng)
        quality = yield walker.subset
        best, idle = quality, 0
        temperature = self._temperature()
        patience = patience_in_steps(self.patience, space, horizon)
        drawing: AbstractContextManager[Chances] = Uniforms(rng)
        if self.accept == "restart":  # which draws from rng too
            drawing = nullcontext(rng)
        with drawing as chances:
            if at_random and self.c is None:
                quality, gains = yield from wander(
                    walker, walker.step, quality, self.n_probe, chances
                )
                temperature = temperature_accepting([gain for gain in gains if gain < 0], 0.2)
            while idle < patience and (units := walker.step(chances)):
                candidate = space.flip(walker.subset, *units)
                seen = yield candidate
                gain = seen - quality
                if at_random:
                    moves = at_random(gain, temperature, chances)
                else:
                    moves = better(gain)
                if moves:
                    walker.move(units, candidate)
                    quality = seen
                elif self.accept == "restart":
                    walker = Walker.start(space, rng)
                    quality = yield walker.subset
                    seen = max(seen, quality)
                idle += 1
                if seen > best + self.tolerance:
                    idle = 0
                best = max(best, seen)

    def _temperature(self) -> float:
        """The inverse of ``c``; 0 until it is found from the first moves."""
        if self.c is None:
            return 0.0
        return inf if self.c == 0 else 1 / self.c

    def _together(self, space: Space, rng: np.random.Generator, horizon: int | None) -> Steps:
        walkers = start_walkers(space, rng, self.walkers)
        qualities = np.array((yield walkers.here()))
        best, idle = qualities.copy(), np.zeros(self.walkers, dtype=np.int64)
        temperature = self._temperature()
        if self.accept == "metropolis" and self.c is None:
            qualities, gains = yield from wander_together(
                walkers, walkers.step, qualities, self.n_probe, rng
            )
            temperature = temperature_accepting(gains[gains < 0].tolist(), 0.2)
        patience = patience_in_steps(self.patience, space, horizon)
        while idle.min() < patience and (proposal := walkers.step(rng)) is not None:
            seen = np.array((yield walkers.after(proposal)))
            with np.errstate(invalid="ignore"):  # of two subsets without a quality
                gains = seen - qualities
            moves = gains > 0
            if self.accept == "metropolis":
                moves = metropolis_each(gains, temperature, rng)
            walkers.move(proposal, moves)
            qualities = np.where(moves, seen, qualities)
            if self.accept == "restart" and not moves.all():
                walkers.restart(~moves, rng)
                qualities[~moves] = yield walkers.here().take(np.flatnonzero(~moves))
                seen = np.maximum(seen, qualities)
            idle = np.where(seen > best + self.tolerance, 0, idle + 1)
            best = np.maximum(best, seen)


def wander(
    walker: Walker,
    draw: Callable[[Chances], tuple[int, ...]],
    quality: float,
    n_steps: int,
    rng: Chances,
) -> Steps:
    """Take every move for a while: the quality where the walk ends, and each step's gain."""
    gains = []
    for _ in range(n_steps):
        if not (units := draw(rng)):
            break
        walker.move(units)
        seen = yield walker.subset
        gains.append(seen - quality)
        quality = seen
    return quality, gains


def wander_together(
    walkers: Walkers,
    draw: Callable[[np.random.Generator], Any],
    qualities: np.ndarray,
    n_steps: int,
    rng: np.random.Generator,
) -> Steps:
    """Accept ``n_steps`` moves in all; returns the qualities at the end, and every gain."""
    gains: list[np.ndarray] = []
    for _ in range(-(-n_steps // len(qualities))):
        if (proposal := draw(rng)) is None:
            break
        walkers.move(proposal, np.ones(len(qualities), dtype=bool))
        seen = np.array((yield walkers.here()))
        with np.errstate(invalid="ignore"):
            gains.append(seen - qualities)
        qualities = seen
    return qualities, np.concatenate([*gains, np.empty(0)])


def patience_in_steps(given: int | None, space: Space, horizon: int | None) -> int:
    """How many steps without a new best a walk goes on for."""
    if given is not None:
        return given
    if horizon is not None:
        return horizon
    return min(max(100, 50 * space.n_units), 10_000)
