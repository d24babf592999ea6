"""What an assessment should make a reader doubt: chance, flattery, an unsteady choice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from subsel.report.cautions.caution import Caution

__all__ = ["NO_EVIDENCE", "assessment_cautions", "chance_level"]

NO_EVIDENCE = "No better than chance"
ONE_PASS = 5  # folds, fewer than which say little


def assessment_cautions(assessment: Any, y: Any = None) -> list[Caution]:
    """What an assessment says against the procedure; with y also whether guessing does as well."""
    found = list(_of_assessment(assessment))
    if y is None:
        return found
    return [*_no_better_than_chance(assessment, np.asarray(y)), *found]


def _of_assessment(assessment: Any) -> Iterator[Caution]:
    yield from _no_better_than_simple(assessment)
    yield from _flattering(assessment)
    yield from _unsteady(assessment)
    test = assessment.permutation
    if test is not None and test.p_value > 0.05:
        text = f"With shuffled labels the whole procedure does as well with probability {test.p_value:.2g}."
        yield Caution("serious", "Shuffled labels do as well", text)
    found = assessment.false_selections
    if found is not None and found.share > 0.25:
        text = (
            f"Probes put through the whole procedure say that about {found.expected:.1f} of the selected "
            f"features ({found.share:.0%}) know nothing of the target."
        )
        yield Caution("serious", "Many selections are false", text)
    finished = len(assessment.folds["score"])
    if finished < assessment.n_folds:
        text = (
            f"{finished} of {assessment.n_folds} folds were finished: the intervals rest on these."
        )
        yield Caution("serious" if finished < ONE_PASS else "note", "Unfinished assessment", text)


def _no_better_than_chance(assessment: Any, y: np.ndarray) -> Iterator[Caution]:
    level = chance_level(assessment.scoring, y, assessment.kind)
    low, high = assessment.interval
    if level is not None and low <= level:
        text = (
            f"The interval of the nested score, {low:.3f} to {high:.3f}, holds {level:.3f}, which needs no "
            "features at all. There is no evidence that the selection predicts anything."
        )
        yield Caution("serious", NO_EVIDENCE, text)


def chance_level(scoring: str, y: np.ndarray, kind: str) -> float | None:
    """The score that needs no features, for measures where it is known."""
    if kind == "regression":
        return 0.0 if scoring == "r2" else None
    counts = np.unique(y, return_counts=True)[1]
    known = {
        "accuracy": counts.max() / counts.sum(),
        "balanced_accuracy": 1 / len(counts),
        "roc_auc": 0.5,
    }
    return known.get(scoring)


def _no_better_than_simple(assessment: Any) -> Iterator[Caution]:
    better = {
        n: e.mean for n, e in assessment.references.items() if e.mean >= assessment.performance
    }
    if "random subset" in better:
        text = (
            f"A random subset of equal size scores {better['random subset']:.3f} on the same folds, the "
            f"selection {assessment.performance:.3f}."
        )
        yield Caution("serious", "No better than a random subset", text)
    simple = [f"{name} ({mean:.3f})" for name, mean in better.items() if name != "random subset"]
    if simple:
        text = (
            f"On the same folds as good or better: {', '.join(simple)}; the selection scores "
            f"{assessment.performance:.3f}."
        )
        clearly = (
            max(mean for name, mean in better.items() if name != "random subset")
            > assessment.interval[1]
        )
        if clearly:
            yield Caution("serious", "Something simpler does better", text)
        else:
            yield Caution("note", "Something simpler does as well", text)


def _flattering(assessment: Any) -> Iterator[Caution]:
    if assessment.optimism is None or not np.isfinite(assessment.optimism):
        return
    size = max(abs(assessment.guide or 0.0), abs(assessment.performance))
    reach = (assessment.interval[1] - assessment.interval[0]) / 2
    if assessment.optimism > max(0.02 * size, np.nan_to_num(reach) / 2):
        text = (
            f"The guide quality is {assessment.optimism:.3f} higher than the nested score of the same "
            "procedure: the best of many looks at the same rows. Quote the nested score."
        )
        yield Caution(
            "serious" if assessment.optimism > 0.1 * size else "note", "The guide flatters", text
        )


def _unsteady(assessment: Any) -> Iterator[Caution]:
    """Below 0.4 poor, from 0.75 excellent: a common guide for kappa (Fleiss 1981), used here as a rule of thumb."""
    if assessment.stability is None or not assessment.stability.value < 0.4:
        return
    text = (
        f"Stability {assessment.stability.value:.2f} (1: always the same features, 0: as random sets; below "
        f"0.4 is poor), by {assessment.stability.basis}. Other rows would give other features: read the selection as one of several that do, "
        "not as the features that matter."
    )
    yield Caution("serious", "The choice is unsteady", text)
