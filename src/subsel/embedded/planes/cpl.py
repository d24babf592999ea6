"""CPL: the cheapest plane that separates the classes, and the few columns it stands on."""

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
from subsel.models.planes.cpl_program import Program, Solution, blamed
from subsel.models.planes.cpl_table import ScaledColumns, row_prices, scaled_columns, sides

__all__ = ["CPLSelector", "PathPoint", "Plane"]

PATH = 1e-3  # where the path of lambdas ends, as a share of where it starts


class PathPoint(NamedTuple):
    """One lambda on the way: the class told apart, Phi, the number of columns, the priced violation."""

    label: Any
    lam: float
    criterion: float
    n_features: int
    violation: float


@dataclass(frozen=True)
class Plane:
    """The model of one class against the rest; see :class:`CPLSelector` for what the attributes mean."""

    label: Any
    lam: float
    coef: np.ndarray
    intercept: float
    criterion: float
    margin: float
    separable: bool
    violation: float
    blame: np.ndarray
    path: tuple[PathPoint, ...]


class CPLSelector(ClassifierMixin, ColumnSelector):
    r"""Keep the columns on which the cheapest separating plane stands.

    Minimises a convex and piecewise linear function, the hinge loss with an L1 penalty (the
    L1-SVM):

    .. math:: \Phi_\lambda(v) = \sum_j \alpha_j \max(0, 1 - s_j \langle v, x_j\rangle)
              + \lambda \sum_i \gamma_i |v_i|

    Prices :math:`\alpha` of rows are the sample weights, :math:`s_j = \pm 1` is the side of row j.
    The minimum is found exactly by HiGHS' simplex with column generation, so that ten thousand
    columns and a hundred rows take a tenth of a second, and it is always a vertex: no more columns
    are kept than there are rows. If the classes are separable, every small lambda gives the same
    vector, the separating one of least cost; that is the widest margin in the norm dual to the
    cost.

    Parameters
    ----------
    lam : float or None
        Weight of the costs. None: the limit of small lambda if the classes are separable;
        otherwise the lambda of the path with the highest cross-validated accuracy (ties go to the
        sparser model).
    feature_costs : sequence or mapping, optional
        One positive cost per column, or a mapping from names to costs (1 for the others).
    threshold_cost : float
        Cost of the threshold. 0 leaves it free; the paper's index set includes it, with 1.
    scale : bool
        Divide columns by their (weighted) standard deviation, which is to multiply their costs by
        it. Columns are not shifted, which a free threshold makes irrelevant, so that sparse tables
        stay sparse. Coefficients, and the costs in ``criterion_`` and ``margin_``, are those of
        the programme; ``coef_`` is for the table as given.
    n_lambdas : int
        Number of points on the path, evenly in the logarithm from the least lambda known to
        silence all columns down to a thousandth of it. The path ends early where the classes are
        separated.
    cv : int, splitter or iterable
        Folds to choose lambda where the classes are not separable. A number is lowered to the size
        of the smallest class; with one row in a class the end of the path is taken.

    Attributes
    ----------
    support_ : ndarray of bool
        Mask of the columns with a weight, for any class.
    coef_, intercept_ : ndarray
        The planes, one row for two classes, one per class against the rest for more.
    criterion_ : float
        The least Phi at the lambda used, summed over the planes; in the limit of small lambda, Phi
        / lambda, which is the cost of the weights.
    margin_ : float
        The width :math:`2 / \sum_i \gamma_i |v_i|` of the strip :math:`|\langle v, x\rangle| < 1`
        in the dual norm (with ``scale``, the largest coordinate difference in standard deviations
        over its cost); the least of the planes. Where ``separable_`` and in the limit, no row lies
        in it.
    separable_ : bool
        Whether a plane separates the classes (each from the rest) without error.
    violation_ : float
        The least total priced violation :math:`\sum_j \alpha_j \max(0, \cdot)` over all planes; 0
        exactly if ``separable_``.
    blame_ : ndarray
        The rows violated at that least, the worst first.
    path_ : list of PathPoint
        The lambdas on the way.
    models_ : list of Plane
        One per row of ``coef_``.
    classes_ : ndarray
        The labels.

    Notes
    -----
    Memory: one scaled copy of the table, and a second where it is not float64 in column order. Tolerances of HiGHS
    are 1e-9 on rows and reduced costs; a row counts as violated above 1e-8.

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
        """Solve the programme of each class."""
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
        """Give the side of each row: positive for the second class, or one column per class."""
        check_is_fitted(self)
        kept = self.transform(X)
        if is_frame(kept):
            kept = kept.to_numpy()
        reach = np.asarray(kept @ self.coef_[:, self.support_].T) + self.intercept_
        return reach[:, 0] if len(self.classes_) == 2 else reach

    def predict(self, X: Any) -> np.ndarray:
        """Give the class of each row."""
        reach = self.decision_function(X)
        if reach.ndim == 1:
            return self.classes_[(reach > 0).astype(int)]
        return self.classes_[reach.argmax(axis=1)]

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
        return scaled_columns(task, self.scale, costs, centre=self.threshold_cost == 0, rows=rows)

    def _plane(
        self,
        task: Task,
        columns: ScaledColumns,
        costs: Sequence[float] | None,
        sign: np.ndarray,
        label: Any,
    ) -> Plane:
        program = Program(columns, sign, row_prices(task), self.threshold_cost)
        if self.lam is None:
            lams = path_of_lambdas(program.lam_max, self.n_lambdas)
        else:
            lams = np.array([self.lam])
        solutions = follow(program, lams)
        chosen = solutions[-1]
        ends, is_separable = self._ends(program, chosen)
        if self.lam is None and is_separable:
            chosen, lam, criterion = ends, 0.0, ends.norm  # the limit of small lambda
        else:
            if self.lam is None:
                chosen = solutions[self._validated(task, costs, sign, lams)]
            lam, criterion = chosen.lam, chosen.criterion
        weights, intercept = columns.original(chosen.weights(task.n_columns), chosen.intercept)
        points = (
            PathPoint(label, s.lam, s.criterion, len(s.features), s.violation) for s in solutions
        )
        return Plane(
            label,
            lam,
            weights,
            intercept,
            criterion,
            chosen.margin,
            is_separable,
            ends.violation,
            blamed(ends),
            tuple(points),
        )

    def _ends(self, program: Program, last: Solution) -> tuple[Solution, bool]:
        """The least violation, or the cheapest separating vector, from where the path ended."""
        if last.violation == 0:
            return last, True
        if self.lam is None:
            return program.settle()
        return program.separate()

    def _validated(
        self, task: Task, costs: Sequence[float] | None, sign: np.ndarray, lams: np.ndarray
    ) -> int:
        """The point of the path with the highest held-out accuracy, the first of several."""
        cv, smallest = self.cv, int(min((sign > 0).sum(), (sign < 0).sum()))
        if isinstance(cv, (int, np.integer)):
            if smallest < 2:
                return len(lams) - 1
            cv = min(int(cv), smallest)
        splits = list(check_cv(cv, sign, classifier=True).split(np.zeros(len(sign)), sign))
        return int(
            np.mean(
                [self._held_out(task, costs, sign, lams, *split) for split in splits], axis=0
            ).argmax()
        )

    def _held_out(
        self,
        task: Task,
        costs: Sequence[float] | None,
        sign: np.ndarray,
        lams: np.ndarray,
        train: np.ndarray,
        test: np.ndarray,
    ) -> np.ndarray:
        """The accuracy on the rows left out at each lambda, which is lowered as the rows are fewer."""
        columns, price = self._columns(task, costs, train), row_prices(task)
        program = Program(columns, sign[train], price[train], self.threshold_cost)
        found = follow(program, lams * price[train].sum() / price.sum())
        found += found[-1:] * (len(lams) - len(found))
        if not price[test].any():
            return np.zeros(len(found))
        X, hits = task.numbers[test], []
        for solution in found:
            weights, intercept = columns.original(
                solution.weights(task.n_columns), solution.intercept
            )
            right = sign[test] * np.where(X @ weights + intercept > 0, 1.0, -1.0) > 0
            hits.append(np.average(right, weights=price[test]))
        return np.array(hits)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


def path_of_lambdas(largest: float, n_lambdas: int) -> np.ndarray:
    """Evenly in the logarithm, downwards; the first leaves all columns silent."""
    return np.geomspace(largest, PATH * largest, n_lambdas)


def follow(program: Program, lams: np.ndarray) -> list[Solution]:
    """Solve along a falling path, up to where no row is violated: below that nothing changes."""
    solutions = []
    for lam in lams:
        solutions.append(program.at(lam))
        if solutions[-1].violation == 0:
            break
    return solutions
