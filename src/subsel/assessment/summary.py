"""Summarise the results of folds as an assessment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from subsel.assessment.estimates import Assessment, Estimate
from subsel.assessment.false_selections import FalseSelections, false_selections
from subsel.assessment.folds.fold import Fold, FoldSettings
from subsel.assessment.folds.halves import FAILED
from subsel.assessment.folds.splits import Split, share_tested
from subsel.assessment.intervals import wilson
from subsel.assessment.permutation import Permutation
from subsel.assessment.row_intervals import ScoredFolds
from subsel.assessment.stability_indices import Stability, half_stability
from subsel.runtime.screenful import TextColumns
from subsel.runtime.warning_counts import in_one_line

__all__ = ["summarise"]


def summarise(
    plan: FoldSettings,
    splits: list[Split],
    done: list[Fold],
    confidence: float,
    *,
    notes: list[str],
    seconds: float,
    permutation: Permutation | None = None,
    halves: Sequence[Fold] = (),
) -> Assessment:
    """Summarise finished folds, and selections on halves of the rows, as an assessment.

    ``done`` are the results of the first of ``splits``; ``halves`` come in pairs. Appends to
    ``notes``.
    """
    finished, task = splits[: len(done)], plan.task
    scores, share = np.array([fold.score for fold in done]), share_tested(splits[: len(done)])
    guides = _numbers([fold.guide for fold in done])
    nested = np.array([fold.nested for fold in done])
    guide = optimism = None
    if not np.isnan(guides).any():
        guide = float(guides.mean())
        if not np.isnan(nested).any():
            optimism = float((guides - nested).mean())
    supports = _supports(done, task.n_columns)
    sizes, frequency, frequency_interval = np.zeros(0, dtype=int), None, None
    if supports is not None:
        sizes, frequency = supports.sum(axis=1), supports.mean(axis=0)
        frequency_interval = _frequency_interval(supports, confidence)
    scored = scored_folds(plan, finished, done)
    stability = _stability(plan, halves, confidence, notes)
    _add_notes(
        notes,
        plan,
        finished,
        done,
        scored.interval(confidence),
        other_scale=guide is not None and optimism is None,
    )
    notes += _warning_notes(done)
    return Assessment(
        performance=scored.score,
        interval=scored.interval(confidence),
        guide=guide,
        optimism=optimism,
        folds=_table(finished, done, scores, guides, nested),
        sizes=sizes,
        supports=supports,
        frequency=frequency,
        frequency_interval=frequency_interval,
        stability=stability,
        false_selections=_false_selections(plan, done, share, confidence),
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
        guide_scoring=done[0].guide_scoring,
    )


def scored_folds(plan: FoldSettings, splits: list[Split], done: list[Fold]) -> ScoredFolds:
    """Give the scores of a procedure and the contributions of rows to them."""
    scores = np.array([fold.score for fold in done])
    return ScoredFolds.of(plan.scoring, scores, [fold.outputs for fold in done], splits, plan.task)


def _stability(
    plan: FoldSettings, halves: Sequence[Fold], confidence: float, notes: list[str]
) -> Stability | None:
    """Give the stability of selections from disjoint halves; appends to ``notes``.

    None where there are no halves, or the selections cannot be read.
    """
    failed = next((fold.failed[FAILED] for fold in halves if FAILED in fold.failed), None)
    if failed is not None:
        notes.append(f"no stability: the selection failed on half of the rows ({failed}).")
        return None
    pairs = _supports(list(halves[: len(halves) // 2 * 2]), plan.task.n_columns)
    if pairs is None or not len(pairs):
        return None
    return half_stability(pairs[::2], pairs[1::2], plan.task.n_rows // 2, confidence)


def _warning_notes(done: list[Fold]) -> list[str]:
    """Give a note on the warnings of all folds, or none."""
    sentence = in_one_line(sum((Counter(fold.warned) for fold in done), Counter()))
    return [f"{sentence}."] if sentence else []


def _held_out(splits: list[Split], done: list[Fold], y: np.ndarray) -> TextColumns | None:
    """Give the true and the predicted values of all held-out rows."""
    predictions = [fold.outputs for fold in done if fold.outputs is not None]
    if len(predictions) < len(done):
        return None
    rows = np.concatenate([split.test for split in splits])
    table = {
        "row": rows,
        "repeat": np.concatenate([np.full(len(split.test), split.repeat) for split in splits]),
        "true": y[rows],
        "predicted": np.concatenate([outputs.predicted for outputs in predictions]),
    }
    return TextColumns(table)


def _supports(done: list[Fold], n_columns: int) -> np.ndarray | None:
    """Give the selections as masks, shape (n_folds, n_columns); None where one cannot be read."""
    if any(fold.columns is None for fold in done):
        return None
    supports = np.zeros((len(done), n_columns), dtype=bool)
    for row, fold in zip(supports, done):
        row[fold.columns] = True
    return supports


def _frequency_interval(supports: np.ndarray, confidence: float) -> np.ndarray:
    return np.column_stack(wilson(supports.sum(axis=0), len(supports), confidence))


def _table(
    splits: list[Split],
    done: list[Fold],
    scores: np.ndarray,
    guides: np.ndarray,
    nested: np.ndarray,
) -> TextColumns:

    table = {
        "repeat": np.array([s.repeat for s in splits]),
        "fold": np.array([s.fold for s in splits]),
        "score": scores,
        "guide": guides,
        "nested": nested,
        "size": _numbers([fold.size for fold in done]),
        "seconds": np.array([fold.seconds for fold in done]),
        "n_evaluations": _numbers([fold.n_evaluations for fold in done]),
        "n_train": np.array([len(s.train) for s in splits]),
        "n_test": np.array([len(s.test) for s in splits]),
    }
    return TextColumns(table)


def _numbers(values: list[Any]) -> np.ndarray:
    """Convert to an array of floats, NaN for None."""
    return np.array(values, dtype=float)


def _false_selections(
    plan: FoldSettings, done: list[Fold], share: float, confidence: float
) -> FalseSelections | None:
    if not plan.n_probes or any(fold.with_probes is None or fold.columns is None for fold in done):
        return None
    sizes = [len(fold.columns) for fold in done if fold.columns is not None]
    kept, selected = zip(*(fold.with_probes for fold in done if fold.with_probes is not None))
    return false_selections(
        sizes,
        kept,
        selected,
        n_columns=plan.task.n_columns,
        n_probes=plan.n_probes,
        test_share=share,
        confidence=confidence,
    )


def _references(
    plan: FoldSettings, splits: list[Split], done: list[Fold], confidence: float
) -> dict[str, Estimate]:
    common = [name for name in done[0].references if all(name in fold.references for fold in done)]
    estimates = {}
    for name in common:
        scores = np.array([fold.references[name] for fold in done])
        outputs = [fold.reference_outputs.get(name) for fold in done]
        scored = ScoredFolds.of(plan.scoring, scores, outputs, splits, plan.task)
        estimates[name] = Estimate(scored.score, scored.interval(confidence), scores)
    return estimates


def _add_notes(
    notes: list[str],
    plan: FoldSettings,
    splits: list[Split],
    done: list[Fold],
    interval: tuple[float, float],
    *,
    other_scale: bool,
) -> None:
    """Append what the reader should know to ``notes``."""
    n = len(done)
    if n == 1 and np.isnan(interval).any():
        notes.append("one fold has no spread: the interval is not known.")
    if empty := sum(fold.constant for fold in done):
        notes.append(
            f"nothing was selected in {empty} of {n} folds: a constant prediction was scored there."
        )
    if any(fold.columns is None for fold in done):
        notes.append(
            "the selection cannot be read from this pipeline: no frequencies, no stability."
        )
    if other_scale:
        notes.append(
            "the guide is not a score of predictions, or not one this model has: "
            "no optimism is given."
        )
    elif done[0].guide_scoring not in ("", plan.scoring):
        notes.append(
            f"the guide is {done[0].guide_scoring}, the performance {plan.scoring}: "
            "optimism is in the guide's."
        )
    if len(splits) > 1 and all(s.test.min() > s.train.max() for s in splits):
        notes.append(
            "folds look ordered in time: the interval takes rows as exchangeable, "
            "which they may not be."
        )
    for name, why in {name: why for fold in done for name, why in fold.failed.items()}.items():
        notes.append(f"{name} could not be computed: {why}.")
