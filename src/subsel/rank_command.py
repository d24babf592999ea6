"""``subsel rank``: the table of a ranking on the command line, and its picture."""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import sys
from pathlib import Path
from typing import Any

__all__ = ["add_rank_command"]


def add_rank_command(commands: Any) -> None:
    """Enter the command."""
    parser = commands.add_parser("rank", help="score every column and keep those the evidence supports")
    add = parser.add_argument
    add("data", help="CSV, TSV, Parquet, NPZ or libsvm file")
    add("--target", metavar="NAME", help="the column to predict (an NPZ or libsvm file has its own)")
    add(
        "--score", default=None, metavar="KEY", help="see `subsel methods` (default: anova-f for classes, else pearson)"
    )
    add("--cut", type=_cut, default="fdr:0.1", metavar="CUT", help=f"{CUT_EXAMPLES} (default: fdr:0.1)")
    add("--probes", default="permuted", metavar="KIND", help="permuted, gaussian or zipf (default: permuted)")
    add("--top", type=_at_least_one, default=20, metavar="N", help="rows to print (default: 20)")
    add("--seed", type=int, default=0, metavar="S", help="seed of probes and shuffles (default: 0)")
    add("--out", type=Path, metavar="DIR", help="write ranking.csv and ranking.png there")
    add("--json", action="store_true", help="print the whole ranking as JSON")
    add("--quiet", action="store_true", help="print nothing but errors")
    parser.set_defaults(run=_rank)


CUT_EXAMPLES = "20 (a number), 0.1 (a share), fdr:0.1, probes:0.1, p:0.01, bonferroni:0.05, permutation:0.05, gap, ..."


def _cut(text: str) -> Any:
    """A whole number, a share, or a rule."""
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def _at_least_one(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, got {text!r}")
    return int(text)


def _rank(options: argparse.Namespace) -> int:
    from subsel.datasets.files import read_table
    from subsel.outputs import check_writable
    from subsel.ranking.selector import RankingSelector
    from subsel.task import guess_kind

    if options.out is not None:
        check_writable(options.out)
    table = read_table(options.data, options.target)
    score = options.score or ("anova-f" if guess_kind(table.y) == "classification" else "pearson")
    selector = RankingSelector(score, options.cut, probes=options.probes, random_state=options.seed)
    selector.fit(table.frame(), table.y)
    rows = ranking_rows(selector, table)
    title = f"{score}, cut {options.cut}: kept {int(selector.support_.sum())} of {len(rows)} ({selector.evidence_})"
    if options.out is not None:
        _write(options.out, rows, selector, title)
    if options.json:
        print(json.dumps(_document(rows, selector, score, options), indent=2))
    elif not options.quiet:
        _show(rows[: options.top])
        print("\n".join([title, *(f"note: {note}" for note in table.notes)]))
        if options.out is not None:
            print(f"written: {', '.join(str(p) for p in sorted(options.out.glob('ranking.*')))}")
    return 0


# The table --------------------------------------------------------------------------------------------------------


def ranking_rows(selector: Any, table: Any) -> list[dict[str, Any]]:
    """One row per column, best first: rank, feature, score, p, q, kept, note."""
    notes = _notes(selector, table)
    at = lambda values, j: None if values is None else float(values[j])
    return [
        {
            "rank": place,
            "feature": table.names[j],
            "column": int(j),
            "score": float(selector.scores_[j]),
            "p": at(selector.p_values_, j),
            "q": at(selector.q_values_, j),
            "kept": bool(selector.support_[j]),
            "note": notes[j],
        }
        for place, j in enumerate(selector.ranking_, 1)
    ]


def _notes(selector: Any, table: Any) -> list[str]:
    """What is particular about a column: it is constant, was not taken, or chance decided between equals."""
    import numpy as np

    from subsel.ranking.probing import constant_columns

    kept, scores = selector.support_, selector.scores_
    divided = set(scores[kept]) & set(scores[~kept])
    notes = np.full(len(scores), "", dtype=object)
    notes[np.isin(scores, list(divided))] = "tied across the cut"
    notes[np.isnan(scores)] = "no score"
    notes[constant_columns(table.X)] = "constant"
    return notes.tolist()


def _show(rows: list[dict[str, Any]]) -> None:
    """A table with a bar for each score."""
    largest = max((abs(r["score"]) for r in rows if math.isfinite(r["score"])), default=0.0) or 1.0
    width = min(max(7, *(len(r["feature"]) for r in rows)), 40)
    print(f"rank  {'feature':<{width}}  {'score':>10}  {'p':>8}  {'q':>8}  kept  note")
    for r in rows:
        p, q = ("" if r[key] is None else f"{r[key]:.2g}" for key in ("p", "q"))
        share = r["score"] / largest if r["score"] > 0 else 0.0
        note = " ".join(part for part in ("#" * round(20 * min(1.0, share)), r["note"]) if part)
        line = f"{r['rank']:>4}  {_short(r['feature'], width):<{width}}  {r['score']:>10.4g}  {p:>8}  {q:>8}"
        print(f"{line}  {'yes' if r['kept'] else 'no':<4}  {note}".rstrip())


def _short(name: str, width: int) -> str:
    return name if len(name) <= width else name[: width - 3] + "..."


def _document(rows: list[dict[str, Any]], selector: Any, score: str, options: argparse.Namespace) -> dict[str, Any]:
    """The ranking for JSON, which has no infinity and no NaN: those scores are text."""
    finite = lambda value: value if math.isfinite(value) else str(value)
    return {
        "score": score,
        "cut": str(options.cut),
        "seed": options.seed,
        "evidence": selector.evidence_,
        "kept": [r["feature"] for r in rows if r["kept"]],
        "ranking": [{k: finite(v) if isinstance(v, float) else v for k, v in r.items()} for r in rows],
    }


def _write(folder: Path, rows: list[dict[str, Any]], selector: Any, title: str) -> None:
    """Write both files whole or not at all: under other names first, then renamed."""
    table, image = folder / ".ranking.csv.new", folder / ".ranking.png.new"
    try:
        with table.open("w", encoding="utf8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        try:
            picture(rows, selector, title).savefig(image, dpi=150, format="png")
        except ImportError:
            print("subsel: no picture: pip install 'subsel[plots]'", file=sys.stderr)
        os.replace(table, folder / "ranking.csv")
        if image.exists():
            os.replace(image, folder / "ranking.png")
    finally:
        table.unlink(missing_ok=True)
        image.unlink(missing_ok=True)


# The picture ------------------------------------------------------------------------------------------------------

SHOWN = 40
KEPT, DROPPED, PROBES = "#0072B2", "#BBBBBB", "#D55E00"  # told apart by all kinds of colour vision


def picture(rows: list[dict[str, Any]], selector: Any, title: str) -> Any:
    """Draw the best scores as bars, the kept ones darker, and where the probes lie if there were any."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    shown = rows[:SHOWN]
    figure = Figure(figsize=(8, 1.6 + 0.22 * len(shown)), layout="constrained")
    axes = figure.subplots()
    colours = [KEPT if r["kept"] else DROPPED for r in shown]
    lengths = _bar_lengths([r["score"] for r in shown])
    axes.barh(range(len(shown)), lengths, color=colours, height=0.75)
    axes.set_yticks(range(len(shown)), [_short(r["feature"], 32) for r in shown], fontsize=8)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    handles: list[Any] = [Patch(color=KEPT, label="kept"), Patch(color=DROPPED, label="not kept")]
    if selector.probe_scores_ is not None:
        handles += _draw_probes(axes, selector.probe_scores_)
    axes.set_xlabel("score" + (f" (the {SHOWN} best of {len(rows)})" if len(rows) > SHOWN else ""))
    axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(title, fontsize=9, wrap=True)
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), fontsize=8, frameon=False)
    return figure


def _bar_lengths(scores: list[float]) -> list[float]:
    """Scores as lengths: infinite ones stick out a little, missing ones have none."""
    largest = max((abs(s) for s in scores if math.isfinite(s)), default=1.0) or 1.0
    return [0.0 if math.isnan(s) else max(-1.1 * largest, min(s, 1.1 * largest)) for s in scores]


def _draw_probes(axes: Any, probe_scores: Any) -> list[Any]:
    """Lines at the score that one probe in twenty reaches, and at the best one."""
    import numpy as np

    known = probe_scores[np.isfinite(probe_scores)]
    if len(known) == 0:
        return []
    one_in_twenty, best = np.quantile(known, 0.95), known.max()
    return [
        axes.axvline(one_in_twenty, color=PROBES, linestyle=":", linewidth=1.5, label="one probe in 20 reaches this"),
        axes.axvline(best, color=PROBES, linestyle="--", linewidth=1.5, label=f"best of {len(probe_scores)} probes"),
    ]
