"""Intervals and groups of values from trees of separability splits."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.data.intervals.base import SupervisedDiscretiser, between
from subsel.data.intervals.split_trees import tree_codes
from subsel.data.statistics.counts import column_blocks, count
from subsel.data.statistics.differences import nominal_mask
from subsel.data.statistics.joint_counts import JointCounts

__all__ = ["SSV"]


class SSV(SupervisedDiscretiser):
    """Cut each column where a pruned tree of separability splits on it does [1]_ [2]_.

    :func:`subsel.ranking.separability_tree` scores columns by the accuracy of these intervals. The
    values of a nominal column are divided into groups; a name that ``fit`` has not seen has the
    code of a missing value.

    Parameters
    ----------
    degree : float, optional
        The degree of pruning; by default it is chosen by cross-validation.
    strict : bool
        Whether the penalty decides only between splits that separate equally many pairs.
    nominal : array of bool or list of int, optional
        A mask or the numbers of the nominal features, whose values are names. All subsets of up to
        10 names are tried; more names are ordered by their numbers.

    Attributes
    ----------
    cut_points_ : list of ndarray
        The sorted cut points of each column; a nominal column has none.
    groups_ : dict
        For each nominal column, by its number: its names and their codes.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the separability split value.
    .. [2] K. Grabczewski and N. Jankowski, "Mining for Complex Models Comprising Feature Selection
       and Classification", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 23, the SSV
       criterion.

    Examples
    --------
    >>> X = np.array([[1, 7], [2, 8], [3, 8], [4, 7]])
    >>> fitted = SSV(nominal=[1]).fit(X, ["a", "b", "b", "a"])
    >>> fitted.cut_points_[0], fitted.transform(X)[:, 1]
    (array([1.5, 3.5]), array([0, 1, 1, 0]))
    """

    def __init__(
        self, degree: float | None = None, strict: bool = False, *, nominal: Any = None
    ) -> None:
        self.degree = degree
        self.strict = strict
        self.nominal = nominal

    def cuts(self, values: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the cut points between values of different leaves."""
        tables = JointCounts(values, table, np.zeros(1, dtype=np.intp))
        return between(
            values, np.flatnonzero(np.diff(self._codes(tables, np.zeros(1, dtype=bool))))
        )

    def transform(self, X: Any) -> np.ndarray:
        """Return the code of every entry, a whole number from 0, of shape (n, p)."""
        check_is_fitted(self)
        codes = super().transform(X)
        X = validate_data(
            self, X, reset=False, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan"
        )
        for j, (names, groups) in self.groups_.items():
            codes[:, j] = groups.max(initial=-1) + 1
            row, name = np.nonzero(X[:, j, None] == names)
            codes[row, j] = groups[name]
        return codes

    def recode(self, tables: JointCounts) -> np.ndarray:
        """Return the code of every value in contingency tables of columns that are not nominal."""
        if self.nominal is not None:
            raise ValueError(
                "nominal must be None to code contingency tables, which do not tell the columns "
                "apart; transform X and count the codes."
            )
        return self._codes(tables, np.zeros(len(tables.starts), dtype=bool))

    def _codes(self, tables: JointCounts, names: np.ndarray) -> np.ndarray:
        return tree_codes(tables, names, self.degree, self.strict)[0]

    def _learn(self, X: np.ndarray, y: Any) -> list[np.ndarray]:
        labels, classes = self._classes(X, y)
        nominal = nominal_mask(self.nominal, X.shape[1])
        learnt: list[np.ndarray] = []
        self.groups_ = {}
        for block in column_blocks(X):
            tables = count(block, classes, len(labels))
            codes = self._codes(tables, nominal[len(learnt) : len(learnt) + len(tables.starts)])
            for (values, _), code in zip(tables, np.split(codes, tables.starts[1:])):
                known = slice(len(values) - int(np.isnan(values[-1])))
                values, code = values[known], code[known]
                if nominal[len(learnt)]:
                    self.groups_[len(learnt)] = (values, code)
                    learnt.append(np.empty(0))
                else:
                    learnt.append(between(values, np.flatnonzero(np.diff(code))))
        return learnt
