"""The evidence in pictures, each with its words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from html import escape
from typing import Any

import numpy as np

from subsel.report.figures.display import GUIDE, count, named
from subsel.report.page.markup import figure, table
from subsel.report.page.material import Material
from subsel.report.page.race import race_columns

__all__ = ["pictures", "tables"]


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
    from subsel.report.figures.frequency import SHOWN, FoldsDisplay
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
    if (np.isfinite(a.folds["guide"]) & np.isfinite(a.folds["nested"])).any():
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
        "Nested scores",
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


UNTOLD = (
    "challenge",
    "fraction features",
)  # of a comparison: a rule of one contest, and what another column says


def tables(material: Material) -> str:
    """All tables that the material has something for."""
    return "".join(
        (
            *_tables_of_selection(material),
            *_tables_of_assessment(material),
            *_tables_of_comparison(material),
        )
    )


def _tables_of_selection(material: Material) -> Iterator[str]:
    result, selection = material.result, material.selection
    if race := selection.get("race"):
        yield table(
            "race",
            "The race: every procedure on the same folds, selection inside",
            race_columns(race),
            "race.csv",
        )
    if result is not None and len(material.names):
        yield table("feature-table", "All features", _features(material), "features.csv")
    if front := selection.get("front"):
        columns = {
            "size": [f["size"] for f in front],
            "guide quality": [f["guide_quality"] for f in front],
            "features": [", ".join(map(str, f["features"])) for f in front],
        }
        yield table(
            "front-table",
            f"The best subsets over quality, size and cost ({GUIDE})",
            columns,
            "front.csv",
        )
    if swaps := selection.get("alternatives"):
        columns = {
            "instead of": [" + ".join(map(str, s["drop"])) for s in swaps],
            "take": [" + ".join(map(str, s["add"])) for s in swaps],
            "guide quality": [s["guide_quality"] for s in swaps],
        }
        yield table(
            "alternatives", f"Nearly as good: one swap away ({GUIDE})", columns, "alternatives.csv"
        )


def _features(material: Material) -> dict[str, list[Any]]:
    """Chosen ones first, then the most often selected."""
    result, a, names = material.result, material.assessment, material.names
    assert result is not None
    chosen = np.isin(np.arange(len(names)), result.chosen)
    frequency = getattr(a, "frequency", None)
    rank = np.arange(len(names))
    if frequency is not None:
        rank = -frequency
    order = np.lexsort((rank, ~chosen))
    columns: dict[str, list[Any]] = {
        "feature": [str(names[j]) for j in order],
        "column": order.tolist(),
        "chosen": chosen[order].tolist(),
    }
    if frequency is not None:
        columns["share of folds"] = frequency[order].tolist()
        columns["share, low"], columns["share, high"] = a.frequency_interval[order].T.tolist()
    return columns


def _tables_of_assessment(material: Material) -> Iterator[str]:
    a = material.assessment
    if a is None:
        return
    if material.result is None and a.frequency is not None:
        titles = {"frequency": "share of folds", "low": "share, low", "high": "share, high"}
        columns = {titles.get(key, key): values for key, values in a.often().items()}
        yield table("feature-table", "Features that any fold selected", columns, "features.csv")
    if a.references:
        others = a.references.values()
        columns = {
            "procedure": ["this selection", *a.references],
            "nested score": [a.performance, *(e.mean for e in others)],
            "low": [a.interval[0], *(e.interval[0] for e in others)],
            "high": [a.interval[1], *(e.interval[1] for e in others)],
        }
        yield table("references", "Nested scores", columns, "references.csv")
    from_one = {"repeat", "fold"}
    folds = {
        k.replace("_", " "): (np.asarray(v) + (k in from_one)).tolist() for k, v in a.folds.items()
    }
    yield table("fold-table", "The folds", folds, "folds.csv")


def _tables_of_comparison(material: Material) -> Iterator[str]:
    c = material.comparison
    if c is None:
        return
    methods = {
        key.replace("_", " "): _known(np.asarray(values).tolist())
        for key, values in c.table.items()
    }
    methods = {
        key: values
        for key, values in methods.items()
        if key not in UNTOLD and any(v is not None for v in values)
    }
    yield table("method-table", "The methods", methods, "methods.csv")
    columns = {
        "first": [d.first for d in c.differences],
        "second": [d.second for d in c.differences],
        "difference": [d.mean for d in c.differences],
        "low": [d.interval[0] for d in c.differences],
        "high": [d.interval[1] for d in c.differences],
        "p": [d.p_value for d in c.differences],
        "p (Holm)": [d.p_adjusted for d in c.differences],
    }
    yield table(
        "differences",
        "Paired differences on the same folds (first minus second)",
        columns,
        "differences.csv",
    )


def _known(values: list[Any]) -> list[Any]:
    return [None if isinstance(v, float) and np.isnan(v) else v for v in values]
