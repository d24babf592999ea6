"""Held-out rows: which classes are taken for which, or how far off the predicted numbers are."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from subsel.report.labels import class_name
from subsel.report.page.features import position
from subsel.report.page.markup import figure, heat_table, number, table
from subsel.report.page.material import Material
from subsel.runtime.text import one_line

__all__ = ["held_out_rows"]

MOST_CLASSES, MOST_DOTS = 12, 300
SIDE, EDGE = 320, 40


def held_out_rows(material: Material) -> str:
    """A confusion matrix, or predictions against what was true; empty where no predictions were kept."""
    held = getattr(material.assessment, "held_out", None)
    if held is None or not len(held["true"]):
        return ""
    if material.kind == "classification":
        return _confusions(held)
    return _scatter(held, material.target)


def _confusions(held: Any) -> str:
    true, predicted = np.asarray(held["true"]), np.asarray(held["predicted"])
    classes = np.unique(np.concatenate([true, predicted]))
    names = [class_name(label) for label in classes]
    repeats = len(np.unique(held["repeat"]))
    counts = np.zeros((len(classes), len(classes)))
    np.add.at(
        counts, (np.searchsorted(classes, true), np.searchsorted(classes, predicted)), 1 / repeats
    )
    wrong = counts.copy()
    np.fill_diagonal(wrong, 0)
    said = f"{1 - wrong.sum() / counts.sum():.1%} of the held-out rows were predicted right. {_worst(wrong, counts, names)}"
    head = f'<h3 class="below">Held-out rows: what was taken for what</h3><p>{escape(said)}</p>'
    if len(classes) > MOST_CLASSES:
        return head + _list_of_confusions(wrong, counts, names)
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-12)
    texts = [
        [f"{c:.3g} ({s:.0%})" for c, s in zip(row, shares)] for row, shares in zip(counts, share)
    ]
    columns = [f"taken for {one_line(name, 16)}" for name in names]
    return head + heat_table(
        "confusion", columns, [one_line(name, 24) for name in names], share.tolist(), texts=texts
    )


def _worst(wrong: np.ndarray, counts: np.ndarray, names: list[str]) -> str:
    if not wrong.any():
        return ""
    true, taken = np.unravel_index(wrong.argmax(), wrong.shape)
    share = wrong[true, taken] / counts[true].sum()
    return f"The most frequent mistake: {names[true]} taken for {names[taken]} ({share:.0%} of its rows)."


def _list_of_confusions(wrong: np.ndarray, counts: np.ndarray, names: list[str]) -> str:
    order = np.argsort(-wrong, axis=None)[: int((wrong > 0).sum())]
    true, taken = np.unravel_index(order, wrong.shape)
    columns = {
        "true": [names[i] for i in true],
        "taken for": [names[j] for j in taken],
        "rows": wrong[true, taken].tolist(),
        "share of the class": (wrong[true, taken] / counts[true].sum(axis=1)).tolist(),
    }
    return table("confusion", "Mistakes, the most frequent first", columns, "mistakes.csv")


def _scatter(held: Any, target: str) -> str:
    first = np.asarray(held["repeat"]) == np.min(held["repeat"])
    true, predicted = (np.asarray(held[key], dtype=float)[first] for key in ("true", "predicted"))
    off = predicted - true
    low, high = np.quantile(np.concatenate([true, predicted]), [0.005, 0.995])

    def at(value: float) -> float:
        return EDGE + (SIDE - EDGE - 6) * position(value, low, high)

    some = np.random.default_rng(0).permutation(len(true))[:MOST_DOTS]
    rows = np.asarray(held["row"])[first]
    dots = "".join(
        _dot(at(p), SIDE - at(t), rows[i], t, p)
        for i, t, p in zip(some, true[some], predicted[some])
    )
    end = SIDE - 6
    svg = (
        f'<svg class="square" viewBox="0 0 {SIDE} {SIDE}" role="group" aria-label="predicted against true {escape(target)}">'
        f'<line class="axis" x1="{EDGE}" y1="{SIDE - EDGE}" x2="{end}" y2="{SIDE - EDGE}"/>'
        f'<line class="axis" x1="{EDGE}" y1="{SIDE - EDGE}" x2="{EDGE}" y2="6"/>'
        f'<line class="diagonal" x1="{EDGE}" y1="{SIDE - EDGE}" x2="{end}" y2="6"/>{dots}'
        f'<text x="{EDGE}" y="{SIDE - EDGE + 14}">{low:.4g}</text>'
        f'<text x="{end}" y="{SIDE - EDGE + 14}" text-anchor="end">{high:.4g}</text>'
        f'<text x="{(EDGE + end) / 2}" y="{SIDE - 8}" text-anchor="middle">predicted</text>'
        f'<text x="{EDGE - 6}" y="16" text-anchor="end">{high:.3g}</text>'
        f'<text x="12" y="{SIDE / 2}" transform="rotate(-90 12 {SIDE / 2})" text-anchor="middle">true</text></svg>'
    )
    side = "high" if off.mean() >= 0 else "low"
    said = (
        f"Half of the held-out rows are predicted within {number(float(np.median(np.abs(off))))} of the truth, nine in ten "
        f"within {number(float(np.quantile(np.abs(off), 0.9)))}; on average {number(abs(float(np.mean(off))))} too "
        f"{side}. On the line: exactly right."
    )
    return figure(svg, f"Held-out rows: predicted and true {target}", said)


def _dot(x: float, y: float, row: int, true: float, predicted: float) -> str:
    text = f"row {row + 1}: predicted {predicted:.4g}, true {true:.4g}"
    return (
        f'<g class="point" tabindex="-1" role="img" aria-label="{text}"><title>{text}</title>'
        f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3"/></g>'
    )
