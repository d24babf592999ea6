"""What the finished cells say: means, ranks, differences with corrected errors."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.answers.cells import Cells, splits_of
from benchmarks.answers.sets import Problem
from subsel.assessment.intervals import corrected_t_test, holm

__all__ = ["Table", "finished_folds", "mean_ranks", "table_of", "worse_on"]


@dataclass(frozen=True)
class Table:
    """Scores (set, procedure) on the outer folds that all of a set's procedures have finished; NaN where one gave up."""

    sets: list[str]
    procedures: list[str]
    folds: dict[str, dict[str, np.ndarray]]
    sizes: np.ndarray
    seconds: np.ndarray
    tested: dict[str, float]

    @property
    def scores(self) -> np.ndarray:
        """Means over the folds."""
        return np.array(
            [[self.folds[name][p].mean() for p in self.procedures] for name in self.sets]
        )


def finished_folds(problem: Problem, procedures: Sequence[str], fewest: int = 2) -> list[int]:
    """The outer folds of a set that all of these procedures have finished; none where they are fewer than two."""
    cells = Cells(problem.name)
    common = [
        f
        for f in range(len(splits_of(problem)))
        if all(cells.of(p, f) is not None for p in procedures)
    ]
    return common if len(common) >= fewest else []


def table_of(problems: Sequence[Problem], procedures: Sequence[str]) -> Table:
    """Read the cells; a set counts once every procedure has finished at least two of the same folds."""
    sets, folds, sizes, seconds, tested = [], {}, [], [], {}
    for problem in problems:
        cells, splits = Cells(problem.name), splits_of(problem)
        common = finished_folds(problem, procedures)
        if not common:
            continue
        rows = {p: [cells.of(p, f) or {} for f in common] for p in procedures}
        sets.append(problem.name)
        folds[problem.name] = {
            p: np.array([c.get("score", np.nan) for c in row]) for p, row in rows.items()
        }
        sizes.append([np.mean([c.get("size", np.nan) for c in row]) for row in rows.values()])
        seconds.append([np.mean([c["seconds"] for c in row]) for row in rows.values()])
        tested[problem.name] = float(np.mean([len(test) / len(train) for train, test in splits]))
    return Table(sets, list(procedures), folds, np.array(sizes), np.array(seconds), tested)


def mean_ranks(table: Table, draws: int = 2000) -> tuple[np.ndarray, np.ndarray]:
    """Mean rank of each procedure (1 is best, who gave up is last), and its 95% interval over bootstrapped sets."""
    from scipy.stats import rankdata

    ranks = rankdata(-np.nan_to_num(np.round(table.scores, 6), nan=-1e9), axis=1)
    rng = np.random.default_rng(0)
    drawn = [ranks[rng.integers(len(ranks), size=len(ranks))].mean(axis=0) for _ in range(draws)]
    return ranks.mean(axis=0), np.percentile(drawn, [2.5, 97.5], axis=0)


def worse_on(table: Table, first: str, second: str) -> list[str]:
    """Sets on which the first is worse than the second, by the corrected test, Holm over the sets."""
    differences = [table.folds[name][first] - table.folds[name][second] for name in table.sets]
    known = [i for i, d in enumerate(differences) if np.isfinite(d).all() and len(d) > 1]
    p = np.array([corrected_t_test(differences[i], table.tested[table.sets[i]]) for i in known])
    adjusted = holm(p)
    return [
        table.sets[i] for i, q in zip(known, adjusted) if q < 0.05 and differences[i].mean() < 0
    ]
