"""The chosen features one by one: how often folds selected each, which way it goes, how it looks, what could replace it."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np

from subsel.report.figures.display import count, named
from subsel.report.labels import column_values
from subsel.report.page.effect import direction, has_few_values, rank_correlation
from subsel.report.page.markup import heat_table, more_in_table
from subsel.report.page.material import Material
from subsel.report.page.small_picture import class_colours, small_picture
from subsel.runtime.text import one_line

__all__ = ["chosen_features", "steadiest_first"]

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
