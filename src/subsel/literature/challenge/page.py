"""A page of what entries reached, beside what was printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from subsel.literature.challenge.entry import ENTRIES
from subsel.literature.challenge.printed_results import FRONT
from subsel.literature.challenge.problem import PROBLEMS
from subsel.literature.challenge.results import EntryResult
from subsel.literature.challenge.scoring import EntryScore

__all__ = ["challenge_page"]

Results = Mapping[str, Sequence[EntryResult]]
Front = Sequence[tuple[float, float, float]]
"""Numbers of features, balanced errors and their bars, in percent."""

HEAD = """# The NIPS 2003 challenge, run again

Every entry below is trained on the training labels alone, as on the first date of 2003, and predicts the validation rows:
the test labels were never given out. The second date has a section of its own, where entries were run for it. A bar is the
standard error of the balanced error rate, class by class. Printed figures are those of the book's chapters (validation) and
tables (test); the teams of 2003 tuned on the validation rows for twelve weeks, so that their validation figures flatter. Where nothing else is said an entry has its full form; the quick form has small
budgets. Submissions and the record of openings of the labels lie beside the results; the first opening counts. The
validation part of MADELON was opened before, by the library's own benchmark of searches (`benchmarks/madelon.py`), and
which of its columns are real is known; both served scoring only. How to run it: `subsel challenge --data FOLDER`."""


def challenge_page(
    results: Results,
    reasons: Mapping[str, Mapping[str, str]] | None = None,
    *,
    picture: str = "",
    ours: Mapping[str, Front] | None = None,
    second: Results | None = None,
    note: str = "",
    openings: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Write results up as Markdown.

    Parameters
    ----------
    results : mapping
        From names of problems to what entries reached there.
    reasons : mapping, optional
        From keys of entries to problems to a sentence on what explains a miss.
    picture : str
        Address of a picture, if there is one.
    ours : mapping, optional
        From names of problems to the front of our entry with few features, by folds of the training rows.
    second : mapping, optional
        As ``results``, of the second date (:class:`subsel.literature.challenge.SecondDate`).
    note : str
        A paragraph to stand below the overall table.
    openings : sequence of mappings
        The record of openings (:class:`subsel.literature.challenge.Openings`), of which all of our own entries are shown.

    Returns
    -------
    str
        An overall table, a table per problem, one of the second date, and what lies further than two bars above the printed
        figures. A figure of the second date is compared with a run of that date, where there is one.
    """
    second = second or {}
    lines = [
        *HEAD.splitlines(),
        "",
        "## All problems",
        "",
        *_overall(results),
        *_our_openings(results, openings),
    ]
    if note:
        lines += ["", note]
    if picture:
        lines += [
            "",
            f"![Balanced error against number of features, with the front printed in 2003]({picture})",
        ]
    for name, found in results.items():
        lines += [
            "",
            f"## {name.upper()}",
            "",
            *_problem(name, found),
            *_our_front((ours or {}).get(name, ())),
        ]
    if any(second.values()):
        lines += ["", "## The second date", "", *_second(second)]
    return (
        "\n".join([*lines, "", "## What lies off", "", *_misses(results, reasons or {}, second)])
        + "\n"
    )


def _overall(results: Results) -> list[str]:
    """Means over the problems, best first; those that entered for all of them before others."""
    head = "| entry | chapter | mean BER % (bar) | printed: validation | printed: test | mean AUC % | features % | points | problems |"
    rows = [
        _mean_row(key, results)
        for key in dict.fromkeys(r.key for found in results.values() for r in found)
    ]
    rows.sort(key=lambda row: (-row[0], row[1]))
    return [head, "|" + "---|" * 9, *(row[2] for row in rows)]


def _mean_row(key: str, results: Results) -> tuple[int, float, str]:
    own = [r for found in results.values() for r in found if r.key == key]
    scores = [r.score for r in own]
    bar = float(np.sqrt(sum(s.bar**2 for s in scores))) / len(scores)
    printed = [r.figure for r in own if r.figure is not None]
    same = [f.validation for f in printed if f.validation is not None]
    if len(same) < len(own):
        same = []  # means over different problems do not compare
    error = float(np.mean([s.ber for s in scores]))
    cells = [
        ENTRIES.find(key).title,
        ENTRIES.find(key).chapter,
        f"{error:.2f} ({bar:.2f})",
        _mean_cell(same),
        _mean_cell([f.test for f in printed]),
        _mean_cell([s.auc for s in scores]),
        _mean_cell([s.features for s in scores]),
        f"{np.mean([r.points for r in own]):+.1f}",
        f"{len(own)} of {len(results)}",
    ]
    return len(own), error, _line(cells)


def _mean_cell(values: Sequence[float]) -> str:
    """A mean, or an empty cell where there is nothing to average."""
    if not values:
        return ""
    return f"{np.mean(values):.2f}"


def _our_openings(results: Results, openings: Sequence[Mapping[str, Any]]) -> list[str]:
    """What our entries reached whenever labels were opened for them; a problem that was not opened anew stands as before."""
    ours = dict.fromkeys(r.score.entry for found in results.values() for r in found if _of_ours(r))
    rows = [row for entry in ours for row in _rounds(entry, list(results), openings)]
    if not rows:
        return []
    head = _line(
        [
            "our entry",
            "opened",
            *(f"{name.upper()}, BER %" for name in results),
            "mean",
            "features %",
        ]
    )
    rule = "|" + "---|" * (len(results) + 4)
    return ["", "All openings of our own entries:", "", head, rule, *rows]


def _of_ours(result: EntryResult) -> bool:
    return ENTRIES.find(result.key).team == "subsel"


def _rounds(entry: str, names: list[str], openings: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    own = [record for record in openings if record["entry"] == entry]
    for date in sorted({record["date"] for record in own}):
        last = {record["problem"]: record for record in own if record["date"] <= date}
        shown = [last[name] for name in names if name in last]
        errors = [f"{last[name]['ber']:.2f}" if name in last else "" for name in names]
        means = []
        if shown:
            means = [_mean_cell([one[what] for one in shown]) for what in ("ber", "features")]
        yield _line([entry, date, *errors, *means])


def _problem(name: str, found: Sequence[EntryResult]) -> list[str]:
    head = [
        "entry",
        "BER % (bar)",
        "printed: validation",
        "test",
        "AUC %",
        "features",
        "printed",
        "probes %",
        "seconds",
    ]
    lines = [_line([*head, "points", "opened"]), "|" + "---|" * 11]
    lines += [_line(_cells(result)) for result in found]
    if name in FRONT:
        front = ", ".join(f"{ber:.2f} with {n:,}" for ber, n in FRONT[name])
        lines += ["", f"Printed front on the test rows (BER % with so many features): {front}."]
    elif name not in PROBLEMS:
        lines += [
            "",
            "Rows of the validation part alone, halved: no printed figure is about these.",
        ]
    return lines


def _our_front(found: Front) -> list[str]:
    if not found:
        return []
    front = ", ".join(f"{ber:.2f} ({bar:.2f}) with {n:,.0f}" for n, ber, bar in sorted(found))
    flatters = "The recipe was fixed on these rows, so that this flatters."
    return [
        "",
        f"Ours with few features, by ten folds of the training rows, shuffled three times: {front}. {flatters}",
    ]


def _cells(result: EntryResult) -> list[str]:
    s, figure = result.score, result.figure
    same = test = n_features = probes = ""
    if figure is not None:
        test, n_features = f"{figure.test:.2f}", f"{figure.n_features:,}"
        if figure.validation is not None:
            same = f"{figure.validation:.2f}"
        if figure.date == "8 Dec":
            test += " (8 Dec)"
    if not np.isnan(s.probes):
        probes = f"{s.probes:.1f}"
    opened = f"{result.first}"
    if result.n_openings > 1:
        opened += f", {result.n_openings} times"
    return [
        _entered(s),
        f"{s.ber:.2f} ({s.bar:.2f})",
        same,
        test,
        f"{s.auc:.2f}",
        f"{s.n_features:,}",
        n_features,
        probes,
        f"{s.seconds:.0f}",
        f"{result.points:+.1f}",
        opened,
    ]


def _entered(score: EntryScore) -> str:
    """The name of an entry, and whether it looks at the rows without labels."""
    if score.transductive:
        return f"{score.entry} (transductive)"
    return score.entry


SECOND = """On 8 December 2003 entries were trained on training and validation labels. Its test rows are not at hand: ten stratified folds of
all labelled rows stand in for them, every row being predicted by a model that did not see it, and all predictions scored
together. A model sees nine tenths of the rows that the teams had. Features are means over the folds, seconds sums."""


def _second(second: Results) -> list[str]:
    head = [
        "entry",
        "problem",
        "BER % (bar)",
        "printed: test, 8 Dec",
        "AUC %",
        "features",
        "printed",
        "seconds",
    ]
    lines = [*SECOND.splitlines(), "", _line(head), "|" + "---|" * len(head)]
    for name, r in ((name, r) for name, found in second.items() for r in found):
        printed = ["", ""]
        if r.figure is not None:
            printed = [f"{r.figure.test:.2f}", f"{r.figure.n_features:,}"]
        entered = _entered(r.score)
        error = f"{r.score.ber:.2f} ({r.score.bar:.2f})"
        used = f"{r.score.n_features:,}"
        cells = [entered, name.upper(), error, printed[0], f"{r.score.auc:.2f}", used, printed[1]]
        lines.append(_line([*cells, f"{r.score.seconds:.0f}"]))
    known = [r for found in second.values() for r in found if r.figure is not None]
    n_within = sum(r.bars_off <= 2 for r in known)
    return [
        *lines,
        "",
        f"{n_within} of {len(known)} with a printed figure lie within two bars of it or below.",
    ]


def _compared(results: Results, second: Results) -> list[tuple[str, EntryResult]]:
    """Each result that has a printed figure; that of the second date where the figure is of that date and such a run is there."""
    known = [(name, r) for name, found in results.items() for r in found if r.figure is not None]
    later = {
        (name, r.key): r for name, found in second.items() for r in found if r.figure is not None
    }
    compared = []
    for name, result in known:
        if result.figure is not None and result.figure.validation is None:
            result = later.get((name, result.key), result)
        compared.append((name, result))
    return compared


def _misses(
    results: Results, reasons: Mapping[str, Mapping[str, str]], second: Results
) -> list[str]:
    """Entries further than two bars above what was printed, with the reason."""
    known = _compared(results, second)
    dated = {id(r) for found in second.values() for r in found}
    off = [(name, r) for name, r in known if r.bars_off > 2]
    within = f"Of {len(known)} results with a printed figure, {len(known) - len(off)} lie within two bars of it or below"
    if not off:
        return [f"{within}."]
    lines = [f"{within}; these do not:", ""]
    for name, r in off:
        why = reasons.get(r.key, {}).get(name, "not explained yet.")
        when = " (second date)" if id(r) in dated else ""
        lines.append(
            f"- {r.score.entry} on {name.upper()}{when}, {r.score.ber:.2f} against {r.printed:.2f}: {why}"
        )
    return lines


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def entry_list() -> list[tuple[str, str, str]]:
    """Key, name with team, chapter of every entry."""
    classes = ((key, ENTRIES.find(key)) for key in ENTRIES)
    return [(key, f"{cls.title} ({cls.team})", cls.chapter) for key, cls in classes]
