"""A tree of separability splits over all columns, and the order in which pruning takes columns from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_X_y

__all__ = ["SplitNode", "best_separability_split", "grow_ssv_tree", "ssv_tree_ranks"]

CELLS = 1 << 22  # counts held at a time


class _Cut(NamedTuple):
    feature: int
    threshold: float
    value: float


@dataclass
class SplitNode:
    """A node: what it would get wrong as a leaf, and its split where it has one.

    Examples
    --------
    >>> root = grow_ssv_tree([[0.0, 3.0], [1.0, 1.0], [2.0, 2.0], [3.0, 0.0]], [0, 0, 1, 1])
    >>> root.feature, root.threshold, root.errors, len(root.children)
    (0, 1.5, 2, 2)
    """

    errors: int
    feature: int = -1
    threshold: float = np.nan
    children: list[SplitNode] = field(default_factory=list)

    @property
    def gain(self) -> int:
        """Errors that the split saves."""
        return self.errors - sum(child.errors for child in self.children)

    @property
    def final(self) -> bool:
        """Whether it is split, and both halves are leaves."""
        return bool(self.children) and not any(child.children for child in self.children)

    def walk(self) -> list[SplitNode]:
        """The node and all below it."""
        return [self, *(node for child in self.children for node in child.walk())]


def best_separability_split(X: np.ndarray, codes: np.ndarray, n_classes: int) -> _Cut | None:
    """The cut of largest separability split value over all columns, the first of several; None where nothing can be cut."""
    best, width = None, max(1, CELLS // (len(X) * n_classes))
    member = np.eye(n_classes)[codes]
    total = member.sum(axis=0)
    for start in range(0, X.shape[1], width):
        block = X[:, start : start + width]
        order = np.argsort(block, axis=0, kind="stable")
        ordered = np.take_along_axis(block, order, axis=0)
        left = member[order].cumsum(axis=0)[:-1]
        right = total - left
        apart = 2 * (left * (right.sum(axis=2, keepdims=True) - right)).sum(axis=2)
        values = apart - np.minimum(left, right).sum(axis=2)
        values[ordered[1:] <= ordered[:-1]] = -np.inf
        at, column = np.unravel_index(np.argmax(values.T), values.T.shape)[::-1]
        if np.isfinite(values[at, column]) and (best is None or values[at, column] > best.value):
            low, high = ordered[at, column], ordered[at + 1, column]
            best = _Cut(
                start + int(column), float(low + (high - low) / 2), float(values[at, column])
            )
    return best


def grow_ssv_tree(X: Any, y: Any) -> SplitNode:
    """Split by the largest separability split value until nodes are pure, or alike in all columns.

    Examples
    --------
    >>> grow_ssv_tree([[0.0], [1.0], [2.0]], [0, 0, 0]).children
    []
    """
    X, y = check_X_y(X, y, dtype=np.float64)
    labels, codes = np.unique(y, return_inverse=True)
    return _grown(X, codes, len(labels))


def _grown(X: np.ndarray, codes: np.ndarray, n_classes: int) -> SplitNode:
    counts = np.bincount(codes, minlength=n_classes)
    node = SplitNode(int(len(codes) - counts.max()))
    if node.errors == 0:
        return node
    cut = best_separability_split(X, codes, n_classes)
    if cut is None:
        return node
    below = X[:, cut.feature] <= cut.threshold
    if below.all() or not below.any():  # neighbours too near to have a number between them
        return node
    node.feature, node.threshold = cut.feature, cut.threshold
    node.children = [_grown(X[side], codes[side], n_classes) for side in (below, ~below)]
    return node


def ssv_tree_ranks(X: Any, y: Any) -> np.ndarray:
    """Rank columns by how long they stay in a tree of separability splits that is pruned step by step [1]_.

    Each step collapses the final splits (both halves leaves) that save fewest errors, and then
    those that save none; a column that the tree no longer uses has the number of the step as its
    rank. Columns that the full tree does not use have rank 0, that of the root has the largest.

    Parameters
    ----------
    X : array or data frame
        The table, of numbers.
    y : array
        The classes.

    Returns
    -------
    ndarray of int
        One rank per column, larger is better; for ``RankingSelector`` it is a score.

    References
    ----------
    .. [1] Grabczewski and Jankowski, *Mining for complex models comprising feature selection and
       classification*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 23, SSV trees.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> ssv_tree_ranks(*load_iris(return_X_y=True))
    array([2, 2, 5, 4])
    """
    root = grow_ssv_tree(X, y)
    ranks = np.full(np.shape(X)[1], -1)
    step = 0
    while (ranks < 0).any():
        used = {node.feature for node in root.walk() if node.children}
        ranks[[j for j in range(len(ranks)) if ranks[j] < 0 and j not in used]] = step
        final = [node for node in root.walk() if node.final]
        least = min((node.gain for node in final), default=0)
        _collapse([node for node in final if node.gain == least])
        while idle := [node for node in root.walk() if node.final and node.gain == 0]:
            _collapse(idle)
        step += 1
    return ranks


def _collapse(nodes: list[SplitNode]) -> None:
    for node in nodes:
        node.children, node.feature, node.threshold = [], -1, np.nan
