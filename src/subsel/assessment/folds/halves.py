"""Pairs of disjoint halves of the rows, on which a selection is repeated to measure stability."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from subsel.assessment.folds.fold import Fold, FoldSettings, Rows
from subsel.assessment.folds.fold_journal import FoldJournal
from subsel.assessment.folds.splits import Split
from subsel.data.folds import shuffled_splitter, split_rows
from subsel.runtime.fold_loop import run_jobs, why_ended

__all__ = ["FAILED", "N_PAIRS", "check_pairs", "make_halves", "run_halves", "select_on_half"]

N_PAIRS = 3  # more pairs hardly narrow the interval, because they cut the same rows
FIRST = 2 * 10**6  # first job number of halves, above those of folds and shufflings
FAILED = "stability"


def make_halves(plan: FoldSettings, n_pairs: int) -> list[Split]:
    """Cut the rows into two halves, several times, by class and without cutting groups.

    The training part of a split is one half, its test part the other, which is not used.
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
    """Select on one half, without fitting a model after the selection.

    If the selection fails, the fold holds the reason.
    """
    rng = np.random.default_rng([plan.seed, number])
    rows = Rows.of(plan.task, half.train, plan.task.y)
    try:
        return _unscored(plan.procedure.columns(rows.X, rows.y, rng, **rows.extras), {})
    except Exception as error:  # such as too few rows for inner folds, which must not end a run
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
    """Select on each half of several pairs; appends to ``notes``.

    Returns the folds of all complete pairs, and whether the user interrupted the run. Nothing is
    run where a selection cannot be read.
    """
    check_pairs(n_pairs)
    if n_pairs == 0 or any(fold.columns is None for fold in done):
        return [], False
    try:
        halves = make_halves(plan, n_pairs)
    except ValueError as error:  # fewer than two rows of a class, or two groups
        return [_failed(error)], False
    jobs = ((half, FIRST + 10**4 * method + i) for i, half in enumerate(halves))
    done_halves, interrupted = run_jobs(
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
    if len(done_halves) < len(halves):
        notes.append(
            f"{why_ended(interrupted)}: stability rests on {len(done_halves) // 2} of {n_pairs} "
            "pairs of halves."
        )
    return done_halves[: len(done_halves) // 2 * 2], interrupted


def check_pairs(n_pairs: int) -> None:
    """Refuse a negative number of pairs."""
    if n_pairs < 0:
        raise ValueError(f"stability_pairs must be at least 0, got {n_pairs!r}.")


def _failed(error: Exception) -> Fold:
    return _unscored(None, {FAILED: str(error).split("\n")[0]})


def _unscored(columns: np.ndarray | None, failed: dict[str, str]) -> Fold:
    """Make a fold of which only the selection is known."""
    return Fold(np.nan, np.nan, None, columns, 0.0, None, False, False, failed=failed)
