"""Balanced error against the number of features of our entry with few features, by folds of the challenge's training rows.

``python -m benchmarks.challenge_front --data FOLDER [NAME ...]``; the names are of problems. The printed
front is of test rows, from models trained on all training rows: ours is of nine tenths of them. Of MADELON's real columns
those are kept that span the others best, by QR decomposition with pivoting; five components are taken from them. What is done
is kept (``front.json`` of :mod:`benchmarks.challenge_kept`, which the page and the picture of the challenge read) and not done
again; a size is that of each member of a committee, which together use more columns. Rows are shuffled into folds three times: the
error is the mean, the bar that of a single time.
"""

import argparse
import json
from typing import Any

import numpy as np
from scipy.linalg import qr
from sklearn.model_selection import StratifiedKFold
from tests.real_tables import add_data_option, table_if_here

from benchmarks.challenge_kept import kept_folder, pack
from benchmarks.table import write
from subsel.assessment import balanced_error
from subsel.assessment.folds.procedure import with_seed
from subsel.literature.challenge import FRONT, Problem, class_wise_bar, load_problem
from subsel.literature.challenge.entries import SubselFew
from subsel.literature.challenge.entry import confidences
from subsel.ranking.selector import RankingSelector

SIZES = {
    "madelon": (8, 12, 20),
    "dexter": (100, 300),
    "dorothea": (370,),
    "arcene": (300, 500, 1100),
}
CUTS = {
    "madelon": ["spanning__cut"],
    "dexter": ["ridge__rankingselector__cut", "bayes__rankingselector__cut"],
    "dorothea": [
        "estimator__models__rankingselector-2__cut",
        "estimator__bayes__rankingselector__cut",
    ],
    "arcene": ["systematicsample__n_columns"],
}
SHUFFLES = 3
HEADER = (
    "problem",
    "features",
    "BER % (bar), folds of training rows",
    "printed front, test BER % / features",
)


def main() -> None:
    """Ten folds for every size that is not done yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", default=list(SIZES))
    add_data_option(parser)
    given = parser.parse_args()
    kept = kept_folder() / "front.json"
    done: dict[str, dict[str, list[float]]] = (
        json.loads(kept.read_text(encoding="utf8")) if kept.exists() else {}
    )
    for name in given.names:
        path = table_if_here(f"{name}.npz", given.data)
        if path is None:
            continue
        problem = load_problem(path.parent, name)
        for size in SIZES[name]:
            if str(size) not in done.setdefault(name, {}):
                done[name][str(size)] = [round(value, 3) for value in _validated(problem, size)]
                kept.write_text(json.dumps(done, indent=1) + "\n", encoding="utf8")
                pack()
                print(name, size, done[name][str(size)], flush=True)
    lines = [_line(name, *found) for name in done for found in done[name].values()]
    write(
        "challenge_front",
        "Error against number of features, our entry with few features",
        HEADER,
        lines,
    )


def _line(name: str, n_features: float, error: float, bar: float) -> tuple[str, str, str, str]:
    printed = ", ".join(f"{ber:.2f}/{n}" for ber, n in FRONT[name])
    return name, f"{n_features:.0f}", f"{error:.2f} ({bar:.2f})", printed


def _validated(problem: Problem, size: int) -> tuple[float, float, float]:
    """The mean number of features, the balanced error in percent and its bar, each the mean over the shuffles."""
    found = np.mean([_shuffled(problem, size, seed) for seed in range(SHUFFLES)], axis=0)
    return float(found[0]), float(found[1]), float(found[2])


def _shuffled(problem: Problem, size: int, seed: int) -> tuple[float, float, float]:
    X, y, entry = problem.X, problem.y, SubselFew()
    predicted, used = np.zeros(len(y)), []
    for train, test in StratifiedKFold(10, shuffle=True, random_state=seed).split(X, y):
        model = _fitted(entry, problem, size, X[train], y[train])
        predicted[test] = np.where(confidences(model, X[test]) > 0, 1, -1)
        used.append(len(entry.features(model, problem)))
    return (
        float(np.mean(used)),
        100 * balanced_error(y, predicted),
        100 * class_wise_bar(y, predicted),
    )


def _fitted(entry: SubselFew, problem: Problem, size: int, X: Any, y: np.ndarray) -> Any:
    model = entry.procedure(problem)
    if problem.name == "madelon":
        model.set_params(pca__n_components=5).steps.insert(
            1, ("spanning", RankingSelector(spanning))
        )
    model.set_params(**dict.fromkeys(CUTS[problem.name], size))
    return with_seed(model, np.random.default_rng(0)).fit(X, y)


def spanning(X: Any, y: Any) -> np.ndarray:
    """Columns in the order in which pivoting takes them, the first highest."""
    order = qr((X - X.mean(axis=0)) / X.std(axis=0), mode="r", pivoting=True)[1]
    return -np.argsort(order).astype(float)


if __name__ == "__main__":
    main()
