"""Entries to the NIPS 2003 challenge by cross-validation, the whole procedure repeated inside; goes on where it ended.

``python -m benchmarks.challenge_cv --data FOLDER`` takes training and validation rows together: after the labels of the latter
were opened, that is the tighter number. ``--part train`` takes the training rows alone, by which entries are fixed.
Every finished fold is a line of ``results/challenge_cv.jsonl``: what was predicted for its rows, and the number of features.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.model_selection import StratifiedKFold
from tests.real_tables import add_data_option, table_if_here

from benchmarks.table import RESULTS, write
from subsel.assessment import balanced_error
from subsel.literature.challenge import ENTRIES, Problem, class_wise_bar, load_problem, problem_of

FOUR = ("madelon", "dexter", "dorothea", "arcene")
HEADER = (
    "rows",
    "entry",
    "problem",
    "folds done",
    "BER % (bar)",
    "repeats' error",
    "features",
    "% of all",
    "seconds a fold",
)


def main() -> None:
    """Run the folds that are missing, then write the table of all."""
    given = _options()
    kept = Path(given.out)
    done = (
        [json.loads(line) for line in kept.read_text(encoding="utf8").splitlines()]
        if kept.exists()
        else []
    )
    known = {_place(record) for record in done}
    begun = perf_counter()
    for name in given.sets:
        path = table_if_here(f"{name}.npz", given.data)
        if path is None:
            continue
        X, y = _rows(load_problem(path.parent, name), given.part)
        for place, problem, test in _folds(name, X, y, given):
            if place in known:
                continue
            if perf_counter() - begun > given.seconds:
                break
            done.append(_one(place, problem, test))
            with kept.open("a", encoding="utf8") as file:
                file.write(json.dumps(done[-1]) + "\n")
            _print(done[-1], problem)
    write(
        "challenge_cv", "Entries to the NIPS 2003 challenge, cross-validated", HEADER, _table(done)
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_data_option(parser)
    parser.add_argument("--part", choices=["both", "train"], default="both")
    parser.add_argument("--entries", nargs="*", default=["subsel-few", "subsel-all"])
    parser.add_argument("--sets", nargs="*", default=FOUR)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=np.inf, help="end after so many")
    parser.add_argument("--out", default=str(RESULTS / "challenge_cv.jsonl"))
    return parser.parse_args()


def _rows(problem: Problem, part: str) -> tuple[Any, np.ndarray]:
    """The rows that are divided into folds; validation labels are not touched for the training part."""
    if part == "train":
        return problem.X, problem.y
    stack = sparse.vstack if problem.sparse else np.vstack
    table = stack([problem.X, problem.others])
    return sparse.csr_array(table) if problem.sparse else table, np.concatenate(
        [problem.y, problem.sealed]
    )


def _folds(
    name: str, X: Any, y: np.ndarray, given: argparse.Namespace
) -> Iterator[tuple[tuple, Problem, np.ndarray]]:
    """Each fold as a problem of its own, with its rows."""
    for repeat in range(given.repeats):
        split = StratifiedKFold(given.folds, shuffle=True, random_state=repeat).split(X, y)
        for fold, (train, test) in enumerate(split):
            problem = problem_of(name, X[train], y[train], X[test], y[test])
            for key in given.entries:
                yield (given.part, key, name, given.folds, repeat, fold), problem, test


def _place(record: dict) -> tuple:
    return tuple(record[key] for key in ("part", "entry", "problem", "of", "repeat", "fold"))


def _one(place: tuple, problem: Problem, test: np.ndarray) -> dict:
    """Fit the whole entry without a fold and keep what it says of that."""
    part, key, name, of, repeat, fold = place
    found = ENTRIES.find(key)().fit(problem, seed=repeat)
    record = {"part": part, "entry": key, "problem": name, "of": of, "repeat": repeat, "fold": fold}
    kept = {
        "rows": test.tolist(),
        "labels": problem.sealed.tolist(),
        "predicted": found.predicted.tolist(),
    }
    return {
        **record,
        "n_features": len(found.features),
        "total": problem.n_features,
        "seconds": found.seconds,
        **kept,
    }


def _print(record: dict, problem: Problem) -> None:
    error = 100 * balanced_error(np.array(record["labels"]), np.array(record["predicted"]))
    print(
        *_place(record),
        f"{error:.2f} %, {record['n_features']} features, {record['seconds']} s",
        flush=True,
    )


def _table(done: list[dict]) -> list[tuple]:
    """A line for each entry and problem, and one for the mean over problems."""
    groups: dict[tuple, list[dict]] = defaultdict(list)
    for record in done:
        groups[record["part"], record["entry"], record["problem"]].append(record)
    lines, means = [], defaultdict(list)
    for (part, key, name), records in sorted(groups.items()):
        errors, bar = _errors(records)
        size = np.mean([r["n_features"] for r in records])
        share = np.mean([r["n_features"] / r["total"] for r in records])
        means[part, key].append((errors.mean(), bar, share))
        spread = f"{errors.std(ddof=1) / np.sqrt(len(errors)):.2f}" if len(errors) > 1 else ""
        seconds = np.mean([r["seconds"] for r in records])
        figures = (
            f"{errors.mean():.2f} ({bar:.2f})",
            spread,
            f"{size:.0f}",
            f"{100 * share:.2f}",
            f"{seconds:.0f}",
        )
        lines.append((part, key, name, len(records), *figures))
    for (part, key), found in means.items():
        errors, bars, shares = (np.array(column) for column in zip(*found))
        bar = np.sqrt((bars**2).sum()) / len(bars)
        lines.append(
            (
                part,
                key,
                f"mean of {len(errors)}",
                "",
                f"{errors.mean():.2f} ({bar:.2f})",
                "",
                "",
                f"{100 * shares.mean():.2f}",
                "",
            )
        )
    return lines


def _errors(records: list[dict]) -> tuple[np.ndarray, float]:
    """The balanced error in percent of each repeat, over the rows of its finished folds, and the bar of the first."""
    repeats = defaultdict(list)
    for record in records:
        repeats[record["repeat"]].append(record)
    pooled = [
        [np.concatenate([r[what] for r in some]) for what in ("labels", "predicted")]
        for some in repeats.values()
    ]
    errors = np.array([100 * balanced_error(labels, predicted) for labels, predicted in pooled])
    return errors, 100 * class_wise_bar(*pooled[0])


if __name__ == "__main__":
    main()
