"""A page of what entries reached, beside what was printed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from subsel.challenge.entry import ENTRIES
from subsel.challenge.problem import Problem
from subsel.challenge.published import FRONT, VALIDATION, published
from subsel.challenge.scoring import Openings, Score, pairwise
from subsel.challenge.season import Season

__all__ = ["challenge_page"]


def challenge_page(season: Season, openings: Openings) -> str:
    """Score all submissions of a season and write them up as Markdown; every opening is recorded.

    Parameters
    ----------
    season : Season
        What was run.
    openings : Openings
        The record of openings.

    Returns
    -------
    str
        A table per problem, the overall table, and the printed figures beside.
    """
    found = {p.name: [openings.open(p, given) for given in season.submissions(p)] for p in season.problems}
    lines = ["# The NIPS 2003 challenge, run again", "", *_overall(season, found)]
    for problem in season.problems:
        lines += ["", f"## {problem.name.upper()}", "", *_problem(season, problem, found[problem.name], openings)]
    return "\n".join(lines) + "\n"


def _overall(season: Season, found: dict[str, list[Score]]) -> list[str]:
    """Means over the problems, for entries that entered for all of them."""
    titles = list(dict.fromkeys(s.entry for scores in found.values() for s in scores))
    lines = ["| entry | mean BER % | mean AUC % | features % | problems |", "|---|---|---|---|---|"]
    for title in titles:
        scores = [s for each in found.values() for s in each if s.entry == title]
        means = [float(np.mean([getattr(s, c) for s in scores])) for c in ("ber", "auc", "features")]
        lines.append(f"| {title} | {means[0]:.2f} | {means[1]:.2f} | {means[2]:.2f} | {len(scores)} of {len(found)} |")
    for name, printed in VALIDATION.items():
        known = [printed[p] for p in found if p in printed]
        if known:
            lines.append(f"| {name}, printed (validation) | {np.mean(known):.2f} | | | {len(known)} of {len(found)} |")
    return lines


def _problem(season: Season, problem: Problem, scores: Sequence[Score], openings: Openings) -> list[str]:
    given = season.submissions(problem)
    against = pairwise(problem, given) if len(given) > 1 else np.zeros(len(given))
    head = "| entry | BER % (bar) | AUC % | features | probes % | seconds | pairwise score | opened |"
    lines = [head, "|" + "---|" * 8]
    for s, points in sorted(zip(scores, against), key=lambda pair: pair[0].ber):
        records = openings.of(s.entry, problem.name)
        opened = f"{records[0]['date']}, {len(records)} time{'s' if len(records) > 1 else ''}"
        probes = "" if np.isnan(s.probes) else f"{s.probes:.1f}"
        kind = " (transductive)" if s.transductive else ""
        lines.append(
            f"| {s.entry}{kind} | {s.ber:.2f} ({s.bar:.2f}) | {s.auc:.2f} | {s.n_features} | {probes} | "
            f"{s.seconds:.0f} | {points:+.1f} | {opened} |"
        )
    return [*lines, "", *_printed(problem.name)]


def _printed(name: str) -> list[str]:
    """What the book has: the best of the first date, and the front of error against size."""
    best = published(name, "1 Dec")[:3] if name in FRONT else []
    lines = [f"- printed (test rows): {r.method}, {r.people}: BER {r.ber:.2f}, {r.n_features} features" for r in best]
    if name in FRONT:
        front = ", ".join(f"{ber:.2f}/{n}" for ber, n in FRONT[name])
        lines.append(f"- printed front (BER % / features): {front}")
    return lines


def entry_list() -> list[tuple[str, str, str]]:
    """Key, name with team, chapter of every entry."""
    classes = ((key, ENTRIES.find(key)) for key in ENTRIES)
    return [(key, f"{cls.title} ({cls.team})", cls.chapter) for key, cls in classes]
