"""``subsel rank``: the table of a ranking on the command line, and its picture."""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
from pathlib import Path
from typing import Any

__all__ = ["add_rank_command"]


def add_rank_command(commands: Any) -> None:
    """Enter the command."""
    parser = commands.add_parser("rank", help="score every column and keep those the evidence supports")
    add = parser.add_argument
    add("data", help="CSV, TSV, Parquet, NPZ or libsvm file; a folder or pattern of Parquet files; a DuckDB database")
    add("--table", metavar="NAME", help="table or query of a DuckDB database")
    add("--memory", metavar="SIZE", help="leave the table on disk and rank it within this, as in 500MB")
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


CROWDING = 10  # times the size of a file that reading it whole takes, about
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
    from subsel.outputs import check_writable

    if options.out is not None:
        check_writable(options.out)
    score, selector, table = _rank_stored(options) if _stays_on_disk(options) else _rank_in_memory(options)
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


def _rank_in_memory(options: argparse.Namespace) -> tuple[str, Any, Any]:
    from subsel.datasets.files import read_table
    from subsel.ranking.selector import RankingSelector

    table = read_table(options.data, options.target)
    score = options.score or _usual_score(table.y)
    selector = RankingSelector(score, options.cut, probes=options.probes, random_state=options.seed)
    selector.fit(table.frame(), table.y)
    return score, selector, table


def _rank_stored(options: argparse.Namespace) -> tuple[str, Any, Any]:
    from subsel.datasets.stored import open_table
    from subsel.datasets.stored_problem import StoredProblem
    from subsel.ranking.streaming import rank_stored

    if options.probes != "permuted":
        raise ValueError(f"a table on disk is probed by permuted columns only, got --probes {options.probes}.")
    stored = open_table(options.data, options.table)
    if options.target is None:
        raise ValueError(f"name the target column with --target; {stored.source} has {', '.join(stored.names[:8])}.")
    problem = StoredProblem(stored, options.target)
    score = options.score or _usual_score(problem.labels)
    memory = options.memory or _usual_memory()
    selector = rank_stored(problem, ranking=score, cut=options.cut, memory=memory, random_state=options.seed)
    problem.notes = selector.notes_
    return score, selector, problem


def _usual_score(y: Any) -> str:
    from subsel.task import guess_kind

    return "anova-f" if guess_kind(y) == "classification" else "pearson"


def _stays_on_disk(options: argparse.Namespace) -> bool:
    """Whether it was asked for, the source is no single file, or its cells would crowd the free memory."""
    from glob import has_magic

    from subsel.memory import available_bytes

    path, ending = Path(options.data), str(options.data).lower()
    database = ending.endswith((".duckdb", ".ddb", ".db"))
    if options.memory or options.table or database or path.is_dir() or (has_magic(str(path)) and not path.exists()):
        return True
    if not path.is_file() or not ending.endswith((".parquet", ".csv", ".csv.gz", ".tsv", ".txt")):
        return False
    free = available_bytes()
    return free is not None and CROWDING * path.stat().st_size > free


def _usual_memory() -> int:
    """A quarter of the memory that is free, or a gigabyte."""
    from subsel.memory import available_bytes

    return (available_bytes() or 4 * 10**9) // 4


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
    stored = getattr(selector, "constant_", None)
    notes[constant_columns(table.X) if stored is None else stored] = "constant"
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
    """Write the table and, where matplotlib is there, the picture: whole or not at all."""
    from subsel.outputs import written_whole

    drawn = picture(selector, [r["feature"] for r in sorted(rows, key=lambda r: r["column"])], title)
    names = ["ranking.csv"] if drawn is None else ["ranking.csv", "ranking.png"]
    with written_whole(folder, *names) as (table, *image):
        with table.open("w", encoding="utf8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        for path in image:
            drawn.savefig(path, dpi=150, format="png", bbox_inches="tight")


def picture(selector: Any, names: list[str], title: str) -> Any:
    """Draw the ranking; None, with a hint, where matplotlib is missing."""
    try:
        from subsel.report import RankingDisplay

        display = RankingDisplay.from_selector(selector, names)
    except ImportError:
        print("subsel: no picture: pip install 'subsel[plots]'", file=sys.stderr)
        return None
    display.ax_.set_title(title, fontsize=9, wrap=True)
    return display.figure_
