"""``subsel rank``: its options, the table it prints, the table and the picture it writes."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subsel.cli.options import RankOptions
from subsel.cli.progress import add_progress_option, watched
from subsel.cli.reading import add_dialect, typed_reading
from subsel.cli.signals import defer_signals

if TYPE_CHECKING:
    from subsel.cli.jobs.ranking import RankingOutcome

__all__ = ["add_rank_command"]

CUT_EXAMPLES = "20 (a number), 0.1 (a share), fdr:0.1, probes:0.1, p:0.01, bonferroni:0.05, permutation:0.05, gap, ..."


def add_rank_command(commands: Any) -> None:
    """Add the command to a parser."""
    from subsel.models.short_names import ESTIMATORS

    parser = commands.add_parser(
        "rank", help="score every column and keep those the evidence supports"
    )
    add = parser.add_argument
    add(
        "data",
        help="CSV, TSV, Parquet, NPZ, libsvm or challenge (.param) file; a folder or pattern of Parquet files; a DuckDB database",
    )
    add("--table", metavar="NAME", help="table or query of a DuckDB database")
    add(
        "--memory",
        metavar="SIZE",
        help="leave the table on disk and rank it within this, as in 500MB",
    )
    add(
        "--target",
        metavar="COLUMN",
        help="the column to predict, by name or position from 1 (some files have their own)",
    )
    add(
        "--impute",
        choices=["median", "none"],
        default="median",
        help="whether missing values are filled by the median of their column (default: median)",
    )
    add(
        "--weights",
        metavar="COLUMN",
        help="how much each row counts, for scores that take weights; it is not ranked",
    )
    add_dialect(parser)
    add(
        "--score",
        metavar="KEY",
        help="see `subsel methods` (default: anova-f for classes, else pearson)",
    )
    add(
        "--cut",
        type=_cut,
        default="fdr:0.1",
        metavar="CUT",
        help=f"{CUT_EXAMPLES} (default: fdr:0.1)",
    )
    add(
        "--estimator",
        metavar="KEY",
        help=f"model that --cut cv and cv-gap validate with: {', '.join(ESTIMATORS)}",
    )
    add(
        "--probes",
        default="permuted",
        metavar="KIND",
        help="permuted, gaussian or zipf (default: permuted)",
    )
    add("--top", type=_at_least_one, default=20, metavar="N", help="rows to print (default: 20)")
    add("--seed", type=int, default=0, metavar="S", help="seed of probes and shuffles (default: 0)")
    add(
        "--out",
        type=Path,
        metavar="DIR",
        help="write ranking.csv, ranking.json and ranking.png there",
    )
    add("--json", action="store_true", help="print the whole ranking as JSON")
    add("--quiet", action="store_true", help="print nothing but errors")
    add_progress_option(parser)
    parser.set_defaults(run=watched(_rank))


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


def _rank(given: argparse.Namespace) -> int:
    from subsel.cli.jobs.ranking import rank_job
    from subsel.cli.option_checks import check_rank_options
    from subsel.cli.printing import show_ranking
    from subsel.runtime.atomic_files import check_writable
    from subsel.runtime.status_line import StatusLine
    from subsel.runtime.text import escaped

    if given.out is not None:
        check_writable(given.out)
    typed = {
        field.name: getattr(given, field.name)
        for field in fields(RankOptions)
        if field.name != "reading"
    }
    options = RankOptions(**typed, reading=typed_reading(given))
    check_rank_options(options)
    with StatusLine(
        lambda: f"ranking the columns of {given.data}", not (given.quiet or given.json)
    ):
        ranked = rank_job(given.data, options)
    if given.out is not None:
        with defer_signals():
            _write(given.out, ranked)
    if given.json:
        print(json.dumps(ranked.document(), indent=2))
    elif not given.quiet:
        show_ranking(list(ranked.table.rows(given.top)))
        print(
            "\n".join([escaped(ranked.title), *(escaped(f"note: {note}") for note in ranked.notes)])
        )
        if given.out is not None:
            print(f"written: {', '.join(str(p) for p in sorted(given.out.glob('ranking.*')))}")
    return 0


def _write(folder: Path, ranked: RankingOutcome) -> None:
    """Write the table, the document and, where matplotlib is there, the picture: whole or not at all."""
    from subsel.cli.files import write_csv
    from subsel.cli.jobs.ranking_table import COLUMNS
    from subsel.runtime.atomic_files import atomic_write

    drawn = picture(ranked.table.selector, ranked.table.names, ranked.title)
    names = ["ranking.csv", "ranking.json"]
    if drawn is not None:
        names.append("ranking.png")
    with atomic_write(folder, *names) as (table, document, *image):
        document.write_text(json.dumps(ranked.document(), indent=2) + "\n", encoding="utf8")
        write_csv(table, COLUMNS, (list(row.values()) for row in ranked.table.rows()))
        for path in image:
            drawn.savefig(path, dpi=150, format="png", bbox_inches="tight")
    if drawn is not None:
        from matplotlib import pyplot

        pyplot.close(drawn)


def picture(selector: Any, names: Sequence[str], title: str) -> Any:
    """Draw the ranking; None, with a hint, where matplotlib is missing."""
    try:
        from subsel.report.figures.ranking import RankingDisplay

        display = RankingDisplay.from_selector(selector, names)
    except ImportError:
        print("subsel: no picture: pip install 'subsel[plots]'", file=sys.stderr)
        return None
    display.ax_.set_title(title, fontsize=9, wrap=True)
    return display.figure_
