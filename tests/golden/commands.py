"""Every command but those that depend on the clock or serve pages: what it prints, writes and gives back."""

from __future__ import annotations

import csv
import json
from contextlib import chdir, redirect_stderr
from functools import partial
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from subsel.cli import main
from tests.golden import data
from tests.golden.record import Configuration

# the race and `demo` depend on the clock; `ui` serves pages; `challenge` and `warm-up` take minutes
LEFT_OUT = ("demo", "ui", "challenge", "warm-up")

# of the documents, what another structure of the library must give again
KEPT = ("selected", "guide_quality", "assessment", "front", "data", "ranking", "kept", "cautions")
TIMED = ("seconds", "run", "command", "schema", "procedure", "second")


def _write(path: str, X: Any, y: Any) -> None:
    names = [f"c{j}" for j in range(X.shape[1])] + ["y"]

    def text(value):
        return "" if value != value else format(value, ".6g")

    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows([[*map(text, row), target] for row, target in zip(X, y)])


def _tables() -> None:
    X, y = data.three_classes(61, 7)
    _write("wine.csv", X, np.array(["red", "rose", "white"])[y])
    _write("gaps.csv", data.with_gaps(X), np.array(["red", "rose", "white"])[y])
    X, y = data.quantity(61, 7)
    _write("quantity.csv", X, np.round(y, 6))


def _without_time(document: Any) -> Any:
    if isinstance(document, list):
        return [_without_time(item) for item in document]
    if not isinstance(document, dict):
        return document
    kept = {key: _without_time(value) for key, value in document.items() if key not in TIMED}
    if "source" in kept:
        kept["source"] = Path(kept["source"]).name
    return kept


def _files(folder: Path) -> dict[str, Any]:
    """The names of all files in a folder, and the numbers in its documents and tables."""
    found: dict[str, Any] = {"files": sorted(path.name for path in folder.iterdir())}
    for path in sorted(folder.glob("*.json")):
        document = _without_time(json.loads(path.read_text()))
        if isinstance(document, dict):
            document = {key: document[key] for key in KEPT if key in document}
        found[path.name] = document
    for path in sorted(folder.glob("*.csv")):
        with path.open() as file:
            rows = [
                {name: _number(cell) for name, cell in row.items() if name not in TIMED}
                for row in csv.DictReader(file)
            ]
        found[path.name] = {str(number): row for number, row in enumerate(rows)}
    return found


def _number(cell: str) -> Any:
    try:
        return float(cell)
    except ValueError:
        return cell


def run(*lines: str) -> dict[str, Any]:
    """Run commands one after another in a new folder with the tables."""
    with TemporaryDirectory() as folder, chdir(folder):
        _tables()
        found: dict[str, Any] = {"codes": [_code(line.split()) for line in lines]}
        for path in sorted(Path().iterdir()):
            if path.is_dir() and path.name != "journal":
                found[path.name] = _files(path)
        return found


def _code(words: list[str]) -> int:
    said = StringIO()
    with redirect_stderr(said):
        try:
            code = main(words)
        except SystemExit as end:  # how argparse ends
            code = int(end.code or 0)
    if code:  # else it is progress, which depends on the clock
        print(said.getvalue())
    return code


WINE, QUANTITY = "wine.csv --target y", "quantity.csv --target y"
NB = "--search sffs --estimator nb --n-features 1:4 --budget 120"
RIDGE = "--search sfs --estimator ridge --n-features 2"

LINES: dict[str, tuple[str, ...]] = {
    "select": (f"select {WINE} {NB}",),
    "select, json": (f"select {WINE} {NB} --no-assess --json",),
    "select, quantity": (f"select {QUANTITY} {RIDGE} --budget 100 --scoring r2 --cv 4",),
    "select, criterion": (
        f"select {WINE} --search sfs --criterion scatter --n-features 3 --estimator lda --budget 99",
    ),
    "select, walk": (
        f"select {WINE} --search rfs1 --estimator knn --restarts 2 --budget 80 --seed 3 --fixed c1"
        " --forbidden c2,c3 --choose best --no-assess",
    ),
    "select, permutations": (f"select {QUANTITY} {RIDGE} --budget 50 --permutations 3",),
    "select, missing values": (f"select gaps.csv --target y {NB} --no-assess",),
    "select, time": (f"select {QUANTITY} {RIDGE} --budget 50 --cv time",),
    "assess": (f"assess {WINE} {NB}",),
    "assess, json": (f"assess {QUANTITY} {RIDGE} --budget 90 --json",),
    "compare": (f"compare {WINE} --methods sfs,sbs,rfs1 --estimator nb --budget 60",),
    "compare, quantity": (f"compare {QUANTITY} --methods sfs:ridge,sfs:linear --budget 60",),
    "predict": (
        f"select {WINE} {NB} --no-assess --out out --quiet",
        "predict out/model.skops wine.csv",
    ),
    "rank": (f"rank {WINE}", f"rank {QUANTITY} --cut 3 --out ranked"),
    "rank, order": (f"rank {WINE} --score mrmr --cut 3 --json",),
    "rank, probes": (f"rank {WINE} --score relieff --cut probes:0.2 --seed 5 --top 3",),
    "rank, validated": (f"rank {WINE} --score anova-f --cut cv --estimator nb",),
    "rank, missing values": ("rank gaps.csv --target y --score information-gain --impute none",),
    "resume and inspect": (
        f"select {WINE} --search rfs1 --estimator nb --budget 40 --no-assess --journal journal",
        "inspect journal",
        "resume journal --budget 90",
        "inspect journal",
    ),
    "columns": ("columns wine.csv", "columns gaps.csv --json"),
    "methods": ("methods --kind search", "methods --kind criterion", "methods relieff"),
    "methods, rankings": ("methods --kind ranking", "methods --kind order", "methods --kind cut"),
    "methods, models": ("methods --kind embedded", "methods --kind recipe", "methods forward"),
    "help": ("--help", "select --help", "rank --help", "predict --help"),
    "errors": (
        "select nothing.csv --target y --search sfs",
        "select wine.csv --target z --search sfs",
        f"select {WINE} --search sfz",
        f"select {WINE} --search sfs --estimator nc",
        f"select {WINE} --search sfs --n-features 9:3",
        f"rank {WINE} --score nothing",
        f"rank {WINE} --cut fdr",
        "predict nothing.skops wine.csv",
        "resume nothing",
        "inspect nothing",
        "methods nothingatall",
    ),
}

CONFIGURATIONS: dict[str, Configuration] = {
    f"command/{name}": partial(run, *lines) for name, lines in LINES.items()
}
