"""The prior over Dirichlet diffusion trees: its density, and draws from it."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from subsel.literature.models.hierarchies.diffusion_tree import DiffusionTree

__all__ = ["diffusion_prior", "grow_tree"]


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
