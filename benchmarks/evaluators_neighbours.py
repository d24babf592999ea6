"""Nearest neighbours, nearest centroid and kernel ridge against scikit-learn.

``rows()`` yields one row per comparison: peer and ours in turn in one process, CPU time, the median of five (a peer
that takes more than five seconds runs once), and the answers asserted equal. Compiled loops are loaded before the
clock starts. ``python -m benchmarks.evaluators_neighbours`` prints them, and the cost of a move on MADELON.
"""

from collections.abc import Iterator
from functools import partial
from statistics import median

import numpy as np
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.kernel_ridge import KernelRidge as PeerRidge
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neighbors import NearestCentroid as PeerCentroid
from tests.real_tables import given_folder, needed_table
from threadpoolctl import threadpool_limits

from benchmarks.evaluators_linear import ROUNDS, Row, _compare, _problem, _Steps, _timed
from subsel.criteria.base import Evaluator
from subsel.criteria.kernels.kernel_ridge import KernelRidge
from subsel.criteria.neighbours.nearest_centroid import NearestCentroid
from subsel.criteria.neighbours.nearest_neighbours import NearestNeighbours
from subsel.data.task import Task
from subsel.engine import run
from subsel.search import find_search
from subsel.space.candidates import Candidates
from subsel.space.space import Space


def rows() -> Iterator[Row]:
    """Every comparison of these evaluators."""
    with threadpool_limits(1):
        _warm_up()
        yield from end_to_end()
        yield from forward_steps()
        yield from other_moves()
        yield from kernel_ridge()


def _warm_up() -> None:
    """Load or compile the loops."""
    import subsel._loops.neighbours.distances  # noqa: F401

    X, y = _problem(60, 40)
    task, space = Task.of(X, y), Space.of(40)
    evaluator = NearestNeighbours(1).bind(task)
    base = space.subset([0, 1, 2])
    for batch in (
        space.additions(space.empty()),
        space.additions(base),
        space.removals(base),
        space.swaps(base),
    ):
        evaluator.evaluate(batch)
    evaluator.evaluate(Candidates.of(space, [base]))


def end_to_end() -> Iterator[Row]:
    """Forward selection with the engine against SequentialFeatureSelector: the same features."""
    cancer, benign = load_breast_cancer(return_X_y=True)
    cancer = cancer + 1e-5 * np.random.default_rng(0).normal(size=cancer.shape)
    for X, y, k, name, least, aim in (
        (cancer, benign, 10, "breast cancer, k=10", 40, 150),
        (*_problem(2000, 100), 5, "2000x100, k=5", 15, 80),
    ):
        peer = partial(_peer_forward, X, y, k)
        yield from _compare(
            f"5-NN forward end to end, {name}", "SFS", peer, partial(_forward, X, y, k), least, aim
        )


def _peer_forward(X: np.ndarray, y: np.ndarray, k: int) -> np.ndarray:
    search = SequentialFeatureSelector(KNeighborsClassifier(5), n_features_to_select=k, cv=5)
    return np.flatnonzero(search.fit(X, y).get_support())


def _forward(X: np.ndarray, y: np.ndarray, k: int) -> np.ndarray:
    space = Space.of(X.shape[1], low=k, high=k)
    return np.asarray(
        run(find_search("sfs"), NearestNeighbours(5).bind(Task.of(X, y)), space, seed=0).chosen
    )


def forward_steps() -> Iterator[Row]:
    """One forward step, the move of the state included; peers on some of the candidates."""
    X, y = _problem(2000, 500)
    for name, criterion, model, least, aim in (
        ("1-NN", NearestNeighbours(1), KNeighborsClassifier(1), 60, 200),
        ("5-NN", NearestNeighbours(5), KNeighborsClassifier(5), None, None),
        ("nearest centroid", NearestCentroid(), PeerCentroid(), None, None),
    ):
        yield _Steps(criterion, X, y).against(
            f"{name} forward step, 2000x500, s=5 to 9", model, least, aim
        )


def other_moves() -> Iterator[Row]:
    """A backward step and swaps against a forward step of the same evaluator; at least a third of its speed.

    What a batch shares, such as distances over the base, weighs the more the fewer its candidates are: removals are also
    held against as many additions.
    """
    X, y = _problem(2000, 100)
    task, space = Task.of(X, y), Space.of(100)
    path = np.random.default_rng(1).permutation(100)
    for name, criterion in (
        ("1-NN", NearestNeighbours(1)),
        ("5-NN", NearestNeighbours(5)),
        ("centroid", NearestCentroid()),
    ):
        for size in (10, 50):
            base = space.subset(path[:size])
            additions, swaps = space.additions(base), space.swaps(base)
            some = additions.take(np.arange(size)), swaps.take(np.arange(2 * (100 - size)))
            batches = additions, space.removals(base), *some
            forward, backward, few, swap = _in_turn(
                criterion.bind(task), space, path[:size], batches
            )
            step = f"forward step of {100 - size}"
            whole = forward * (100 - size), backward * size
            yield Row(f"{name} backward step of {size}, 2000x100", step, *whole, 1 / 3, 1)
            yield Row(
                f"{name} removal, 2000x100, s={size}", "its addition", forward, backward, 1 / 3, 1
            )
            yield Row(
                f"{name} removal, 2000x100, s={size}",
                "one of as many additions",
                few,
                backward,
                1 / 3,
                1,
            )
            yield Row(f"{name} swap, 2000x100, s={size}", "its addition", forward, swap, 1 / 3, 1)


def _in_turn(
    evaluator: Evaluator, space: Space, base: np.ndarray, batches: tuple[Candidates, ...]
) -> list[float]:
    """Seconds per candidate of each batch, each time from a state one column away."""
    near = space.additions(space.subset(base[:-1])).take(np.arange(1))
    seconds: list[list[float]] = [[] for _ in batches]
    for _ in range(ROUNDS):
        for times, batch in zip(seconds, batches):
            evaluator.evaluate(near)
            times.append(_timed(partial(evaluator.evaluate, batch))[0] / len(batch))
    return [median(times) for times in seconds]


def kernel_ridge() -> Iterator[Row]:
    """One subset of 5 columns, 500 rows: leave-one-out, 10 and 5 folds."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 20))
    y = X[:, 0] + np.sin(X[:, 1]) + 0.1 * rng.normal(size=500)
    task, space = Task.of(X, y, "regression"), Space.of(20)
    subset = Candidates.of(space, [space.subset([0, 1, 2, 3, 4])])
    scoring = "neg_mean_squared_error"
    for cv, name, least, aim in (
        (LeaveOneOut(), "leave-one-out", 500, 1000),
        (10, "10-fold", 6, 15),
        (5, "5-fold", 3, 8),
    ):
        evaluator = KernelRidge(1.0, "rbf", cv=cv, scoring=scoring).bind(task)
        seconds, peers = [], []
        for number in range(ROUNDS):
            ours, quality = _timed(partial(evaluator.evaluate, subset))
            seconds.append(ours)
            if number == 0 or peers[0] < 5:
                model = PeerRidge(alpha=1.0, kernel="rbf")
                peer, scores = _timed(
                    partial(cross_val_score, model, X[:, :5], y, cv=cv, scoring=scoring)
                )
                peers.append(peer)
                assert_allclose(quality, scores.mean(), rtol=1e-9)
        yield Row(
            f"kernel ridge (rbf) {name}, n=500",
            "refits",
            median(peers),
            median(seconds),
            least,
            aim,
        )


def madelon() -> Iterator[str]:
    """Microseconds per addition, removal and single request on MADELON's training rows at several sizes."""
    with np.load(needed_table("madelon.npz", given_folder())) as data:
        train = data["split"] == data["split_names"].tolist().index("train")
        task = Task.of(data["X"][train].astype(float), data["y"][train])
    space, path = Space.of(500), np.random.default_rng(0).permutation(500)
    for k in (1, 5):
        for size in (1, 5, 10, 20):
            evaluator, base = NearestNeighbours(k).bind(task), space.subset(path[:size])
            singles = [Candidates.of(space, [space.flip(base, int(u))]) for u in path[100:104]]
            evaluator.evaluate(space.additions(space.subset(path[: size - 1])).take(np.arange(1)))
            cells = [_timed(partial(evaluator.evaluate, space.additions(base)))[0] / (500 - size)]
            if size > 1:
                evaluator.evaluate(space.removals(base).take(np.arange(1)))
                cells.append(_timed(partial(evaluator.evaluate, space.removals(base)))[0] / size)
                cells.append(
                    sum(_timed(partial(evaluator.evaluate, s))[0] for s in singles) / len(singles)
                )
            yield f"MADELON {k}-NN s={size}: addition, removal, single " + ", ".join(
                f"{1e6 * c:.0f} us" for c in cells
            )


if __name__ == "__main__":
    for row in rows():
        print(row, f"{row.ratio:.3g}", flush=True)
    for line in madelon():
        print(line, flush=True)
