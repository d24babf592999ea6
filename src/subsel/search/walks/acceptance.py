"""When a walk moves to the subset it has just seen."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, log
from statistics import median

import numpy as np

from subsel.search.walks.uniforms import Chances

__all__ = ["better", "literal", "metropolis", "metropolis_each", "temperature_accepting"]


def better(gain: float) -> bool:
    """Move if the new quality is strictly larger."""
    return gain > 0


def metropolis(gain: float, temperature: float, rng: Chances) -> bool:
    r"""Move if the quality does not fall; otherwise with probability :math:`e^{\,\mathrm{gain}/T}`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> metropolis(0.0, 0.1, rng), metropolis(-5.0, 0.0, rng)
    (True, False)
    """
    return gain >= 0 or (temperature > 0 and rng.random() < exp(gain / temperature))


def metropolis_each(gains: np.ndarray, temperature: float, rng: np.random.Generator) -> np.ndarray:
    """Which of many independent walks move, each as by `metropolis`.

    Examples
    --------
    >>> metropolis_each(np.array([0.0, -5.0, np.nan]), 0.1, np.random.default_rng(0))
    array([ True, False, False])
    """
    moves = gains >= 0
    if temperature > 0:
        with np.errstate(over="ignore"):
            moves |= rng.random(len(gains)) < np.exp(gains / temperature)
    return moves


def literal(gain: float, temperature: float, rng: Chances) -> bool:
    r"""Move if the quality rises; else *stay* with probability :math:`e^{\,\mathrm{gain}/T}`.

    Small losses are refused.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> literal(0.0, 0.1, rng), literal(-5.0, 0.0, rng), literal(-5.0, inf, rng)
    (False, True, False)
    """
    if gain > 0:
        return True
    return gain < 0 and (temperature == 0 or rng.random() >= exp(gain / temperature))


def temperature_accepting(changes: Sequence[float], probability: float) -> float:
    r"""The temperature at which a typical loss is accepted with this probability.

    .. math:: T = -\,\mathrm{median}\,|\Delta| \,/\, \ln a

    over the changes of quality seen, those that changed nothing left out; 0 where every one did.

    Examples
    --------
    >>> round(temperature_accepting([-1.0, 0.0, 2.0, 3.0], 0.8), 3)
    8.963
    """
    sizes = [abs(change) for change in changes if change != 0 and abs(change) < inf]
    return -median(sizes) / log(probability) if sizes else 0.0
