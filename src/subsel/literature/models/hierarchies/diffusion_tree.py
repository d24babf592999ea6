"""Dirichlet diffusion trees: prior, likelihood and a sampler of the posterior."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.cluster.hierarchy import average
from scipy.special import gammaln
from sklearn.utils import check_random_state

from subsel.models.bayes.slice_sampling import slice_draw
from subsel.runtime.interruption import is_part_of_a_job

__all__ = [
    "DiffusionDraw",
    "DiffusionTree",
    "diffusion_likelihood",
    "diffusion_prior",
    "grow_tree",
    "sample_diffusion_trees",
]


@dataclass(eq=False)
class DiffusionTree:
    """A binary tree whose leaves are the rows of a table.

    Attributes
    ----------
    parent : list of int
        The parent of each node, -1 for the root. Leaves are 0 to m - 1, inner nodes m to 2m - 2.
    time : list of float
        The time, between 0 and 1, at which the paths below a node diverge; 1 for leaves.

    Examples
    --------
    >>> tree = DiffusionTree([3, 3, 4, 4, -1], [1.0, 1.0, 1.0, 0.7, 0.2])
    >>> tree.divergence_times()
    array([[1. , 0.7, 0.2],
           [0.7, 1. , 0.2],
           [0.2, 0.2, 1. ]])
    """

    parent: list[int]
    time: list[float]

    @property
    def n_leaves(self) -> int:
        """The number of rows."""
        return (len(self.parent) + 1) // 2

    @property
    def top(self) -> int:
        """The root."""
        return self.parent.index(-1)

    def children(self) -> dict[int, list[int]]:
        """Return the two children of each inner node."""
        below: dict[int, list[int]] = {node: [] for node in range(self.n_leaves, len(self.parent))}
        for node, above in enumerate(self.parent):
            if above >= 0:
                below[above].append(node)
        return below

    def upwards(self) -> list[int]:
        """Return the inner nodes, each after the nodes below it."""
        return sorted(range(self.n_leaves, len(self.parent)), key=lambda node: -self.time[node])

    def above(self, node: int) -> float:
        """Return the time of the parent of a node, 0 for the root."""
        if self.parent[node] < 0:
            return 0.0
        return self.time[self.parent[node]]

    def divergence_times(self) -> np.ndarray:
        """Return the time at which the paths to each pair of leaves diverge.

        Returns
        -------
        ndarray of shape (n_leaves, n_leaves)
            The times, 1 on the diagonal.
        """
        T, below = np.eye(self.n_leaves), self.children()
        leaves = {node: [node] for node in range(self.n_leaves)}
        for node in self.upwards():
            left, right = (leaves[child] for child in below[node])
            T[np.ix_(left, right)] = T[np.ix_(right, left)] = self.time[node]
            leaves[node] = left + right
        return T


def diffusion_likelihood(
    tree: DiffusionTree, X: np.ndarray, diffusion: np.ndarray, noise: np.ndarray
) -> float:
    r"""Return the log density of a table whose columns diffuse along the tree.

    Column j starts at 0, gathers the variance ``diffusion[j]`` per unit of time along each path,
    and is seen with noise of variance ``noise[j]``: it is :math:`N(0, \sigma_j^2 T + \tau_j^2 I)`
    with T the divergence times.

    Parameters
    ----------
    tree : DiffusionTree
        The tree, with m leaves.
    X : ndarray of shape (m, n_columns)
        The table.
    diffusion, noise : ndarray of shape (n_columns,)
        Variances of each column: per unit of time, and of the noise.

    Examples
    --------
    >>> tree = DiffusionTree([2, 2, -1], [1.0, 1.0, 0.5])
    >>> value = diffusion_likelihood(tree, np.array([[1.0], [2.0]]), np.ones(1), np.zeros(1))
    >>> round(value, 4)  # the normal density with covariance [[1, 0.5], [0.5, 1]]
    -3.694
    """
    # In time linear in the number of rows, by the pruning recursion for Brownian motion on a tree
    # (Felsenstein, "Maximum-likelihood estimation of evolutionary trees from continuous
    # characters", American Journal of Human Genetics 25, 1973): where two Gaussian messages meet,
    # their difference has a normal density and their product is the message of the node.
    below, value = tree.children(), 0.0
    mean, variance = list(X), [noise] * len(X)
    mean += [noise] * (len(X) - 1)
    variance += [noise] * (len(X) - 1)
    for node in tree.upwards():
        (m1, v1), (m2, v2) = (
            (mean[c], variance[c] + diffusion * (tree.time[c] - tree.time[node]))
            for c in below[node]
        )
        value += _normal(m1 - m2, v1 + v2)
        mean[node], variance[node] = (v2 * m1 + v1 * m2) / (v1 + v2), v1 * v2 / (v1 + v2)
    top = tree.top
    return value + _normal(mean[top], variance[top] + diffusion * tree.time[top])


def _normal(x: np.ndarray, variance: np.ndarray) -> float:
    """Return the log density of independent normal numbers with mean 0."""
    return float(-0.5 * (np.log(2 * np.pi * variance) + x**2 / variance).sum())


def diffusion_prior(tree: DiffusionTree, rate: float = 1.0) -> float:
    r"""Return the log density of a tree under the divergence function :math:`a(t) = c / (1 - t)`.

    A node at time t, whose parent is at :math:`t_p`, with l and r leaves on its sides, contributes

    .. math:: a(t) \, e^{(A(t_p) - A(t)) H_{l + r - 1}} \frac{(l - 1)! (r - 1)!}{(l + r - 1)!},
       \qquad A(t) = -c \ln(1 - t),

    with :math:`H_k` the k-th harmonic number and c the ``rate``. The density does not depend on the
    order in which the rows are added.

    References
    ----------
    .. [1] Neal, *Density modeling and clustering using Dirichlet diffusion trees*, Bayesian
       Statistics 7, 2003; Neal and Zhang, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature
       Extraction*, 2006, chapter 10, section 6.

    Examples
    --------
    The time at which two rows diverge is uniform:

    >>> round(diffusion_prior(DiffusionTree([2, 2, -1], [1.0, 1.0, 0.5])), 6)
    0.0
    """
    below, size = tree.children(), [1] * len(tree.parent)
    value = 0.0
    for node in tree.upwards():
        l, r = (size[child] for child in below[node])
        size[node] = l + r
        t, start = tree.time[node], tree.above(node)
        harmonic = (1 / np.arange(1, l + r)).sum()
        value += np.log(rate / (1 - t)) + rate * harmonic * (np.log1p(-t) - np.log1p(-start))
        value += gammaln(l) + gammaln(r) - gammaln(l + r)
    return float(value)


def grow_tree(n_rows: int, rng: np.random.Generator, rate: float = 1.0) -> DiffusionTree:
    """Draw a tree of at least two rows from the prior, adding one row after the other.

    >>> tree = grow_tree(4, np.random.default_rng(0))
    >>> tree.n_leaves, len(tree.parent)
    (4, 7)
    """
    parent, time = [-1] * (2 * n_rows - 1), [1.0] * (2 * n_rows - 1)
    leaves = {0: 1}  # leaves below each node so far
    below: dict[int, list[int]] = {}
    for row in range(1, n_rows):
        node, start = _top(parent), 0.0
        while True:
            # a path diverges at rate a(t) / n where n paths went before it, so that A(t) - A(start)
            # is n times an exponential number; A(t) = -c ln(1 - t) is inverted for t
            t = 1 - (1 - start) * np.exp(-leaves[node] * rng.exponential() / rate)
            if node not in below:  # a leaf, at time 1, which rounding must not reach
                t = min(t, np.nextafter(1.0, 0.0))
            if t < time[node]:
                break
            start = time[node]
            shares = np.array([leaves[child] for child in below[node]], dtype=float)
            leaves[node] += 1
            node = below[node][int(rng.random() * shares.sum() >= shares[0])]
        new = n_rows + row - 1
        _insert(parent, below, node, new, row)
        time[new], leaves[new], leaves[row] = t, leaves[node] + 1, 1
    return DiffusionTree(parent, time)


def _top(parent: list[int]) -> int:
    """Return the root of the part of the tree that holds the first leaf."""
    node = 0
    while parent[node] >= 0:
        node = parent[node]
    return node


def _insert(parent: list[int], below: dict[int, list[int]], node: int, new: int, leaf: int) -> None:
    """Insert `new` above `node` and `leaf`; updates `parent` and `below`."""
    above = parent[node]
    parent[new], parent[node], parent[leaf] = above, new, new
    below[new] = [node, leaf]
    if above >= 0:
        below[above] = [new if child == node else child for child in below[above]]


class TreeArrays(NamedTuple):
    """A tree of m leaves as the compiled loops take it; the loops change all arrays in place."""

    parent: np.ndarray  # (2m - 1,) the parent of each node, -1 for the root
    child: np.ndarray  # (2m - 1, 2) the children of each node, -1 for leaves
    time: np.ndarray  # (2m - 1,) times of divergence, 1 for leaves
    size: np.ndarray  # (2m - 1,) numbers of leaves below each node


class Messages(NamedTuple):
    """For each node and column, the normal density that the rows below give its position.

    The loops change all arrays in place; each has shape (2m - 1, n_columns).
    """

    mean: np.ndarray  # mean of the message
    variance: np.ndarray  # variance of the message
    meeting: np.ndarray  # log density of the difference of the messages that meet at an inner node


class Outside(NamedTuple):
    """For each node and column, the normal density of the position at the beginning of its edge.

    It is given all rows that are not below the node. The loops change both arrays in place; each
    has shape (2m - 1, n_columns).
    """

    mean: np.ndarray
    variance: np.ndarray


class Settings(NamedTuple):
    """What the compiled loops read and do not change."""

    diffusion: np.ndarray  # (n_columns,) variance of each column per unit of time
    noise: np.ndarray  # (n_columns,) variance of the noise of each column
    rate: float  # c of the divergence function c / (1 - t)
    harmonic: np.ndarray  # (m + 1,) harmonic numbers H_0 to H_m
    log_factorial: np.ndarray  # (m + 1,) logarithms of 0! to m!


# Settings of the sampler; those without a source were chosen by us. All leave the posterior of a
# given prior as it is but SPREAD and RATE_SPREAD, which are part of the prior.
SPREAD = 1.5  # standard deviation of the prior of the logarithms of all variances
FAR = 200  # most places proposed by the process in a sweep; large tables hardly ever accept one
NEAR = 4  # places proposed near each edge in a sweep
TRIES = 20  # times tried for a node before it keeps its old time
RATE_SPREAD = (
    0.5  # standard deviation of the prior of the logarithm of the rate, where it is sampled
)


class DiffusionDraw(NamedTuple):
    """One draw from the posterior."""

    tree: DiffusionTree
    diffusion: np.ndarray  # (n_columns,) variance of each column per unit of time
    noise: np.ndarray  # (n_columns,) variance of the noise of each column
    rate: float = 1.0  # c of the divergence function c / (1 - t)


def sample_diffusion_trees(
    X: Any,
    n_draws: int = 20,
    *,
    n_warmup: int = 20,
    thin: int = 1,
    rate: float | None = 1.0,
    random_state: Any = None,
) -> list[DiffusionDraw]:
    r"""Sample hierarchies of the rows, and variances of the columns, from the posterior [1]_.

    A sweep proposes places for subtrees of two kinds. Four proposals for each inner node are near
    the old place. Some are drawn from the diffusion process: the path of the subtree follows those
    of the other rows until it diverges, so that a single row is proposed from the prior and
    accepted by the likelihood alone. The time of every node, between those of its neighbours, and
    all variances are updated by slice sampling. A column whose noise outweighs its diffusion has
    little part in the hierarchy. The chain starts at the hierarchy by average linkage. A proposal
    by the process takes time proportional to the depth of the tree and the number of columns.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        Centred columns, such as principal components, of at least two rows.
    n_draws, n_warmup : int
        Number of trees returned, and of sweeps before the first of them.
    thin : int
        Number of sweeps from one returned tree to the next; trees of large tables change slowly.
    rate : float or None
        The constant c of the divergence function :math:`a(t) = c / (1 - t)`. If None, it is
        sampled, with a normal prior around 0 on its logarithm. Paths diverge early if it is large,
        which leaves little hierarchy.
    random_state : int, RandomState or None
        Seed of the chain.

    Returns
    -------
    list of DiffusionDraw
        The draws, in order; after Ctrl-C those completed before.

    References
    ----------
    .. [1] Neal, *Density modeling and clustering using Dirichlet diffusion trees*, Bayesian
       Statistics 7, 2003; Neal and Zhang, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature
       Extraction*, 2006, chapter 10, section 6.

    Examples
    --------
    >>> X = np.array([[-2.0], [-2.1], [2.0], [2.1]])
    >>> draws = sample_diffusion_trees(X, 200, random_state=0)
    >>> T = np.mean([draw.tree.divergence_times() for draw in draws], axis=0)
    >>> bool(T[0, 1] > T[0, 2])
    True
    """
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or len(X) < 2:
        raise ValueError(f"X must be a table of at least two rows, got the shape {X.shape}.")
    if thin < 1:
        raise ValueError(f"thin must be at least 1, got {thin!r}.")
    if rate is not None and not rate > 0:
        raise ValueError(f"rate must be positive or None, got {rate}.")
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    chain = _Chain(X, rate, rng)
    draws: list[DiffusionDraw] = []
    try:
        for sweep in range(1 - n_warmup, n_draws * thin + 1):
            chain.sweep()
            if sweep > 0 and sweep % thin == 0:
                draws.append(chain.draw())
    except KeyboardInterrupt:
        if is_part_of_a_job() or not draws:
            raise
    return draws


class _Chain:
    """The state of the Markov chain; `sweep` changes it.

    `parent`, `child` and `time` are the arrays of `tree`. `logs`, of shape (2, n_columns), holds
    the logarithms of the variances of diffusion and of noise, `centre` the means of their priors.
    """

    def __init__(self, X: np.ndarray, rate: float | None, rng: np.random.Generator) -> None:
        m, k = X.shape
        self.X, self.rng = np.ascontiguousarray(X), rng
        self.samples_rate, self.rate = rate is None, 1.0
        if rate is not None:
            self.rate = float(rate)
        # a priori a column diffuses with its mean square and has a tenth of that as noise
        scale = np.log(np.maximum((X**2).mean(axis=0), 1e-12))
        self.centre = np.array([scale, scale - np.log(10)])
        self.logs = self.centre.copy()
        if k and m > 2:
            first = linkage_tree(X)
        else:
            first = grow_tree(m, rng, self.rate)
        self.parent, self.time = np.array(first.parent), np.array(first.time)
        below = first.children()
        self.child = np.array([below.get(node, (-1, -1)) for node in range(2 * m - 1)])
        size = np.ones(2 * m - 1, dtype=np.int64)
        self.tree = TreeArrays(self.parent, self.child, self.time, size)
        self.messages = Messages(*(np.zeros((2 * m - 1, k)) for _ in range(3)))
        self.harmonic = np.append(0.0, np.cumsum(1 / np.arange(1, m + 1)))
        self.log_factorial = gammaln(np.arange(m + 1) + 1.0)

    @property
    def settings(self) -> Settings:
        """The variances, the rate and two tables for the compiled loops."""
        diffusion, noise = np.exp(self.logs)
        return Settings(diffusion, noise, self.rate, self.harmonic, self.log_factorial)

    def sweep(self) -> None:
        """Update places, times, variances and, where it is sampled, the rate."""
        from subsel.literature.models.hierarchies import diffusion_loops as loops

        m, k, rng = *self.X.shape, self.rng
        settings = self.settings
        loops.refresh_all(self.tree, self.messages, settings, self.X)
        loops.sweep_places(self.tree, self.messages, settings, rng.random((min(2 * m - 1, FAR), 4)))
        near = rng.random((m - 1, NEAR, 5)), rng.random((m - 1, 1 + TRIES)), rng.random(m - 1)
        loops.sweep_near(self.tree, self.messages, settings, *near)
        order = loops.upwards(self.tree)
        for kind, j in np.ndindex(2, k):
            density = partial(self._log_variance, kind, j, order)
            self.logs[kind, j] = slice_draw(density, float(self.logs[kind, j]), 0.5, rng)
        if self.samples_rate:
            # given the tree, the rate does not depend on the data: with c = e^log, each of the m -
            # 1 inner nodes contributes a factor c to the prior, and e^(-c exposure) is common to
            # all
            exposure = self._exposure()

            def log_density(log: float) -> float:
                return (m - 1) * log - np.exp(log) * exposure - log**2 / (2 * RATE_SPREAD**2)

            self.rate = float(np.exp(slice_draw(log_density, np.log(self.rate), 0.5, rng)))

    def draw(self) -> DiffusionDraw:
        """Return a copy of the tree, the variances and the rate."""
        diffusion, noise = np.exp(self.logs)
        return DiffusionDraw(self._as_tree(), diffusion, noise, self.rate)

    def _as_tree(self) -> DiffusionTree:
        return DiffusionTree(self.parent.tolist(), self.time.tolist())

    def _exposure(self) -> float:
        """Return the factor of the rate in the exponent of the prior, negated.

        It sums, over the inner nodes, the integral of a(t) for c = 1 along the edge above the node
        times the harmonic number of `diffusion_prior`.
        """
        parent, _, time, size = self.tree
        nodes = np.arange(len(self.X), len(parent))
        start = np.where(parent[nodes] >= 0, time[parent[nodes]], 0.0)
        return float(self.harmonic[size[nodes] - 1] @ (np.log1p(-start) - np.log1p(-time[nodes])))

    def _log_variance(self, kind: int, j: int, order: np.ndarray, log: float) -> float:
        """Return the log posterior of the logarithm of a column's diffusion (0) or noise (1).

        `order` is that of `upwards`; constants are left out.
        """
        from subsel.literature.models.hierarchies import diffusion_loops as loops

        diffusion, noise = np.exp(np.where(np.arange(2) == kind, log, self.logs[:, j]))
        value = loops.column_value(j, diffusion, noise, order, self.tree, self.X)
        return float(value - 0.5 * ((log - self.centre[kind, j]) / SPREAD) ** 2)


def linkage_tree(X: np.ndarray) -> DiffusionTree:
    """Return the hierarchy by average linkage; paths diverge earlier the more their rows differ.

    >>> linkage_tree(np.array([[0.0], [1.0], [5.0]])).parent
    [3, 3, 4, 4, -1]
    """
    m, joins = len(X), average(X)
    parent, time = [-1] * (2 * m - 1), [1.0] * (2 * m - 1)
    highest = max(joins[-1, 2], 1e-300)
    for i, (left, right, height, _) in enumerate(joins):
        parent[int(left)] = parent[int(right)] = m + i
        # variance grows linearly in time, distance is its root: the height is squared. The bounds
        # keep times inside (0, 1) and, among joins of height 0, in the order of the joins.
        time[m + i] = 1 - np.clip(0.95 * (height / highest) ** 2, 1e-6 * (i + 1) / m, 0.95)
    return DiffusionTree(parent, time)
