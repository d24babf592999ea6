"""Dirichlet diffusion trees: a prior over hierarchies of rows, and the likelihood of a table under one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

__all__ = ["DiffusionTree", "diffusion_likelihood", "diffusion_prior", "grow_tree"]


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
        return self.time[self.parent[node]] if self.parent[node] >= 0 else 0.0

    def divergence_times(self) -> np.ndarray:
        """Give the time at which the paths to each pair of leaves diverge; 1 on the diagonal."""
        T, below = np.eye(self.n_leaves), self.children()
        leaves = {node: [node] for node in range(self.n_leaves)}
        for node in self.upwards():
            left, right = (leaves[child] for child in below[node])
            T[np.ix_(left, right)] = T[np.ix_(right, left)] = self.time[node]
            leaves[node] = left + right
        return T


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


def diffusion_likelihood(tree: DiffusionTree, X: np.ndarray, diffusion: np.ndarray, noise: np.ndarray) -> float:
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
            (mean[c], variance[c] + diffusion * (tree.time[c] - tree.time[node])) for c in below[node]
        )
        value += _normal(m1 - m2, v1 + v2)
        mean[node], variance[node] = (v2 * m1 + v1 * m2) / (v1 + v2), v1 * v2 / (v1 + v2)
    top = tree.top
    return value + _normal(mean[top], variance[top] + diffusion * tree.time[top])


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


def _normal(x: np.ndarray, variance: np.ndarray) -> float:
    return float(-0.5 * (np.log(2 * np.pi * variance) + x**2 / variance).sum())
