"""Random walks over subsets, and what is known about how they converge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, exp, inf, log2

import numpy as np
from scipy.special import gammaln

from subsel.parameters import Parameters
from subsel.search.acceptance import better, metropolis, temperature_accepting
from subsel.search.membership import Walker
from subsel.search.registry import Steps, search
from subsel.space import Space

__all__ = ["RandomWalk", "published_bound", "safe_bound", "stationary_law", "steps_to_be_sure"]


@search("rfs1", accept="metropolis")
@search("rfs2", accept="better")
@search("rfs3", accept="restart")
@dataclass(frozen=True)
class RandomWalk(Parameters):
    r"""Random walk by swaps, additions and removals.

    Start at a uniformly random subset. Each step a fair three-sided coin decides to swap one random feature in for
    one out, to add one, or to drop one; sides that would empty the set, exceed the full set or leave the size
    bounds are not on the coin. A better subset is always moved to. Otherwise

    - ``accept="metropolis"`` (``rfs1``) moves with probability :math:`e^{c (q' - q)}`; an equal score is a move;
    - ``accept="better"`` (``rfs2``) stays: strict hill climbing;
    - ``accept="restart"`` (``rfs3``) draws a brand-new random subset, scores it, and goes on from there.

    The answer is the best subset seen.

    Parameters
    ----------
    accept : {"metropolis", "better", "restart"}
        What happens at a subset that is not better.
    c : float or None
        Inverse temperature of ``rfs1``. It has the units of 1/quality and no published default: None takes it from a
        probe walk of ``n_probe`` steps, so that the median loss is accepted with probability 0.2.
    patience : int or None
        Steps without a new best after which the walk ends. None: 50 per unit, between 100 and 10,000; where a horizon
        is known, as many as the horizon.
    tolerance : float
        How much better a new best must be to count.
    n_probe : int
        Steps of the probe walk.

    Notes
    -----
    Repaired: the text gives :math:`e^{-c(q - q')}` as the probability of *staying*, by which large losses would be
    taken and small ones refused; its analysis uses it as the probability of moving (Metropolis acceptance), and so
    do we. The listing lets a swap drop the feature it has just added; ours does not. A choice among options is one
    more side of the coin: switch to another option. Where units are wider than one column, the walk may leave the
    size bounds by less than the widest.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015: algorithms 1-3, and section 5 for the analysis.

    Examples
    --------
    >>> steps = RandomWalk("better").steps(Space.of(6), np.random.default_rng(0))
    >>> start, neighbour = next(steps), steps.send(0.5)
    >>> (start.bits ^ neighbour.bits).bit_count() in (1, 2)
    True
    """

    accept: str = "metropolis"
    c: float | None = None
    patience: int | None = None
    tolerance: float = 0.0
    n_probe: int = 30

    def steps(self, space: Space, rng: np.random.Generator, horizon: int | None = None) -> Steps:
        """Walk."""
        if self.accept not in ("metropolis", "better", "restart"):
            raise ValueError(f"accept must be 'metropolis', 'better' or 'restart', got {self.accept!r}.")
        walker = Walker.start(space, rng)
        quality = yield walker.subset
        best, idle = quality, 0
        temperature = 0.0 if self.c is None else inf if self.c == 0 else 1 / self.c
        if self.accept == "metropolis" and self.c is None:
            quality, gains = yield from wander(walker, walker.step, quality, self.n_probe, rng)
            temperature = temperature_accepting([gain for gain in gains if gain < 0], 0.2)
        patience = patience_in_steps(self.patience, space, horizon)
        while idle < patience and (units := walker.step(rng)):
            candidate = space.flip(walker.subset, *units)
            seen = yield candidate
            gain = seen - quality
            if metropolis(gain, temperature, rng) if self.accept == "metropolis" else better(gain):
                walker.move(units, candidate)
                quality = seen
            elif self.accept == "restart":
                walker = Walker.start(space, rng)
                quality = yield walker.subset
                seen = max(seen, quality)
            idle = 0 if seen > best + self.tolerance else idle + 1
            best = max(best, seen)


def wander(
    walker: Walker,
    draw: Callable[[np.random.Generator], tuple[int, ...]],
    quality: float,
    n_steps: int,
    rng: np.random.Generator,
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


def patience_in_steps(given: int | None, space: Space, horizon: int | None) -> int:
    """How many steps without a new best a walk goes on for."""
    if given is not None:
        return given
    return horizon if horizon is not None else min(max(100, 50 * space.n_units), 10_000)


def published_bound(n_features: int, c: float, drop: float, diameter: int | None = None) -> float:
    r"""Expected steps of ``rfs1`` to a global optimum, as published.

    .. math:: (3 d\, e^{c \Delta})^{D}, \qquad d = 3n

    with :math:`\Delta` the largest drop of quality between neighbours and :math:`D \le n` the diameter of the
    subset graph. Its degree :math:`d \le 3n` is false (swaps alone give :math:`k(n-k)` neighbours) and it counts
    attempts, not steps: see `safe_bound`.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015, section 5.

    Examples
    --------
    >>> published_bound(2, c=0.0, drop=1.0)
    324.0
    """
    return _power(9 * n_features, c * drop, n_features if diameter is None else diameter)


def safe_bound(n_features: int, c: float, drop: float, diameter: int | None = None) -> float:
    r"""Expected steps of ``rfs1`` to a global optimum, repaired.

    .. math:: \sum_{m=1}^{D} (3 n\, e^{c \Delta})^m

    A path of additions and removals alone leads to the optimum in at most D steps, each taken with probability at
    least :math:`e^{-c \Delta} / (3 n)`. Holds for a space without size bounds. Infinity where it overflows.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015, section 5.

    Examples
    --------
    >>> safe_bound(2, c=0.0, drop=1.0)
    42.0
    """
    longest = n_features if diameter is None else diameter
    return sum(_power(3 * n_features, c * drop, m) for m in range(1, longest + 1))


def steps_to_be_sure(bound: float, failure: float) -> float:
    r"""Steps after which an optimum has been visited, but for a chance of ``failure``.

    .. math:: 2 \lceil \log_2 (1/f) \rceil \, B

    with B a bound on the expected steps, see `safe_bound`.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015, section 5.

    Examples
    --------
    >>> steps_to_be_sure(42.0, failure=0.01)
    588.0
    """
    return 2 * ceil(log2(1 / failure)) * bound


def _power(base: float, log_factor: float, exponent: int) -> float:
    try:
        return float((base * exp(log_factor)) ** exponent)
    except OverflowError:
        return inf


def stationary_law(
    sizes: np.ndarray, qualities: np.ndarray, n_features: int, c: float, low: int = 1, high: int | None = None
) -> np.ndarray:
    r"""How often ``rfs1`` visits each subset in the long run.

    .. math:: \pi(S) \propto a(|S|)\, e^{c\, q(S)} \,/\, \tbinom{n}{|S|}

    with :math:`a` the number of sides on the coin at that size. It is not the Gibbs law, because a proposal and its
    reverse are not equally likely.

    Parameters
    ----------
    sizes, qualities : ndarray
        Of every subset within the bounds, in any order.
    n_features : int
        The number of features.
    c : float
        The inverse temperature.
    low, high : int
        The bounds on the size; None is no bound.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015, section 5.

    Examples
    --------
    >>> stationary_law(np.array([1, 1, 2]), np.zeros(3), n_features=2, c=1.0)
    array([0.33333333, 0.33333333, 0.33333333])
    """
    top = n_features if high is None else high
    swap, add, drop = sizes < n_features, sizes < top, sizes > low
    log_ways = gammaln(n_features + 1) - gammaln(sizes + 1) - gammaln(n_features - sizes + 1)
    log_law = c * qualities - log_ways
    law = (0.0 + swap + add + drop) * np.exp(log_law - log_law.max())
    return law / law.sum()
