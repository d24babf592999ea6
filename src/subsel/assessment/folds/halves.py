"""Pairs of disjoint halves of the rows: two samples that share nothing, on which a selection can be repeated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from subsel.assessment.folds.fold import Fold, FoldSettings, Rows
from subsel.assessment.folds.fold_journal import FoldJournal
from subsel.assessment.folds.splits import Split
from subsel.data.folds import shuffled_splitter, split_rows
from subsel.runtime.fold_loop import run_jobs, why_ended

__all__ = ["FAILED", "N_PAIRS", "check_pairs", "make_halves", "run_halves", "select_on_half"]

N_PAIRS = 3  # beyond them the interval hardly narrows: pairs are other cuts through the same rows
FIRST = 2 * 10**6  # numbers of halves, apart from those of folds and shufflings
FAILED = "stability"


def make_halves(plan: FoldSettings, n_pairs: int) -> list[Split]:
    """Cut the rows in two, several times: classes in equal shares, groups of rows kept whole.

    The first half of a pair trains where the second tests, and the other way round; nothing is ever
    tested.
    """
    task, seeds = (
        plan.task,
        np.random.SeedSequence([plan.seed, FIRST]).generate_state(max(1, n_pairs)),
    )
    cuts = (
        split_rows(shuffled_splitter(2, task, int(seed)), task.y, task.groups)
        for seed in seeds[:n_pairs]
    )
    return [
        Split(pair, half, train, test)
        for pair, cut in enumerate(cuts)
        for half, (train, test) in enumerate(cut)
    ]


def select_on_half(plan: FoldSettings, half: Split, number: int) -> Fold:
    """Select on one half, without a model behind it where the selection comes before; why not, if it cannot be done."""
    rng = np.random.default_rng([plan.seed, number])
    rows = Rows.of(plan.task, half.train, plan.task.y)
    try:
        return _unscored(plan.procedure.columns(rows.X, rows.y, rng, **rows.extras), {})
    except Exception as error:  # too few rows for inner folds, say: that must not end an assessment
        return _failed(error)


def run_halves(
    plan: FoldSettings,
    done: Sequence[Fold],
    n_pairs: int,
    notes: list[str],
    *,
    n_jobs: int | None = None,
    journal: FoldJournal | None = None,
    deadline: float = np.inf,
    method: int = 0,
) -> tuple[list[Fold], bool]:
    """Select on each half of so many pairs, and whether the user ended it; nothing where a selection cannot be read."""
    check_pairs(n_pairs)
    if n_pairs == 0 or any(fold.columns is None for fold in done):
        return [], False
    try:
        halves = make_halves(plan, n_pairs)
    except ValueError as error:  # fewer than two rows of a class, or two groups
        return [_failed(error)], False
    jobs = ((half, FIRST + 10**4 * method + i) for i, half in enumerate(halves))
    found, interrupted = run_jobs(
        select_on_half,
        plan,
        jobs,
        len(halves),
        n_jobs=n_jobs,
        what="stability",
        journal=journal,
        unit="half",
        deadline=deadline,
    )
    if len(found) < len(halves):
        notes.append(
            f"{why_ended(interrupted)}: stability rests on {len(found) // 2} of {n_pairs} pairs of halves."
        )
    return found[: len(found) // 2 * 2], interrupted


def check_pairs(n_pairs: int) -> None:
    """Refuse a number of pairs that is none."""
    if n_pairs < 0:
        raise ValueError(f"stability_pairs must be at least 0, got {n_pairs!r}.")


def _failed(error: Exception) -> Fold:
    return _unscored(None, {FAILED: str(error).split("\n")[0]})


def _unscored(columns: np.ndarray | None, failed: dict[str, str]) -> Fold:
    """A fold of which nothing but the selection is known."""
    return Fold(np.nan, np.nan, None, columns, 0.0, None, False, False, failed=failed)
