"""``subsel select``, ``assess``, ``compare`` and ``demo``: their options, and the command they make."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from subsel.cli.options import METHODS, CompareOptions, SelectOptions
from subsel.cli.progress import add_progress_option, watched
from subsel.cli.reading import add_dialect, add_roles, typed_reading

__all__ = ["add_selection_commands"]

HELP = {
    "select": "search for the best subset of the columns of a table, and assess it honestly",
    "assess": "say how good selecting in this way is, without a selection on all rows",
    "compare": "assess several searches on the same folds",
}


def add_selection_commands(commands: Any, typed: Sequence[str]) -> None:
    """Add the commands to a parser; ``typed`` is kept with the command they make."""
    for job, text in HELP.items():
        parser = commands.add_parser(job, help=text)
        _add_table(parser)
        _add_search(parser)
        _add_limits(parser)
        _add_output(parser)
        if job == "compare":
            _add_methods(parser)
        parser.set_defaults(run=watched(partial(_run, job, typed)))
    demo = commands.add_parser(
        "demo", help="run the main job on the wine data that ships with scikit-learn"
    )
    demo.add_argument(
        "--out",
        type=Path,
        default=Path("demo-output"),
        metavar="DIR",
        help="where to write (default: demo-output)",
    )
    demo.add_argument("--quiet", action="store_true", help="print nothing but errors")
    demo.set_defaults(run=lambda options: _demo(options, typed))


def _add_table(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("data", help="CSV, TSV, Excel, Parquet, NPZ or libsvm file")
    add(
        "--target",
        metavar="COLUMN",
        help="the column to predict, by name or position (1 is the first, -1 the last; an NPZ or libsvm file has its own)",
    )
    add("--task", choices=["classification", "regression"], help="default: told from the target")
    add_roles(parser)
    add(
        "--impute",
        choices=["median", "knn", "none"],
        default="median",
        help="what fills missing values, inside every fold; models that read them get them as they are (default: median)",
    )
    add_dialect(parser)


def _add_search(parser: argparse.ArgumentParser) -> None:
    from subsel.models.short_names import ESTIMATORS

    add = parser.add_argument
    add(
        "--search",
        metavar="KEY",
        help="search strategy, see `subsel methods` (default: without --search, --estimator and --criterion whole "
        "procedures race and the best is taken; with one of them, sffs)",
    )
    add(
        "--prefer",
        choices=["balance", "accuracy", "few"],
        default="balance",
        help="of a race take the smallest procedure nearly as good as the best, the best, or the fewest features "
        "(default: balance)",
    )
    add(
        "--estimator",
        metavar="KEY",
        help=f"evaluate subsets by this model only: {', '.join(ESTIMATORS)} (default: the best of several)",
    )
    add(
        "--criterion",
        metavar="KEY[:A=1,B=2]",
        help="guide the search by this criterion, see `subsel methods`; --estimator is then the model that is assessed",
    )
    add(
        "--scoring",
        metavar="NAME",
        help="a scikit-learn scorer (default: accuracy, balanced for skewed classes; R2)",
    )
    add(
        "--cv",
        type=_folds,
        metavar="K|time",
        help="shuffled folds that guide the search; time: later rows are predicted from earlier ones, there and in the assessment "
        "(default: 5)",
    )
    add(
        "--n-features",
        type=_bounds,
        metavar="N|LOW:HIGH",
        help="how many columns to select (default: at most 20)",
    )
    add("--fixed", type=_names, default=(), metavar="A,B", help="columns that must be selected")
    add(
        "--forbidden",
        type=_names,
        default=(),
        metavar="A,B",
        help="columns that must not be selected",
    )
    add(
        "--choose",
        choices=["search", "best", "one-se"],
        default="one-se",
        help="which subset to take (default: one-se)",
    )


def _add_limits(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--budget",
        default="60s",
        metavar="60s|5m|10000",
        help="seconds for the whole job, or evaluations per search (default: 60s)",
    )
    add("--restarts", type=int, default=1, metavar="R", help="independent runs (default: 1)")
    add("--seed", type=int, default=0, metavar="S", help="seed of searches and folds (default: 0)")
    add("--jobs", type=int, metavar="J", help="workers; never changes the answer")
    add(
        "--memory",
        metavar="2GB",
        help="what evaluators may take beside the table; refused with the number if too little",
    )
    add(
        "--device",
        metavar="cpu|cuda",
        help="evaluate subsets there through PyTorch (the extra accelerator); with --search, --estimator or --criterion",
    )
    add(
        "--permutations",
        type=int,
        default=0,
        metavar="B",
        help="test with shuffled labels; costs B more assessments",
    )
    add(
        "--no-assess",
        dest="assess",
        action="store_false",
        help="do not assess: quicker, but then there is no estimate of performance",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--journal",
        type=Path,
        metavar="DIR",
        help="keep what is done, so that `subsel resume DIR` can go on after a crash",
    )
    add(
        "--out",
        type=Path,
        metavar="DIR",
        help="where to write report.html and the tables (default: subsel-NAME)",
    )
    add("--json", action="store_true", help="print selection.json instead of a summary")
    add("--quiet", action="store_true", help="print nothing but errors")
    add_progress_option(parser)


def _add_methods(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--methods",
        type=_names,
        default=METHODS,
        metavar="A,B",
        help=f"searches to compare, each SEARCH or SEARCH:ESTIMATOR (default: {','.join(METHODS)})",
    )


def _run(job: str, typed: Sequence[str], given: argparse.Namespace) -> int:
    return _command(job, given, typed).run(given.began)


def _command(job: Any, given: argparse.Namespace, typed: Sequence[str]) -> Any:
    from subsel.cli.command import Command, Destination

    kind = CompareOptions if job == "compare" else SelectOptions
    options = kind(**{field.name: getattr(given, field.name) for field in fields(kind)})
    folder = given.out or Path(f"subsel-{Path(given.data).name.split('.')[0]}")
    output = Destination(folder, given.json, given.quiet)
    return Command(
        job, given.data, given.target, options, output, tuple(typed), typed_reading(given)
    )


def _bounds(text: str) -> int | tuple[int | None, int | None]:
    try:
        if ":" not in text:
            return int(text)
        low, high = text.split(":")
        return int(low) if low else None, int(high) if high else None
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number or LOW:HIGH, got {text!r}") from None


def _folds(text: str) -> Any:
    if text == "time":
        return text
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected a number of folds, or time, got {text!r}"
        ) from None


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _demo(given: argparse.Namespace, typed: Sequence[str]) -> int:
    from sklearn.datasets import load_wine

    from subsel.cli.command import Command, Destination
    from subsel.data.files.table import Table

    wine = load_wine()
    table = Table(wine.data, wine.target_names[wine.target], list(wine.feature_names), "cultivar")
    output = Destination(given.out, quiet=given.quiet)
    command = Command(
        "select", "wine.csv", "cultivar", SelectOptions(budget="15s"), output, tuple(typed)
    )
    return command.run_on(table, "scikit-learn's wine data (three cultivars)")
