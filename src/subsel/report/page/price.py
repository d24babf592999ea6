"""What selecting costs or gains against all features: the first number of the page."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from subsel.assessment.intervals import corrected_interval
from subsel.report.figures.display import measure, signed_interval
from subsel.report.page.markup import card
from subsel.report.page.material import Material

__all__ = ["price_card"]

ALL = "all features"


def price_card(material: Material) -> str:
    """The difference in score, with what it means; empty where nothing with all features was run."""
    found = _of_race(material) or _of_references(material.assessment)
    if found is None:
        return ""
    difference, (low, high), against = found
    scoring = getattr(material.assessment, "scoring", material.scoring)
    text = (
        f"{escape(measure(scoring))} of the selection less that of {escape(against)}, "
        f"on the same held-out rows{signed_interval(low, high)}."
    )
    return card("The price of selecting", f"{difference:+.3f}", text, _meaning(low, high))


def _meaning(low: float, high: float) -> str:
    if np.isnan(low):
        return "One fold cannot tell whether that is more than chance."
    if high < 0:
        return "Selecting costs: all features predict better."
    if low > 0:
        return "Selecting gains: fewer features predict better."
    return "The two cannot be told apart: fewer features do as well."


def _of_race(material: Material) -> tuple[float, tuple[float, float], str] | None:
    price = (material.selection.get("race") or {}).get("price")
    if price is None:
        return None
    return price["difference"], tuple(price["interval"]), price["against"]


def _of_references(assessment: Any) -> tuple[float, tuple[float, float], str] | None:
    """From the folds of an assessment that ran all features beside the selection."""
    if assessment is None or ALL not in assessment.references:
        return None
    scores = np.asarray(assessment.references[ALL].scores, dtype=float)
    gaps = np.asarray(assessment.folds["score"], dtype=float) - scores
    n_test, n_train = (float(np.mean(assessment.folds[key])) for key in ("n_test", "n_train"))
    interval = (np.nan, np.nan)
    if len(gaps) > 1:
        interval = corrected_interval(gaps, n_test / n_train, assessment.confidence)
    return float(gaps.mean()), interval, ALL
