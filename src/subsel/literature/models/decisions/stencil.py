"""Pattern search: settings of a model by trying the points of a stencil that shrinks where none of them is better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

__all__ = ["Pattern", "pattern_search"]


class Pattern(NamedTuple):
    """Where a pattern search ended.

    Attributes
    ----------
    point : ndarray
        The best point.
    score : float
        Its score.
    n_scored : int
        How many different points were scored.
    """

    point: np.ndarray
    score: float
    n_scored: int


def pattern_search(
    score: Callable[[np.ndarray], float],
    start: Sequence[float],
    *,
    step: float | Sequence[float] = 2.0,
    least_step: float | Sequence[float] = 0.25,
    corners: bool = False,
    max_points: int = 1000,
) -> Pattern:
    """Raise a score by moving to the best point of a stencil, and shrinking the stencil where none is better [1]_.

    The stencil is one step up and down along each axis; settings of a model are best given by their logarithms. It
    needs no derivative, moves only uphill and never scores a point twice.

    Parameters
    ----------
    score : callable
        Of a point, larger is better; a cross-validated score, say.
    start : sequence of float
        Where to begin.
    step, least_step : float or sequence of float
        The first step along each axis, and the one under which the search ends; steps are halved.
    corners : bool
        Whether the stencil has its corners, too: 3**d - 1 points in place of 2 d.
    max_points : int
        The most points to score.

    References
    ----------
    .. [1] Momma and Bennett, *A pattern search method for model selection of support vector regression*, SIAM International
       Conference on Data Mining, 2002; as used by Roobaert, Karakoulas and Chawla, *Information gain, correlation and
       support vector machines*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 22.

    Examples
    --------
    >>> found = pattern_search(lambda p: -((p[0] - 3) ** 2) - (p[1] + 1) ** 2, [0.0, 0.0])
    >>> found.point, found.n_scored
    (array([ 3., -1.]), 24)
    """
    point = np.array(start, dtype=float)
    width = np.broadcast_to(np.asarray(step, dtype=float), point.shape).copy()
    least = np.broadcast_to(np.asarray(least_step, dtype=float), point.shape)
    if not ((width > 0).all() and (least > 0).all()):
        raise ValueError(f"step and least_step must be positive, got {step!r} and {least_step!r}.")
    stencil, known = _stencil(len(point), corners), {}
    best = known[tuple(point)] = float(score(point))
    while (width >= least).any() and len(known) < max_points:
        moved = point
        for direction in stencil:
            trial = point + direction * width
            if tuple(trial) in known or len(known) >= max_points:
                continue
            known[tuple(trial)] = value = float(score(trial))
            if value > best:
                best, moved = value, trial
        if moved is point:
            width = width / 2
        point = moved
    return Pattern(point, best, len(known))


def _stencil(n: int, corners: bool) -> np.ndarray:
    """Directions around a point."""
    if corners:
        return np.array([d for d in product((-1.0, 0.0, 1.0), repeat=n) if any(d)])
    return np.concatenate([np.eye(n), -np.eye(n)])
