"""The command line: ``subsel select | demo | methods``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["main"]

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; gives 0, 1 (the data or the files were at fault), 2 (the options were), or 130 (interrupted)."""
    parser = _parser()
    options = parser.parse_args(argv)
    try:
        return options.run(options)
    except BrokenPipeError:
        return OK
    except KeyboardInterrupt:
        print("subsel: interrupted before anything was found", file=sys.stderr)
        return INTERRUPTED
    except (ValueError, OSError, ImportError, TypeError) as error:
        print(f"subsel: error: {error}", file=sys.stderr)
        return FAILED


def _parser() -> argparse.ArgumentParser:
    from subsel import __version__

    parser = argparse.ArgumentParser(prog="subsel", description="Find the few features that matter.")
    parser.add_argument("--version", action="version", version=f"subsel {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    select = commands.add_parser("select", help="search for the best subset of the columns of a table")
    select.add_argument("data", help="CSV, TSV, Parquet, NPZ or libsvm file")
    _add_select_options(select)
    select.set_defaults(run=_select)
    demo = commands.add_parser("demo", help="run the main job on the wine data that ships with scikit-learn")
    demo.add_argument(
        "--out",
        type=Path,
        default=Path("demo-output"),
        metavar="DIR",
        help="where to write (default: demo-output)",
    )
    demo.add_argument("--quiet", action="store_true", help="print nothing but errors")
    demo.set_defaults(run=_demo)
    methods = commands.add_parser("methods", help="list every search, criterion and ranking with its source")
    methods.add_argument("--json", action="store_true", help="as JSON")
    methods.set_defaults(run=_methods)
    from subsel.ranking.command import add_rank_command

    add_rank_command(commands)
    return parser


def _add_select_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--target", metavar="NAME", help="the column to predict (an NPZ or libsvm file has its own)")
    add(
        "--search",
        default="sffs",
        metavar="KEY",
        help="search strategy, see `subsel methods` (default: sffs)",
    )
    add(
        "--estimator",
        default=None,
        metavar="KEY",
        help=f"one of {', '.join(ESTIMATORS)} (default: knn for classes, ridge for numbers)",
    )
    add("--task", choices=["classification", "regression"], help="default: told from the target")
    add(
        "--scoring",
        metavar="NAME",
        help="a scikit-learn scorer (default: accuracy, balanced for skewed classes; R2)",
    )
    add("--cv", type=int, default=5, metavar="K", help="folds that guide the search (default: 5)")
    add(
        "--n-features",
        type=_bounds,
        metavar="N|LOW:HIGH",
        help="how many columns to select (default: the search decides)",
    )
    add("--budget", default="60s", metavar="60s|5m|10000", help="seconds, or evaluations (default: 60s)")
    add("--restarts", type=int, default=1, metavar="R", help="independent runs (default: 1)")
    add("--fixed", type=_names, default=[], metavar="A,B", help="columns that must be selected")
    add("--forbidden", type=_names, default=[], metavar="A,B", help="columns that must not be selected")
    add(
        "--choose",
        choices=["search", "best", "one-se"],
        default="search",
        help="which subset to take (default: search)",
    )
    add("--seed", type=int, default=0, metavar="S", help="seed of the search (default: 0)")
    add("--jobs", type=int, default=None, metavar="J", help="workers; never changes the answer")
    add("--out", type=Path, metavar="DIR", help="write selection.json and features.csv there")
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


# Commands ---------------------------------------------------------------------------------------------------------


def _select(options: argparse.Namespace) -> int:
    from subsel.datasets.files import read_table

    if options.out is not None:
        _check_writable(options.out)
    table = read_table(options.data, options.target)
    return _run(table, options, source=str(options.data))


def _demo(options: argparse.Namespace) -> int:
    from sklearn.datasets import load_wine

    from subsel.datasets.files import Table

    wine = load_wine()
    table = Table(wine.data, wine.target_names[wine.target], list(wine.feature_names), "cultivar")
    settings = ["wine", "--out", str(options.out), *(["--quiet"] if options.quiet else [])]
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    _add_select_options(parser)
    _check_writable(options.out)
    return _run(table, parser.parse_args(settings), source="scikit-learn's wine data (178 x 13, three cultivars)")


def _run(table: Any, options: argparse.Namespace, source: str) -> int:
    """Search, print, write."""
    from subsel import SubsetSelector
    from subsel.task import guess_kind

    for name in (*options.fixed, *options.forbidden):
        if name == table.target:
            raise ValueError(f"{name!r} is the target: it can be neither fixed nor forbidden.")
    kind = options.task or guess_kind(table.y)
    scoring, notes = _scoring(options.scoring, kind, table)
    selector = SubsetSelector(
        _estimator(options.estimator, kind),
        search=options.search,
        scoring=scoring,
        cv=options.cv,
        n_features=options.n_features,
        budget=options.budget,
        restarts=options.restarts,
        n_jobs=options.jobs,
        random_state=options.seed,
        fixed=_whole_groups(options.fixed, table),
        forbidden=_whole_groups(options.forbidden, table),
        feature_groups=[group for group in table.groups.values() if len(group) > 1],
        choose=options.choose,
        verbose=0 if options.quiet or options.json else 1,
    )
    selector.fit(_named(table), table.y)
    selection = _selection(selector, table, options, source, kind, scoring, [*table.notes, *notes])
    if options.out is not None:
        _write(options.out, selection, selector.result_, table.names)
    if options.json:
        print(json.dumps(selection, indent=2))
    elif not options.quiet:
        _summarise(selection, options.out)
    return INTERRUPTED if selector.result_.stopped_by == "interrupted" else OK


def _methods(options: argparse.Namespace) -> int:
    from subsel.methods import method_table

    rows = method_table()
    if options.json:
        print(json.dumps(rows, indent=2))
        return OK
    for kind in dict.fromkeys(row["kind"] for row in rows):
        print(f"{kind}")
        for row in (r for r in rows if r["kind"] == kind):
            source = f" [{row['source']}]" if row["source"] else ""
            names = f" Also: {', '.join(row['aliases'])}." if row["aliases"] else ""
            print(f"  {row['key']:<24} {row['summary']}{names}{source}")
    return OK


# What is searched -------------------------------------------------------------------------------------------------

ESTIMATORS = (
    "knn",
    "ridge",
    "linear",
    "lda",
    "qda",
    "nb",
    "centroid",
    "logistic",
    "svm",
    "tree",
    "forest",
    "boosting",
    "kernel-ridge",
)


def _estimator(key: str | None, kind: str) -> Any:
    """A scikit-learn estimator by its short name; scaled within each training fold where scale matters."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    key = key or ("knn" if kind == "classification" else "ridge")
    module, classifier, regressor, scaled = {
        "knn": ("neighbors", "KNeighborsClassifier", "KNeighborsRegressor", True),
        "ridge": ("linear_model", "RidgeClassifier", "Ridge", True),
        "linear": ("linear_model", "RidgeClassifier", "LinearRegression", False),
        "lda": ("discriminant_analysis", "LinearDiscriminantAnalysis", None, False),
        "qda": ("discriminant_analysis", "QuadraticDiscriminantAnalysis", None, False),
        "nb": ("naive_bayes", "GaussianNB", None, False),
        "centroid": ("neighbors", "NearestCentroid", None, True),
        "logistic": ("linear_model", "LogisticRegression", None, True),
        "svm": ("svm", "SVC", "SVR", True),
        "tree": ("tree", "DecisionTreeClassifier", "DecisionTreeRegressor", False),
        "forest": ("ensemble", "RandomForestClassifier", "RandomForestRegressor", False),
        "boosting": ("ensemble", "HistGradientBoostingClassifier", "HistGradientBoostingRegressor", False),
        "kernel-ridge": ("kernel_ridge", None, "KernelRidge", True),
    }.get(key, (None, None, None, False))
    if module is None:
        raise ValueError(f"there is no estimator {key!r}; known: {', '.join(ESTIMATORS)}.")
    name = classifier if kind == "classification" else regressor
    if name is None:
        raise ValueError(f"estimator {key!r} does not do {kind}; use --estimator or --task.")
    from importlib import import_module

    cls = getattr(import_module(f"sklearn.{module}"), name)
    model = cls(random_state=0) if "random_state" in cls().get_params() else cls()
    return make_pipeline(StandardScaler(), model) if scaled else model


def _scoring(asked: str | None, kind: str, table: Any) -> tuple[str | None, list[str]]:
    """Balanced accuracy for skewed classes unless told otherwise."""
    import numpy as np

    if asked is not None or kind == "regression":
        return asked, []
    _, counts = np.unique(table.y, return_counts=True)
    if counts.min() * 3 >= counts.max():
        return "accuracy", []
    return "balanced_accuracy", ["the classes are skewed: guided by balanced accuracy."]


def _named(table: Any) -> Any:
    """The table as a frame where pandas is there, so that names travel; else as the array it is."""
    from scipy import sparse

    if sparse.issparse(table.X):
        return table.X
    try:
        import pandas as pd
    except ImportError:
        return table.X
    return pd.DataFrame(table.X, columns=table.names, copy=False)


def _whole_groups(names: Sequence[str], table: Any) -> list[int]:
    """Column numbers of names; the name of an encoded text column stands for all its columns."""
    from subsel.columns import column_numbers

    numbers: list[int] = []
    for name in names:
        numbers += (
            table.groups[name] if name in table.groups else column_numbers("--fixed/--forbidden", [name], table.names)
        )
    return numbers


# What is written --------------------------------------------------------------------------------------------------


def _selection(
    selector: Any,
    table: Any,
    options: argparse.Namespace,
    source: str,
    kind: str,
    scoring: str | None,
    notes: list[str],
) -> dict[str, Any]:
    """The content of selection.json (schema: docs/selection-json.md)."""
    from subsel import __version__

    result = selector.result_
    named = lambda columns: [table.names[c] for c in columns]
    where = {name: column for column, name in enumerate(result.names)}
    translate = lambda names: [table.names[where[name]] for name in names]
    return {
        "schema": 1,
        "subsel": __version__,
        "data": {
            "source": source,
            "rows": len(table.y),
            "columns": len(table.names),
            "target": table.target,
            "task": kind,
        },
        "settings": {
            "search": options.search,
            "estimator": options.estimator or ("knn" if kind == "classification" else "ridge"),
            "scoring": scoring or "r2",
            "cv": options.cv,
            "n_features": options.n_features,
            "budget": options.budget,
            "restarts": options.restarts,
            "seed": options.seed,
            "choose": options.choose,
            "fixed": options.fixed,
            "forbidden": options.forbidden,
        },
        "selected": named(result.chosen),
        "columns": result.chosen.tolist(),
        "guide_quality": float(result.chosen_quality),
        "front": [
            {"size": f.size, "guide_quality": f.quality, "cost": f.cost, "features": named(f.columns)}
            for f in result.front
        ],
        "alternatives": [
            {"drop": translate(a["drop"]), "add": translate(a["add"]), "guide_quality": a["quality"]}
            for a in result.alternatives()
        ],
        "run": {
            "evaluations": result.n_evaluations,
            "computed": result.n_computed,
            "seconds": round(result.seconds, 3),
            "stopped_by": result.stopped_by,
            "judge": result.judge.name,
            "exact": result.judge.exact,
            "refits": result.judge.n_refits,
            "restarts_that_agree": result.agreement,
        },
        "notes": [*notes, *result.notes],
    }


def _summarise(selection: dict[str, Any], out: Path | None) -> None:
    data, run = selection["data"], selection["run"]
    print(f"{data['source']}: {data['rows']} rows, {data['columns']} columns, target {data['target']} ({data['task']})")
    print(f"selected {len(selection['selected'])}: {', '.join(selection['selected'])}")
    quality, scoring = selection["guide_quality"], selection["settings"]["scoring"]
    print(
        f"guide quality {quality:.4f} ({scoring}, {selection['settings']['cv']} folds): what the search maximised, not an estimate"
    )
    print(
        f"{run['evaluations']:,} evaluations in {run['seconds']:.1f} s, ended by {run['stopped_by']}; judge: {run['judge']}"
    )
    for swap in selection["alternatives"][:3]:
        added, dropped = " + ".join(swap["add"]), " + ".join(swap["drop"])
        print(f"nearly as good: {added} instead of {dropped} ({swap['guide_quality']:.4f})")
    for note in selection["notes"]:
        print(f"note: {note}")
    if out is not None:
        print(f"written: {out / 'selection.json'}, {out / 'features.csv'}")


def _check_writable(folder: Path) -> None:
    """Fail before the search, not after it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".subsel-probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise OSError(f"cannot write to {folder}: {error.strerror}.") from None


def _write(folder: Path, selection: dict[str, Any], result: Any, names: Sequence[str]) -> None:
    """Write both files whole or not at all: under other names first, then renamed."""
    import csv
    import os

    import numpy as np

    kept = set(selection["columns"])
    found = np.concatenate([f.columns for f in result.finalists] or [result.chosen])
    share = np.bincount(found, minlength=len(names)) / max(1, len(result.finalists))
    fresh = [folder / ".selection.json.new", folder / ".features.csv.new"]
    try:
        fresh[0].write_text(json.dumps(selection, indent=2) + "\n", encoding="utf8")
        with fresh[1].open("w", encoding="utf8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["feature", "column", "selected", "share_of_finalists"])
            writer.writerows([n, c, int(c in kept), f"{share[c]:.4g}"] for c, n in enumerate(names))
        os.replace(fresh[0], folder / "selection.json")
        os.replace(fresh[1], folder / "features.csv")
    finally:
        for path in fresh:
            path.unlink(missing_ok=True)
