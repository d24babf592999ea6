"""The folds put together."""

from __future__ import annotations

from collections import Counter

import numpy as np

from subsel.assessment.fold import Fold, Plan
from subsel.assessment.intervals import wilson
from subsel.assessment.measure import score_interval
from subsel.assessment.outcome import Assessment, Estimate
from subsel.assessment.permutation import Permutation
from subsel.assessment.probes import FalseSelections, false_selections
from subsel.assessment.splits import Split, share_tested
from subsel.assessment.stability import stability
from subsel.gathered_warnings import in_one_line
from subsel.printed import Columns

__all__ = ["summarise"]


def summarise(
    plan: Plan,
    splits: list[Split],
    done: list[Fold],
    confidence: float,
    permutation: Permutation | None,
    notes: list[str],
    seconds: float,
) -> Assessment:
    """Put the folds together."""
    finished, task = splits[: len(done)], plan.task
    scores, share = np.array([fold.score for fold in done]), share_tested(splits[: len(done)])
    guides = np.array([np.nan if fold.guide is None else fold.guide for fold in done])
    honest = np.array([fold.honest for fold in done])
    has_guide = not np.isnan(guides).any()
    optimism = float((guides - honest).mean()) if has_guide and not np.isnan(honest).any() else None
    supports = _supports(done, task.n_columns)
    frequency = None if supports is None else supports.mean(axis=0)
    interval = score_interval(scores, plan.scoring, task.y, finished, confidence)
    _add_notes(notes, plan, finished, done, scores, has_guide and optimism is None)
    notes += _warned(done)
    return Assessment(
        performance=float(scores.mean()),
        interval=interval,
        guide=float(guides.mean()) if has_guide else None,
        optimism=optimism,
        folds=_table(finished, done, scores, guides, honest),
        sizes=np.zeros(0, dtype=int) if supports is None else supports.sum(axis=1),
        supports=supports,
        frequency=frequency,
        frequency_interval=None if supports is None else _frequency_interval(supports, confidence),
        stability=None if supports is None or len(done) < 2 else stability(supports, confidence),
        false_selections=_false(plan, done, share, confidence),
        permutation=permutation,
        references=_references(plan, finished, done, confidence),
        names=tuple(task.names),
        notes=tuple(notes),
        scoring=plan.scoring,
        kind=task.kind,
        confidence=confidence,
        n_rows=task.n_rows,
        n_folds=len(splits),
        seconds=seconds,
        held_out=_held_out(finished, done, task.y),
    )


def _warned(done: list[Fold]) -> list[str]:
    said = in_one_line(sum((Counter(fold.warned) for fold in done), Counter()))
    return [f"{said}."] if said else []


def _held_out(splits: list[Split], done: list[Fold], y: np.ndarray) -> Columns | None:
    """What was predicted for every row that a fold held out, beside what was true."""
    if any(fold.predicted is None for fold in done):
        return None
    rows = np.concatenate([split.test for split in splits])
    table = {
        "row": rows,
        "repeat": np.concatenate([np.full(len(split.test), split.repeat) for split in splits]),
        "true": y[rows],
        "predicted": np.concatenate([np.asarray(fold.predicted) for fold in done]),
    }
    return Columns(table)


def _supports(done: list[Fold], n_columns: int) -> np.ndarray | None:
    if any(fold.columns is None for fold in done):
        return None
    supports = np.zeros((len(done), n_columns), dtype=bool)
    for row, fold in zip(supports, done):
        row[fold.columns] = True
    return supports


def _frequency_interval(supports: np.ndarray, confidence: float) -> np.ndarray:
    return np.column_stack(wilson(supports.sum(axis=0), len(supports), confidence))


def _table(
    splits: list[Split], done: list[Fold], scores: np.ndarray, guides: np.ndarray, honest: np.ndarray
) -> Columns:
    known = lambda values: np.array([np.nan if v is None else v for v in values], dtype=float)
    table = {
        "repeat": np.array([s.repeat for s in splits]),
        "fold": np.array([s.fold for s in splits]),
        "score": scores,
        "guide": guides,
        "honest": honest,
        "size": known(None if fold.columns is None else len(fold.columns) for fold in done),
        "seconds": np.array([fold.seconds for fold in done]),
        "n_evaluations": known(fold.n_evaluations for fold in done),
        "n_train": np.array([len(s.train) for s in splits]),
        "n_test": np.array([len(s.test) for s in splits]),
    }
    return Columns(table)


def _false(plan: Plan, done: list[Fold], share: float, confidence: float) -> FalseSelections | None:
    if not plan.n_probes or any(fold.with_probes is None or fold.columns is None for fold in done):
        return None
    sizes = [len(fold.columns) for fold in done if fold.columns is not None]
    kept, selected = zip(*(fold.with_probes for fold in done if fold.with_probes is not None))
    return false_selections(sizes, kept, selected, plan.task.n_columns, plan.n_probes, share, confidence)


def _references(plan: Plan, splits: list[Split], done: list[Fold], confidence: float) -> dict[str, Estimate]:
    common = [name for name in done[0].references if all(name in fold.references for fold in done)]
    values = {name: np.array([fold.references[name] for fold in done]) for name in common}
    return {
        name: Estimate(
            float(scores.mean()), score_interval(scores, plan.scoring, plan.task.y, splits, confidence), scores
        )
        for name, scores in values.items()
    }


def _add_notes(
    notes: list[str], plan: Plan, splits: list[Split], done: list[Fold], scores: np.ndarray, other_scale: bool
) -> None:
    n = len(done)
    if n == 1:
        notes.append("one fold has no spread: the interval is not known.")
    elif scores.std() < 1e-12:
        notes.append("every fold scored the same: the spread over folds says nothing of the error.")
    if empty := sum(fold.constant for fold in done):
        notes.append(f"nothing was selected in {empty} of {n} folds: a constant prediction was scored there.")
    if any(fold.columns is None for fold in done):
        notes.append("the selection cannot be read from this pipeline: no frequencies, no stability.")
    if other_scale:
        notes.append("the guide is not a score of predictions, or not one this model has: no optimism is given.")
    if len(splits) > 1 and all(s.test.min() > s.train.max() for s in splits):
        notes.append("folds look ordered in time: the interval takes rows as exchangeable, which they may not be.")
    for name, why in {name: why for fold in done for name, why in fold.failed.items()}.items():
        notes.append(f"{name} could not be computed: {why}.")
