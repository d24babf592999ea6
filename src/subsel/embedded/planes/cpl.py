"""CPL: the cheapest plane that separates the classes, and the few columns it uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.model_selection import check_cv
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from subsel.data.columns import ColumnSelector, column_costs
from subsel.data.task import Task, is_frame
from subsel.embedded.targets import positive_classes
from subsel.models.planes.cpl_program import Program, Solution, violated_rows
from subsel.models.planes.cpl_table import ScaledColumns, row_prices, scaled_columns, sides

__all__ = ["CPLSelector", "PathPoint", "Plane"]

LAST_LAMBDA = 1e-3  # the last lambda of a path as a share of the first


class PathPoint(NamedTuple):
    """The solution at one lambda of a path, in numbers."""

    label: Any  # the class on the positive side
    lam: float
    criterion: float  # Phi at the minimum
    n_features: int  # columns with a weight
    violation: float  # sum of the hinge losses, times the prices of the rows


@dataclass(frozen=True)
class Plane:
    """The plane of one class against the rest; :class:`CPLSelector` explains the quantities."""

    label: Any  # the class on the positive side
    lam: float  # 0.0 for the limit of small lambda
    coef: np.ndarray  # shape (columns,), for the table as given
    intercept: float
    criterion: float
    margin: float
    separable: bool
    violation: float
    blame: np.ndarray  # rows, the most violated first
    path: tuple[PathPoint, ...]


class CPLSelector(ClassifierMixin, ColumnSelector):
    r"""Keep the columns that the cheapest separating plane uses.

    The plane minimises a convex and piecewise linear (CPL) function [1]_, the hinge loss with an L1
    penalty, as the L1-norm support vector machine [2]_ does:

    .. math:: \Phi_\lambda(v) = \sum_j \alpha_j \max(0, 1 - s_j \langle v, x_j\rangle)
              + \lambda \sum_i \gamma_i |v_i|

    The prices :math:`\alpha` of the rows are the sample weights, :math:`s_j = \pm 1` is the class
    of row j and :math:`\gamma` are the costs of the columns. The simplex method of HiGHS with
    column generation finds the exact minimum; ten thousand columns and a hundred rows take a tenth
    of a second. The minimum is a vertex, so that no more columns are kept than there are rows. If
    the classes are separable, every small lambda gives the same vector: the separating one of
    least cost, which has the widest margin in the norm dual to the cost.

    Parameters
    ----------
    lam : float or None
        Weight of the costs. None stands for the limit of small lambda if the classes are separable;
        otherwise for the lambda of the path with the highest cross-validated accuracy (of equals,
        the sparsest model).
    feature_costs : sequence or mapping, optional
        One positive cost per column, or a mapping from names to costs (1 for the others).
    threshold_cost : float
        Cost of the threshold. With 0 it is free; in [1]_ it costs 1.
    scale : bool
        Whether to divide columns by their (weighted) standard deviation, which multiplies their
        costs by it. Columns are not shifted, so that sparse tables stay sparse; with a free
        threshold a shift would change nothing. ``criterion_`` and ``margin_`` refer to the scaled
        columns, ``coef_`` to the table as given.
    n_lambdas : int
        Number of points on the path, evenly spaced in the logarithm, from the least lambda at
        which all weights are known to be zero down to a thousandth of it. The path ends early
        where the plane separates the classes.
    cv : int, splitter or iterable
        Folds to choose lambda where the classes are not separable. A number of folds is lowered to
        the size of the smallest class; if a class has one row only, the end of the path is used.

    Attributes
    ----------
    support_ : ndarray of bool
        Mask of the columns with a weight, for any class.
    coef_, intercept_ : ndarray
        The planes, one row for two classes, one per class against the rest for more.
    criterion_ : float
        The least Phi at the lambda used, summed over the planes. In the limit of small lambda it is
        Phi / lambda, the cost of the weights.
    margin_ : float
        The width :math:`2 / \sum_i \gamma_i |v_i|` of the strip :math:`|\langle v, x\rangle| < 1`
        in the dual norm (with ``scale``, in units of the standard deviations); the least
        over the planes. In the limit of small lambda no row lies inside it.
    separable_ : bool
        Whether a plane separates the classes (each from the rest) without error.
    violation_ : float
        The least total violation :math:`\sum_j \alpha_j \max(0, \cdot)` that a plane can have,
        summed over the classes; 0 exactly if ``separable_``.
    blame_ : ndarray
        The rows violated by the planes of least violation, the most violated first.
    path_ : list of PathPoint
        The solution at each lambda of the path.
    models_ : list of Plane
        One per row of ``coef_``.
    classes_ : ndarray
        The labels.

    Notes
    -----
    It needs memory for a scaled copy of the table, and for a second one where the table is not
    float64 in column order. The tolerances of HiGHS are 1e-9 on rows and reduced costs; a row
    counts as violated above 1e-8.

    References
    ----------
    .. [1] Bobrowski and Łukaszuk, *Selection of the linearly separable feature subsets*, ICAISC
       2004 (Lecture Notes in Computer Science 3070), equations 10-19.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter
       5: the L1-norm support vector machine.

    Examples
    --------
    >>> X = np.array([[0.0, 3.0, 1.0], [1.0, 1.0, 0.0], [3.0, 2.0, 0.0], [5.0, 1.0, 1.0]])
    >>> selector = CPLSelector(scale=False).fit(X, [0, 0, 1, 1])
    >>> selector.get_support(indices=True), selector.coef_, selector.intercept_, selector.margin_
    (array([0]), array([[1., 0., 0.]]), array([-2.]), 2.0)
    """

    def __init__(
        self,
        lam: float | None = None,
        *,
        feature_costs: Any = None,
        threshold_cost: float = 0.0,
        scale: bool = True,
        n_lambdas: int = 10,
        cv: Any = 5,
    ) -> None:
        self.lam = lam
        self.feature_costs = feature_costs
        self.threshold_cost = threshold_cost
        self.scale = scale
        self.n_lambdas = n_lambdas
        self.cv = cv

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CPLSelector:
        """Solve the linear programme of each class against the rest."""
        self._check_parameters()
        X, y = self._receive(X, y)
        check_classification_targets(y)
        task = Task.of(X, y, "classification", sample_weight=sample_weight)
        costs = column_costs(self.feature_costs, task.names)
        columns = self._columns(task, costs)
        self.classes_ = task.classes
        self.models_ = [
            self._plane(task, columns, costs, sign, label)
            for sign, label in zip(sides(task), positive_classes(task.classes))
        ]
        self.coef_ = np.array([plane.coef for plane in self.models_])
        self.intercept_ = np.array([plane.intercept for plane in self.models_])
        self.support_ = (self.coef_ != 0).any(axis=0)
        self.criterion_ = sum(plane.criterion for plane in self.models_)
        self.margin_ = min(plane.margin for plane in self.models_)
        self.separable_ = all(plane.separable for plane in self.models_)
        self.violation_ = sum(plane.violation for plane in self.models_)
        self.blame_ = np.array(
            list(dict.fromkeys(r for p in self.models_ for r in p.blame.tolist())), dtype=np.int64
        )
        self.path_ = [point for plane in self.models_ for point in plane.path]
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the value of the plane for each row: positive for the second class.

        With more than two classes there is one column for each.
        """
        check_is_fitted(self)
        kept = self.transform(X)
        if is_frame(kept):
            kept = kept.to_numpy()
        values = np.asarray(kept @ self.coef_[:, self.support_].T) + self.intercept_
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> np.ndarray:
        """Give the class of each row."""
        values = self.decision_function(X)
        if values.ndim == 1:
            return self.classes_[(values > 0).astype(int)]
        return self.classes_[values.argmax(axis=1)]

    def _check_parameters(self) -> None:
        if self.lam is not None and not self.lam > 0:
            raise ValueError(
                f"lam must be positive, or None for the limit of small lambda, got {self.lam}."
            )
        if not self.threshold_cost >= 0:
            raise ValueError(f"threshold_cost must not be negative, got {self.threshold_cost}.")
        if self.n_lambdas < 1:
            raise ValueError(f"n_lambdas must be at least 1, got {self.n_lambdas}.")

    def _columns(
        self, task: Task, costs: Sequence[float] | None, rows: np.ndarray | None = None
    ) -> ScaledColumns:
        """Scale the columns, by the rows given or by all."""
        return scaled_columns(task, self.scale, costs, centre=self.threshold_cost == 0, rows=rows)

    def _plane(
        self,
        task: Task,
        columns: ScaledColumns,
        costs: Sequence[float] | None,
        sign: np.ndarray,
        label: Any,
    ) -> Plane:
        """Solve for one class against the rest; `sign` is 1 for rows of the class, else -1."""
        program = Program(columns, sign, row_prices(task), self.threshold_cost)
        if self.lam is None:
            lams = path_of_lambdas(program.lam_max, self.n_lambdas)
        else:
            lams = np.array([self.lam])
        solutions = follow(program, lams)
        chosen = solutions[-1]
        limit, is_separable = self._limit(program, chosen)
        if self.lam is None and is_separable:
            chosen, lam, criterion = limit, 0.0, limit.norm  # the limit of small lambda
        else:
            if self.lam is None:
                chosen = solutions[self._best_point(task, costs, sign, lams)]
            lam, criterion = chosen.lam, chosen.criterion
        weights, intercept = columns.original(chosen.weights(task.n_columns), chosen.intercept)
        points = (
            PathPoint(label, s.lam, s.criterion, len(s.features), s.violation) for s in solutions
        )
        return Plane(
            label=label,
            lam=lam,
            coef=weights,
            intercept=intercept,
            criterion=criterion,
            margin=chosen.margin,
            separable=is_separable,
            violation=limit.violation,
            blame=violated_rows(limit),
            path=tuple(points),
        )

    def _limit(self, program: Program, last: Solution) -> tuple[Solution, bool]:
        """Compute the limit of small lambda from the last solution of a path.

        Returns
        -------
        solution : Solution
            The cheapest separating vector, or else a vector of least violation.
        separable : bool
            Whether it separates the classes.
        """
        if last.violation == 0:
            return last, True
        if self.lam is None:
            return program.settle()
        return program.separate()

    def _best_point(
        self, task: Task, costs: Sequence[float] | None, sign: np.ndarray, lams: np.ndarray
    ) -> int:
        """Find the index of the lambda with the highest held-out accuracy, the first of equals."""
        cv, smallest = self.cv, int(min((sign > 0).sum(), (sign < 0).sum()))
        if isinstance(cv, (int, np.integer)):
            if smallest < 2:
                return len(lams) - 1
            cv = min(int(cv), smallest)
        splits = list(check_cv(cv, sign, classifier=True).split(np.zeros(len(sign)), sign))
        return int(
            np.mean(
                [self._accuracies(task, costs, sign, lams, *split) for split in splits], axis=0
            ).argmax()
        )

    def _accuracies(
        self,
        task: Task,
        costs: Sequence[float] | None,
        sign: np.ndarray,
        lams: np.ndarray,
        train: np.ndarray,
        test: np.ndarray,
    ) -> np.ndarray:
        """Compute the accuracy on the rows `test`, at each lambda, of planes from the rows `train`.

        Each lambda is multiplied by the share of the total price that the training rows have,
        because the hinge losses are summed over fewer rows. The last accuracy is repeated where
        the path ends early.
        """
        columns, price = self._columns(task, costs, train), row_prices(task)
        program = Program(columns, sign[train], price[train], self.threshold_cost)
        solutions = follow(program, lams * price[train].sum() / price.sum())
        solutions += solutions[-1:] * (len(lams) - len(solutions))
        if not price[test].any():
            return np.zeros(len(solutions))
        X, accuracies = task.numbers[test], []
        for solution in solutions:
            weights, intercept = columns.original(
                solution.weights(task.n_columns), solution.intercept
            )
            right = sign[test] * np.where(X @ weights + intercept > 0, 1.0, -1.0) > 0
            accuracies.append(np.average(right, weights=price[test]))
        return np.array(accuracies)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


def path_of_lambdas(largest: float, n_lambdas: int) -> np.ndarray:
    """Space lambdas evenly in the logarithm, downwards; at the first, all weights are zero."""
    return np.geomspace(largest, LAST_LAMBDA * largest, n_lambdas)


def follow(program: Program, lams: np.ndarray) -> list[Solution]:
    """Solve the programme at falling lambdas, up to the first without violations.

    At lower ones the solution is the same.
    """
    solutions = []
    for lam in lams:
        solutions.append(program.at(lam))
        if solutions[-1].violation == 0:
            break
    return solutions
