"""Ridge, discriminants, naive Bayes (and moves of kernel ridge) against scikit-learn and a lean numpy loop.

``rows()`` yields one row per comparison: peer and ours in turn in one process, CPU time, the median of five (a peer
that takes more than five seconds runs once), and the answers asserted equal. Compiled loops are loaded before the
clock starts. Whole runs of ours, which take milliseconds, are repeated for a tenth of a second a round, as ``timeit`` does;
what the first of them takes, right after seconds of scikit-learn that leave the caches cold, is a row of its own. ``python -m benchmarks.evaluators_linear`` prints them.
"""

from collections.abc import Callable, Iterator
from statistics import median
from time import process_time
from typing import NamedTuple

import numpy as np
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_limits

from subsel.criteria.kernels.kernel_ridge import KernelRidge
from subsel.criteria.linear.discriminant import Discriminant
from subsel.criteria.linear.least_squares import LeastSquares
from subsel.data.folds import make_folds
from subsel.data.task import Task
from subsel.engine import run
from subsel.search import find_search
from subsel.space.candidates import Candidates
from subsel.space.space import Space

ROUNDS = 5
LONG = 5.0
REPEATED = 0.1  # seconds for which short runs are repeated


class Row(NamedTuple):
    """One comparison; ``peer`` and ``ours`` are CPU seconds for the same work."""

    job: str
    against: str
    peer: float
    ours: float
    at_least: float | None
    aim: float | None

    @property
    def ratio(self) -> float:
        """How many times ours goes into the peer's time."""
        return self.peer / self.ours


def rows() -> Iterator[Row]:
    """Every comparison of these evaluators."""
    with threadpool_limits(1):
        _warm_up()
        yield from end_to_end()
        yield from forward_steps()
        yield from random_subsets()
        yield from other_moves()


def end_to_end() -> Iterator[Row]:
    """Forward selection with the engine against SequentialFeatureSelector: the same features."""

    def noisy(X):
        return X + 1e-5 * np.random.default_rng(0).normal(size=X.shape)

    X, y = load_breast_cancer(return_X_y=True)
    cancer = noisy(X), y, 10, "breast cancer, k=10"
    for X, y, k, name in (cancer, (*_problem(2000, 100), 5, "2000x100, k=5")):

        def peer(X=X, y=y, k=k):
            forward = SequentialFeatureSelector(RidgeClassifier(), n_features_to_select=k, cv=5)
            return np.flatnonzero(forward.fit(X, y).get_support())

        yield from _compare(
            f"ridge forward end to end, {name}",
            "SFS",
            peer,
            lambda X=X, y=y, k=k: _forward(X, y, k),
            800,
            2000,
        )


def _forward(X: np.ndarray, y: np.ndarray, k: int) -> np.ndarray:
    space = Space.of(X.shape[1], low=k, high=k)
    result = run(find_search("sfs"), LeastSquares().bind(Task.of(X, y)), space, seed=0)
    return np.asarray(result.chosen)


def forward_steps() -> Iterator[Row]:
    """One forward step, the move of the state included; peers on some of the candidates."""
    X, y = _problem(2000, 500)
    pairs = [
        ("ridge", LeastSquares(), RidgeClassifier(), 1000, None),
        ("LDA", Discriminant("lda"), LinearDiscriminantAnalysis(), 1500, 4000),
        ("QDA", Discriminant("qda"), QuadraticDiscriminantAnalysis(), 800, 2500),
        ("Gaussian naive Bayes", Discriminant("gaussian-nb"), GaussianNB(), 5000, 20000),
    ]
    for name, criterion, model, least, aim in pairs:
        step = _Steps(criterion, X, y)
        yield step.against(f"{name} forward step, 2000x500, s=5 to 9", model, least, aim)
        if name == "ridge":
            yield step.against_lean("s=11 to 15", 50, 150)
            _hold_gram(step.evaluator, step.space)
            yield step.against_lean("s=16 to 20, Gram held by both", None, None)


class _Steps:
    """Forward steps of one evaluator along a random path."""

    def __init__(self, criterion: object, X: np.ndarray, y: np.ndarray) -> None:
        self.X, self.y, self.task, self.space = X, y, Task.of(X, y), Space.of(X.shape[1])
        self.evaluator = criterion.bind(self.task)  # type: ignore[attr-defined]
        self.path = np.random.default_rng(1).permutation(X.shape[1])
        self.size = 4
        self.step()

    @property
    def batch(self) -> Candidates:
        """All additions to the base where the path stands."""
        return self.space.additions(self.space.subset(self.path[: self.size]))

    def step(self) -> np.ndarray:
        """One column further along the path, then all additions."""
        self.size += 1
        return self.evaluator.evaluate(self.batch)

    def against(
        self, job: str, model: object, least: float | None, aim: float | None, n_peers: int = 4
    ) -> Row:
        peers, ours = [], []
        for _ in range(ROUNDS):
            seconds, qualities = _timed(self.step)
            batch = self.batch
            ours.append(seconds / len(batch))
            chosen = np.random.default_rng(self.size).choice(len(batch), n_peers, replace=False)

            def score(i, batch=batch):
                columns = self.X[:, self.space.columns(batch[i])]
                return cross_val_score(model, columns, self.y, cv=5).mean()

            seconds, expected = _timed(
                lambda chosen=chosen, score=score: [score(i) for i in chosen]
            )
            peers.append(seconds / n_peers)
            assert_allclose(qualities[chosen], expected, rtol=1e-10)
        return Row(job, "cross_val_score", median(peers), median(ours), least, aim)

    def against_lean(self, what: str, least: float | None, aim: float | None) -> Row:
        """A lean numpy loop, one small solve per fold; its Gram matrices are computed before the clock starts."""
        lean, peers, ours = Lean(self.task), [], []
        for _ in range(ROUNDS):
            seconds, qualities = _timed(self.step)
            batch = self.batch
            ours.append(seconds / len(batch))
            columns = [self.space.columns(batch[i]) for i in range(50)]
            seconds, expected = _timed(lambda columns=columns: [lean.quality(c) for c in columns])
            peers.append(seconds / 50)
            assert_allclose(qualities[:50], expected, rtol=1e-10)
        return Row(
            f"ridge forward step, 2000x500, {what}",
            "lean numpy",
            median(peers),
            median(ours),
            least,
            aim,
        )


class Lean:
    """What a competent numpy user writes: one Gram matrix per fold, np.linalg.solve per subset."""

    def __init__(self, task: Task) -> None:
        folds, X, y = make_folds(5, task), task.matrix, np.where(task.codes == 1, 1.0, -1.0)
        self.parts = []
        for train, test in zip(folds.train, folds.test):
            mean, centre = X[train].mean(axis=0), y[train].mean()
            centred = X[train] - mean
            held = np.asfortranarray(X[test] - mean)
            self.parts.append(
                (centred.T @ centred, centred.T @ (y[train] - centre), held, centre, y[test] > 0)
            )

    def quality(self, columns: np.ndarray) -> float:
        """The mean accuracy over the folds."""
        scores = []
        for gram, side, held, centre, truth in self.parts:
            block = gram[columns[:, None], columns]
            block.flat[:: len(columns) + 1] += 1.0
            output = held[:, columns] @ np.linalg.solve(block, side[columns]) + centre
            scores.append(np.mean((output > 0) == truth))
        return float(np.mean(scores))


def random_subsets() -> Iterator[Row]:
    """Populations of random subsets, against scikit-learn and the lean loop."""
    X, y = _problem(2000, 500)
    task, space, rng = Task.of(X, y), Space.of(500), np.random.default_rng(0)
    evaluator, lean = LeastSquares().bind(task), Lean(task)
    _hold_gram(evaluator, space)
    for s, least, aim in ((5, 1000, 2500), (20, 300, 1000), (50, 120, 400), (100, 50, 200)):
        peers, leans, ours = [], [], []
        for _ in range(ROUNDS):
            batch = Candidates.of(space, [space.sample(rng, s) for _ in range(60)])
            columns = batch.columns()[:4]
            seconds, qualities = _timed(lambda batch=batch: evaluator.evaluate(batch))
            ours.append(seconds / len(batch))
            seconds, expected = _timed(
                lambda columns=columns: [
                    cross_val_score(RidgeClassifier(), X[:, c], y, cv=5).mean() for c in columns
                ]
            )
            peers.append(seconds / 4)
            seconds, same = _timed(lambda columns=columns: [lean.quality(c) for c in columns])
            leans.append(seconds / 4)
            assert_allclose(qualities[:4], expected, rtol=1e-10)
            assert_allclose(qualities[:4], same, rtol=1e-10)
        job = f"ridge random subset, 2000x500, s={s}"
        yield Row(job, "cross_val_score", median(peers), median(ours), least, aim)
        yield Row(job, "lean numpy", median(leans), median(ours), None, None)


def other_moves() -> Iterator[Row]:
    """A removal and a swap beside an addition, per candidate; the bound is 1/3."""
    X, y = make_classification(2000, 100, n_informative=5, n_redundant=0, random_state=0)
    criteria = {"ridge": LeastSquares(), "LDA": Discriminant("lda"), "QDA": Discriminant("qda")}
    criteria["Gaussian naive Bayes"] = Discriminant("gaussian-nb")
    for name, criterion in criteria.items():
        yield from _moves(
            f"{name} {{}}, 2000x100, s=50", criterion.bind(Task.of(X, y)), Space.of(100), 50
        )
    task = Task.of(X[:500, :12], X[:500, 20], "regression")
    yield from _moves(
        "kernel ridge (rbf) {}, 500x12, s=6", KernelRidge(kernel="rbf").bind(task), Space.of(12), 6
    )


def _moves(job: str, evaluator: object, space: Space, s: int) -> Iterator[Row]:
    """Moves from one of two bases of s columns, after the same from the other."""
    bases = [space.subset([*range(s - 1), j]) for j in (s + 2, s + 3)]
    per: dict[str, list[float]] = {"additions": [], "removals": [], "swaps": []}
    for turn in range(2 * ROUNDS):
        for moves, seconds in per.items():
            batch = getattr(space, moves)(bases[(turn + len(seconds)) % 2])
            evaluator.evaluate(getattr(space, moves)(bases[(turn + len(seconds) + 1) % 2]))  # type: ignore[attr-defined]
            seconds.append(_timed(lambda batch=batch: evaluator.evaluate(batch))[0] / len(batch))  # type: ignore[attr-defined]
    forward = median(per["additions"])
    for moves in ("removals", "swaps"):
        yield Row(job.format(moves), "its additions", forward, median(per[moves]), 1 / 3, 1.0)


def _hold_gram(evaluator: object, space: Space) -> None:
    """Ask for so many random subsets that the evaluator computes the Gram matrices of all columns."""
    rng = np.random.default_rng(0)
    evaluator.evaluate(Candidates.of(space, [space.sample(rng, 60) for _ in range(80)]))  # type: ignore[attr-defined]


def _problem(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(n, p, n_informative=5, n_redundant=15, flip_y=0.1, random_state=0)


def _timed(work: Callable) -> tuple[float, object]:
    begin = process_time()
    answer = work()
    return process_time() - begin, answer


def _compare(
    job: str, against: str, peer: Callable, ours: Callable, least: float, aim: float
) -> Iterator[Row]:
    ours()
    peers, once, mine = [], [], []
    for _ in range(ROUNDS):
        if not peers or peers[0] < LONG:
            seconds, expected = _timed(peer)
            peers.append(seconds)
        seconds, answer = _timed(ours)
        once.append(seconds)
        n = int(REPEATED / seconds)
        mine.append(_timed(lambda n=n: [ours() for _ in range(n)])[0] / n if n else seconds)
        np.testing.assert_array_equal(np.sort(answer), expected)
    yield Row(job, against, median(peers), median(mine), least, aim)
    yield Row(f"{job}, once", against, median(peers), median(once), None, None)


def _warm_up() -> None:
    """Load the compiled loops."""
    import numba  # noqa: F401  (once it is there all but the smallest problems use it)

    X, y = _problem(400, 120)
    space = Space.of(120)
    for criterion in (
        LeastSquares(),
        Discriminant("lda"),
        Discriminant("qda"),
        Discriminant("gaussian-nb"),
    ):
        evaluator = criterion.bind(Task.of(X, y))
        for base in ([0, 1], [0, 2], [0, 2, 3]):
            for moves in (space.additions, space.removals, space.swaps):
                evaluator.evaluate(moves(space.subset(base)))
    evaluator = LeastSquares().bind(Task.of(X, y))
    evaluator.blocks.asked = np.inf
    evaluator.evaluate(Candidates.of(space, [space.subset([0, 1]), space.subset(range(60))]))


if __name__ == "__main__":
    for row in rows():
        bound = "" if row.at_least is None else f"at least {row.at_least:g}"
        print(
            f"{row.job:48s} {row.against:16s} {1e6 * row.peer:12.1f} us {1e6 * row.ours:10.2f} us {row.ratio:9.1f}x {bound}",
            flush=True,
        )
