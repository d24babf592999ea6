"""How good an answer the search had, at any time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from subsel.report.figures.display import BLUE, GREY, GUIDE, Display, count, legend, named, stretch
from subsel.result.result import Result

__all__ = ["AnytimeDisplay"]

MOST_POINTS = 300
Axis = Literal["evaluations", "seconds"]
AXES: dict[Axis, tuple[str, float, str]] = {  # the field of a new best, its least value, the label
    "evaluations": ("evaluation", 1, "evaluations per restart"),
    "seconds": ("seconds", 1e-4, "time (seconds)"),
}


@dataclass(eq=False)
class AnytimeDisplay(Display):
    """The best guide quality so far against evaluations or seconds, the restarts overlaid [1]_.

    Attributes
    ----------
    improvements : ndarray
        Every new best, as in :class:`subsel.Result`.
    evaluations : ndarray
        Evaluations of each restart in all.
    seconds : float
        How long the run took.
    answers : list
        The names of the features that each restart ended with.

    References
    ----------
    .. [1] Stracuzzi, *Randomized feature selection*, in Liu and Motoda (eds.), *Computational Methods of Feature
       Selection*, 2007.

    Examples
    --------
    >>> fields = [("restart", int), ("evaluation", int), ("seconds", float), ("quality", float), ("size", int)]
    >>> best = np.array([(0, 1, 0.1, 0.8, 1), (0, 5, 0.2, 0.9, 2)], dtype=fields)
    >>> AnytimeDisplay(best, np.array([10]), 1.0, [["a", "b"]]).best
    0
    """

    improvements: np.ndarray
    evaluations: np.ndarray
    seconds: float
    answers: list[list[str]]

    @classmethod
    def from_result(
        cls, result: Result, *, ax: Any = None, against: Axis = "evaluations"
    ) -> AnytimeDisplay:
        """Draw the course of a run."""
        restarts = max(1, len(result.restart_answers))
        answers = [
            [str(n) for n in result._named(found.columns)] for found in result.restart_answers
        ]
        counts = np.bincount(result.trace["restart"], minlength=restarts)
        counts = (
            counts * result.n_evaluations // max(1, len(result.trace))
        )  # the trace of a long run is thinned
        kept = result.improvements[np.isfinite(result.improvements["quality"])]
        return cls(kept, counts, result.seconds, answers).plot(ax, against)

    def plot(self, ax: Any = None, against: Axis = "evaluations") -> AnytimeDisplay:
        """Draw one step line per restart, the best restart in front."""
        ax = self._begin(ax)
        column, least, label = AXES[against]
        ends = self.evaluations
        if against == "seconds":
            ends = np.full(len(self.evaluations), self.seconds)
        restarts = [
            self.improvements[self.improvements["restart"] == r]
            for r in range(len(self.evaluations))
        ]
        in_front = sorted(enumerate(restarts), key=lambda pair: pair[0] == self.best)
        for number, steps in in_front:
            x = np.maximum([*steps[column], ends[number]], least)
            y = [*steps["quality"], *steps["quality"][-1:]]
            ax.step(x[-len(y) :], y, where="post", **self._look(number))
        if len(self.improvements) <= MOST_POINTS:
            for number, steps in in_front:
                colour = self._look(number)["color"]
                self._points(
                    np.maximum(steps[column], least),
                    steps["quality"],
                    self._tips(steps),
                    color=colour,
                )
        stretch(ax, np.maximum(self.improvements[column], least))
        ax.set_xlabel(label)
        ax.set_ylabel("best guide quality so far")
        legend(ax)
        return self

    def describe(self) -> str:
        """Say how fast the best was found."""
        if not len(self.improvements):
            return "No subset was evaluated."
        last = self.improvements[self.improvements["restart"] == self.best][-1]
        share = last["evaluation"] / max(1, self.evaluations[self.best])
        return (
            f"Best guide quality so far, {count(len(self.evaluations), 'restart')}. The best, "
            f"{last['quality']:.4g}, was found at "
            f"evaluation {last['evaluation']:,} of {self.evaluations[self.best]:,} ({share:.0%} of the way), "
            f"after {last['seconds']:.2g} of {self.seconds:.2g} seconds ({GUIDE})."
        )

    @property
    def best(self) -> int:
        """The restart that found the best subset; the first of equals."""
        if not len(self.improvements):
            return 0
        return int(self.improvements["restart"][np.argmax(self.improvements["quality"])])

    def _look(self, number: int) -> dict[str, Any]:
        if number == self.best:
            label = "best restart" if len(self.evaluations) > 1 else None
            return {"color": BLUE, "linewidth": 1.8, "label": label}
        first_other = number == (1 if self.best == 0 else 0)
        return {"color": GREY, "linewidth": 0.9, "label": "other restarts" if first_other else None}

    def _tips(self, steps: np.ndarray) -> list[str]:
        """The subset of a new best is known only if the restart ended with it."""
        tips = [
            f"restart {s['restart'] + 1}, evaluation {s['evaluation']:,}, {s['seconds']:.3g} s: "
            f"guide quality {s['quality']:.4g} with {count(s['size'], 'feature')}"
            for s in steps
        ]
        if (
            tips
            and (answer := self.answers[steps["restart"][0]])
            and len(answer) == steps["size"][-1]
        ):
            tips[-1] += f": {named(answer)}"
        return tips
