"""The chosen features one by one: how often folds selected each, which way it goes, how it looks, what could replace it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from html import escape
from typing import Any

import numpy as np
from scipy.stats import rankdata

from subsel.report.figures.display import count, named
from subsel.report.labels import class_name, column_values
from subsel.report.page.markup import heat_table, more_in_table
from subsel.report.page.material import Material
from subsel.runtime.text import one_line

__all__ = [
    "chosen_features",
    "class_colours",
    "direction",
    "has_few_values",
    "position",
    "rank_correlation",
    "small_picture",
    "steadiest_first",
]

MOST_SHOWN, MOST_RELATED = 24, 12
MOST_COMPARED, MOST_ROWS = 400, 5_000  # columns and rows that are looked at for look-alikes
ALIKE = 0.8


def steadiest_first(material: Material) -> list[int]:
    """The chosen columns, those that most folds selected first; in their order where there are no folds."""
    often = getattr(material.assessment, "frequency", None)
    if often is None:
        return material.chosen
    return sorted(material.chosen, key=lambda j: -often[j])


def chosen_features(material: Material) -> str:
    """A block per chosen feature, then how they go together."""
    shown = steadiest_first(material)[:MOST_SHOWN]
    if not shown or material.X is None or material.y is None:
        return ""
    rows = _sample(len(material.y))
    y = np.asarray(material.y)[rows]
    held = {j: column_values(material.X, j)[rows] for j in shown}
    replacements = _replacements(material)
    blocks = "".join(_block(material, j, held[j], y, replacements.get(j, [])) for j in shown)
    more = more_in_table(len(material.chosen) - len(shown))
    return (
        f'<ol class="chosen">{blocks}</ol>{more}'
        f"{_legend(material, held, y)}{_related(material, held)}"
    )


def _legend(material: Material, held: dict[int, np.ndarray], y: np.ndarray) -> str:
    """What the small pictures show, once for all of them."""
    few = [has_few_values(values) for values in held.values()]
    parts = []
    if material.kind == "classification":
        if not all(few):
            parts.append(
                "Boxes: the middle half of the values in each class, the median as a bar, nine tenths as a line."
            )
        if any(few):
            parts.append(
                f"Bars: the rows with each value by their class, {class_colours(y).strip()}."
            )
    else:
        if not all(few):
            target = escape(material.target)
            parts.append(
                f"Dots: rows, {target} upwards; the line is the median of {target} along the feature."
            )
        if any(few):
            parts.append(
                f"Bars: the middle half of {escape(material.target)} for each value, the median as a bar."
            )
    parts.append(
        "Directions are those of each feature by itself; in a model with the others it may work differently."
    )
    return f'<p class="muted">{" ".join(parts)}</p>'


def _sample(n_rows: int) -> np.ndarray:
    if n_rows <= MOST_ROWS:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, MOST_ROWS, replace=False))


def _block(
    material: Material, j: int, values: np.ndarray, y: np.ndarray, replacements: list[str]
) -> str:
    name, often = str(material.names[j]), getattr(material.assessment, "frequency", None)
    share = ""
    if often is not None:
        share = (
            f'<p class="share"><span class="meter" style="--s:{often[j]:.0%}"></span> in {often[j]:.0%} '
            f"of {count(len(material.assessment.folds['score']), 'fold')}</p>"
        )
    instead = ""
    if replacements:
        instead = f"<p>could be replaced by {escape(named(replacements, 4))}</p>"
    towards = direction(values, y, material.kind)
    picture = small_picture(
        values, y, material.kind, f"{name} against {material.target}: {towards}"
    )
    return f'<li><div><h3>{escape(name)}</h3>{share}<p>{escape(towards)}</p>{instead}</div><div class="mini">{picture}</div></li>'


def _replacements(material: Material) -> dict[int, list[str]]:
    """For each chosen column what could stand in its place: swaps that the search looked at, then look-alikes."""
    place = {str(name): j for j, name in enumerate(material.names)}
    found: dict[int, list[str]] = {}
    for swap in material.selection.get("alternatives", []):
        for dropped in swap["drop"]:
            names = found.setdefault(place.get(str(dropped), -1), [])
            names += [str(name) for name in swap["add"] if str(name) not in names]
    for j, name, r in _look_alikes(material):
        names = found.setdefault(j, [])
        if name not in names:
            names.append(f"{name} (rank correlation {r:+.2f})")
    return found


def _look_alikes(material: Material) -> Iterator[tuple[int, str, float]]:
    """Columns that were not chosen and are nearly in the same order as a chosen one."""
    n_rows, n_columns = material.X.shape
    if n_columns > MOST_COMPARED:
        return
    rows = _sample(n_rows)
    chosen = set(material.chosen)
    others = {j: column_values(material.X, j)[rows] for j in range(n_columns) if j not in chosen}
    others = {j: values for j, values in others.items() if values.dtype.kind == "f"}
    for j in steadiest_first(material)[:MOST_SHOWN]:
        values = column_values(material.X, j)[rows]
        if values.dtype.kind != "f":
            continue
        near = [(rank_correlation(values, other), k) for k, other in others.items()]
        for r, k in sorted(near, key=lambda pair: -abs(pair[0])):
            if abs(r) >= ALIKE:
                yield j, str(material.names[k]), r


def _related(material: Material, held: dict[int, Any]) -> str:
    """Rank correlations among the chosen."""
    numbers = [j for j, values in held.items() if values.dtype.kind == "f"][:MOST_RELATED]
    if len(numbers) < 2:
        return ""
    names = [str(material.names[j]) for j in numbers]
    cells = [[rank_correlation(held[a], held[b]) for b in numbers] for a in numbers]
    strong = [
        (abs(cells[a][b]), f"{names[a]} and {names[b]} ({cells[a][b]:+.2f})")
        for a in range(len(numbers))
        for b in range(a)
        if abs(cells[a][b]) >= ALIKE
    ]
    said = "No two of them are nearly the same (0.8 and more)."
    if strong:
        pairs = [text for _, text in sorted(strong, reverse=True)]
        said = f"Nearly the same, so that one may do for both: {named(pairs, 4)}."
    heads = [one_line(name, 14) for name in names]
    table = heat_table("related", heads, [one_line(name, 24) for name in names], cells, "{:+.2f}")
    return f'<h3 class="below">How the chosen go together: rank correlations</h3><p>{escape(said)}</p>{table}'


FEW_VALUES = 6
SLIGHT = 0.1  # a rank correlation below which no direction is told


def direction(values: np.ndarray, y: np.ndarray, kind: str) -> str:
    """Say in a few words how the target goes with a feature; seen alone, which need not be its part in the model.

    Examples
    --------
    >>> direction(np.array([1.0, 2.0, 3.0, 4.0]), np.array(["no", "no", "yes", "yes"]), "classification")
    'higher for yes'
    >>> direction(np.array([1.0, 2.0, 3.0, 4.0]), np.array([9.0, 7.0, 5.0, 1.0]), "regression")
    'falls as the target rises (rank correlation -1.00)'
    """
    if values.dtype.kind != "f":
        return _of_categories(values, y, kind)
    if kind == "classification":
        return _of_classes(values, y)
    r = rank_correlation(values, y.astype(float))
    if not abs(r) >= SLIGHT:
        return f"no direction by itself (rank correlation {r:+.2f})"
    return f"{'rises' if r > 0 else 'falls'} as the target rises (rank correlation {r:+.2f})"


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's, over rows where both are known; 0 where one does not vary.

    Examples
    --------
    >>> rank_correlation(np.array([1.0, 2.0, np.nan, 4.0]), np.array([2.0, 4.0, 0.0, 9.0]))
    1.0
    """
    known = ~(np.isnan(a) | np.isnan(b))
    if known.sum() < 2:
        return 0.0
    first, second = rankdata(a[known]), rankdata(b[known])
    first, second = first - first.mean(), second - second.mean()
    size = np.sqrt((first**2).sum() * (second**2).sum())
    if size == 0:
        return 0.0
    return float((first * second).sum() / size)


def has_few_values(values: np.ndarray) -> bool:
    """Whether a column is one of categories, or a number of so few values that they are told one by one."""
    return values.dtype.kind != "f" or len(np.unique(values[~np.isnan(values)])) <= FEW_VALUES


def _of_classes(values: np.ndarray, y: np.ndarray) -> str:
    """Higher in which class, by how far the mean ranks of the classes lie apart."""
    known = ~np.isnan(values)
    classes, codes = np.unique(y[known], return_inverse=True)
    if len(classes) < 2:
        return "no direction by itself"
    ranks = rankdata(values[known]) / known.sum()
    means = np.bincount(codes, weights=ranks) / np.bincount(codes)
    if means.max() - means.min() < SLIGHT / 2:
        return "no direction by itself"
    high, low = class_name(classes[means.argmax()]), class_name(classes[means.argmin()])
    if len(classes) == 2:
        return f"higher for {high}"
    return f"highest for {high}, lowest for {low}"


def _of_categories(values: np.ndarray, y: np.ndarray, kind: str) -> str:
    """The value with which the target stands out most."""
    found, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    usual = counts >= max(2, len(y) / 50)
    if usual.sum() < 2:
        return "no direction by itself"
    if kind == "regression":
        means = np.bincount(codes, weights=y.astype(float)) / counts
        best = np.where(usual, means, -np.inf).argmax()
        return f"the target is highest where it is {found[best]}"
    classes, targets = np.unique(y, return_inverse=True)
    share = np.zeros((len(found), len(classes)))
    np.add.at(share, (codes, targets), 1.0)
    ahead = share / counts[:, None] - share.sum(axis=0) / len(y)
    ahead[~usual] = -np.inf
    value, label = np.unravel_index(ahead.argmax(), ahead.shape)
    return f"{class_name(classes[label])} is most frequent where it is {found[value]}"


WIDTH, LEFT, ROW, HEIGHT = 230, 84, 18, 96
MOST_CLASSES, MOST_DOTS, N_BINS = 6, 120, 8
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
    return classes[np.sort(np.argsort(-counts, kind="stable")[:MOST_CLASSES])]


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
