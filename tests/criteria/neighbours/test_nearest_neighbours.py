"""The nearest-neighbour evaluator against scikit-learn's refits, and against exact
arithmetic where rows tie.
"""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import (
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from subsel.criteria.neighbours import distances
from subsel.criteria.neighbours.nearest_neighbours import NearestNeighbours
from subsel.criteria.scoring.scoring import NotExact
from subsel.data.task import Task
from subsel.space.candidates import Candidates
from subsel.space.space import Space
from tests.criteria.neighbours.neighbour_battery import (
    CLASSES,
    QUANTITIES,
    check_judge,
    check_walk,
    make_task,
    moves,
)
from tests.criteria.neighbours.neighbour_problems import plain_qualities
from tests.oracles.neighbours import PlainNeighbours


def model_of(task, k, weights="uniform", metric="euclidean"):
    kind = KNeighborsClassifier if task.kind == "classification" else KNeighborsRegressor
    return kind(k, weights=weights, metric="manhattan" if metric == "l1" else metric)


MODELS = [
    (1, "uniform", "euclidean"),
    (5, "distance", "l1"),
    (4, "uniform", "euclidean"),
    (3, "distance", "euclidean"),
]


@pytest.mark.parametrize(("number", "case"), list(enumerate([*CLASSES, *QUANTITIES])))
def test_every_move_equals_refitting(number, case):
    """Additions, removals, swaps and random subsets have the quality and the predictions of
    scikit-learn's refits.
    """
    task, cv = make_task(case)
    for k, weights, metric in (MODELS[number % 4], MODELS[(number + 1) % 4]):
        criterion = NearestNeighbours(k, weights, metric=metric, cv=cv)
        check_judge(
            criterion, model_of(task, k, weights, metric), task, cv, np.random.default_rng(k)
        )


@pytest.mark.parametrize(
    "cv",
    [
        LeaveOneOut(),
        RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0),
        ShuffleSplit(2, train_size=0.5, test_size=0.3, random_state=0),
        ShuffleSplit(1, random_state=0),
    ],
)
@pytest.mark.parametrize("scaling", [None, "standard", "minmax"])
def test_every_splitter_and_scaling(cv, scaling):
    """Leave-one-out, repeated and partial folds, also scaled within each training part,
    equal the pipeline's refits.
    """
    task, _ = make_task("multi-class")
    task = task.rows(np.arange(24))
    model = KNeighborsClassifier(3)
    if scaling is not None:
        model = make_pipeline(StandardScaler() if scaling == "standard" else MinMaxScaler(), model)
    evaluator = NearestNeighbours(3, cv=cv, scaling=scaling).bind(task)
    for kind, candidates in moves(Space.of(9), np.random.default_rng(1), n=1).items():
        wanted = [
            cross_val_score(model, task.matrix[:, c], task.y, cv=cv).mean()
            for c in candidates.columns()
        ]
        np.testing.assert_allclose(evaluator.evaluate(candidates), wanted, atol=1e-12, err_msg=kind)


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "roc_auc", "neg_log_loss", "f1"])
def test_scores_of_votes_follow_scikit_learn(scoring):
    """Scores of labels, of shares of votes and of their order are the means over folds that
    scikit-learn gives.
    """
    task, cv = make_task("balanced")
    for weights in ("uniform", "distance"):
        evaluator = NearestNeighbours(5, weights, cv=cv, scoring=scoring).bind(task)
        candidates = moves(Space.of(9), np.random.default_rng(2), n=3)["addition"]
        model = KNeighborsClassifier(5, weights=weights)
        wanted = [
            cross_val_score(model, task.matrix[:, c], task.y, cv=cv, scoring=scoring).mean()
            for c in candidates.columns()
        ]
        np.testing.assert_allclose(evaluator.evaluate(candidates), wanted, atol=1e-10)


@pytest.mark.parametrize("case", ["balanced", "duplicated", "regression"])
def test_a_walk_does_not_drift(case, monkeypatch):
    """After 200 single moves qualities and predictions are still those of refitting, where
    distances are held.
    """
    monkeypatch.setattr(distances, "FEW_COLUMNS", 0)
    task, cv = make_task(case)
    check_walk(NearestNeighbours(3, cv=cv), model_of(task, 3), task, cv, 200, 20)


@pytest.mark.slow
@pytest.mark.parametrize("case", [*CLASSES, *QUANTITIES])
def test_a_long_walk_does_not_drift(case, monkeypatch):
    """After 2,000 single moves qualities and predictions are still those of refitting,
    where distances are held.
    """
    monkeypatch.setattr(distances, "FEW_COLUMNS", 0)
    task, cv = make_task(case)
    check_walk(NearestNeighbours(3, cv=cv), model_of(task, 3), task, cv, 2000, 20)


def brute_labels(X, y, k, columns):
    """Leave-one-out votes in whole numbers, ties at the k-th place to the lowest rows, ties
    of votes to class 0.
    """
    labels = []
    for i in range(len(X)):
        keys = sorted(
            (sum((int(X[i, c]) - int(X[r, c])) ** 2 for c in columns), r)
            for r in range(len(X))
            if r != i
        )
        votes = [y[r] for _, r in keys[:k]]
        labels.append(max((0, 1), key=lambda c: (votes.count(c), -c)))
    return np.array(labels)


@pytest.mark.parametrize("k", [1, 4])
def test_ties_go_to_the_lowest_rows(k):
    """On whole numbers, where most rows tie, every kind of move takes the lowest row
    numbers, and counts the rows.
    """
    rng = np.random.default_rng(k)
    X, y = rng.integers(0, 3, size=(40, 7)).astype(float), rng.integers(0, 2, size=40)
    X[20:30] = X[:10]  # rows that coincide in every column
    evaluator, space = NearestNeighbours(k, cv=LeaveOneOut()).bind(Task.of(X, y)), Space.of(7)
    for kind, candidates in moves(space, rng, n=7).items():
        wanted = [(brute_labels(X, y, k, c) == y).mean() for c in candidates.columns()]
        np.testing.assert_allclose(evaluator.evaluate(candidates), wanted, atol=1e-12, err_msg=kind)
    assert evaluator.n_ties > 100


def test_ties_are_counted():
    """The number of rows that had to choose among tied neighbours is that of plain sums,
    for every kind of move.
    """
    rng = np.random.default_rng(0)
    task = Task.of(rng.integers(0, 3, size=(50, 8)).astype(float), rng.integers(0, 2, size=50))
    for kind, candidates in moves(Space.of(8), rng).items():
        evaluator = NearestNeighbours(3).bind(task)
        plain = PlainNeighbours(evaluator.nearest)
        evaluator.evaluate(candidates)
        plain_qualities(evaluator, plain, candidates)
        assert evaluator.n_ties == plain.n_ties > 0, kind


@pytest.mark.parametrize("few", [0, distances.FEW_COLUMNS])
def test_what_is_left_of_a_large_term_is_exact(few, monkeypatch):
    """Taking out a column a million times wider leaves rows that coincide at distance zero,
    tied as from scratch.
    """
    monkeypatch.setattr(distances, "FEW_COLUMNS", few)
    rng = np.random.default_rng(3)
    X = np.column_stack(
        [
            1e6 * rng.normal(size=30),
            rng.integers(0, 2, size=(30, 3)) / 10,
            1e-3 * rng.normal(size=30),
        ]
    )
    y = rng.integers(0, 2, size=30)
    space, criterion = Space.of(5), NearestNeighbours(3, cv=LeaveOneOut())
    moved, task = criterion.bind(Task.of(X, y)), Task.of(X, y)
    for columns in (
        [0, 1, 2],
        [1, 2],
        [0, 1, 2],
        [0, 2],
        [0, 2, 4],
        [2, 4],
        [0, 1, 2, 3],
        [1, 2, 3],
        [1, 3],
        [3],
    ):
        subset = Candidates.of(space, [space.subset(columns)])
        assert moved.evaluate(subset)[0] == criterion.bind(task).evaluate(subset)[0]
    removals = space.removals(space.subset([0, 1, 2]))
    afresh = [criterion.bind(task).evaluate(Candidates.of(space, [s]))[0] for s in removals]
    np.testing.assert_array_equal(moved.evaluate(removals), afresh)


def test_rounding_does_not_choose_the_neighbours():
    """Without a column a million times wider, rows tied over the others are still chosen by
    their numbers.
    """
    rng = np.random.default_rng(0)
    whole, y = rng.integers(0, 4, size=(60, 3)), rng.integers(0, 2, size=60)
    X = np.column_stack([1e6 * rng.normal(size=60), whole / 10])
    evaluator, space = NearestNeighbours(3, cv=LeaveOneOut()).bind(Task.of(X, y)), Space.of(4)
    wanted = (brute_labels(whole, y, 3, range(3)) == y).mean()
    removals = space.removals(space.subset(range(4)))
    assert removals.columns()[0].tolist() == [1, 2, 3]
    assert evaluator.evaluate(removals)[0] == pytest.approx(wanted)
    assert evaluator.n_ties > 30


def test_little_memory_changes_no_answer():
    """Distances summed block by block give the qualities of distances that are held."""
    task, cv = make_task("multi-class")
    held, blocked = (NearestNeighbours(3, cv=cv, memory=m).bind(task) for m in (1e9, 20 * 60 * 7))
    for kind, candidates in moves(Space.of(9), np.random.default_rng(0)).items():
        np.testing.assert_array_equal(
            held.evaluate(candidates), blocked.evaluate(candidates), err_msg=kind
        )


def test_rows_looked_at_first_change_no_answer(monkeypatch):
    """However few or many rows are looked at first, the qualities stay the same."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 40)), rng.integers(0, 2, size=300)
    space, task = Space.of(40), Task.of(X, y)
    additions, qualities = space.additions(space.subset([0, 1])), []
    for rank in (5, 30, 200):
        evaluator = NearestNeighbours().bind(task)
        monkeypatch.setattr(evaluator.nearest, "_rank", lambda s, rank=rank: rank)
        qualities.append(evaluator.evaluate(additions))
    np.testing.assert_array_equal(qualities[0], qualities[1])
    np.testing.assert_array_equal(qualities[0], qualities[2])


def scanned(kind, rng):
    """A table of 44 columns, some of them wide; whole numbers if rows are to tie."""
    n, p = 130, 44
    X = rng.integers(0, 3, size=(n, p)).astype(float) if kind == "ties" else rng.normal(size=(n, p))
    X[:, ::9] *= 6
    X[100:110] = X[:10]
    y = X[:, 0] + X[:, 1] - X[:, 9] + rng.normal(size=n)
    return (
        Task.of(X, y, "regression")
        if kind == "regression"
        else Task.of(X, np.digitize(y, [-2.0, 1.0]))
    )


@pytest.mark.parametrize(("kind", "k", "weights", "metric", "scaling"), [
    ("classes", 5, "uniform", "euclidean", None),
    ("classes", 1, "uniform", "l1", "standard"),
    ("classes", 40, "uniform", "euclidean", None),
    ("classes", 3, "distance", "euclidean", "minmax"),
    ("regression", 4, "distance", "l1", None),
    ("regression", 5, "uniform", "euclidean", None),
    ("ties", 1, "uniform", "l1", None),
    ("ties", 6, "uniform", "euclidean", None),
    ("ties", 6, "distance", "euclidean", None),
])  # fmt: skip
def test_every_scan_equals_plain_sums(kind, k, weights, metric, scaling):
    """Distances that are summed and those that are kept give the qualities and the ties of
    plain sums.
    """
    rng = np.random.default_rng(k)
    task, space = scanned(kind, rng), Space.of(44)
    evaluator = NearestNeighbours(k, weights, metric=metric, cv=3, scaling=scaling).bind(task)
    plain, kept = PlainNeighbours(evaluator.nearest), []
    order = rng.permutation(44)
    for size in (3, 30, 37):
        base = space.subset(order[:size])
        near = space.subset(order[1 : size + 1])
        for batch in (
            space.additions(base),
            space.removals(near),  # one column less and one more than before
            space.removals(base),
            space.removals(near).take(np.arange(2)),  # too few to share a pass
            space.swaps(base).take(np.arange(0, 2 * (44 - size), 2)),
        ):
            np.testing.assert_allclose(
                evaluator.evaluate(batch),
                plain_qualities(evaluator, plain, batch),
                rtol=1e-9,
                atol=1e-9,
            )
            assert evaluator.n_ties == plain.n_ties
        kept.append(len(evaluator.nearest.state.distances) > 0)
    assert kept == [False, True, True]


ROUGH = {
    "normal": lambda X: X,
    "far out": lambda X: X**9,  # beyond what single precision tells apart
    "one far out": lambda X: np.where(np.arange(len(X))[:, None] == 7, 1e7, X),
    "offset": lambda X: X + 1e7,
    "uneven": lambda X: X * np.logspace(-9, 9, X.shape[1]),
    "integers": lambda X: np.round(2 * X),
    "twins": lambda X: np.vstack([X[: len(X) // 2], X[: len(X) // 2] * (1 + 1e-9)]),
    "constants": lambda X: np.where(np.arange(X.shape[1]) % 3, X, 4.0),
    "huge": lambda X: 1e120 * X,
    "tiny": lambda X: 1e-120 * X,
}


@pytest.mark.parametrize("metric", ["euclidean", "l1"])
@pytest.mark.parametrize("k", [1, 5, 33])
@pytest.mark.parametrize("name", ROUGH)
def test_rough_distances_never_decide(name, k, metric):
    """Whatever the numbers are like, rows found through single precision are those of plain
    sums.
    """
    rng = np.random.default_rng(k)
    X = ROUGH[name](rng.normal(size=(90, 24)))
    task, space = Task.of(X, rng.integers(0, 3, size=90)), Space.of(24)
    evaluator = NearestNeighbours(k, metric=metric, cv=3).bind(task)
    plain = PlainNeighbours(evaluator.nearest)
    order = rng.permutation(24)
    for size in (2, 20):
        base = space.subset(order[:size])
        others = [space.subset(rng.permutation(24)[:size]) for _ in range(4)]
        for batch in (
            Candidates.of(space, others),
            space.additions(base),
            space.removals(base),
            space.swaps(base).take(np.arange(6)),
        ):
            wanted = plain_qualities(evaluator, plain, batch)
            np.testing.assert_allclose(evaluator.evaluate(batch), wanted, rtol=1e-14)
            assert evaluator.n_ties == plain.n_ties


def test_a_backward_walk_stays_exact():
    """Removals accepted one after another leave the qualities of plain sums, also where a
    wide column has gone.
    """
    rng = np.random.default_rng(0)
    X, space = rng.normal(size=(80, 20)), Space.of(20)
    X[:, 3] *= 1e7
    X[:, 7] *= 1e-4
    evaluator = NearestNeighbours(3).bind(Task.of(X, X[:, 7] > 0))
    plain = PlainNeighbours(evaluator.nearest)
    current = space.subset(range(20))
    for unit in [0, 3, *range(8, 18)]:
        for batch in (space.removals(current), space.additions(space.flip(current, unit))):
            wanted = plain_qualities(evaluator, plain, batch)
            np.testing.assert_allclose(evaluator.evaluate(batch), wanted)
        current = space.flip(current, unit)


def test_forward_selection_chooses_what_scikit_learn_chooses():
    """The same columns as SequentialFeatureSelector, first maximum in column order."""
    X, y = load_wine(return_X_y=True)
    X = X / X.std(axis=0) + 1e-5 * np.random.default_rng(0).normal(size=X.shape)
    peer = SequentialFeatureSelector(KNeighborsClassifier(5), n_features_to_select=3, cv=3).fit(
        X, y
    )
    evaluator, space = NearestNeighbours(5, cv=3).bind(Task.of(X, y)), Space.of(13)
    current = space.empty()
    for _ in range(3):
        candidates = space.additions(current)
        current = candidates[int(np.round(evaluator.evaluate(candidates), 10).argmax())]
    np.testing.assert_array_equal(space.columns(current), np.flatnonzero(peer.get_support()))


def test_a_fork_answers_alike_and_keeps_its_own_place():
    """Two searches in turn do not disturb each other."""
    task, cv = make_task("balanced")
    one, space = NearestNeighbours(3, cv=cv).bind(task), Space.of(9)
    two = one.fork()
    first, second = space.additions(space.subset([0, 1])), space.removals(space.subset([2, 3, 4]))
    wanted = one.evaluate(first), one.evaluate(second)
    two.evaluate(second), one.evaluate(first)
    np.testing.assert_array_equal(two.evaluate(first), wanted[0])
    np.testing.assert_array_equal(one.evaluate(second), wanted[1])


def test_what_cannot_be_judged_is_refused():
    """An unknown score raises NotExact; too many neighbours, weights and metrics are named."""
    task, cv = make_task("balanced")
    with pytest.raises(NotExact, match="scoring"):
        NearestNeighbours(scoring="nonsense", cv=cv).bind(task)
    with pytest.raises(ValueError, match="n_neighbors"):
        NearestNeighbours(41, cv=cv).bind(task)
    with pytest.raises(ValueError, match="weights"):
        NearestNeighbours(weights="inverse").bind(task)
    with pytest.raises(ValueError, match="metric"):
        NearestNeighbours(metric="cosine").bind(task)
    with pytest.raises(ValueError, match="scaling"):
        NearestNeighbours(scaling="robust").bind(task)


@pytest.mark.parametrize("metric", ["euclidean", "l1"])
def test_rows_that_become_equal_when_a_column_goes(metric):
    """A neighbour at distance zero has all the weight, also in compiled loops, where a
    column is taken out.
    """
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (400, 60)).astype(float)
    X[200:, :4] = X[:200, :4]
    y = rng.integers(0, 2, 400)
    task, space = Task.of(X, y), Space.of(60)
    evaluator = NearestNeighbours(5, weights="distance", metric=metric, cv=3).bind(task)
    removals = space.removals(space.subset([0, 1, 2, 3, 4]))
    expected = [
        NearestNeighbours(5, weights="distance", metric=metric, cv=3).bind(task).explain(c).quality
        for c in removals.columns()
    ]
    assert evaluator.evaluate(removals) == pytest.approx(expected)
