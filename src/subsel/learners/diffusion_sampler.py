"""Draw Dirichlet diffusion trees from their posterior, given a table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from subsel.interruption import is_part_of_a_job
from subsel.learners.diffusion_prior import diffusion_prior, grow_tree
from subsel.learners.diffusion_tree import DiffusionTree, diffusion_likelihood

__all__ = ["DiffusionDraw", "sample_diffusion_trees"]

SPREAD = 1.5  # standard deviation of the prior of the logarithms of all variances
RATE_SPREAD = 0.5  # and of that of the rate of divergence, where it is sampled


class DiffusionDraw(NamedTuple):
    """A tree, the variances of diffusion and noise of each column, and the rate at which paths diverge."""

    tree: DiffusionTree
    diffusion: np.ndarray
    noise: np.ndarray
    rate: float = 1.0


def sample_diffusion_trees(
    X: Any, n_draws: int = 20, *, n_warmup: int = 20, rate: float | None = 1.0, random_state: Any = None
) -> list[DiffusionDraw]:
    r"""Draw hierarchies of the rows, and how far each column follows them.

    A sweep moves every subtree to a place drawn evenly over the rest of the tree, every node to a time drawn evenly
    between its neighbours, and every variance a little; posterior ratios decide. A column whose noise outweighs its
    diffusion has no part in the hierarchy. Means for small tables: a proposal takes time proportional to the rows.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        Centred columns, such as principal components; two rows at least.
    n_draws, n_warmup : int
        Sweeps kept, and sweeps before.
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
    >>> T = np.mean([draw.tree.divergence_times() for draw in sample_diffusion_trees(X, random_state=0)], axis=0)
    >>> bool(T[0, 1] > T[0, 2])
    True
    """
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or len(X) < 2:
        raise ValueError(f"X must be a table of two rows or more, got the shape {X.shape}.")
    if rate is not None and not rate > 0:
        raise ValueError(f"rate must be positive or None, got {rate}.")
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    chain = _Chain(X, rate, rng)
    kept = []
    try:
        for sweep in range(n_warmup + n_draws):
            chain.sweep()
            if sweep >= n_warmup:
                kept.append(chain.draw())
    except KeyboardInterrupt:
        if is_part_of_a_job() or not kept:
            raise
    return kept


class _Chain:
    """The state: a tree, the logarithms of the variances, and the rate."""

    def __init__(self, X: np.ndarray, rate: float | None, rng: np.random.Generator) -> None:
        self.X, self.rng = X, rng
        self.sampled, self.rate = rate is None, 1.0 if rate is None else rate
        scale = np.log(np.maximum((X**2).mean(axis=0), 1e-12))
        self.centre = np.array([scale, scale - np.log(10)])
        self.logs = self.centre.copy()
        self.tree = grow_tree(len(X), rng, self.rate)
        self.value = self._height(self.tree, self.logs)

    def sweep(self) -> None:
        """Move every subtree, every time and every variance once."""
        m = len(self.X)
        for _ in range(2 * m - 2):
            movable = [node for node in range(2 * m - 1) if node != self.tree.top]
            self._consider(regraft(self.tree, int(self.rng.choice(movable)), self.rng), self.logs)
        for node in range(m, 2 * m - 1):
            self._consider(shift(self.tree, node, self.rng), self.logs)
        for j in range(self.logs.size):
            logs = self.logs.copy()
            logs.flat[j] += 0.7 * self.rng.standard_normal()
            self._consider(self.tree, logs)
        if self.sampled:
            self._consider_rate(self.rate * np.exp(0.5 * self.rng.standard_normal()))

    def draw(self) -> DiffusionDraw:
        """Give a copy of the state."""
        diffusion, noise = np.exp(self.logs)
        tree = DiffusionTree(self.tree.parent.copy(), self.tree.time.copy())
        return DiffusionDraw(tree, diffusion, noise, self.rate)

    def _consider(self, tree: DiffusionTree, logs: np.ndarray) -> None:
        value = self._height(tree, logs)
        if np.log(self.rng.random()) < value - self.value:
            self.tree, self.logs, self.value = tree, logs, value

    def _consider_rate(self, rate: float) -> None:
        """The data do not see the rate but through the tree."""
        change = diffusion_prior(self.tree, rate) - diffusion_prior(self.tree, self.rate)
        pull = (np.log(self.rate) ** 2 - np.log(rate) ** 2) / (2 * RATE_SPREAD**2)
        if np.log(self.rng.random()) < change + pull:
            self.rate, self.value = rate, self.value + change

    def _height(self, tree: DiffusionTree, logs: np.ndarray) -> float:
        diffusion, noise = np.exp(logs)
        prior = -0.5 * (((logs - self.centre) / SPREAD) ** 2).sum()
        return float(diffusion_prior(tree, self.rate) + diffusion_likelihood(tree, self.X, diffusion, noise) + prior)


def shift(tree: DiffusionTree, node: int, rng: np.random.Generator) -> DiffusionTree:
    """Give the tree with a node at a time drawn evenly between those above and below it."""
    first = min(tree.time[child] for child in tree.children()[node])
    time = tree.time.copy()
    time[node] = rng.uniform(tree.above(node), first)
    return DiffusionTree(tree.parent, time)


def regraft(tree: DiffusionTree, node: int, rng: np.random.Generator) -> DiffusionTree:
    """Give the tree with the subtree below a node cut off and joined again at a place drawn evenly over the rest.

    The way back is as probable, since the rest of the tree is the same.
    """
    parent, time, joint = tree.parent.copy(), tree.time.copy(), tree.parent[node]
    sibling = next(child for child in tree.children()[joint] if child != node)
    parent[sibling] = parent[joint]
    inside, rest = _below(tree, node), []
    for other in range(len(parent)):
        if other not in inside and other != joint:
            start = time[parent[other]] if parent[other] >= 0 else 0.0
            rest.append((other, start, max(0.0, min(time[other], time[node]) - start)))
    lengths = np.array([length for _, _, length in rest])
    other, start, length = rest[int(rng.choice(len(rest), p=lengths / lengths.sum()))]
    time[joint] = start + length * rng.random()
    parent[joint], parent[other] = parent[other], joint
    return DiffusionTree(parent, time)


def _below(tree: DiffusionTree, node: int) -> set[int]:
    children, found, waiting = tree.children(), {node}, [node]
    while waiting:
        below = children.get(waiting.pop(), [])
        found.update(below)
        waiting.extend(below)
    return found
