"""Dirichlet diffusion trees: hierarchies of rows, and the likelihood of a table under one."""

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
    """A binary tree whose leaves are rows.

    Attributes
    ----------
    parent : list of int
        The node above each node, -1 above the top one. Leaves are 0 to m - 1, the other nodes m to 2m - 2.
    time : list of float
        When paths diverge at a node, between 0 and 1; 1 for leaves.

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
        """Number of rows."""
        return (len(self.parent) + 1) // 2

    @property
    def top(self) -> int:
        """The node above all others."""
        return self.parent.index(-1)

    def children(self) -> dict[int, list[int]]:
        """Give the two nodes below each node that is no leaf."""
        below: dict[int, list[int]] = {node: [] for node in range(self.n_leaves, len(self.parent))}
        for node, above in enumerate(self.parent):
            if above >= 0:
                below[above].append(node)
        return below

    def upwards(self) -> list[int]:
        """Give the nodes that are no leaves, each after those below it."""
        return sorted(range(self.n_leaves, len(self.parent)), key=lambda node: -self.time[node])

    def above(self, node: int) -> float:
        """Give the time of the node above, 0 for the top node."""
        if self.parent[node] < 0:
            return 0.0
        return self.time[self.parent[node]]

    def divergence_times(self) -> np.ndarray:
        """Give the time at which the paths to each pair of leaves diverge; 1 on the diagonal."""
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
    r"""Give the log density of a table whose columns diffuse along the tree.

    Column j starts at 0, gathers the variance ``diffusion[j]`` per unit of time along each path, and is seen with noise
    of variance ``noise[j]``: it is :math:`N(0, \sigma_j^2 T + \tau_j^2 I)` with T the divergence times. Messages passed
    upwards give it in time proportional to the number of rows.

    Examples
    --------
    >>> tree = DiffusionTree([2, 2, -1], [1.0, 1.0, 0.5])
    >>> value = diffusion_likelihood(tree, np.array([[1.0], [2.0]]), np.ones(1), np.zeros(1))
    >>> round(value, 4)  # the normal density with covariance [[1, 0.5], [0.5, 1]]
    -3.694
    """
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
    return float(-0.5 * (np.log(2 * np.pi * variance) + x**2 / variance).sum())


def diffusion_prior(tree: DiffusionTree, rate: float = 1.0) -> float:
    r"""Give the log density of a tree if paths diverge with the function :math:`a(t) = c / (1 - t)`.

    A node at time t, below one at :math:`t_p`, with l and r leaves on its sides, contributes

    .. math:: a(t) \, e^{(A(t_p) - A(t)) H_{l + r - 1}} \frac{(l - 1)! (r - 1)!}{(l + r - 1)!},
       \qquad A(t) = -c \ln(1 - t),

    with :math:`H_k` the k-th harmonic number. It does not depend on the order in which rows arrive.

    References
    ----------
    .. [1] Neal, *Density modeling and clustering using Dirichlet diffusion trees*, Bayesian Statistics 7, 2003; Neal and
       Zhang, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006, chapter 10, section 6.

    Examples
    --------
    >>> round(diffusion_prior(DiffusionTree([2, 2, -1], [1.0, 1.0, 0.5])), 6)  # a uniform time for two rows
    0.0
    """
    below, size = tree.children(), [1] * len(tree.parent)
    value = 0.0
    for node in tree.upwards():
        l, r = (size[child] for child in below[node])
        size[node] = l + r
        t, late = tree.time[node], tree.above(node)
        harmonic = (1 / np.arange(1, l + r)).sum()
        value += np.log(rate / (1 - t)) + rate * harmonic * (np.log1p(-t) - np.log1p(-late))
        value += gammaln(l) + gammaln(r) - gammaln(l + r)
    return float(value)


def grow_tree(n_rows: int, rng: np.random.Generator, rate: float = 1.0) -> DiffusionTree:
    """Draw a tree from the prior, one row after the other (two at least).

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
            # A(t) grows by an exponential amount times the number of followers
            t = 1 - (1 - start) * np.exp(-leaves[node] * rng.exponential() / rate)
            if node not in below:  # a leaf, at time 1: rounding must not carry the path beyond it
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
    """Give the node above the first leaf and all others."""
    node = 0
    while parent[node] >= 0:
        node = parent[node]
    return node


def _insert(parent: list[int], below: dict[int, list[int]], node: int, new: int, leaf: int) -> None:
    """Put a new node above a node, with a leaf on its other side."""
    above = parent[node]
    parent[new], parent[node], parent[leaf] = above, new, new
    below[new] = [node, leaf]
    if above >= 0:
        below[above] = [new if child == node else child for child in below[above]]


SPREAD = 1.5  # standard deviation of the prior of the logarithms of all variances
FAR = 200  # places of a sweep by the process, far from the old ones, which large tables hardly ever take
NEAR = 4  # places proposed near the head of an edge in a sweep
TRIES = 20  # times tried for a node before it keeps its own
RATE_SPREAD = 0.5  # and of that of the rate of divergence, where it is sampled


class DiffusionDraw(NamedTuple):
    """A tree, the variances of diffusion and noise of each column, and the rate at which paths diverge."""

    tree: DiffusionTree
    diffusion: np.ndarray
    noise: np.ndarray
    rate: float = 1.0


def sample_diffusion_trees(
    X: Any,
    n_draws: int = 20,
    *,
    n_warmup: int = 20,
    thin: int = 1,
    rate: float | None = 1.0,
    random_state: Any = None,
) -> list[DiffusionDraw]:
    r"""Draw hierarchies of the rows, and how far each column follows them.

    A sweep proposes as many places for subtrees as there are nodes near the old ones, and some by the process itself: the
    path of the subtree follows those of the others until it leaves them, so that the place of a single row comes from the
    prior and the likelihood alone decides. The time of every node, between its neighbours', and all variances are drawn
    by slices. A column whose noise outweighs its diffusion has no part in the hierarchy. The chain starts at the
    hierarchy by average linkage. A proposal takes time proportional to the depth of the tree and the columns.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        Centred columns, such as principal components; two rows at least.
    n_draws, n_warmup : int
        Trees kept, and sweeps before.
    thin : int
        Of so many sweeps the last tree is kept. Trees of large tables change slowly.
    rate : float or None
        c in the divergence function :math:`a(t) = c / (1 - t)`; None samples it too, its logarithm being normal around
        0 before the data. Large rates make rows part early: little hierarchy.
    random_state : int, RandomState or None
        Of the chain.

    Returns
    -------
    list of DiffusionDraw
        The draws, in order; after Ctrl-C those made so far.

    References
    ----------
    .. [1] Neal, *Density modeling and clustering using Dirichlet diffusion trees*, Bayesian Statistics 7, 2003; Neal and
       Zhang, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006, chapter 10, section 6.

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
        raise ValueError(f"X must be a table of two rows or more, got the shape {X.shape}.")
    if thin < 1:
        raise ValueError(f"thin must be at least 1, got {thin!r}.")
    if rate is not None and not rate > 0:
        raise ValueError(f"rate must be positive or None, got {rate}.")
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    chain = _Chain(X, rate, rng)
    kept = []
    try:
        for sweep in range(1 - n_warmup, n_draws * thin + 1):
            chain.sweep()
            if sweep > 0 and sweep % thin == 0:
                kept.append(chain.draw())
    except KeyboardInterrupt:
        if is_part_of_a_job() or not kept:
            raise
    return kept


class _Chain:
    """The state: a tree with its messages, the logarithms of the variances, and the rate."""

    def __init__(self, X: np.ndarray, rate: float | None, rng: np.random.Generator) -> None:
        m, k = X.shape
        self.X, self.rng = np.ascontiguousarray(X), rng
        self.sampled, self.rate = rate is None, 1.0
        if rate is not None:
            self.rate = float(rate)
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
        self.tree = (self.parent, self.child, self.time, np.ones(2 * m - 1, dtype=np.int64))
        self.messages = tuple(np.zeros((2 * m - 1, k)) for _ in range(3))
        self.tables = (
            np.append(0.0, np.cumsum(1 / np.arange(1, m + 1))),
            gammaln(np.arange(m + 1) + 1.0),
        )

    @property
    def settings(self) -> tuple[np.ndarray, np.ndarray, float, np.ndarray, np.ndarray]:
        """Variances, the rate and two tables, as the loops take them."""
        diffusion, noise = np.exp(self.logs)
        return diffusion, noise, self.rate, *self.tables

    def sweep(self) -> None:
        """Move subtrees, times and variances."""
        from subsel.literature.models.hierarchies import diffusion_loops as loops
        from subsel.literature.models.hierarchies.diffusion_loops import sweep_near

        m, k, rng = *self.X.shape, self.rng
        settings = self.settings
        loops.refresh_all(self.tree, self.messages, settings, self.X)
        loops.sweep_places(self.tree, self.messages, settings, rng.random((min(2 * m - 1, FAR), 4)))
        near = rng.random((m - 1, NEAR, 5)), rng.random((m - 1, 1 + TRIES)), rng.random(m - 1)
        sweep_near(self.tree, self.messages, settings, *near)
        order = loops.upwards(self.tree)
        for kind, j in np.ndindex(2, k):
            density = partial(self._log_variance, kind, j, order)
            self.logs[kind, j] = slice_draw(density, float(self.logs[kind, j]), 0.5, rng)
        if self.sampled:
            waited = self._waited()  # the data do not see the rate but through the tree

            def log_density(log: float) -> float:
                return (m - 1) * log - np.exp(log) * waited - log**2 / (2 * RATE_SPREAD**2)

            self.rate = float(np.exp(slice_draw(log_density, np.log(self.rate), 0.5, rng)))

    def draw(self) -> DiffusionDraw:
        """Give a copy of the state."""
        diffusion, noise = np.exp(self.logs)
        return DiffusionDraw(self._as_tree(), diffusion, noise, self.rate)

    def _as_tree(self) -> DiffusionTree:
        return DiffusionTree(self.parent.tolist(), self.time.tolist())

    def _waited(self) -> float:
        """What the rate is multiplied by in the exponent of the prior: A for a rate of 1, once for every path that waited."""
        parent, _, time, size = self.tree
        nodes = np.arange(len(self.X), len(parent))
        start = np.where(parent[nodes] >= 0, time[parent[nodes]], 0.0)
        return float(self.tables[0][size[nodes] - 1] @ (np.log1p(-start) - np.log1p(-time[nodes])))

    def _log_variance(self, kind: int, j: int, order: np.ndarray, log: float) -> float:
        """The log density of the logarithm of a column's variance of diffusion (0) or noise (1)."""
        from subsel.literature.models.hierarchies import diffusion_loops as loops

        diffusion, noise = np.exp(np.where(np.arange(2) == kind, log, self.logs[:, j]))
        value = loops.column_value(j, diffusion, noise, order, self.tree, self.X)
        return float(value - 0.5 * ((log - self.centre[kind, j]) / SPREAD) ** 2)


def linkage_tree(X: np.ndarray) -> DiffusionTree:
    """The hierarchy by average linkage, paths parting the earlier the further their rows are apart.

    >>> linkage_tree(np.array([[0.0], [1.0], [5.0]])).parent
    [3, 3, 4, 4, -1]
    """
    m, joins = len(X), average(X)
    parent, time = [-1] * (2 * m - 1), [1.0] * (2 * m - 1)
    highest = max(joins[-1, 2], 1e-300)
    for i, (left, right, height, _) in enumerate(joins):
        parent[int(left)] = parent[int(right)] = m + i
        time[m + i] = 1 - np.clip(0.95 * (height / highest) ** 2, 1e-6 * (i + 1) / m, 0.95)
    return DiffusionTree(parent, time)
