"""Where a search went: every subset of a small problem, how good it is, how often it was asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from subsel.criteria.base import Criterion, Evaluator, Wrapper
from subsel.data.task import Task
from subsel.engine.driver import run
from subsel.report.figures.display import GREY, GUIDE, Display, colour_bar, count, named
from subsel.search.registry import find_search
from subsel.space.candidates import Candidates
from subsel.space.space import Space

__all__ = ["VisitsDisplay"]

MOST_COLUMNS = 8


@dataclass(eq=False)
class VisitsDisplay(Display):
    """The lattice of subsets as a map of visits: the Markov chain of a random walk made visible [1]_.

    Attributes
    ----------
    subsets : list
        The subsets that were asked for, as tuples of columns.
    qualities, counts : ndarray
        How good each is, and how often it was asked for.
    transitions : dict
        How often one subset was asked for right after another, by pairs of places in ``subsets``.
    names : list of str
        Of the columns.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015.

    Examples
    --------
    >>> VisitsDisplay([(0,), (0, 1)], np.array([0.5, 0.75]), np.array([1, 3]), {(0, 1): 1}, ["a", "b"]).describe()
    '4 visits to 2 of 3 subsets. Most often visited: {a, b} (75% of the ...
    """

    subsets: list[tuple[int, ...]]
    qualities: np.ndarray
    counts: np.ndarray
    transitions: dict[tuple[int, int], int]
    names: list[str]

    @classmethod
    def from_search(
        cls,
        search: Any,
        criterion: Criterion,
        X: Any,
        y: Any,
        *,
        evaluations: int = 1000,
        random_state: int = 0,
        ax: Any = None,
    ) -> VisitsDisplay:
        """Run a search on a table of at most eight columns and draw where it went."""
        task = Task.of(X, y)
        if task.n_columns > MOST_COLUMNS:
            raise ValueError(
                f"X must have at most {MOST_COLUMNS} columns for a map of all subsets, got {task.n_columns}."
            )
        recorder = _Recorder(criterion.bind(task, random_state))
        run(
            find_search(search),
            recorder,
            Space.of(task.n_columns),
            budget=evaluations,
            seed=random_state,
        )
        return cls.from_visits(recorder.asked, recorder.qualities, task.names, ax=ax)

    @classmethod
    def from_visits(
        cls,
        asked: Sequence[Sequence[int]],
        qualities: Sequence[float],
        names: Sequence[str],
        *,
        ax: Any = None,
    ) -> VisitsDisplay:
        """Draw subsets in the order in which they were asked for."""
        path = [tuple(sorted(map(int, subset))) for subset in asked]
        known = dict(zip(path, qualities))
        subsets = sorted(known, key=lambda s: (len(s), s))
        place = {subset: i for i, subset in enumerate(subsets)}
        counts = Counter(path)
        moves = Counter((place[a], place[b]) for a, b in pairwise(path) if a != b)
        quality = np.array([known[s] for s in subsets], dtype=float)
        return cls(
            subsets,
            quality,
            np.array([counts[s] for s in subsets]),
            dict(moves),
            list(map(str, names)),
        ).plot(ax)

    def plot(self, ax: Any = None) -> VisitsDisplay:
        """Draw one dot per subset (its area the visits, its colour the quality), a line per move."""
        ax = self._begin(ax, (4.8, 4.0))
        x, y = self._places()
        self._draw_moves(ax, x, y)
        area = 20 + 380 * self.counts / self.counts.max()
        dots = ax.scatter(
            x,
            y,
            s=area,
            c=self.qualities,
            cmap="cividis",
            edgecolors="black",
            linewidths=0.5,
            zorder=2,
        )
        self._points(x, y, self._tips(), color="none", markersize=8, zorder=3)
        colour_bar(ax, dots, "guide quality")
        ax.set_xticks(sorted({len(s) for s in self.subsets}))
        ax.set_yticks([])
        ax.grid(False)
        ax.margins(0.1)
        ax.set_xlabel("size (number of features); area: visits; lines: moves")
        return self

    def describe(self) -> str:
        """Say how much of the map was seen, and where the search was most."""
        total, most, best = (
            int(self.counts.sum()),
            int(np.argmax(self.counts)),
            int(np.argmax(self.qualities)),
        )
        all_of = 2 ** len(self.names) - 1
        return (
            f"{total:,} visits to {len(self.subsets)} of {all_of} subsets. Most often visited: {self._say(most)} "
            f"({self.counts[most] / total:.0%} of the visits). Best: {self._say(best)}, "
            f"guide quality {self.qualities[best]:.4g}, {self.counts[best] / total:.0%} of the visits ({GUIDE})."
        )

    def _draw_moves(self, ax: Any, x: np.ndarray, y: np.ndarray) -> None:
        """Draw a line for each move, the wider the oftener it was made."""
        most = max(self.transitions.values(), default=1)
        for (a, b), n in self.transitions.items():
            ax.plot([x[a], x[b]], [y[a], y[b]], color=GREY, linewidth=0.3 + 2 * n / most, zorder=1)

    def _places(self) -> tuple[np.ndarray, np.ndarray]:
        """Sizes from left to right; within a size spread evenly about the middle."""
        sizes = np.array([len(s) for s in self.subsets])
        y = np.empty(len(sizes))
        for size in np.unique(sizes):
            (same,) = np.nonzero(sizes == size)
            y[same] = np.arange(len(same)) - (len(same) - 1) / 2
        return sizes, -y

    def _say(self, i: int) -> str:
        return "{" + named([self.names[c] for c in self.subsets[i]]) + "}"

    def _tips(self) -> list[str]:
        rows = zip(range(len(self.subsets)), self.qualities, self.counts)
        return [
            f"{self._say(i)}: guide quality {q:.4g}, asked for {count(n, 'time')}"
            for i, q, n in rows
        ]


class _Recorder(Wrapper):
    """Passes everything on and writes it down; never remembered, so that it sees every visit."""

    changed: ClassVar[dict[str, Any]] = {"deterministic": False}

    def __init__(self, inner: Evaluator) -> None:
        super().__init__(inner)
        self.asked: list[tuple[int, ...]] = []
        self.qualities: list[float] = []

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        qualities = self.inner.evaluate(candidates)
        self.asked += [tuple(c.tolist()) for c in candidates.columns()]
        self.qualities += qualities.tolist()
        return qualities
