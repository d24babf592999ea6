"""Dirichlet diffusion trees: hierarchies of rows, and the likelihood of a table under one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["DiffusionTree", "diffusion_likelihood"]


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
