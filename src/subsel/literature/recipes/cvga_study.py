"""What a study by CVGA found: its solutions, and the order in which to look at them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["CvgaSolution", "CvgaStudy", "Interval", "ordered"]

Interval = tuple[float, float]


@dataclass(frozen=True)
class CvgaSolution:
    """A subset with a kernel, and what the study knows of it.

    Attributes
    ----------
    columns, kernel : tuple of int and str
        The solution.
    score, train_error, test_error : float
        Means, over the replications that met it, of the medians within each: ICOMP-PERF (smaller is better) and error
        rates. Guides, since the solution was chosen by these very splits.
    train_interval, test_interval : pair of float
        Between which 95% of those medians lie.
    frequency : int
        Replications it has won, by the least median score.
    n_replications, n_visits : int
        Replications that met it, evaluations in all.
    confirmed_score, confirmed_error, confirmed_interval : float, float and pair of float, optional
        Median score, mean test error and its 95% range over splits that no search has seen. None where it was not
        among the finalists.
    confirmed_scores : tuple of float
        The score on each of those splits, which all finalists share.
    n_support : float, optional
        Mean number of training rows that its model stands on, over those splits; None where the model does not say.
    """

    columns: tuple[int, ...]
    kernel: str
    score: float
    train_error: float
    train_interval: Interval
    test_error: float
    test_interval: Interval
    frequency: int
    n_replications: int
    n_visits: int
    confirmed_score: float | None = None
    confirmed_error: float | None = None
    confirmed_interval: Interval | None = None
    confirmed_scores: tuple[float, ...] = ()
    n_support: float | None = None


@dataclass(frozen=True)
class CvgaStudy:
    """The outcome of `cvga`.

    Attributes
    ----------
    solutions : tuple of CvgaSolution
        All that were met, by published order: the least mean of medians first.
    names : tuple of str
        Names of the columns.
    n_replications, n_evaluations, seconds : int, int and float
        How much was done.
    """

    solutions: tuple[CvgaSolution, ...]
    names: tuple[str, ...]
    n_replications: int
    n_evaluations: int
    seconds: float

    @property
    def best(self) -> CvgaSolution:
        """The finalist with the least score on splits that no search has seen; without finalists, the first."""
        confirmed = [s for s in self.solutions if s.confirmed_score is not None]
        return min(
            confirmed, key=lambda s: (s.confirmed_score, len(s.columns)), default=self.solutions[0]
        )

    @property
    def indistinguishable(self) -> tuple[CvgaSolution, ...]:
        """The finalists that are not worse than the best beyond the variation over splits: on one split in forty, or
        more, they are as good or better."""
        best = self.best
        if not best.confirmed_scores:
            return (best,)

        def is_as_good(solution: CvgaSolution) -> bool:
            gaps = np.subtract(solution.confirmed_scores, best.confirmed_scores)
            return bool(np.percentile(gaps, 2.5) <= 0)

        return tuple(s for s in self.solutions if s.confirmed_scores and is_as_good(s))

    @property
    def parsimonious(self) -> CvgaSolution:
        """Of the indistinguishable solutions the one of fewest columns, and of those the one of least score [1]_.

        References
        ----------
        .. [1] Howe and Bozdogan, *Regularized SVM classification with a new complexity-driven stochastic optimizer*,
           European Journal of Pure and Applied Mathematics 9, 2016, section 4.2.
        """
        return min(
            self.indistinguishable, key=lambda s: (len(s.columns), s.confirmed_score or s.score)
        )

    @property
    def kernel_frequency(self) -> dict[str, int]:
        """How many replications each kernel has won, most first."""
        won: Counter[str] = Counter()
        for solution in self.solutions:
            won[solution.kernel] += solution.frequency
        return {kernel: n for kernel, n in won.most_common() if n}

    def table(self, n: int = 10, by: str = "score") -> dict[str, list]:
        """The first solutions as columns of a table, by ``"score"``, ``"frequency"``, ``"visits"`` or ``"confirmed"``.

        ``pandas.DataFrame(study.table())`` shows it.
        """
        rows = ordered(self.solutions, by)[:n]
        return {
            "subset": [[self.names[c] for c in s.columns] for s in rows],
            "kernel": [s.kernel for s in rows],
            "score": [s.score for s in rows],
            "train_error": [s.train_error for s in rows],
            "train_interval": [s.train_interval for s in rows],
            "test_error": [s.test_error for s in rows],
            "test_interval": [s.test_interval for s in rows],
            "frequency": [s.frequency for s in rows],
            "visits": [s.n_visits for s in rows],
            "confirmed_error": [s.confirmed_error for s in rows],
            "confirmed_interval": [s.confirmed_interval for s in rows],
            "support": [s.n_support for s in rows],
        }


def ordered(solutions: Sequence[CvgaSolution], by: str) -> list[CvgaSolution]:
    def confirmed(solution: CvgaSolution) -> float:
        """The score on fresh splits; those that were not scored again come last."""
        if solution.confirmed_score is None:
            return float("inf")
        return solution.confirmed_score

    keys = {
        "score": lambda s: s.score,
        "frequency": lambda s: (-s.frequency, s.score),
        "visits": lambda s: (-s.n_visits, s.score),
        "confirmed": confirmed,
    }
    if by not in keys:
        raise ValueError(f"by must be one of {', '.join(map(repr, keys))}, got {by!r}.")
    return sorted(solutions, key=keys[by])
