"""The command line: ``subsel select | assess | compare | rank | resume | inspect | demo | methods``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

__all__ = ["main", "run_job"]

DONE, FAILED, INTERRUPTED = 0, 1, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; gives 0, 1 (the data or the files were at fault), 2 (the options were), or 130 (interrupted)."""
    argv = list(sys.argv[1:] if argv is None else argv)
    options = _parser().parse_args(argv)
    options.argv = argv
    try:
        return options.run(options)
    except BrokenPipeError:
        return DONE
    except KeyboardInterrupt:
        print("subsel: interrupted before anything was found", file=sys.stderr)
        return INTERRUPTED
    except (ValueError, OSError, ImportError, TypeError) as error:
        print(f"subsel: error: {error}", file=sys.stderr)
        return FAILED


def _parser() -> argparse.ArgumentParser:
    from subsel import __version__
    from subsel.journal_commands import add_journal_commands
    from subsel.rank_command import add_rank_command

    parser = argparse.ArgumentParser(prog="subsel", description="Find the few features that matter.")
    parser.add_argument("--version", action="version", version=f"subsel {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    select = commands.add_parser(
        "select", help="search for the best subset of the columns of a table, and assess it honestly"
    )
    _add_options(select)
    select.set_defaults(run=partial(run_job, "select"))
    assess = commands.add_parser(
        "assess", help="say how good selecting in this way is, without a selection on all rows"
    )
    _add_options(assess)
    assess.set_defaults(run=partial(run_job, "assess"))
    compare = commands.add_parser("compare", help="assess several searches on the same folds")
    _add_options(compare)
    compare.add_argument(
        "--methods",
        type=_names,
        default=["sfs:ridge", "sffs:ridge", "sffs:knn", "rfs1:knn"],
        metavar="A,B",
        help="searches to compare, each SEARCH or SEARCH:ESTIMATOR (default: sfs:ridge,sffs:ridge,sffs:knn,rfs1:knn)",
    )
    compare.set_defaults(run=partial(run_job, "compare"))
    add_rank_command(commands)
    add_journal_commands(commands)
    demo = commands.add_parser("demo", help="run the main job on the wine data that ships with scikit-learn")
    demo.add_argument(
        "--out", type=Path, default=Path("demo-output"), metavar="DIR", help="where to write (default: demo-output)"
    )
    demo.add_argument("--quiet", action="store_true", help="print nothing but errors")
    demo.set_defaults(run=_demo)
    methods = commands.add_parser("methods", help="list every search, criterion and ranking with its source")
    methods.add_argument("--json", action="store_true", help="as JSON")
    methods.set_defaults(run=_methods)
    return parser


def _add_options(parser: argparse.ArgumentParser) -> None:
    from subsel.estimators import ESTIMATORS

    add = parser.add_argument
    add("data", help="CSV, TSV, Parquet, NPZ or libsvm file")
    add("--target", metavar="NAME", help="the column to predict (an NPZ or libsvm file has its own)")
    add("--search", default="sffs", metavar="KEY", help="search strategy, see `subsel methods` (default: sffs)")
    add(
        "--estimator",
        metavar="KEY",
        help=f"judge by this model only: {', '.join(ESTIMATORS)} (default: the best of several)",
    )
    add("--task", choices=["classification", "regression"], help="default: told from the target")
    add("--scoring", metavar="NAME", help="a scikit-learn scorer (default: accuracy, balanced for skewed classes; R2)")
    add("--cv", type=int, default=5, metavar="K", help="folds that guide the search (default: 5)")
    add("--n-features", type=_bounds, metavar="N|LOW:HIGH", help="how many columns to select (default: at most 20)")
    add(
        "--budget",
        default="60s",
        metavar="60s|5m|10000",
        help="seconds for the whole job, or evaluations per search (default: 60s)",
    )
    add("--restarts", type=int, default=1, metavar="R", help="independent runs (default: 1)")
    add("--fixed", type=_names, default=[], metavar="A,B", help="columns that must be selected")
    add("--forbidden", type=_names, default=[], metavar="A,B", help="columns that must not be selected")
    add(
        "--choose",
        choices=["search", "best", "one-se"],
        default="one-se",
        help="which subset to take (default: one-se)",
    )
    add("--seed", type=int, default=0, metavar="S", help="seed of searches and folds (default: 0)")
    add("--jobs", type=int, metavar="J", help="workers; never changes the answer")
    add("--memory", metavar="2GB", help="what judging may take beside the table; refused with the number if too little")
    add(
        "--journal",
        type=Path,
        metavar="DIR",
        help="keep what is done, so that `subsel resume DIR` can go on after a crash",
    )
    add("--permutations", type=int, default=0, metavar="B", help="test with shuffled labels; costs B more assessments")
    add("--no-assess", action="store_true", help="do not assess: quicker, but then there is no estimate of performance")
    add("--out", type=Path, metavar="DIR", help="where to write report.html and the tables (default: subsel-NAME)")
    add("--json", action="store_true", help="print selection.json instead of a summary")
    add("--quiet", action="store_true", help="print nothing but errors")


def _bounds(text: str) -> int | tuple[int | None, int | None]:
    try:
        if ":" not in text:
            return int(text)
        low, high = text.split(":")
        return int(low) if low else None, int(high) if high else None
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number or LOW:HIGH, got {text!r}") from None


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def run_job(name: str, options: argparse.Namespace) -> int:
    """Read the table and run a job of :mod:`subsel.jobs` on it."""
    from subsel import jobs
    from subsel.datasets.files import read_table
    from subsel.journal_commands import keep_command

    options.out = options.out or Path(f"subsel-{Path(options.data).name.split('.')[0]}")
    table = read_table(options.data, options.target)
    if options.journal is not None:
        keep_command(name, options, table)
    return getattr(jobs, f"{name}_job")(table, options, str(options.data))


def _demo(options: argparse.Namespace) -> int:
    from sklearn.datasets import load_wine

    from subsel.datasets.files import Table
    from subsel.jobs import select_job

    wine = load_wine()
    table = Table(wine.data, wine.target_names[wine.target], list(wine.feature_names), "cultivar")
    parser = argparse.ArgumentParser()
    _add_options(parser)
    quiet = ["--quiet"] if options.quiet else []
    asked = parser.parse_args(["wine.csv", "--target", "cultivar", "--out", str(options.out), *quiet])
    asked.argv = options.argv
    return select_job(table, asked, "scikit-learn's wine data (three cultivars)")


def _methods(options: argparse.Namespace) -> int:
    from subsel.methods import method_table

    rows = method_table()
    if options.json:
        print(json.dumps(rows, indent=2))
        return DONE
    for kind in dict.fromkeys(row["kind"] for row in rows):
        print(kind)
        for row in (r for r in rows if r["kind"] == kind):
            source = f" [{row['source']}]" if row["source"] else ""
            names = f" Also: {', '.join(row['aliases'])}." if row["aliases"] else ""
            print(f"  {row['key']:<24} {row['summary']}{names}{source}")
    return DONE


if __name__ == "__main__":
    sys.exit(main())
