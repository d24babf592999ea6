"""Dirichlet diffusion trees, and labels of their leaves.

They are compared with integrals, dense covariances and direct draws.
"""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import average
from scipy.integrate import dblquad
from scipy.stats import multivariate_normal, norm
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct

from subsel.literature.models import DiffusionTreeClassifier, sample_diffusion_trees
from subsel.literature.models.hierarchies.diffusion_classifier import (
    VARIANCES,
    label_leaves,
    linkage_times,
)
from subsel.literature.models.hierarchies.diffusion_tree import (
    RATE_SPREAD,
    SPREAD,
    DiffusionTree,
    diffusion_likelihood,
    diffusion_prior,
    grow_tree,
    linkage_tree,
)
from subsel.models.bayes.posterior import effective_sample_size


def renumbered(tree, order):
    """The same tree with its leaves under other numbers."""
    m = tree.n_leaves
    parent = [-1] * (2 * m - 1)
    for old, new in enumerate(order):
        parent[new] = tree.parent[old]
    parent[m:] = tree.parent[m:]
    return DiffusionTree(parent, tree.time)


def test_prior_does_not_depend_on_the_order_of_rows():
    """Every renumbering of the leaves has the same density."""
    tree = grow_tree(4, np.random.default_rng(0))
    values = [diffusion_prior(renumbered(tree, order), 1.7) for order in permutations(range(4))]
    assert_allclose(values, values[0])


@pytest.mark.parametrize("rate", [1.0, 2.5])
def test_prior_of_three_rows_integrates_to_one_and_is_what_is_drawn(rate):
    """The density over three shapes and two times integrates to one.

    The mean times of drawn trees are those of the density.
    """

    def density(low, top):
        tree = DiffusionTree([3, 3, 4, 4, -1], [1.0, 1.0, 1.0, low, top])
        return np.exp(diffusion_prior(tree, rate))

    def mass(f):
        return (
            3 * dblquad(lambda low, top: f(low, top) * density(low, top), 0, 1, lambda t: t, 1)[0]
        )

    assert_allclose(mass(lambda low, top: 1.0), 1, atol=1e-6)
    rng = np.random.default_rng(0)
    drawn = [grow_tree(3, rng, rate) for _ in range(4000)]
    times = np.array([sorted(tree.time[3:]) for tree in drawn])
    expected = [mass(lambda low, top: top), mass(lambda low, top: low)]
    assert (np.abs(times.mean(axis=0) - expected) < 5 * times.std(axis=0) / np.sqrt(4000)).all()
    first = np.mean([tree.parent[0] == tree.parent[1] for tree in drawn])
    assert abs(first - 1 / 3) < 5 * np.sqrt(2 / 9 / 4000)


@pytest.mark.parametrize("m", [2, 3, 7])
def test_likelihood_is_that_of_the_dense_covariance(m):
    """The likelihood is a normal density of covariance diffusion x times + noise."""
    rng = np.random.default_rng(m)
    tree, X = grow_tree(m, rng), rng.standard_normal((m, 3))
    diffusion, noise = rng.uniform(0.5, 2, 3), rng.uniform(0.1, 1, 3)
    T = tree.divergence_times()
    dense = [
        multivariate_normal.logpdf(X[:, j], cov=diffusion[j] * T + noise[j] * np.eye(m))
        for j in range(3)
    ]
    assert_allclose(diffusion_likelihood(tree, X, diffusion, noise), sum(dense))


def test_divergence_times_are_those_of_the_lowest_common_node():
    """Walking up from both leaves until the paths meet gives the same."""
    tree = grow_tree(8, np.random.default_rng(0))

    def path(node):
        return [node] + (path(tree.parent[node]) if tree.parent[node] >= 0 else [])

    for i in range(8):
        for j in range(i):
            meeting = next(node for node in path(i) if node in path(j))
            assert tree.divergence_times()[i, j] == tree.time[meeting]


def test_without_data_the_chain_draws_from_the_prior():
    """For a table without columns the sampler draws from the prior.

    Mean and spread of the times agree with trees drawn directly.
    """
    rng = np.random.default_rng(0)
    draws = sample_diffusion_trees(np.empty((3, 0)), 1500, n_warmup=50, random_state=0)
    T = np.array([draw.tree.divergence_times()[[0, 0, 1], [1, 2, 2]] for draw in draws])
    direct = np.array(
        [grow_tree(3, rng).divergence_times()[[0, 0, 1], [1, 2, 2]] for _ in range(4000)]
    )
    for function in (lambda t: t, lambda t: t**2, lambda t: t > 0.8):
        values, other = function(T).astype(float), function(direct).astype(float)
        error = np.sqrt(
            values.var(axis=0) / effective_sample_size(values[None]) + other.var(axis=0) / 4000
        )
        assert (error < 0.05).all()
        assert (np.abs(values.mean(axis=0) - other.mean(axis=0)) < 5 * error).all()


def test_without_data_the_rate_follows_its_prior():
    """Without data the sampled rate has its prior, and trees are those of drawn rates."""
    rng = np.random.default_rng(0)
    draws = sample_diffusion_trees(np.empty((3, 0)), 1000, n_warmup=50, rate=None, random_state=0)
    logs = np.log([draw.rate for draw in draws])
    times = np.array([min(draw.tree.time) for draw in draws])
    rates = np.exp(RATE_SPREAD * rng.standard_normal(1500))
    direct = np.array([min(grow_tree(3, rng, rate).time) for rate in rates])
    expected = [0.0, RATE_SPREAD**2, direct.mean()]
    for values, mean in zip((logs, logs**2, times), expected, strict=True):
        error = np.sqrt(
            values.var() * (1 / effective_sample_size(values[None, :, None])[0] + 1 / 1500)
        )
        assert abs(values.mean() - mean) < 5 * error < 0.5


def test_two_rows_agree_with_quadrature():
    """For two rows of one column, posterior means are those of a grid over all three parameters."""
    X = np.array([[1.0], [1.4]])
    scale = np.log((X**2).mean())
    t, u = np.linspace(0.005, 0.995, 100), np.linspace(-6, 6, 81)
    T, D, N = np.meshgrid(t, scale + u, scale - np.log(10) + u, indexing="ij")
    mean, half = np.exp(D) * (1 + T) / 2 + np.exp(N) / 2, 2 * np.exp(D) * (1 - T) + 2 * np.exp(N)
    value = norm.logpdf(X.mean(), scale=np.sqrt(mean)) + norm.logpdf(0.4, scale=np.sqrt(half))
    value += norm.logpdf(D, scale, SPREAD) + norm.logpdf(N, scale - np.log(10), SPREAD)
    share = np.exp(value) / np.exp(value).sum()  # two rows diverge at an even time
    draws = sample_diffusion_trees(X, 4000, n_warmup=100, random_state=0)
    values = np.array([[d.tree.time[2], np.log(d.diffusion[0]), np.log(d.noise[0])] for d in draws])
    error = values.std(axis=0) / np.sqrt(effective_sample_size(values[None]))
    assert (error < 0.15).all()
    assert (
        np.abs(values.mean(axis=0) - [(share * part).sum() for part in (T, D, N)]) < 5 * error
    ).all()


def test_thinned_draws_are_some_of_all():
    """Of every three sweeps the last tree is kept, of the same chain."""
    X = np.random.default_rng(0).normal(size=(8, 2))
    every = sample_diffusion_trees(X, 9, n_warmup=4, random_state=1)
    some = sample_diffusion_trees(X, 3, n_warmup=4, thin=3, random_state=1)
    assert [draw.tree.time for draw in some] == [draw.tree.time for draw in every[2::3]]


def test_trees_that_differ_average_to_better_labels_than_one_or_their_start():
    """On clusters at the vertices of a cube, many trees have a smaller error than one tree.

    The error is also smaller than that of average linkage.
    """
    rng = np.random.default_rng(0)
    vertices = rng.integers(0, 2, size=(240, 4))
    X, y = 2 * vertices - 1 + 0.55 * rng.standard_normal((240, 4)), vertices.sum(axis=1) % 2
    X -= X.mean(axis=0)
    labels = np.where(np.arange(240) < 160, y, np.nan)

    def error(p):
        return np.mean((p[160:] > 0.5) != y[160:])

    draws = sample_diffusion_trees(X, 40, n_warmup=100, thin=10, rate=None, random_state=0)
    each = [label_leaves(draw.tree.divergence_times(), labels) for draw in draws]
    assert error(np.mean(each, axis=0)) < np.mean([error(p) for p in each]) - 0.03
    assert error(np.mean(each, axis=0)) < error(
        label_leaves(linkage_tree(X).divergence_times(), labels)
    )


def test_clusters_and_the_column_that_makes_them_are_found():
    """Rows of one cluster diverge later than those of two.

    A noise column has a smaller share of diffusion.
    """
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [np.repeat([-3.0, 3.0], 6) + 0.2 * rng.standard_normal(12), rng.standard_normal(12)]
    )
    draws = sample_diffusion_trees(X - X.mean(axis=0), 40, n_warmup=40, random_state=0)
    T = np.mean([draw.tree.divergence_times() for draw in draws], axis=0)
    assert T[:6, :6][np.triu_indices(6, 1)].min() > T[:6, 6:].max()
    ratio = np.mean([np.log(draw.diffusion / draw.noise) for draw in draws], axis=0)
    assert ratio[0] > ratio[1]
    labels = np.full(12, np.nan)
    labels[[0, 6]] = [0, 1]
    trees = np.array([draw.tree.divergence_times() for draw in draws])
    for rule in ("nearest", "successive", "weighted", "process"):
        assert_array_equal(label_leaves(trees, labels, rule) > 0.5, np.repeat([False, True], 6))


def chapter_tree():
    """The chapter's example: A+ with E, D+ with B and C, negatives F and G, and H above."""
    names = "ABCDEFGH"
    joins = [
        ("A", "E", 0.9),
        ("B", "D", 0.8),
        ("C", "BD", 0.7),
        ("AE", "CBD", 0.5),
        ("F", "G", 0.6),
    ]
    joins += [("AECBD", "FG", 0.3), ("AECBDFG", "H", 0.1)]
    T = np.eye(8)
    for left, right, time in joins:
        for i in left:
            for j in right:
                T[names.index(i), names.index(j)] = T[names.index(j), names.index(i)] = time
    return T, np.array([1, np.nan, np.nan, 1, np.nan, 0, 0, np.nan])


def test_example_of_the_chapter():
    """B, C and E are positive by both rules.

    H is positive with 2/4 by the nearest and 5/7 by successive labels.
    """
    T, labels = chapter_tree()
    assert_allclose(label_leaves(T, labels, "nearest"), [1, 1, 1, 1, 1, 0, 0, 2 / 4])
    assert_allclose(label_leaves(T, labels, "successive"), [1, 1, 1, 1, 1, 0, 0, 5 / 7])


def test_successive_labels_depend_on_the_shape_alone():
    """Any increasing change of the times leaves the labels."""
    T, labels = chapter_tree()
    labels[3] = np.nan
    assert_allclose(label_leaves(T**3, labels), label_leaves(T, labels))


def test_weights_between_proportional_and_nearest():
    """The weights are times for a rate near zero, and single out the nearest for a large one.

    In between they follow the formula.
    """
    T, labels = chapter_tree()
    known = ~np.isnan(labels)
    t, y = T[1, known], labels[known]
    assert_allclose(label_leaves(T, labels, "weighted", 1e-6)[1], t @ y / t.sum(), rtol=1e-4)
    assert_allclose(label_leaves(T, labels, "weighted", 1e4)[1], 1)
    weights = np.exp(3 * t) - 1
    assert_allclose(label_leaves(T, labels, "weighted", 3.0)[1], weights @ y / weights.sum())
    chosen = label_leaves(T, labels, "weighted")
    assert ((chosen >= 0) & (chosen <= 1)).all()


def test_neighbours_are_those_of_the_averaged_distance():
    """The probability is the share of positive leaves among the nearest labelled ones.

    Ties count together.
    """
    T, labels = chapter_tree()
    other = T**2
    found = label_leaves(np.array([T, other]), labels, "neighbours", n_neighbors=2)
    known = np.flatnonzero(~np.isnan(labels))
    for leaf in np.flatnonzero(np.isnan(labels)):
        far = 1 - (T + other)[leaf, known] / 2
        assert found[leaf] == pytest.approx(labels[known[far <= np.sort(far)[1] + 1e-9]].mean())
    assert found[7] == 0.5  # H is as far from all four


def test_the_process_is_scikit_learns():
    """The probabilities are those of a Gaussian process whose covariance is the times.

    The comparison uses another approximation of the same integral.
    """
    rng = np.random.default_rng(1)
    T = grow_tree(14, rng).divergence_times()
    rows = np.linalg.cholesky(T)  # inner products of these rows are the times
    labels = np.where(np.arange(14) < 9, rng.random(14) < 0.5, np.nan)
    found = label_leaves(T, labels, "process")
    peers = []
    for variance in VARIANCES:
        kernel = ConstantKernel(variance, "fixed") * DotProduct(0.0, "fixed")
        peers.append(GaussianProcessClassifier(kernel, optimizer=None).fit(rows[:9], labels[:9]))
    best = max(peers, key=lambda peer: peer.log_marginal_likelihood_value_)
    assert_allclose(found[9:], best.predict_proba(rows[9:])[:, 1], atol=0.01)
    assert_array_equal(found[:9], labels[:9])


def test_hierarchies_of_scipy_serve_too():
    """A hierarchy by average linkage labels two clouds from one label each; trees are averaged."""
    X = np.r_[
        np.random.default_rng(0).normal(-3, 1, (10, 2)),
        np.random.default_rng(1).normal(3, 1, (10, 2)),
    ]
    labels = np.full(20, np.nan)
    labels[[0, 10]] = [0, 1]
    T = linkage_times(average(X))
    found = label_leaves(T, labels)
    assert_array_equal(found, np.repeat([0.0, 1.0], 10))
    assert_allclose(
        label_leaves(np.array([T, T[::-1, ::-1]]), labels),
        (found + label_leaves(T[::-1, ::-1], labels)) / 2,
    )


def test_rows_of_two_clusters_get_the_labels_of_their_clusters():
    """One label per cluster is enough, and relevances separate the columns.

    A row that was not given is predicted as the nearest one.
    """
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [np.repeat([-3.0, 3.0], 8) + 0.2 * rng.standard_normal(16), rng.standard_normal(16)]
    )
    labelled = [0, 8]
    rest = np.setdiff1d(np.arange(16), labelled)
    model = DiffusionTreeClassifier(20, thin=2, random_state=0).fit(
        X[labelled], [0, 1], unlabelled=X[rest]
    )
    assert_array_equal(model.predict(X), np.repeat([0, 1], 8))
    assert_array_equal(model.predict(X + 0.01), model.predict(X))
    assert model.relevances_[0] > model.relevances_[1]
    assert_array_equal(model.predict_proba(X[labelled])[:, 1], [0, 1])


def test_wrong_arguments_are_named():
    """A message names the argument that is out of its range."""
    with pytest.raises(ValueError, match="rule"):
        label_leaves(np.eye(2), [1, np.nan], "random")
    with pytest.raises(ValueError, match="labels"):
        label_leaves(np.eye(2), [np.nan, np.nan])
    with pytest.raises(ValueError, match="n_neighbors"):
        label_leaves(np.eye(2), [1, np.nan], "neighbours", n_neighbors=0)
    with pytest.raises(ValueError, match="rate"):
        sample_diffusion_trees(np.ones((2, 2)), rate=0.0)
    with pytest.raises(ValueError, match="X"):
        sample_diffusion_trees(np.ones((1, 2)))
