"""The evidence in pictures, each with its words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from html import escape
from typing import Any

import numpy as np

from subsel.report.figures.display import count, named
from subsel.report.page.markup import figure
from subsel.report.page.material import Material

__all__ = ["pictures"]


def pictures(material: Material) -> str:
    """All pictures that the material has something for; none where matplotlib is missing, which is said."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return (
            "<p>No pictures: install matplotlib (<code>pip install 'subsel[plots]'</code>) and write the "
            "report again.</p>"
        )
    drawn = [
        *_of_assessment(material),
        *_of_comparison(material),
        *_of_result(material),
        *_of_ranking(material),
    ]
    if not drawn:
        return ""
    return f'<div class="figures">{"".join(drawn)}</div>'


def _draw(name: str, title: str, make: Any, height: float = 3.3, below: str = "") -> str:
    from subsel.report.figures.svg import draw

    svg, description = draw(name, make, (4.8, height))
    return figure(svg + below, title, description)


def chooser(front: Sequence[Mapping[str, Any]], picked: int) -> str:
    """A list of the sizes of the front; the one that is picked shows its features."""
    if len(front) < 2:
        return ""
    options = "".join(
        f'<option value="{f["size"]}"{" selected" if f["size"] == picked else ""} data-said="{escape(_subset(f))}">'
        f"{f['size']:,}</option>"
        for f in front
    )
    return (
        f'<p class="chooser"><label>See the features of size <select>{options}</select></label> '
        '<output aria-live="polite"></output></p>'
    )


def _subset(found: Mapping[str, Any]) -> str:
    quality = f"guide quality {found['guide_quality']:.4g}"
    return (
        f"{count(found['size'], 'feature')}, {quality}: {named(list(map(str, found['features'])))}"
    )


def _of_assessment(material: Material) -> Iterator[str]:
    a = material.assessment
    if a is None:
        return
    from subsel.report.figures.folds import SHOWN, FoldsDisplay
    from subsel.report.figures.optimism import OptimismDisplay
    from subsel.report.figures.reference import ReferenceDisplay

    if a.references:
        height = 1.2 + 0.34 * (1 + len(a.references))
        yield _draw(
            "reference",
            "Is it better than something simple?",
            partial(ReferenceDisplay.from_assessment, a),
            height,
        )
    if (np.isfinite(a.folds["guide"]) & np.isfinite(a.folds["honest"])).any():
        yield _draw(
            "optimism",
            "How far the guide flatters",
            partial(OptimismDisplay.from_assessment, a),
        )
    if a.frequency is not None and a.frequency.any():
        n = min(SHOWN, int((a.frequency > 0).sum()))
        yield _draw(
            "folds",
            "How steady: which fold selected what",
            partial(FoldsDisplay.from_assessment, a, material.chosen),
            1.2 + 0.21 * n,
        )


def _of_comparison(material: Material) -> Iterator[str]:
    c = material.comparison
    if c is None:
        return
    from subsel.report.figures.agreement import AgreementDisplay
    from subsel.report.figures.pareto import ParetoDisplay
    from subsel.report.figures.reference import ReferenceDisplay

    yield _draw(
        "methods",
        "Honest scores",
        partial(ReferenceDisplay.from_comparison, c),
        1.2 + 0.34 * len(c.names),
    )
    yield _draw(
        "pareto",
        "Error against number of features",
        partial(ParetoDisplay.from_comparison, c),
        4.0,
    )
    yield _draw(
        "agreement",
        "Do the methods choose the same?",
        partial(AgreementDisplay.from_comparison, c),
        4.2,
    )


def _of_result(material: Material) -> Iterator[str]:
    result = material.result
    if result is None:
        return
    from subsel.report.figures.anytime import AnytimeDisplay
    from subsel.report.figures.front import FrontDisplay

    if sum(np.isfinite(f.quality) for f in result.front) > (
        material.selection.get("race") is not None
    ):
        yield _draw(
            "front",
            "What each further feature buys",
            partial(FrontDisplay.from_result, result, material.assessment),
            4.0,
            chooser(material.selection.get("front", ()), len(result.chosen)),
        )
    if len(result.improvements):
        yield _draw(
            "anytime",
            "The search, by evaluations",
            partial(AnytimeDisplay.from_result, result),
        )


def _of_ranking(material: Material) -> Iterator[str]:
    if material.ranking is None:
        return
    from subsel.report.figures.ranking import SHOWN, RankingDisplay

    make = partial(RankingDisplay.from_selector, material.ranking, material.names or None)
    n_scored = int(np.sum(~np.isnan(material.ranking.scores_)))
    yield _draw("ranking", "Each feature by itself", make, 1.6 + 0.21 * min(SHOWN, n_scored))
