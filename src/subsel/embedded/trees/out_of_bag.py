"""Importance of columns by shuffling them in the out-of-bag rows of every tree of a forest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import norm
from sklearn.base import is_classifier
from sklearn.utils import check_random_state

from subsel._loops.trees.tree_walks import Sample, Shuffle, add_rises
from subsel.data.columns import column_groups
from subsel.data.storage import dense
from subsel.data.task import Task
from subsel.embedded.targets import kind_of
from subsel.embedded.trees.flat_trees import FlatTree, flat_tree, unseen_rows

__all__ = ["OutOfBagImportance", "Shuffles", "out_of_bag_importance"]


@dataclass(frozen=True)
class OutOfBagImportance:
    """The importance of each column to the trees of a forest.

    Attributes
    ----------
    importances : ndarray of shape (n_columns,)
        The mean over trees of the rise in wrong votes, or in the sum of squared errors.
    z : ndarray of shape (n_columns,)
        The mean, divided by its standard error over the trees.
    p_values : ndarray of shape (n_columns,)
        One-sided p-values of z, from the normal law.
    per_class : ndarray of shape (n_columns, n_classes)
        The means with rows of one class only; one column for regression.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> y = (X[:, 1] > 0).astype(int)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    >>> importance = out_of_bag_importance(forest, X, y, random_state=0)
    >>> int(importance.z.argmax()), importance.per_class.shape
    (1, (3, 2))
    """

    importances: np.ndarray
    z: np.ndarray
    p_values: np.ndarray
    per_class: np.ndarray


def out_of_bag_importance(
    forest: Any,
    X: Any,
    y: Any,
    *,
    n_repeats: int = 1,
    feature_groups: Any = None,
    conditional: float | None = None,
    sample_weight: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> OutOfBagImportance:
    r"""Compute how much the trees of a forest lose when a column is shuffled [1]_ [2]_.

    For tree t let :math:`d_t(k)` be the rise of wrong votes (or of the squared errors) on its
    out-of-bag rows when column k is shuffled there, 0 if the tree does not use the column. The
    test statistic is :math:`z_k = \bar d(k) / (s(k) / \sqrt T)` with the mean and the standard
    deviation over the T trees. A row is followed again only from the first node of its path that
    uses the column, so that the cost does not grow with the number of columns.

    Parameters
    ----------
    forest : estimator
        A fitted forest of scikit-learn with ``bootstrap=True``.
    X : array, sparse matrix or data frame
        The table that it was trained on. It is made dense, in single precision.
    y : array
        The target that it was trained on.
    n_repeats : int
        Number of shuffles per tree and column, over which the loss is averaged.
    feature_groups : list of lists, mapping or labels, optional
        Columns that are shuffled in the same way; all columns of a group have the value of the
        group.
    conditional : float, optional
        An absolute correlation. If given, a column is shuffled only among rows in the same cell of
        the columns that correlate with it by at least this much, where the cells are made by the
        thresholds of the tree [3]_. A redundant column then has a value near 0.
    sample_weight : array, optional
        Weights of the rows.
    random_state : int, RandomState or None
        Seed of the shuffles.
    n_jobs : int, optional
        Number of trees processed at a time; it does not change the answer.

    Notes
    -----
    z grows with the number of trees even where the effect is small, and correlations by chance in
    the sample are effects to the forest: for a test, compare with shuffled copies of the columns
    (:class:`subsel.embedded.Boruta`).

    References
    ----------
    .. [1] Breiman, *Random forests*, Machine Learning 45, 2001, section 10.
    .. [2] Tuv, *Ensemble learning*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature
       Extraction*, 2006, chapter 7, section 3.
    .. [3] Strobl, Boulesteix, Kneib, Augustin and Zeileis, *Conditional variable importance for
       random forests*, BMC Bioinformatics 9:307, 2008.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X = np.random.default_rng(0).standard_normal((100, 4))
    >>> y = X[:, 2] > 0
    >>> forest = RandomForestClassifier(30, random_state=0).fit(X, y)
    >>> out_of_bag_importance(forest, X, y, random_state=0).p_values.round(2) < 0.01
    array([False, False,  True, False])
    """
    if n_repeats < 1:
        raise ValueError(f"n_repeats must be at least 1, got {n_repeats!r}.")
    task = Task.of(X, y, kind_of(forest), sample_weight=sample_weight, allow_nan=True)
    group = _group_numbers(column_groups(feature_groups, task.names), task.n_columns)
    seed = int(check_random_state(random_state).randint(2**31))
    shuffles = Shuffles.of(_single_precision(task), group, conditional, n_repeats)
    return _statistics(_rises(forest, task, shuffles, seed, n_jobs), group)


def _rises(forest: Any, task: Task, shuffles: Shuffles, seed: int, n_jobs: int | None) -> Any:
    """Yield the mean rise of the loss for every tree, as an array of shape (groups, classes)."""
    classes, X, group = is_classifier(forest), shuffles.X, shuffles.group
    truth, n_classes = task.y, 1
    if classes:
        truth = np.searchsorted(forest.classes_, task.y).astype(float)
        n_classes = len(forest.classes_)
    shape = (int(group.max()) + 1, n_classes)

    def one(number: int, model: Any, rows: np.ndarray) -> np.ndarray:
        tree, values, out = flat_tree(model), _leaf_values(model, classes), np.zeros(shape)
        sample = Sample(X, truth, task.row_weights, rows)
        for orders, place in shuffles.orders(tree, rows, np.random.default_rng([seed, number])):
            shuffle = Shuffle(group, orders, place)
            add_rises(sample, shuffle, tuple(tree), values, not classes, out)
        return out / shuffles.n_repeats

    unseen = unseen_rows(forest, task.n_rows)
    parallel = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")
    return parallel(
        delayed(one)(t, model, rows)
        for t, (model, rows) in enumerate(zip(forest.estimators_, unseen))
    )


def _single_precision(task: Task) -> np.ndarray:
    """Convert the table to the type in which scikit-learn's trees compare with thresholds."""
    return np.ascontiguousarray(dense(task.numbers), dtype=np.float32)


def _leaf_values(model: Any, classes: bool) -> np.ndarray:
    """Give the prediction of every node, the code of a class or a number."""
    values = model.tree_.value[:, 0, :]
    if classes:
        return values.argmax(axis=1).astype(float)
    return values[:, 0].astype(float)


def _statistics(rises: Any, group: np.ndarray) -> OutOfBagImportance:
    """Compute means, errors and tests from the rises of the trees, without storing these."""
    per_class, squares, n = 0.0, 0.0, 0
    for rise in rises:
        per_class, squares, n = per_class + rise, squares + rise.sum(axis=1) ** 2, n + 1
    mean = np.sum(per_class, axis=1) / n
    error = np.sqrt(np.maximum(squares / n - mean**2, 0.0) / max(n - 1, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(mean == 0, 0.0, mean / error)
    return OutOfBagImportance(
        mean[group], z[group], norm.sf(z)[group], np.asarray(per_class / n)[group]
    )


def _group_numbers(groups: Sequence[Sequence[int]], n_columns: int) -> np.ndarray:
    """Give every column the number of its group; a column without one is a group of its own."""
    own = np.arange(n_columns)
    for members in groups:
        own[members] = min(members)
    return np.unique(own, return_inverse=True)[1]


@dataclass(frozen=True)
class Shuffles:
    """How rows are shuffled for each group of columns."""

    X: np.ndarray  # shape (rows, columns), single precision
    group: np.ndarray  # shape (columns,): the number of each column's group
    related: np.ndarray | None  # shape (groups, columns), bool: columns whose cells are kept
    n_repeats: int

    @classmethod
    def of(
        cls, X: np.ndarray, group: np.ndarray, conditional: float | None, n_repeats: int
    ) -> Shuffles:
        """Find the columns correlated with each group, if shuffles are conditional on them."""
        if conditional is None:
            return cls(X, group, None, n_repeats)
        if not 0 < conditional <= 1:
            raise ValueError(f"conditional must lie in (0, 1], got {conditional!r}.")
        if np.isnan(X).any():
            raise ValueError("conditional shuffles are for tables without missing values.")
        with np.errstate(divide="ignore", invalid="ignore"):
            close = np.abs(np.atleast_2d(np.corrcoef(X, rowvar=False))) >= conditional - 1e-9
        related = np.array(
            [close[group == g].any(axis=0) & (group != g) for g in range(group.max() + 1)]
        )
        return cls(X, group, related, n_repeats)

    def orders(
        self, tree: FlatTree, rows: np.ndarray, rng: np.random.Generator
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the shuffles of one tree's out-of-bag rows, once per repeat.

        Yields
        ------
        orders : ndarray of shape (groups used, rows)
            For each group that the tree uses, a permutation of 0, ..., rows - 1.
        place : ndarray of shape (groups,)
            The row of `orders` of each group, -1 if the tree does not use it.
        """
        used = np.unique(self.group[tree.column[tree.left >= 0]])
        place = np.full(self.group.max() + 1, -1)
        place[used] = np.arange(len(used))
        plain = np.tile(np.arange(len(rows)), (len(used), 1))
        for _ in range(self.n_repeats):
            orders = rng.permuted(plain, axis=1)
            if self.related is not None:
                for order, g in zip(orders, used):
                    order[:] = _within(self._cells(tree, rows, int(g)), order)
            yield orders, place

    def _cells(self, tree: FlatTree, rows: np.ndarray, g: int) -> np.ndarray:
        """Number the cells that the tree's thresholds on the related columns of group g make.

        Returns
        -------
        ndarray of int of shape (rows,)
            The cell of each row.
        """
        # one column after the other: the cells so far are divided by its thresholds, renumbered
        assert self.related is not None
        cells = np.zeros(len(rows), dtype=np.int64)
        for j in np.flatnonzero(self.related[g]):
            cuts = np.unique(tree.threshold[(tree.left >= 0) & (tree.column == j)])
            finer = cells * (len(cuts) + 1) + np.searchsorted(cuts, self.X[rows, j])
            cells = np.unique(finer, return_inverse=True)[1]
        return cells


def _within(cells: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Change a permutation so that it maps every cell to itself.

    The rows of a cell are permuted in the order in which they occur in `order`.

    >>> _within(np.array([0, 1, 0, 1]), np.array([3, 2, 1, 0]))
    array([2, 3, 0, 1])
    """
    shuffled = np.empty_like(order)
    shuffled[np.argsort(cells, kind="stable")] = order[np.argsort(cells[order], kind="stable")]
    return shuffled
