"""Relief, ratio Relief, ReliefF, RReliefF, the SURF family and ReliefX."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from subsel.data.statistics import differences
from subsel.ranking.registry import find_score
from subsel.ranking.scores.neighbours.relief import ratio_relief, relief, relief_threshold
from subsel.ranking.scores.neighbours.relief_x import relief_x
from subsel.ranking.scores.neighbours.relieff import relieff
from subsel.ranking.scores.neighbours.rrelieff import rrelieff
from subsel.ranking.scores.neighbours.surf import multisurf, multisurf_star, surf, surf_star
from tests.oracles import relief as oracle

RADIAL = {
    "surf": surf,
    "surf_star": surf_star,
    "multisurf": multisurf,
    "multisurf_star": multisurf_star,
}
BY_CLASS = {"relief": relief, "ratio_relief": ratio_relief, "relieff": relieff, **RADIAL}
KINDS = ["numeric", "nominal", "mixed", "ties", "missing"]


def problem(kind, n_classes=2, seed=0, n=37, p=7):
    """Rows, classes and nominal features of one kind.

    Unequal classes, the first features informative.
    """
    rng = np.random.default_rng(seed)
    y = rng.choice(
        n_classes, size=n, p=np.arange(1, n_classes + 1) / np.arange(1, n_classes + 1).sum()
    )
    X = rng.normal(size=(n, p)) + y[:, None] * np.linspace(1, 0, p)
    if kind == "numeric":
        return X, y, ()
    if kind == "ties":  # dyadic after scaling, so that distances tie exactly in the oracle too
        X = np.clip(np.rint(X) + 2, 0, 4)
        X[0], X[1] = 0, 4
        X[5] = X[9] = X[20]
        return X, y, ()
    nominal = tuple(range(p)) if kind == "nominal" else (1, 3, 4)
    X[:, nominal] = np.clip(np.rint(X[:, nominal]), -1, 3)
    if kind == "missing":
        X[(rng.random(X.shape) < 0.15) & ~np.isin(np.arange(p), (2, 3))] = np.nan
    return X, y, nominal


@cache
def known_differences(kind, n_classes, conditional=True):
    X, y, nominal = problem(kind, n_classes)
    return oracle.all_differences(X, y if conditional else np.zeros(len(y)), nominal)


def expected_by_class(name, kind, metric="manhattan", misses=None, k=4):
    """The oracle's answer to the problem with three classes.

    ReliefF weighs misses as published, SURF as skrebate.
    """
    _, y, _ = problem(kind, n_classes=3)
    gaps = known_differences(kind, 3)
    d = oracle.all_distances(gaps, metric)
    if name == "relief":
        return oracle.relief(gaps, d, y, range(len(y)))
    if name == "ratio_relief":
        return oracle.ratio_relief(gaps, d, y, k)
    if name == "relieff":
        return oracle.relieff(gaps, d, y, k, misses or "prior")
    return oracle.surf_family(name, gaps, d, y, misses or "observed")


@pytest.fixture(params=["distances kept", "by blocks"])
def path(request, monkeypatch):
    """Each way the sums can be computed."""
    if request.param == "by blocks":
        monkeypatch.setattr(differences, "KEPT", 0)
        monkeypatch.setattr(differences, "BLOCK", 10)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", BY_CLASS)
def test_class_scores_equal_their_definition(name, kind, path):
    """Every path gives the score of the definition, whatever the kind of features, three unequal
    classes."""
    X, y, nominal = problem(kind, n_classes=3)
    options = {"n_neighbors": 4} if name in ("relieff", "ratio_relief") else {}
    got = BY_CLASS[name](X, y, nominal=list(nominal), **options)
    assert_allclose(got, expected_by_class(name, kind), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("kind", ["mixed", "ties", "missing"])
@pytest.mark.parametrize("name", ["relief", "relieff", "multisurf"])
def test_euclidean_neighbours(name, kind):
    """With the Euclidean metric the neighbours change and the differences do not."""
    X, y, nominal = problem(kind, n_classes=3)
    options = {"n_neighbors": 4} if name == "relieff" else {}
    got = BY_CLASS[name](X, y, nominal=list(nominal), metric="euclidean", **options)
    assert_allclose(got, expected_by_class(name, kind, "euclidean"), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize("kind", ["nominal", "mixed", "missing"])
@pytest.mark.parametrize("name", ["relief", "relieff", "multisurf_star"])
def test_nominal_features_of_many_values(name, kind, metric, monkeypatch):
    """Nominal features of too many values for points, compared in pairs, score the same."""
    monkeypatch.setattr(differences, "WIDE", 1)
    X, y, nominal = problem(kind, n_classes=3)
    options = {"n_neighbors": 4} if name == "relieff" else {}
    got = BY_CLASS[name](X, y, nominal=list(nominal), metric=metric, **options)
    assert_allclose(got, expected_by_class(name, kind, metric), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("name", RADIAL)
def test_numeric_target_equals_its_definition(name, path):
    """With a numeric target, rows within one standard deviation are hits."""
    X, y, nominal = problem("missing")
    y = np.nan_to_num(X[:, 0]) + y
    gaps = known_differences("missing", 2, conditional=False)
    expected = oracle.surf_family(name, gaps, oracle.all_distances(gaps), y, regression=True)
    assert_allclose(RADIAL[name](X, y, nominal=list(nominal)), expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_rrelieff_equals_its_definition(kind, path):
    """RReliefF is the figure of its paper with equal weights."""
    X, _, nominal = problem(kind)
    y = np.random.default_rng(3).normal(size=len(X)) + np.nan_to_num(X[:, 0])
    gaps = known_differences(kind, 2, conditional=False)
    expected = oracle.rrelieff(gaps, oracle.all_distances(gaps), y, 5)
    assert_allclose(
        rrelieff(X, y, n_neighbors=5, nominal=list(nominal)), expected, rtol=1e-11, atol=1e-12
    )


@settings(max_examples=40, deadline=None)
@given(
    levels=st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=5, max_size=14),
    k=st.integers(1, 20),
    data=st.data(),
)
def test_ties_small_classes_and_many_neighbours(levels, k, data):
    """Ties go to the lower row, short classes serve whole, on tables full of ties, duplicates and
    constants."""
    X = np.array(levels, dtype=float)
    X[0], X[1] = 0, 4  # a range of four keeps the oracle's sums exact
    X[:, 2] = data.draw(st.sampled_from([X[:, 2], np.full(len(X), 7.0)]))
    y = np.array(
        [0, 1, *data.draw(st.lists(st.integers(0, 2), min_size=len(X) - 2, max_size=len(X) - 2))]
    )
    gaps = oracle.all_differences(X, y)
    d = oracle.all_distances(gaps)
    assert_allclose(relieff(X, y, n_neighbors=k), oracle.relieff(gaps, d, y, k), atol=1e-12)
    assert_allclose(relief(X, y), oracle.relief(gaps, d, y, range(len(y))), atol=1e-12)


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize("share_missing", [0.0, 0.2])
def test_rounding_breaks_no_tie(metric, share_missing):
    """Distances of thirds and fifths that are equal on paper tie.

    The lower row serves, whatever the last digits say.
    """
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, [4, 6, 4, 8], (16, 4)).astype(float)
        X[rng.random(X.shape) < share_missing] = np.nan
        y = np.arange(16) % 3
        gaps = oracle.all_differences(X, y)
        d = np.round(oracle.all_distances(gaps, metric), 9)
        options = {"metric": metric}
        assert_allclose(
            relieff(X, y, n_neighbors=2, **options), oracle.relieff(gaps, d, y, 2), atol=1e-12
        )
        assert_allclose(relief(X, y, **options), oracle.relief(gaps, d, y, range(16)), atol=1e-12)
        assert_allclose(
            ratio_relief(X, y, n_neighbors=2, **options),
            oracle.ratio_relief(gaps, d, y, 2),
            atol=1e-12,
        )


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize("name", BY_CLASS)
def test_scores_of_incomplete_tables_follow_their_columns(name, metric):
    """Permuting the columns permutes the scores to the last digit, where values are missing and
    distances tie too."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 3, (20, 6)).astype(float)
        X[rng.random(X.shape) < 0.2] = np.nan
        order = rng.permutation(6)
        scores = BY_CLASS[name](X, np.arange(20) % 3, metric=metric)
        assert_array_equal(
            BY_CLASS[name](X[:, order], np.arange(20) % 3, metric=metric), scores[order]
        )


def test_sums_over_more_than_one_block():
    """Where rows fill several blocks and features several spans, sums are those of numpy over all
    pairs."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(203, 517))
    table = differences.Differences(X, np.zeros(203, dtype=int))
    gaps = np.abs(X[:, None] - X) / np.ptp(X, axis=0)
    found = np.concatenate([distances for _, distances in table.blocks()])
    assert_allclose(found, gaps.sum(axis=2), rtol=0, atol=1e-11)
    weights = rng.normal(size=(203, 203)) * (rng.random((203, 203)) < 0.3)
    expected = np.einsum("ij,ijf->f", weights, gaps)
    assert_allclose(table.sums(np.arange(203), weights), expected, rtol=0, atol=1e-9)


def rebate(name, X, y, nominal=(), **options):
    peers = pytest.importorskip("skrebate")
    peer = getattr(
        peers, {"relieff": "ReliefF", "surf": "SURF", "surf_star": "SURFstar"}.get(name, name)
    )
    model = peer(categorical_features=list(nominal), **options)
    if nominal and len(nominal) < X.shape[1]:
        # its distance of mixed rows multiplies mismatches by p over the number of nominal
        # features: use their plain sum
        gaps = oracle.all_differences(X, np.zeros(len(X)), nominal)
        model._distarray_no_missing = lambda xc, xd: oracle.all_distances(gaps)
    return model.fit(X.copy(), y).feature_importances_


PEERS = {
    "surf": surf,
    "surf_star": surf_star,
    "MultiSURF": multisurf,
    "MultiSURFstar": multisurf_star,
}


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("kind", ["numeric", "nominal", "mixed"])
@pytest.mark.parametrize("name", PEERS)
def test_radial_scores_equal_skrebate(name, kind, n_classes):
    """SURF, SURF*, MultiSURF and MultiSURF* give skrebate's scores with its rules for classes and
    mixed features."""
    X, y, nominal = problem(kind, n_classes, n=50)
    got = PEERS[name](X, y, nominal=list(nominal), ramp=kind == "mixed")
    assert_allclose(got, rebate(name, X, y, nominal), rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", PEERS)
def test_radial_scores_of_a_numeric_target_equal_skrebate(name):
    """So they do for a numeric target."""
    X, _, _ = problem("numeric", n=50)
    y = X[:, 0] + X[:, 1] ** 2
    assert_allclose(PEERS[name](X, y), rebate(name, X, y), rtol=0, atol=1e-13)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("kind", ["numeric", "mixed"])
def test_relieff_equals_skrebate(kind, n_classes):
    """ReliefF with skrebate's weights of misses gives its scores (where no distances tie: its sort
    is not stable)."""
    X, y, nominal = problem(kind, n_classes, n=80)
    got = relieff(
        X, y, n_neighbors=5, nominal=list(nominal), misses="observed", ramp=kind == "mixed"
    )
    assert_allclose(got, rebate("relieff", X, y, nominal, n_neighbors=5), rtol=0, atol=1e-13)


@pytest.mark.parametrize("misses", ["prior", "observed"])
@pytest.mark.parametrize("name", ["relieff", "multisurf"])
def test_both_rules_for_misses(name, misses):
    """The two ways classes share the weight of misses are those of the oracle, and differ on
    unequal classes."""
    kind = "mixed"
    X, y, nominal = problem(kind, n_classes=3)
    options = {"n_neighbors": 4} if name == "relieff" else {}
    got = BY_CLASS[name](X, y, nominal=list(nominal), misses=misses, **options)
    assert_allclose(got, expected_by_class(name, kind, misses=misses), atol=1e-12)
    other = {"prior": "observed", "observed": "prior"}[misses]
    assert not np.allclose(got, expected_by_class(name, kind, misses=other), atol=1e-6)


def test_sampled_relief_follows_its_draws():
    """With n_draws the rows are those the generator draws, repeated ones counting again."""
    X, y, _ = problem("numeric")
    drawn = np.random.default_rng(5).integers(len(y), size=90)
    gaps = oracle.all_differences(X, y)
    expected = oracle.relief(gaps, oracle.all_distances(gaps), y, drawn)
    assert_allclose(relief(X, y, n_draws=90, random_state=5), expected, atol=1e-12)
    assert_allclose(
        relief(X, y, n_draws=90, random_state=np.random.default_rng(5)), expected, atol=1e-12
    )


def test_squared_relief():
    """Squared differences with Euclidean neighbours are algorithm 17 of Feature Extraction on
    scaled data."""
    X, y, _ = problem("numeric", n_classes=3)
    gaps = oracle.all_differences(X, y)
    expected = oracle.relief(
        gaps, oracle.all_distances(gaps, "euclidean"), y, range(len(y)), power=2
    )
    assert_allclose(relief(X, y, squared=True, metric="euclidean"), expected, atol=1e-12)


def test_the_threshold_is_rarely_passed_by_noise():
    """Noise passes the threshold of Kira and Rendell in at most a share alpha of draws."""
    rng = np.random.default_rng(0)
    scores = [
        relief(rng.normal(size=(40, 5)), rng.permutation(40) % 2, n_draws=30, random_state=rng)
        for _ in range(60)
    ]
    assert np.mean(np.array(scores) > relief_threshold(0.1, 30)) <= 0.1
    assert relief_threshold(0.05, 80) == pytest.approx(0.5)


@pytest.mark.parametrize("name", BY_CLASS)
def test_interactions_are_seen(name):
    """Two bits whose exclusive or is the class rank first, while each alone says nothing."""
    rng = np.random.default_rng(1)
    X = rng.integers(2, size=(200, 8)).astype(float)
    y = (X[:, 0] != X[:, 1]).astype(int)
    scores = BY_CLASS[name](X, y)
    assert set(np.argsort(scores)[-2:]) == {0, 1}
    assert np.all(relief_x(X, y) < 0.03)


@pytest.mark.parametrize("name", BY_CLASS)
@settings(max_examples=10, deadline=None)
@given(order=st.permutations(range(7)))
def test_scores_follow_their_columns(name, order):
    """Permuting the columns permutes the scores and nothing else."""
    X, y, nominal = problem("mixed", n_classes=3)
    moved = [order.index(f) for f in nominal]
    score = BY_CLASS[name]
    assert_allclose(
        score(X[:, order], y, nominal=moved), score(X, y, nominal=list(nominal))[order], atol=1e-14
    )


@pytest.mark.parametrize("name", [*BY_CLASS, "rrelieff"])
def test_affine_changes_leave_scores_alone(name):
    """Scaling and shifting numeric columns changes no score."""
    X, y, _ = problem("numeric")
    changed = X * np.array([1, -3, 10, 0.01, 5, -2, 1e4]) + np.arange(7)
    score = find_score(name).function
    assert_allclose(score(changed, y), score(X, y), atol=1e-9)


@pytest.mark.parametrize("name", [*BY_CLASS, "rrelieff"])
def test_constant_missing_and_single_columns(name):
    """A constant column and one without a known value score 0 and disturb no other.

    One column is enough.

    (In MultiSURF* far rows score by their likeness, which all columns have in common: both score as
    the lowest of the others.)
    """
    X, y, _ = problem("numeric")
    score = find_score(name).function
    padded = np.column_stack([X, np.full(len(X), 3.0), np.full(len(X), np.nan)])
    scores = score(padded, y)
    assert_allclose(scores[:-2], score(X, y), atol=1e-12)
    assert_allclose(
        scores[-2:], min(0, scores[:-2].min()) if name == "multisurf_star" else 0, atol=1e-12
    )
    assert score(X[:, :1], y).shape == (1,)


@pytest.mark.parametrize("name", BY_CLASS)
def test_float32_and_labels(name):
    """Single precision input and named classes give the same scores."""
    X, y, _ = problem("ties")
    names = np.array(["no", "yes"])[y]
    assert_array_equal(BY_CLASS[name](X.astype(np.float32), names), BY_CLASS[name](X, y))


def test_duplicated_rows():
    """When every row stands twice, hits are at distance zero.

    The ratio is infinite and ReliefF positive.
    """
    X, y, _ = problem("numeric")
    twice, labels = np.vstack([X, X]), np.r_[y, y]
    assert np.all(np.isinf(ratio_relief(twice, labels, n_neighbors=1)))
    assert np.all(relieff(twice, labels, n_neighbors=1) > 0)
    assert np.all(relief(twice, labels) > 0)


@pytest.mark.parametrize("score", [multisurf, multisurf_star])
def test_equal_distances_have_no_near_rows(score):
    """Where all rows are equally far apart the rounding of their mean makes none near or far."""
    for n in range(5, 40):
        scores = score(np.eye(n), np.arange(n) % 2, metric="euclidean")
        assert_array_equal(scores, np.zeros(n))


@pytest.mark.parametrize("ramp", [False, True])
def test_missing_numeric_values_are_expected_differences(ramp):
    """A missing number differs by the mean over the known values of its class, gaps past a
    deviation counting 1."""
    X, codes, _ = problem("numeric", n_classes=3)
    X[3, 0] = X[8, 0] = np.nan
    known = ~np.isnan(X[:, 0])
    x = (X[:, 0] - np.nanmin(X[:, 0])) / np.ptp(X[known, 0])
    gaps = np.abs(x[:, None] - x)
    gaps = np.where(ramp & (gaps > np.nanstd(x)), 1, gaps)
    table = differences.Differences(X, codes, ramp=ramp)
    got = table.between(np.array([3, 0, 3]), np.array([0, 8, 8]))[:, 0]
    of_3, of_8 = known & (codes == codes[3]), known & (codes == codes[8])
    assert_allclose(
        got, [gaps[0, of_3].mean(), gaps[0, of_8].mean(), gaps[np.ix_(of_3, of_8)].mean()]
    )


def test_missing_nominal_values_follow_relieff():
    """One missing value differs by 1 - P(v | class), two by 1 - sum P(v | c) P(v | c')."""
    X = np.array([[0.0], [0.0], [1.0], [np.nan], [0.0], [1.0], [np.nan]])
    codes = np.array([0, 0, 0, 0, 1, 1, 1])
    table = differences.Differences(X, codes, nominal=[0])
    pairs = table.between(np.array([3, 3, 6, 3]), np.array([0, 5, 2, 6]))
    assert_allclose(
        pairs[:, 0], [1 - 2 / 3, 1 - 1 / 3, 1 - 1 / 2, 1 - (2 / 3 * 1 / 2 + 1 / 3 * 1 / 2)]
    )


@pytest.mark.parametrize("seed", range(4))
def test_relief_x_is_a_difference_of_probabilities(seed):
    """ReliefX is the symmetrised P(x != x' | y != y') - P(x != x' | y = y') over pairs of draws."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(4, size=(30, 3)), rng.integers(3, size=30)
    X[:, 1] = y
    assert_allclose(relief_x(X, y), [oracle.relief_x(x, y) for x in X.T])
    assert relief_x(X, y)[1] == pytest.approx(1)


def test_relief_x_is_a_statistic_of_tables():
    """Sparse tables, weights, missing values and classes of any name score as counting them out
    does."""
    rng = np.random.default_rng(1)
    X, y = rng.integers(3, size=(40, 4)).astype(float), rng.integers(3, size=40)
    expected = relief_x(X, y)
    assert_allclose(relief_x(sparse.csr_array(X), np.array(["a", "b", "c"])[y]), expected)
    weight = rng.integers(0, 4, 40)
    rows = np.repeat(np.arange(40), weight)
    assert_allclose(relief_x(X, y, sample_weight=weight), relief_x(X[rows], y[rows]))
    assert_allclose(relief_x(np.where(X == 2, np.nan, X), y), expected)
    assert_allclose(
        relief_x(X, y), (relief_x(X, y, symmetric=False) + [_exchanged(x, y) for x in X.T]) / 2
    )


def _exchanged(x, y):
    """J(X, Y): feature and class change places."""
    return relief_x(y[:, None], x, symmetric=False)[0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda X, y: relieff(X, y, n_neighbors=0), "n_neighbors must be at least 1, got 0"),
        (lambda X, y: relieff(X, y, metric="cosine"), "metric must be .* got 'cosine'"),
        (lambda X, y: relieff(X, y, misses="most"), "misses must be .* got 'most'"),
        (lambda X, y: relieff(X, y, nominal=[9]), r"nominal must hold feature indices in \[0, 6\]"),
        (
            lambda X, y: relieff(X, y, nominal=[True]),
            r"nominal must have one entry per feature \(7\)",
        ),
        (lambda X, y: relief(X, y, n_draws=0), "n_draws must be at least 1"),
        (lambda X, y: relief_threshold(0.0, 5), r"alpha must lie in \(0, 1\]"),
        (lambda X, y: relieff(X, np.zeros(len(y))), "at least two classes"),
    ],
)
def test_bad_arguments_are_named(call, words):
    """An argument out of its domain is named with the value received."""
    X, y, _ = problem("numeric")
    with pytest.raises(ValueError, match=words):
        call(X, y)
