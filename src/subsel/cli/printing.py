"""What the jobs print: the answer first, about ten lines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from subsel.report.figures.display import signed_interval
from subsel.runtime.screenful import TextColumns
from subsel.runtime.text import escaped, one_line

__all__ = ["show_assessment", "show_comparison", "show_ranking", "show_selection"]

BAR = 20  # signs of the longest bar


def show_selection(document: Mapping[str, Any]) -> None:
    """Print what was selected, how good it is, and how it was found."""
    data, run, assessment = document["data"], document["run"], document["assessment"]
    size = f"{data['rows']} rows, {data['columns']} columns"
    print(escaped(f"{data['source']}: {size}, target {data['target']} ({data['task']})"))
    chosen = f"selected {len(document['selected'])} of {data['columns']} columns"
    print(f"{chosen}: {escaped(', '.join(document['selected']))}")
    race = document.get("race")
    if race and race["price"] is not None:
        _show_price(race["price"])
    if assessment is not None:
        show_assessment(assessment)
    if race:
        _show_race(race)
        _show_notes(document["notes"])
        return
    guide = f"guide quality {document['guide_quality']:.3f} ({document['guide']})"
    print(f"{guide}: what the search maximised, not an estimate")
    print(
        f"{run['evaluations']:,} evaluations in {run['seconds']:.1f} s, ended by {run['stopped_by']}; {run['evaluator']}"
    )
    for swap in document["alternatives"][:2]:
        added, dropped = " + ".join(swap["add"]), " + ".join(swap["drop"])
        print(
            escaped(f"nearly as good: {added} instead of {dropped} ({swap['guide_quality']:.3f})")
        )
    _show_notes(document["notes"])


def _show_notes(notes: Sequence[str]) -> None:
    for note in dict.fromkeys(notes):
        print(escaped(f"note: {note}"))


def _show_price(price: Mapping[str, Any]) -> None:
    """Print what selecting costs or gains."""
    low, high = price["interval"]
    gain = f"{price['difference']:+.3f}{signed_interval(low, high)}"
    print(f"selection against {price['against']}: {gain}")


def _show_race(race: Mapping[str, Any]) -> None:
    """Print how the best procedures did."""
    print(f"taken: {', '.join(race['taken'])} (--prefer {race['prefer']}); the race, best first:")
    for row in race["procedures"][:5]:
        print(f"  {row['score']:.3f}  {row['name']} ({row['size']:.0f} features)")
    if race["left_out"]:
        print(f"not tried for want of time: {', '.join(race['left_out'])}")


def show_assessment(assessment: Mapping[str, Any]) -> None:
    """Print how good and how steady a way of selecting is."""
    low, high = assessment["interval"]
    interval = "no interval"
    if not math.isnan(low):
        interval = f"{assessment['confidence']:.0%} interval {low:.3f} to {high:.3f}"
    folds = f"{assessment['folds']} folds, each with its own selection"
    print(
        f"performance {assessment['performance']:.3f} ({assessment['scoring']}; {interval}), {folds}"
    )
    if assessment["stability"] is not None:
        low, high = assessment["stability_interval"]
        sizes = f"{min(assessment['sizes'])} to {max(assessment['sizes'])} features in the folds"
        said = f"stability {assessment['stability']:.2f} (1: always the same features; 0: chance; {low:.2f} to {high:.2f})"
        print(f"{said}, {assessment['stability_basis']}; {sizes}")
    if assessment["references"]:
        print(
            "for comparison: "
            + ", ".join(f"{name} {mean:.3f}" for name, mean in assessment["references"].items())
        )


COMPARED = (
    "name",
    "score",
    "low",
    "high",
    "error",
    "n_features",
    "stability",
    "seconds",
    "n_evaluations",
)


def show_comparison(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print one line per method."""
    print(TextColumns({name: [row[name] for row in rows] for name in COMPARED}))


def show_ranking(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print one line per column of the data, with a bar for each score."""
    largest = max((abs(r["score"]) for r in rows if math.isfinite(r["score"])), default=0.0) or 1.0
    width = min(max(7, *(len(r["feature"]) for r in rows)), 40)
    print(f"rank  {'feature':<{width}}  {'score':>10}  {'p':>8}  {'q':>8}  kept  note")
    for r in rows:
        p, q = ("" if r[key] is None else f"{r[key]:.2g}" for key in ("p", "q"))
        parts = [escaped(r["note"])]
        if r["score"] > 0:
            parts.insert(0, "#" * round(BAR * min(1.0, r["score"] / largest)))
        line = f"{r['rank']:>4}  {one_line(r['feature'], width):<{width}}  {r['score']:>10.4g}"
        kept = "yes" if r["kept"] else "no"
        note = " ".join(filter(None, parts))
        print(f"{line}  {p:>8}  {q:>8}  {kept:<4}  {note}".rstrip())
