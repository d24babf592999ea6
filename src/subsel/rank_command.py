"""``subsel rank``: the table of a ranking on the command line, and its picture."""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subsel.ranking_table import RankingTable

__all__ = ["add_rank_command"]


def add_rank_command(commands: Any) -> None:
    """Enter the command."""
    from subsel.estimators import ESTIMATORS

    parser = commands.add_parser("rank", help="score every column and keep those the evidence supports")
    add = parser.add_argument
    add(
        "data",
        help="CSV, TSV, Parquet, NPZ, libsvm or challenge (.param) file; a folder or pattern of Parquet files; a DuckDB database",
    )
    add("--table", metavar="NAME", help="table or query of a DuckDB database")
    add("--memory", metavar="SIZE", help="leave the table on disk and rank it within this, as in 500MB")
    add("--target", metavar="NAME", help="the column to predict (an NPZ, libsvm or .param file has its own)")
    add(
        "--score", default=None, metavar="KEY", help="see `subsel methods` (default: anova-f for classes, else pearson)"
    )
    add("--cut", type=_cut, default="fdr:0.1", metavar="CUT", help=f"{CUT_EXAMPLES} (default: fdr:0.1)")
    add("--estimator", metavar="KEY", help=f"model that --cut cv and cv-gap validate with: {', '.join(ESTIMATORS)}")
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
    from subsel.ranking_table import RankingTable

    if options.out is not None:
        check_writable(options.out)
    score, selector, table = _rank_stored(options) if _stays_on_disk(options) else _rank_in_memory(options)
    found = RankingTable.of(selector, table.names, getattr(table, "X", None))
    title = f"{score}, cut {options.cut}: kept {int(selector.support_.sum())} of {len(found)} ({selector.evidence_})"
    if options.out is not None:
        _write(options.out, found, title)
    if options.json:
        print(json.dumps(_document(found, score, options), indent=2))
    elif not options.quiet:
        _show(list(found.rows(options.top)))
        print("\n".join([title, *(f"note: {note}" for note in table.notes)]))
        if options.out is not None:
            print(f"written: {', '.join(str(p) for p in sorted(options.out.glob('ranking.*')))}")
    return 0


def _rank_in_memory(options: argparse.Namespace) -> tuple[str, Any, Any]:
    from subsel.datasets.files import read_table
    from subsel.ranking.selector import RankingSelector

    table = read_table(options.data, options.target)
    score = options.score or _usual_score(table.y)
    selector = RankingSelector(
        score,
        options.cut,
        estimator=_estimator(options, table.y, score),
        probes=options.probes,
        random_state=options.seed,
    )
    selector.fit(table.frame(), table.y)
    return score, selector, table


def _estimator(options: argparse.Namespace, y: Any, score: str) -> Any:
    """The model to choose the number of columns with, where the cut asks for one."""
    from subsel.estimators import estimator_of
    from subsel.ranking.selector import VALIDATED
    from subsel.ranking.suitable import find_ranking, kind_for

    if options.cut not in VALIDATED:
        if options.estimator is not None:
            raise ValueError(f"--estimator goes with --cut {' or '.join(VALIDATED)}, got --cut {options.cut}.")
        return None
    if options.estimator is None:
        raise ValueError(f"--cut {options.cut} chooses the number by cross-validation: name a model with --estimator.")
    return estimator_of(options.estimator, kind_for(find_ranking(score), y))


def _rank_stored(options: argparse.Namespace) -> tuple[str, Any, Any]:
    from subsel.ranking.stored.streaming import rank_stored
    from subsel.stored.problem import StoredProblem
    from subsel.stored.table import open_table

    if options.estimator is not None:
        raise ValueError("a table on disk is not cut by cross-validation: leave --estimator out.")
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


# What comes out ---------------------------------------------------------------------------------------------------


def _show(rows: list[dict[str, Any]]) -> None:
    """A table with a bar for each score."""
    from subsel.names import one_line

    largest = max((abs(r["score"]) for r in rows if math.isfinite(r["score"])), default=0.0) or 1.0
    width = min(max(7, *(len(r["feature"]) for r in rows)), 40)
    print(f"rank  {'feature':<{width}}  {'score':>10}  {'p':>8}  {'q':>8}  kept  note")
    for r in rows:
        p, q = ("" if r[key] is None else f"{r[key]:.2g}" for key in ("p", "q"))
        share = r["score"] / largest if r["score"] > 0 else 0.0
        note = " ".join(part for part in ("#" * round(20 * min(1.0, share)), r["note"]) if part)
        line = f"{r['rank']:>4}  {one_line(r['feature'], width):<{width}}  {r['score']:>10.4g}  {p:>8}  {q:>8}"
        print(f"{line}  {'yes' if r['kept'] else 'no':<4}  {note}".rstrip())


def _document(found: RankingTable, score: str, options: argparse.Namespace) -> dict[str, Any]:
    """The ranking for JSON, which has no infinity and no NaN: those scores are text."""
    finite = lambda value: value if math.isfinite(value) else str(value)
    selector = found.selector
    return {
        "score": score,
        "cut": str(options.cut),
        "seed": options.seed,
        "evidence": selector.evidence_,
        "kept": [found.names[j] for j in selector.ranking_ if selector.support_[j]],
        "ranking": [{k: finite(v) if isinstance(v, float) else v for k, v in r.items()} for r in found.rows()],
    }


def _write(folder: Path, found: RankingTable, title: str) -> None:
    """Write the table and, where matplotlib is there, the picture: whole or not at all."""
    from subsel.outputs import written_whole
    from subsel.ranking_table import COLUMNS

    drawn = picture(found.selector, found.names, title)
    names = ["ranking.csv"] if drawn is None else ["ranking.csv", "ranking.png"]
    with written_whole(folder, *names) as (table, *image):
        with table.open("w", encoding="utf8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(found.rows())
        for path in image:
            drawn.savefig(path, dpi=150, format="png", bbox_inches="tight")
    if drawn is not None:
        from matplotlib import pyplot

        pyplot.close(drawn)


def picture(selector: Any, names: Sequence[str], title: str) -> Any:
    """Draw the ranking; None, with a hint, where matplotlib is missing."""
    try:
        from subsel.report import RankingDisplay

        display = RankingDisplay.from_selector(selector, names)
    except ImportError:
        print("subsel: no picture: pip install 'subsel[plots]'", file=sys.stderr)
        return None
    display.ax_.set_title(title, fontsize=9, wrap=True)
    return display.figure_
