"""What the first use of each evaluator costs on a machine that has compiled nothing. ``python -m benchmarks.first_use``.

Each row is two fresh processes: one with an empty folder for machine code, one that finds there what the first left.
Processor time, what Python, numpy and scikit-learn take to start aside.
"""

import os
import resource
import subprocess
import sys
from tempfile import TemporaryDirectory

from benchmarks.table import write

LIMIT, ALL = 5.0, 30.0  # seconds of processor time: one evaluator, and everything together

WORK = """
import sys
from time import process_time
import numpy as np
import sklearn.pipeline, sklearn.linear_model, sklearn.neighbors, sklearn.naive_bayes, sklearn.discriminant_analysis
import sklearn.kernel_ridge, sklearn.feature_selection
rng = np.random.default_rng(0)
X = rng.normal(size=(300, 30))
value = X[:, :4].sum(axis=1) + rng.normal(size=300)
two, three, small = (value > 0).astype(int), np.digitize(value, [-1, 1]), rng.integers(0, 4, (300, 30))
begin = process_time()
{code}
print(process_time() - begin)
"""
SEARCH = """
from subsel import SubsetSelector
from subsel.criteria import {name}
for search in ("sffs", "sbs", "rfs1"):
    SubsetSelector({name}({given}), search=search, n_features=(3, 8), budget=400, random_state=0).fit({X}, {y})
"""
SCORE = "from subsel.ranking import {name}\n{name}({X}, {y})"
WALK = """
from subsel import SubsetSelector
from subsel.search import RandomWalk
from subsel.criteria import LeastSquares
SubsetSelector(LeastSquares(), search=RandomWalk(walkers=1024), budget=8192, random_state=0).fit(X, value)
"""


def search(name, y, given="", X="X"):
    return SEARCH.format(name=name, given=given, X=X, y=y)


def score(name, y, X="X"):
    return SCORE.format(name=name, X=X, y=y)


JOBS = {
    "ridge, a quantity": search("LeastSquares", "value"),
    "ridge classifier": search("LeastSquares", "two"),
    "linear discriminant, three classes": search("Discriminant", "three"),
    "quadratic discriminant": search("Discriminant", "three", "'qda'"),
    "naive Bayes": search("Discriminant", "three", "'gaussian-nb'"),
    "5-nearest neighbours": search("NearestNeighbours", "three", "n_neighbors=5"),
    "5-nearest neighbours, a quantity": search("NearestNeighbours", "value", "n_neighbors=5"),
    "kernel ridge": search("KernelRidge", "value"),
    "margin": search("Margin", "two"),
    "inconsistency": search("Inconsistency", "two", X="small"),
    "1,024 walkers": WALK,
    "recursive elimination by ridge": (
        "from subsel import SubsetSelector\nfrom sklearn.linear_model import Ridge\n"
        "SubsetSelector(Ridge(), search='rfe', n_features=5).fit(X, value)"
    ),
    "F": score("f_score", "two"),
    "AUC": score("auc", "two"),
    "chi-square": score("chi_square", "two", "small"),
    "ReliefF": score("relieff", "two"),
    "SURF": score("surf", "two"),
    "mRMR": "from subsel import RankingSelector\nRankingSelector('mrmr', cut=10).fit(X, two)",
    "CMIM": "from subsel import RankingSelector\nRankingSelector('cmim', cut=10).fit(X, two)",
    "separability tree": score("separability_tree", "two"),
    "one-feature tree": score("one_feature_tree", "two"),
}


def seconds(code, folder):
    """Processor time of the work in a fresh process that keeps machine code in a folder."""
    settings = {**os.environ, "NUMBA_CACHE_DIR": folder, "OMP_NUM_THREADS": "1"}
    work = [sys.executable, "-c", WORK.format(code=code)]
    done = subprocess.run(work, env=settings, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def seconds_of_warm_up(folder):
    """Processor time of the command that compiles everything ahead, with all its processes, from start to end."""
    settings = {**os.environ, "NUMBA_CACHE_DIR": folder, "OMP_NUM_THREADS": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "subsel", "warm-up"]
    subprocess.run(command, env=settings, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def row(name, cold, warm, limit):
    """A line of the table."""
    held = "yes" if cold <= limit else "NO"
    return name, f"{cold:.1f} s", f"{warm:.2f} s", f"{limit:g} s", held


def main():
    rows = []
    for name, code in JOBS.items():
        with TemporaryDirectory() as folder:
            cold, warm = seconds(code, folder), seconds(code, folder)
        rows.append(row(name, cold, warm, LIMIT))
        print(*rows[-1], flush=True)
    with TemporaryDirectory() as folder:
        cold, warm = seconds_of_warm_up(folder), seconds_of_warm_up(folder)
        rows.append(row("`subsel warm-up`, all of its processes", cold, warm, ALL))
    write(
        "first_use",
        "The first use of each evaluator with nothing compiled yet, and the next process (processor time)",
        ("what", "first", "next", "at most", "holds"),
        rows,
    )


if __name__ == "__main__":
    main()
