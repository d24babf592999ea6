"""The progress of a run, for the status line and for callbacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from time import perf_counter
from typing import Protocol

import numpy as np

from subsel.engine.budget import Budget, Clock
from subsel.engine.history import History
from subsel.runtime.events import emit, is_watched

__all__ = ["Progress", "watching_callback"]


class _Restart(Protocol):
    history: History


class Progress:
    """The state of a run that callbacks receive.

    A callback is called about ten times a second with this object; it may read ``seconds``,
    ``n_evaluations``, ``best_quality``, ``best_size`` and ``seconds_left``, and end the run by
    returning True.

    Examples
    --------
    >>> def enough(progress):
    ...     return progress.n_evaluations >= 100
    >>> from sklearn.linear_model import Ridge
    >>> from subsel import SubsetSelector
    >>> from subsel.search import RandomWalk
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((30, 20)), rng.standard_normal(30)
    >>> walk = RandomWalk(patience=1_000_000)
    >>> selector = SubsetSelector(Ridge(), walk, callbacks=[enough], random_state=0)
    >>> selector.fit(X, y).result_.stopped_by
    'callback'
    """

    def __init__(
        self,
        restarts: Sequence[_Restart],
        budget: Budget,
        clock: Clock,
        *,
        callbacks: Iterable[Callable[[Progress], object]] = (),
        what: str = "",
    ) -> None:
        self._restarts, self._budget, self._callbacks = restarts, budget, list(callbacks)
        self.clock, self._what = clock, what and f"{what}: "
        self._next = 0.1
        self.seconds = 0.0
        self.stop = False

    @property
    def n_evaluations(self) -> int:
        """Number of evaluations so far, over all restarts."""
        return sum(restart.history.n for restart in self._restarts)

    @property
    def best_quality(self) -> float:
        """The best guide quality of an eligible subset so far."""
        return max(restart.history.best_quality for restart in self._restarts)

    @property
    def best_size(self) -> int | None:
        """Number of columns of the best subset so far."""
        histories = [restart.history for restart in self._restarts]
        best = max(histories, key=attrgetter("best_quality"))
        return getattr(best.incumbent, "size", None)

    @property
    def best_of_each_size(self) -> list[tuple[int, float]]:
        """The best guide quality so far of each number of columns."""
        best: dict[int, float] = {}
        for restart in self._restarts:
            for size, (quality, _) in restart.history.best_per_size.items():
                best[size] = max(quality, best.get(size, -np.inf))
        return sorted(best.items())

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds left, from the budget and the speed; None without a limit."""
        left = []
        if self._budget.seconds is not None:
            left.append(self._budget.seconds - self.seconds)
        if self._budget.evaluations is not None and self.n_evaluations:
            rest = self._budget.evaluations * len(self._restarts) - self.n_evaluations
            left.append(rest * self.seconds / self.n_evaluations)
        if not left:
            return None
        return max(0.0, min(left))

    def tick(self) -> float:
        """Update the seconds; call the callbacks if a tenth of a second has passed."""
        self.seconds = now = perf_counter() - self.clock.begin
        if self._callbacks and now >= self._next:
            self._next = now + 0.1
            answers = [callback(self) for callback in self._callbacks]
            self.stop = any(answer is True for answer in answers)
        return now

    def __str__(self) -> str:
        best = "none yet"
        if self.best_quality > -np.inf:
            best = f"{self.best_quality:.6g} with {self.best_size} feature(s)"
        text = f"{self.n_evaluations:,} evaluations in {self.clock.seconds():.1f} s"
        text += f", best guide quality {best}"
        if self.seconds_left is not None:
            text += f", {self.seconds_left:.0f} s left"
        return f"{self._what}{text}"


def watching_callback() -> list[Callable[[Progress], None]]:
    """List the callbacks that report a search to listeners, none without listeners."""
    if not is_watched():
        return []
    return [_Reporter()]


class _Reporter:
    """Reports the progress at growing intervals: some hundred lines, however long it takes."""

    def __init__(self) -> None:
        self.next = self.begin = perf_counter()

    def __call__(self, progress: Progress) -> None:
        now = perf_counter()
        if now < self.next:
            return
        self.next = now + max(0.3, 0.03 * (now - self.begin))
        emit(
            "search",
            evaluations=progress.n_evaluations,
            seconds=round(progress.seconds, 2),
            left=progress.seconds_left,
            quality=progress.best_quality,
            size=progress.best_size,
            front=progress.best_of_each_size,
        )
