"""Ranks of columns by when pruning removes them from a tree of separability splits (SSV tree)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_X_y

__all__ = ["SplitNode", "best_separability_split", "grow_ssv_tree", "ssv_tree_ranks"]

CELLS = 1 << 22  # counts in memory at a time


class _Cut(NamedTuple):
    """A split of a node."""

    feature: int
    threshold: float
    value: float  # its separability split value


@dataclass
class SplitNode:
    """A node of the tree: its errors as a leaf, and its split if it has one.

    Attributes
    ----------
    errors : int
        Rows that are not of the most frequent class.
    feature, threshold : int, float
        The split; -1 and NaN for a leaf.
    children : list of SplitNode
        The two halves; empty for a leaf.

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
        """Number of errors that the split avoids."""
        return self.errors - sum(child.errors for child in self.children)

    @property
    def final(self) -> bool:
        """Whether the node is split into two leaves."""
        return bool(self.children) and not any(child.children for child in self.children)

    def walk(self) -> list[SplitNode]:
        """List the node and all nodes below it."""
        return [self, *(node for child in self.children for node in child.walk())]


def best_separability_split(X: np.ndarray, codes: np.ndarray, n_classes: int) -> _Cut | None:
    r"""Find the split of largest separability split value over all columns, the first of equals.

    The value is :math:`2 \sum_c l_c (r - r_c) - \sum_c \min(l_c, r_c)` for :math:`l_c` rows of
    class c on the left and :math:`r_c` of r rows on the right: twice the number of pairs of
    different classes that the split separates, minus the number of pairs that it should not have.

    Parameters
    ----------
    X : ndarray of shape (rows, columns)
        The rows of the node.
    codes : ndarray of int of shape (rows,)
        Their classes, 0 to n_classes - 1.
    n_classes : int
        Number of classes.

    Returns
    -------
    _Cut or None
        None if all columns are constant.
    """
    best, width = None, max(1, CELLS // (len(X) * n_classes))
    member = np.eye(n_classes)[codes]
    total = member.sum(axis=0)
    for start in range(0, X.shape[1], width):
        block = X[:, start : start + width]
        order = np.argsort(block, axis=0, kind="stable")
        ordered = np.take_along_axis(block, order, axis=0)
        left = member[order].cumsum(axis=0)[:-1]
        right = total - left
        separated = 2 * (left * (right.sum(axis=2, keepdims=True) - right)).sum(axis=2)
        values = separated - np.minimum(left, right).sum(axis=2)
        values[ordered[1:] <= ordered[:-1]] = -np.inf
        place, column = np.unravel_index(np.argmax(values.T), values.T.shape)[::-1]
        if np.isfinite(values[place, column]) and (
            best is None or values[place, column] > best.value
        ):
            low, high = ordered[place, column], ordered[place + 1, column]
            best = _Cut(
                start + int(column), float(low + (high - low) / 2), float(values[place, column])
            )
    return best


def grow_ssv_tree(X: Any, y: Any) -> SplitNode:
    """Grow a tree by the largest separability split value until no node can be split.

    Examples
    --------
    >>> grow_ssv_tree([[0.0], [1.0], [2.0]], [0, 0, 0]).children
    []
    """
    X, y = check_X_y(X, y, dtype=np.float64)
    labels, codes = np.unique(y, return_inverse=True)
    return _grow(X, codes, len(labels))


def _grow(X: np.ndarray, codes: np.ndarray, n_classes: int) -> SplitNode:
    """Grow the tree below a node with these rows."""
    counts = np.bincount(codes, minlength=n_classes)
    node = SplitNode(int(len(codes) - counts.max()))
    if node.errors == 0:
        return node
    cut = best_separability_split(X, codes, n_classes)
    if cut is None:
        return node
    below = X[:, cut.feature] <= cut.threshold
    if below.all() or not below.any():  # no floating-point number lies between the two values
        return node
    node.feature, node.threshold = cut.feature, cut.threshold
    node.children = [_grow(X[side], codes[side], n_classes) for side in (below, ~below)]
    return node


def ssv_tree_ranks(X: Any, y: Any) -> np.ndarray:
    """Rank columns by the step in which pruning removes them from an SSV tree [1]_.

    Each step removes the final splits (both halves are leaves) that avoid the fewest errors, and
    then those that avoid none. The rank of a column is the number of the step after which the tree
    no longer uses it: 0 for columns that the full tree does not use, and largest for the column of
    the root.

    Parameters
    ----------
    X : array or data frame
        The table, of numbers.
    y : array
        The classes.

    Returns
    -------
    ndarray of int
        One rank per column, the larger the better; a score for ``RankingSelector``.

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
    """Make nodes leaves, in place."""
    for node in nodes:
        node.children, node.feature, node.threshold = [], -1, np.nan
