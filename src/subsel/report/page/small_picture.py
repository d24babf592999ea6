"""A small picture of one feature against the target, drawn as plain SVG: boxes, shares or a trend."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from html import escape
from typing import Any

import numpy as np

from subsel.report.labels import class_name
from subsel.report.page.effect import has_few_values
from subsel.runtime.text import one_line

__all__ = ["class_colours", "position", "small_picture"]

WIDTH, LEFT, ROW, HEIGHT = 230, 84, 18, 96
MOST_ROWS, MOST_DOTS, N_BINS = 6, 120, 8
HUES = ("blue", "orange", "green", "grey", "muted", "ink")


def small_picture(values: np.ndarray, y: np.ndarray, kind: str, title: str) -> str:
    """An SVG element; its parts say what they are to a pointer, a keyboard and a reader.

    Examples
    --------
    >>> picture = small_picture(np.arange(8.0), np.repeat(["no", "yes"], 4), "classification", "age")
    >>> "yes: median 5.5" in picture
    True
    """
    parts = list(_drawn(values, y, kind))
    height = ROW * (1 + sum("<text" in part for part in parts))
    if any("trend" in part for part in parts):
        height = HEIGHT
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="group" aria-label="{escape(title)}">'
        f"{''.join(parts) or _nothing()}</svg>"
    )


def _drawn(values: np.ndarray, y: np.ndarray, kind: str) -> Iterator[str]:
    """The picture that suits the feature and the target, part by part."""
    few = has_few_values(values)
    if kind == "classification" and few:
        return _shares(values, y)
    if kind == "classification":
        return _boxes(values, y)
    if few:
        return _levels(values, y)
    return _trend(values, y)


def position(values: Any, low: float, high: float) -> Any:
    """Where values lie between low and high, as a share of the way; within 0 and 1.

    Examples
    --------
    >>> position(np.array([1.0, 3.0, 9.0]), 1.0, 5.0)
    array([0. , 0.5, 1. ])
    """
    return np.clip((values - low) / ((high - low) or 1.0), 0, 1)


def _across(value: float, low: float, high: float) -> float:
    """How far to the right a value is drawn in a picture with labels on its left."""
    return LEFT + (WIDTH - LEFT - 8) * float(position(value, low, high))


def class_colours(y: np.ndarray) -> str:
    """Which colour stands for which class in bars of shares."""
    pairs = zip(HUES, _largest(y))
    return "".join(
        f'<span class="key {hue}"></span> {escape(class_name(label))} ' for hue, label in pairs
    )


def _nothing() -> str:
    return f'<text x="0" y="{ROW}">too little is known</text>'


def _point(text: str, drawn: str) -> str:
    told = escape(text)
    return f'<g class="point" tabindex="-1" role="img" aria-label="{told}"><title>{told}</title>{drawn}</g>'


def _label(row: int, text: str) -> str:
    return f'<text x="{LEFT - 6}" y="{row * ROW + 13}" text-anchor="end">{escape(one_line(text, 13))}</text>'


def _largest(y: np.ndarray) -> np.ndarray:
    """The classes, the most frequent of them if there are many, in their order."""
    classes, counts = np.unique(y, return_counts=True)
    return classes[np.sort(np.argsort(-counts, kind="stable")[:MOST_ROWS])]


def _boxes(values: np.ndarray, y: np.ndarray) -> Iterator[str]:
    """A box per class: the middle half of its values, the middle nine tenths as a line, the median as a bar."""
    low, high = np.nanquantile(values, [0.01, 0.99])
    at = partial(_across, low=low, high=high)
    for row, label in enumerate(_largest(y)):
        part = values[(y == label) & ~np.isnan(values)]
        if not len(part):
            continue
        a, b, median, c, d = np.quantile(part, [0.05, 0.25, 0.5, 0.75, 0.95])
        middle, top = row * ROW + 9, row * ROW + 3
        drawn = (
            f'<rect class="reach" x="{at(a):.1f}" y="{top}" width="{at(d) - at(a):.1f}" height="12"/>'
            f'<line class="rule" x1="{at(a):.1f}" x2="{at(d):.1f}" y1="{middle}" y2="{middle}"/>'
            f'<rect class="box" x="{at(b):.1f}" y="{top}" width="{max(1.5, at(c) - at(b)):.1f}" height="12"/>'
            f'<rect class="bar" x="{at(median) - 1.5:.1f}" y="{top - 1}" width="3" height="14"/>'
        )
        text = f"{class_name(label)}: median {median:.4g}, half of the values from {b:.4g} to {c:.4g}, {len(part):,} rows"
        yield _label(row, class_name(label)) + _point(text, drawn)


def _shares(values: np.ndarray, y: np.ndarray) -> Iterator[str]:
    """A bar per value, divided by the classes of its rows."""
    classes = _largest(y)
    for row, value in enumerate(_largest(values[values == values])):
        here = y[values == value]
        begin, drawn = float(LEFT), ""
        for hue, label in zip(HUES, classes):
            share = float((here == label).mean())
            width = (WIDTH - LEFT - 8) * share
            text = f"{class_name(value)}: {share:.0%} {class_name(label)} of {len(here):,} rows"
            drawn += _point(
                text,
                f'<rect class="{hue}" x="{begin:.1f}" y="{row * ROW + 3}" width="{width:.1f}" height="12"/>',
            )
            begin += width
        yield _label(row, class_name(value)) + drawn


def _levels(values: np.ndarray, y: np.ndarray) -> Iterator[str]:
    """A bar per value: the middle half of the target, its median marked."""
    y = y.astype(float)
    low, high = np.quantile(y, [0.01, 0.99])
    at = partial(_across, low=low, high=high)
    for row, value in enumerate(_largest(values[values == values])):
        here = y[values == value]
        b, median, c = np.quantile(here, [0.25, 0.5, 0.75])
        drawn = (
            f'<rect class="box" x="{at(b):.1f}" y="{row * ROW + 3}" width="{max(1.5, at(c) - at(b)):.1f}" height="12"/>'
            f'<rect class="bar" x="{at(median) - 1.5:.1f}" y="{row * ROW + 2}" width="3" height="14"/>'
        )
        text = f"{class_name(value)}: median of the target {median:.4g}, half from {b:.4g} to {c:.4g}, {len(here):,} rows"
        yield _label(row, class_name(value)) + _point(text, drawn)


def _trend(values: np.ndarray, y: np.ndarray) -> Iterator[str]:
    """Some rows as dots, and the median of the target along the feature as a line."""
    known = ~np.isnan(values)
    x, target = values[known], y[known].astype(float)
    (left, right), (low, high) = np.quantile(x, [0.01, 0.99]), np.quantile(target, [0.01, 0.99])

    def across(v: np.ndarray) -> np.ndarray:
        return 8 + (WIDTH - 16) * position(v, left, right)

    def up(v: np.ndarray) -> np.ndarray:
        return HEIGHT - 8 - (HEIGHT - 16) * position(v, low, high)

    some = np.random.default_rng(0).permutation(len(x))[:MOST_DOTS]
    yield "".join(
        f'<circle class="dot" cx="{a:.1f}" cy="{b:.1f}" r="1.8"/>'
        for a, b in zip(across(x[some]), up(target[some]))
    )
    edges = np.unique(np.quantile(x, np.linspace(0, 1, N_BINS + 1)))
    place = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, len(edges) - 2)
    bins = [
        (x[place == k], target[place == k]) for k in range(len(edges) - 1) if (place == k).any()
    ]
    marks = [(float(across(np.median(a))), float(up(np.median(b)))) for a, b in bins]
    yield f'<polyline class="trend" points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in marks)}"/>'
    for (a, b), (left_edge, at_target) in zip(marks, bins):
        text = f"from {left_edge.min():.4g} to {left_edge.max():.4g}: median of the target {np.median(at_target):.4g}, {len(at_target):,} rows"
        yield _point(text, f'<circle class="bar" cx="{a:.1f}" cy="{b:.1f}" r="4"/>')
