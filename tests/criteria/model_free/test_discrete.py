"""Judges of discrete and pairwise statistics against brute force."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import CategoricalNB

from subsel.criteria.bayes.discrete_naive_bayes import DiscreteNaiveBayes
from subsel.criteria.model_free.inconsistency import Inconsistency
from subsel.criteria.model_free.merit import CorrelationMerit, RedundancyPenalised
from subsel.criteria.model_free.scatter import Scatter
from subsel.data.task import Task
from subsel.engine import run
from subsel.search.registry import find_search
from subsel.space.candidates import Candidates
from subsel.space.space import Space


def discrete(n=200, p=7, classes=3, seed=0, values=3):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, values, (n, p)).astype(float)
    X[:, -1] = X[:, 0]
    X[:, -2] = 1
    y = (X[:, 0] + X[:, 1] + (rng.random(n) < 0.2)) % classes
    return X, y.astype(int)


def brute_inconsistency(X, y, columns):
    groups = {}
    for row, label in zip(X[:, columns].tolist(), y.tolist()):
        groups.setdefault(tuple(row), []).append(label)
    return -sum(len(g) - max(np.bincount(g)) for g in groups.values()) / len(y)


def brute_merit(X, y, columns):
    def r(a, b):
        return abs(np.corrcoef(a, b)[0, 1]) if a.std() and b.std() else 0.0

    k = len(columns)
    top = np.mean([r(X[:, j], y) for j in columns])
    among = np.mean([r(X[:, a], X[:, b]) for a, b in combinations(columns, 2)]) if k > 1 else 0.0
    return k * top / np.sqrt(k + k * (k - 1) * among)


def information(a, b):
    table = np.array([[np.mean((a == u) & (b == v)) for v in np.unique(b)] for u in np.unique(a)])
    outer = table.sum(1, keepdims=True) * table.sum(0, keepdims=True)
    return float(np.sum(table[table > 0] * np.log(table[table > 0] / outer[table > 0])))


def brute_mrmr(X, y, columns):
    return np.mean([information(X[:, j], y) for j in columns]) - np.mean(
        [information(X[:, j], X[:, k]) for j in columns for k in columns]
    )


def brute_mifs(X, y, columns):
    pairs = sum(information(X[:, j], X[:, k]) for j, k in combinations(columns, 2))
    return sum(information(X[:, j], y) for j in columns) - 0.7 * pairs


def brute_naive_bayes(X, y, columns):
    levels = [len(np.unique(X[:, c])) for c in columns]
    codes = np.column_stack([np.unique(X[:, c], return_inverse=True)[1] for c in columns])
    scores = []
    for train, test in StratifiedKFold(4).split(codes, y):
        joint = (
            CategoricalNB(min_categories=levels)
            .fit(codes[train], y[train])
            .predict_joint_log_proba(codes[test])
        )
        likeliest = (joint >= joint.max(axis=1, keepdims=True) - 1e-9).argmax(
            axis=1
        )  # ties to the first class
        scores.append(np.mean(likeliest == y[test]))
    return np.mean(scores)


JUDGES = {
    "inconsistency": (Inconsistency(), brute_inconsistency),
    "merit": (CorrelationMerit("pearson"), brute_merit),
    "mrmr": (RedundancyPenalised("mrmr"), brute_mrmr),
    "mifs": (RedundancyPenalised("mifs"), brute_mifs),
    "naive bayes": (DiscreteNaiveBayes(cv=4), brute_naive_bayes),
    "naive bayes, nothing kept": (DiscreteNaiveBayes(cv=4, memory=1), brute_naive_bayes),
}


@pytest.mark.parametrize(
    "shape", [{}, {"n": 4000, "p": 8}, {"classes": 2, "values": 9}, {"n": 30, "p": 40}], ids=str
)
@pytest.mark.parametrize(("criterion", "oracle"), JUDGES.values(), ids=JUDGES.keys())
def test_every_kind_of_request_equals_brute_force(criterion, oracle, shape):
    """Additions, removals, swaps, populations and a walk.

    Each quality is that of the subset alone.
    """
    if shape.get("n") == 4000 and oracle in (brute_mrmr, brute_mifs):
        pytest.skip("the oracle is slow and the path the same")
    X, y = discrete(**shape)
    evaluator = criterion.bind(Task.of(X, y))
    space, rng = Space.of(X.shape[1]), np.random.default_rng(1)
    base = space.sample(rng, 3)

    def pick(c):
        return c.take(rng.permutation(len(c))[:6])

    requests = [
        space.additions(space.empty()),
        space.additions(base),
        space.removals(base),
        pick(space.swaps(base)),
    ]
    requests += [
        pick(space.additions(base, 2)),
        Candidates.of(space, [space.sample(rng, 2), space.sample(rng, 4)]),
    ]
    walk = base
    for _ in range(12):
        walk = space.flip(walk, int(rng.integers(space.n_units)))
        if space.visitable(walk):
            requests.append(Candidates.of(space, [walk]))
    for request in map(pick, requests):
        expected = [oracle(X, y, c.tolist()) for c in request.columns()]
        assert evaluator.evaluate(request) == pytest.approx(expected, abs=1e-9)


def test_inconsistency_follows_units_that_are_not_columns():
    """Groups, fixed columns, a change of space and forks.

    Single subsets have the value of their columns.
    """
    X, y = discrete(n=3000, p=8)
    evaluator, rng = Inconsistency().bind(Task.of(X, y)), np.random.default_rng(0)
    spaces = [Space.of(8), Space.of(8, groups=((0, 1), (2,), (3, 4, 5))), Space.of(8, fixed=(2,))]
    for forked in (evaluator, evaluator.fork()):
        for space in [*spaces, *spaces]:
            current = space.sample(rng, 3)
            for _ in range(8):
                current = space.flip(current, int(rng.integers(space.n_units)))
                columns = space.columns(current)
                if len(columns):
                    found = forked.evaluate(Candidates.of(space, [current]))[0]
                    assert found == pytest.approx(
                        brute_inconsistency(X, y, columns.tolist()), abs=1e-12
                    )
            forked.evaluate(space.additions(space.sample(rng, 3)))


def test_inconsistency_of_no_column_is_the_share_of_the_rare_classes():
    """Without columns all rows agree, so that all but those of the commonest class are wrong."""
    X, y = discrete(n=300, p=4)
    evaluator, space = Inconsistency().bind(Task.of(X, y)), Space.of(4)
    [quality] = evaluator.evaluate(Candidates.of(space, [space.empty()]))
    assert quality == pytest.approx(np.bincount(y).max() / len(y) - 1)
    assert quality == pytest.approx(evaluator.explain(np.array([], dtype=int)).quality)


def test_inconsistency_is_monotone_and_explains_itself():
    """More columns never hurt; the rows left over are those the majority outvotes."""
    X, y = discrete()
    evaluator = Inconsistency().bind(Task.of(X, y))
    space = Space.of(7)
    for size in range(1, 7):
        for columns in combinations(range(7), size):
            small = brute_inconsistency(X, y, list(columns))
            more = evaluator.evaluate(space.additions(space.from_columns(columns)))
            assert (more >= small - 1e-12).all()
    seen = evaluator.explain(np.array([0, 1]))
    assert seen.quality == pytest.approx(brute_inconsistency(X, y, [0, 1]))
    assert seen.losses.mean() == pytest.approx(-seen.quality)


def test_branch_and_bound_is_exact_on_inconsistency_and_scatter():
    """On real monotone criteria it gives what looking at all subsets gives."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 7)), np.arange(60) % 3
    X[:, 2] += y
    X[:, 5] += (y == 1) * 0.8
    for criterion in (Inconsistency(), Scatter("wilks"), Scatter("bhattacharyya")):
        evaluator = criterion.bind(Task.of(X, y))
        space = Space.of(7, low=3, high=3)
        bounded = run(find_search("branch-and-bound"), evaluator, space)
        every = run(find_search("exhaustive"), criterion.bind(Task.of(X, y)), space)
        assert bounded.best_quality == every.best_quality


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "roc_auc", "neg_log_loss", "f1"])
def test_naive_bayes_scores_as_scikit_learn(scoring):
    """Scores of labels, ranks and probabilities are those of refitting, and held-out labels
    agree row by row.
    """
    X, y = discrete(classes=2)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    evaluator = DiscreteNaiveBayes(cv=folds, scoring=scoring).bind(Task.of(X, y))
    columns = np.array([1, 2, 4])
    codes = X[:, columns].astype(int)
    model = CategoricalNB(min_categories=3)
    expected = cross_val_score(model, codes, y, cv=folds, scoring=scoring)
    seen = evaluator.explain(columns)
    assert seen.fold_scores == pytest.approx(expected)
    predictions = np.empty(len(y), dtype=int)
    for train, test in folds.split(codes, y):
        predictions[test] = model.fit(codes[train], y[train]).predict(codes[test])
    assert seen.predictions.tolist() == predictions.tolist()


def normal(seed=0, classes=3, n=90, p=6):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
    X[:, 1] += y
    X[:, 3] -= 2 * (y == 1)
    return X, y


def brute_scatter(kind, X, y, columns):
    X = X[:, columns]
    labels = np.unique(y)
    means = [X[y == c].mean(axis=0) for c in labels]
    covs = [np.atleast_2d(np.cov(X[y == c], rowvar=False, bias=True)) for c in labels]
    share = [np.mean(y == c) for c in labels]
    within = sum(s * c for s, c in zip(share, covs))
    total = np.atleast_2d(np.cov(X, rowvar=False, bias=True))
    if kind == "wilks":
        return np.linalg.slogdet(total)[1] - np.linalg.slogdet(within)[1]
    if kind == "hotelling":
        return np.trace(np.linalg.inv(within) @ (total - within))
    value = 0.0
    for a, b in combinations(range(len(labels)), 2):
        gap = means[a] - means[b]
        if kind == "mahalanobis":
            value += share[a] * share[b] * gap @ np.linalg.inv(within) @ gap
        else:
            mean = (covs[a] + covs[b]) / 2
            half = [np.linalg.slogdet(m)[1] for m in (mean, covs[a], covs[b])]
            value += (
                share[a]
                * share[b]
                * (gap @ np.linalg.inv(mean) @ gap / 8 + half[0] / 2 - half[1] / 4 - half[2] / 4)
            )
    return value


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", ["wilks", "hotelling", "mahalanobis", "bhattacharyya"])
def test_scatter_equals_its_definition(kind, classes):
    """Every subset, from scratch and as an addition, has the value of the formula."""
    X, y = normal(classes=classes)
    evaluator, space = Scatter(kind).bind(Task.of(X, y)), Space.of(6)
    for size in range(1, 6):
        for columns in combinations(range(6), size):
            base = space.from_columns(columns)
            assert evaluator.quality(np.array(columns)) == pytest.approx(
                brute_scatter(kind, X, y, list(columns))
            )
            additions = space.additions(base)
            expected = [brute_scatter(kind, X, y, c.tolist()) for c in additions.columns()]
            assert evaluator.evaluate(additions) == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["wilks", "hotelling", "mahalanobis", "bhattacharyya"])
def test_scatter_gains_nothing_from_copies_and_constants(kind):
    """A constant column and a copy leave the value as it is."""
    X, y = normal()
    X = np.column_stack([X, X[:, 1], np.full(len(X), 3.0)])
    evaluator, space = Scatter(kind).bind(Task.of(X, y)), Space.of(8)
    base = space.from_columns([1, 3])
    value = evaluator.quality(np.array([1, 3]))
    additions = space.additions(base)
    gains = dict(
        zip((c.tolist()[-1] for c in additions.columns()), evaluator.evaluate(additions) - value)
    )
    assert gains[7] == pytest.approx(0, abs=1e-9)
    assert gains[6] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", ["wilks", "hotelling", "mahalanobis", "bhattacharyya"])
def test_scatter_of_columns_that_leave(kind, classes):
    """Removals and swaps have the value of the formula, also from a base with a constant,
    from one with near copies too.
    """
    rng = np.random.default_rng(0)
    y = np.arange(120) % classes
    X = rng.normal(size=(120, 14)) @ rng.normal(size=(14, 14)) + y[:, None] * rng.normal(size=14)
    X[:, 5] = 7.0
    X[:, 9] = X[:, 2] + 2e-3 * rng.normal(size=120)
    evaluator, space = Scatter(kind).bind(Task.of(X, y)), Space.of(14)
    for columns in ([3, 0, 2, 5, 8, 11, 13], [2, 9, 4, 5, 6, 1]):
        base = space.from_columns(columns)
        for moves in (space.removals(base), space.swaps(base)):
            expected = [brute_scatter(kind, X, y, c[c != 5].tolist()) for c in moves.columns()]
            assert evaluator.evaluate(moves) == pytest.approx(expected, rel=1e-8, abs=1e-8)


def test_scatter_of_columns_that_leave_a_copy():
    """Where two columns are the same, either may go and nothing changes."""
    X, y = normal()
    X = np.column_stack([X, X[:, 1]])
    evaluator, space = Scatter("hotelling").bind(Task.of(X, y)), Space.of(7)
    removals = space.removals(space.from_columns([1, 3, 6]))
    values = dict(zip([3, 6, 1], [[1, 6], [1, 3], [3, 6]]))
    expected = {
        gone: brute_scatter("hotelling", X, y, [c for c in left if c != 6 or gone == 1])
        for gone, left in values.items()
    }
    got = {
        ({1, 3, 6} - set(c.tolist())).pop(): q
        for c, q in zip(removals.columns(), evaluator.evaluate(removals))
    }
    assert got == pytest.approx(expected, rel=1e-6)


def test_regression_is_refused_where_classes_are_due():
    """Criteria of classes say so."""
    task = Task.of(np.random.default_rng(0).normal(size=(30, 3)), np.linspace(0, 1, 30))
    for criterion in (
        Inconsistency(),
        DiscreteNaiveBayes(),
        RedundancyPenalised(),
        Scatter(),
        CorrelationMerit(),
    ):
        with pytest.raises(ValueError, match="class"):
            criterion.bind(task)


@pytest.mark.parametrize("alpha", [1.0, 0.0])
def test_naive_bayes_weighs_its_counts(alpha):
    """Row weights enter as in CategoricalNB.

    Without smoothing, columns that forbid a class can be taken out again.
    """
    X, y = discrete(n=60, p=5)
    X[:, 1] = y
    weights = np.random.default_rng(0).uniform(0.2, 3, len(y))
    evaluator = DiscreteNaiveBayes(alpha=alpha, cv=4).bind(Task.of(X, y, sample_weight=weights))
    space, codes = (
        Space.of(5),
        np.column_stack([np.unique(column, return_inverse=True)[1] for column in X.T]),
    )
    base = space.subset([0, 1, 2])
    for batch in (space.additions(base), space.removals(base), space.swaps(base)):
        for quality, columns in zip(evaluator.evaluate(batch), batch.columns()):
            scores = []
            for train, test in StratifiedKFold(4).split(codes, y):
                levels = codes[:, columns].max(axis=0) + 1
                model = CategoricalNB(alpha=alpha, min_categories=levels)
                with np.errstate(divide="ignore"):
                    model.fit(codes[np.ix_(train, columns)], y[train], weights[train])
                scores.append(model.score(codes[np.ix_(test, columns)], y[test]))
            assert quality == pytest.approx(np.mean(scores), abs=1e-9)


@pytest.mark.parametrize(
    "criterion", [Inconsistency(), CorrelationMerit(), RedundancyPenalised()], ids=str
)
def test_weights_are_not_ignored(criterion):
    """A criterion without a place for row weights says so."""
    X, y = discrete()
    with pytest.raises(ValueError, match="does not take sample weights"):
        criterion.bind(Task.of(X, y, sample_weight=np.ones(len(y))))
