"""How often independent runs succeed, and how many are needed to be sure."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, log, log1p
from typing import Any

from subsel.assessment.intervals import check_confidence, wilson

__all__ = ["Amplification", "amplification"]


@dataclass(frozen=True)
class Amplification:
    """The chance that one run succeeds, from runs, and what repeating makes of it.

    Attributes
    ----------
    n_runs, n_successes : int
        What was seen.
    probability, low, high : float
        The share of runs that succeeded, and its (Wilson) interval.
    runs_needed, most_runs_needed : float
        Runs of which one at least succeeds with the given confidence, by the share and by the low end of its interval;
        infinite where no run has succeeded.
    confidence : float
        Of both.

    Examples
    --------
    >>> print(amplification([0.9, 0.9, 0.8, 0.9, 0.7], confidence=0.95))
    3 of 5 runs reached the best quality seen (60%, 23% to 88%): 4 runs find it with 95% confidence, 12 at the low end.
    """

    n_runs: int
    n_successes: int
    probability: float
    low: float
    high: float
    runs_needed: float
    most_runs_needed: float
    confidence: float

    def after(self, n_runs: int) -> float:
        """The chance that one of so many runs succeeds, :math:`1 - (1 - p)^k`."""
        return 1 - (1 - self.probability) ** n_runs

    def __str__(self) -> str:
        return (
            f"{self.n_successes} of {self.n_runs} runs reached the best quality seen ({self.probability:.0%}, "
            f"{self.low:.0%} to {self.high:.0%}): {self.runs_needed:g} runs find it with {self.confidence:.0%} "
            f"confidence, {self.most_runs_needed:g} at the low end."
        )


def amplification(
    runs: Any, target: float | None = None, confidence: float = 0.95
) -> Amplification:
    r"""Estimate by how much restarts amplify a search that succeeds at random [1]_.

    A run that succeeds with probability p fails k times in a row with :math:`(1 - p)^k`. The best quality seen may not be
    the best there is: p is then the chance to reach what was reached, no more.

    Parameters
    ----------
    runs : Result or sequence of float
        A result with restarts, or the quality that each independent run has reached.
    target : float, optional
        The quality that is a success; by default the best of them.
    confidence : float
        Of the interval of p, and of the number of runs.

    References
    ----------
    .. [1] Stracuzzi, *Randomized feature selection*, in Liu and Motoda (eds.), *Computational Methods of Feature
       Selection*, 2007, Monte Carlo and Las Vegas algorithms.

    Examples
    --------
    >>> found = amplification([1.0, 1.0, 0.5, 0.5])
    >>> found.probability, found.runs_needed, found.after(2)
    (0.5, 5, 0.75)
    """
    check_confidence(confidence)
    answers = getattr(runs, "restart_answers", None)
    if answers is None:
        qualities = [float(quality) for quality in runs]
    else:
        qualities = [found.quality for found in answers]
    if not qualities:
        raise ValueError("no run is known: give the qualities of runs, or a result with restarts.")
    if target is None:
        target = max(qualities)
    n, successes = len(qualities), sum(quality >= target for quality in qualities)
    low, high = (float(end) for end in wilson(successes, n, confidence))
    share = successes / n
    needed, most = (_runs_needed(p, confidence) for p in (share, low))
    return Amplification(n, successes, share, low, high, needed, most, confidence)


def _runs_needed(probability: float, confidence: float) -> float:
    if probability <= 0:
        return inf
    if probability >= 1:
        return 1
    return ceil(log(1 - confidence) / log1p(-probability) - 1e-12)
