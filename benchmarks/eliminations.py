"""Eliminations side by side with plain loops, same answers: ``python -m benchmarks.eliminations``."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from time import process_time

import numpy as np
from sklearn.feature_selection import RFE
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from tests.real_tables import given_folder, table_if_here
from threadpoolctl import threadpool_limits

from benchmarks.table import Row, write
from subsel import SubsetSelector
from subsel.search import RecursiveElimination

REPEATS = 5  # of runs of seconds
OFTEN = 8  # times as many of those of milliseconds


class Noting(RecursiveElimination):
    """Keeps the subsets it passes through; run once more for that, the clock off."""

    def steps(self, space, rng, horizon=None):
        self.__dict__["subsets"] = []
        steps, answer = super().steps(space, rng, horizon), None
        while True:
            try:
                question = steps.send(answer)
            except StopIteration as stop:
                return stop.value
            self.subsets.append((space, getattr(question, "subset", question)))
            answer = yield question


def ours(model, X, y, drop, search=RecursiveElimination):
    """One run down to one column, whose quality is taken by two folds."""
    SubsetSelector(model, search(drop), n_features=1, cv=2, alternatives=False).fit(X, y)


def passed_by_ours(model, X, y, drop):
    """The columns of each subset on the way."""
    noting = Noting(drop)
    ours(model, X, y, drop, lambda _: noting)
    return [space.columns(subset) for space, subset in noting.subsets]


def in_turns(first, second, repeats=REPEATS, often=1):
    """The least CPU time of some runs of each of two, in turns, and their answers; the first may run more often."""
    seconds, answers = ([], []), [None, None]
    for _ in range(repeats):
        for number, runs in [(0, first)] * often + [(1, second)]:
            begin = process_time()
            answers[number] = runs()
            seconds[number].append(process_time() - begin)
    return *map(min, seconds), *answers


def ridge():
    """RFE(Ridge, step=1) of scikit-learn, 2,000 x 500, and ours."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 500))
    y = X @ rng.standard_normal(500) + rng.standard_normal(2000)

    def peer():
        return RFE(Ridge(), n_features_to_select=1, step=1).fit(X, y).ranking_

    ours(Ridge(), X, y, 1)
    quick, slow, _, ranking = in_turns(lambda: ours(Ridge(), X, y, 1), peer, often=OFTEN)
    subsets = passed_by_ours(Ridge(), X, y, 1)
    same = all(
        set(columns) == set(np.flatnonzero(ranking <= len(subsets) - i))
        for i, columns in enumerate(subsets)
    )
    name = "ridge, 2,000 x 500, one at a time"
    return Row(name, f"{1e3 * quick:.1f}", f"{1e3 * slow:.0f}", _ratio(slow, quick, same))


def plain_loop(X, y, share):
    """A linear SVC refitted on what is left, a share of which goes; the quality of the last by two folds, as ours."""
    columns, passed = np.arange(X.shape[1]), []
    while True:
        passed.append(columns)
        if len(columns) == 1:
            cross_val_score(SVC(kernel="linear"), X[:, columns], y, cv=2)
            return passed
        weights = np.abs(SVC(kernel="linear").fit(X[:, columns], y).coef_[0])
        columns = np.sort(
            columns[np.argsort(weights, kind="stable")[max(1, int(share * len(columns))) :]]
        )


def machine(share, path):
    """A loop over SVC, Golub's leukaemia, a share of the columns dropped at a time."""
    held = np.load(path)
    X, y = StandardScaler().fit_transform(held["X"].astype(float)), held["y"]
    ours(SVC(kernel="linear"), X[:, :200], y, share)
    quick, slow, _, passed = in_turns(
        lambda: ours(SVC(kernel="linear"), X, y, share),
        lambda: plain_loop(X, y, share),
        3 * REPEATS,
    )
    subsets = passed_by_ours(SVC(kernel="linear"), X, y, share)
    same = len(passed) == len(subsets) and all(map(np.array_equal, passed, subsets))
    name = f"linear SVC, {X.shape[0]} x {X.shape[1]:,}, {share:.0%} at a time"
    return Row(name, f"{1e3 * quick:.0f}", f"{1e3 * slow:.0f}", _ratio(slow, quick, same))


def _ratio(slow, quick, same):
    return f"{slow / quick:.1f}x, {'same subsets' if same else 'other subsets'}"


def main():
    path = table_if_here("leukemia_golub.npz", given_folder())
    rows = [ridge()] + ([machine(share, path) for share in (0.5, 0.02)] if path else [])
    title = (
        "Recursive elimination down to one column, one core, least CPU time of 40 runs, 5 of those of seconds, 15 of the machines "
        "(wanted: 100x for ridge, 3x for the machine)"
    )
    write("eliminations", title, ("model", "subsel, ms", "loop of refits, ms", "gain"), rows)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
