"""Intervals from decision trees of one column."""

from __future__ import annotations

import numpy as np

from subsel.data.intervals.base import SupervisedDiscretiser, between

__all__ = ["TreeCuts"]


class TreeCuts(SupervisedDiscretiser):
    """Cut each column at the thresholds of a decision tree of this column only [1]_.

    The tree is grown on ranks, so that increasing transforms of a column do not move the cuts.

    Parameters
    ----------
    n_bins : int
        The largest number of leaves; the tree grows best first.
    criterion : {"gini", "entropy", "log_loss"}
        The impurity that splits lower, as in scikit-learn's trees.
    min_weight_fraction_leaf : float
        The least share of all rows in a leaf.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       decision trees of one feature.

    Examples
    --------
    >>> X = np.array([[1], [2], [3], [4]])
    >>> TreeCuts().fit(X, [0, 0, 1, 1]).cut_points_
    [array([2.5])]
    """

    def __init__(
        self, n_bins: int = 8, criterion: str = "gini", *, min_weight_fraction_leaf: float = 0.0
    ) -> None:
        self.n_bins = n_bins
        self.criterion = criterion
        self.min_weight_fraction_leaf = min_weight_fraction_leaf

    def cuts(self, values: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the cut points; each class is weighted by how often it occurs with a value."""
        from sklearn.tree import DecisionTreeClassifier

        tree = DecisionTreeClassifier(
            criterion=self.criterion,
            max_leaf_nodes=int(self.n_bins),
            min_weight_fraction_leaf=self.min_weight_fraction_leaf,
            random_state=0,
        )
        rank, label = np.nonzero(table)
        grown = tree.fit(rank[:, None], label, sample_weight=table[rank, label]).tree_
        return between(values, np.sort(grown.threshold[grown.feature == 0]).astype(np.intp))
