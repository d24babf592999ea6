"""Distances between classes in units of their scatter, such as Wilks and Mahalanobis."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from scipy.linalg import solve_triangular

from subsel.criteria.base import Evaluator, refuse_weights
from subsel.criteria.evaluators.footprint import Footprint, Shape
from subsel.criteria.registry import criterion
from subsel.criteria.traits import Traits
from subsel.data.task import Kind, Task
from subsel.registry.parameters import Parameters
from subsel.space.candidates import Candidates

__all__ = ["Scatter"]

# Pivots are shares of a column's total scatter that the other columns do not explain. Below FLOOR,
# a pivot is rounding error and counts as zero; above SOUND, half of the digits are left and a
# column can be removed by the inverse.
FLOOR = 1e-10
SOUND = 1e-6


@criterion("scatter")
@dataclass(frozen=True)
class Scatter(Parameters):
    r"""Distance between the classes on a subset [1]_.

    It is computed from the within-class scatter W, the total scatter T and the class means.

    - ``"wilks"``: :math:`\ln\det T - \ln\det W`, minus the logarithm of Wilks' lambda;
    - ``"hotelling"``: :math:`\mathrm{tr}(W^{-1} B)`, B = T - W (Hotelling-Lawley);
    - ``"mahalanobis"``: :math:`\sum_{a<b} \pi_a \pi_b\, d_{ab}^\top C^{-1} d_{ab}`, C the pooled
      covariance;
    - ``"bhattacharyya"``: :math:`\sum_{a<b} \pi_a\pi_b \left[\tfrac18 d^\top \bar C^{-1} d +
      \tfrac12 \ln \frac{\det \bar C}{\sqrt{\det C_a \det C_b}}\right]` with Gaussian classes [2]_.

    Adding a column never lowers any of them, so branch and bound is exact. Constant columns count
    as absent; a column that the others determine adds nothing; a pivot under 1e-10 of its total
    scatter is raised to that in a determinant. For two classes Wilks, Hotelling and Mahalanobis
    order subsets alike. Memory: p x p per class.

    Parameters
    ----------
    kind : {"wilks", "hotelling", "mahalanobis", "bhattacharyya"}, default="wilks"
        Which distance.

    References
    ----------
    .. [1] McLachlan, *Discriminant Analysis and Statistical Pattern Recognition*, 1992, chapter 12.
    .. [2] Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, section 3.4.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [1.0, 3.0], [4.0, 1.0], [5.0, 2.0]])
    >>> evaluator = Scatter("hotelling").bind(Task.of(X, [0, 0, 1, 1]))
    >>> round(evaluator.quality(np.array([0])), 6), round(evaluator.quality(np.array([1])), 6)
    (16.0, 0.1)
    """

    serves: ClassVar[tuple[Kind, ...]] = ("classification",)

    kind: Literal["wilks", "hotelling", "mahalanobis", "bhattacharyya"] = "wilks"

    def footprint(self, shape: Shape) -> Footprint:
        """Scatter matrices of the classes."""
        return Footprint.fixed(2 * shape.table + 8.0 * shape.columns**2 * (2 * shape.classes + 2))

    def bind(
        self,
        task: Task,
        seed: int | np.random.SeedSequence | None = None,  # noqa: ARG002
    ) -> Evaluator:
        """Compute the moments of the classes."""
        if task.kind != "classification":
            raise ValueError("y must hold classes for the scatter between them, got a quantity.")
        if self.kind not in ("wilks", "hotelling", "mahalanobis", "bhattacharyya"):
            raise ValueError(
                f"kind must be wilks, hotelling, mahalanobis or bhattacharyya, got {self.kind!r}."
            )
        refuse_weights(task, "Scatter")
        return _Moments(self.kind, task)


class _Moments(Evaluator):
    """Evaluates a sum of terms, each a log-determinant or a quadratic form of a matrix."""

    def __init__(self, kind: str, task: Task) -> None:
        self.traits = Traits(f"scatter ({kind})", monotone=True)
        X, codes = task.matrix, task.codes
        scale = X.std(axis=0)
        self.useful = scale > 1e-12 * np.maximum(1.0, np.abs(X).max(axis=0))
        X = (X - X.mean(axis=0)) / np.where(self.useful, scale, 1.0)
        shares = np.bincount(codes) / task.n_rows
        means = np.array([X[codes == c].mean(axis=0) for c in range(len(shares))])
        each = [
            np.cov(X[codes == c], rowvar=False, bias=True).reshape(X.shape[1], -1)
            for c in range(len(shares))
        ]
        within = np.einsum("c,cij->ij", shares, np.array(each))
        between = (means.T * shares) @ means
        pairs = [(a, b) for a in range(len(shares)) for b in range(a)]
        # weight, matrix (p, p), vectors (p, m)
        self.forms: list[tuple[float, np.ndarray, np.ndarray]] = []
        self.logs: list[tuple[float, np.ndarray]] = []  # weight, matrix
        if kind == "wilks":
            self.logs = [(1.0, within + between), (-1.0, within)]
        elif kind == "hotelling":
            self.forms = [(1.0, within, means.T * np.sqrt(shares))]
        elif kind == "mahalanobis":
            gaps = [np.sqrt(shares[a] * shares[b]) * (means[a] - means[b]) for a, b in pairs]
            self.forms = [(1.0, within, np.array(gaps).T)]
        else:
            for a, b in pairs:
                weight, mean = shares[a] * shares[b], (each[a] + each[b]) / 2
                self.forms.append((weight / 8, mean, (means[a] - means[b])[:, None]))
                self.logs += [(weight / 2, mean), (-weight / 4, each[a]), (-weight / 4, each[b])]

    def quality(self, columns: np.ndarray) -> float:
        """Evaluate one subset from scratch."""
        return self._sum_of_terms(self._factors(columns))

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Evaluate additions, removals and swaps from factors at the base, others from scratch."""
        changes = candidates.changes()
        if changes is None or max(changes.added.shape[1], changes.removed.shape[1]) > 1:
            return super().evaluate(candidates)
        if not changes.removed.shape[1]:
            return self._additions(changes.base, changes.added[:, 0])
        if not changes.added.shape[1]:
            return self._removals(changes.base, changes.removed[:, 0])
        qualities = np.empty(len(candidates))
        for column in np.unique(changes.removed):
            here = changes.removed[:, 0] == column
            qualities[here] = self._additions(
                np.setdiff1d(changes.base, [column]), changes.added[here, 0]
            )
        return qualities

    def fork(self) -> Evaluator:
        """Return a copy: there is no position to share."""
        return copy(self)

    def _factors(self, columns: np.ndarray) -> list[_Factor]:
        columns = columns[self.useful[columns]]
        matrices = [matrix for _, matrix, _ in self.forms] + [matrix for _, matrix in self.logs]
        return [_Factor.of(matrix, columns) for matrix in matrices]

    def _sum_of_terms(self, factors: list[_Factor]) -> float:
        forms = sum(
            w * float(np.sum(f.whiten(v[f.columns]) ** 2))
            for (w, _, v), f in zip(self.forms, factors)
        )
        logs = zip(self.logs, factors[len(self.forms) :])
        return forms + sum(w * f.log_determinant for (w, _), f in logs)

    def _additions(self, base: np.ndarray, added: np.ndarray) -> np.ndarray:
        """Evaluate additions from what the base leaves of each column and vector."""
        # Bordering a matrix by column j multiplies its determinant by the Schur complement of the
        # base, the pivot, and adds (v_j - a_Sj' A_SS^-1 v_S)^2 / pivot to v' A^-1 v. Golub and Van
        # Loan, Matrix Computations, 4th ed. 2013, section 3.2.
        factors, gains = self._factors(base), np.zeros(len(added))
        for (weight, matrix, vectors), factor in zip(self.forms, factors):
            cross = factor.whiten(matrix[np.ix_(factor.columns, added)])
            left = vectors[added] - cross.T @ factor.whiten(vectors[factor.columns])
            gains += weight * _over(left, np.diagonal(matrix)[added] - (cross**2).sum(axis=0)).sum(
                axis=1
            )
        for (weight, matrix), factor in zip(self.logs, factors[len(self.forms) :]):
            cross = factor.whiten(matrix[np.ix_(factor.columns, added)])
            gains += weight * np.log(
                np.maximum(np.diagonal(matrix)[added] - (cross**2).sum(axis=0), FLOOR)
            )
        gains[~self.useful[added]] = 0.0
        return self._sum_of_terms(factors) + gains

    def _removals(self, base: np.ndarray, removed: np.ndarray) -> np.ndarray:
        """Evaluate removals from the inverse at the base, unless a column is nearly dependent."""
        # The bordering in reverse: the pivot of column j in the presence of all others is one over
        # the diagonal entry of the inverse, and its share of v' A^-1 v is (A^-1 v)_j^2 over this
        # entry.
        factors = self._factors(base)
        if not all(factor.sound for factor in factors):
            return np.array([self.quality(np.setdiff1d(base, [column])) for column in removed])
        useful = np.flatnonzero(self.useful[removed])
        places = np.searchsorted(base[self.useful[base]], removed[useful])
        losses = np.zeros(len(removed))
        for (weight, _, vectors), factor in zip(self.forms, factors):
            root = factor.inverse_root
            solved = root.T @ (root @ vectors[factor.columns])
            losses[useful] += weight * (
                solved[places] ** 2 / factor.inverse_diagonal[places, None]
            ).sum(axis=1)
        for (weight, _), factor in zip(self.logs, factors[len(self.forms) :]):
            losses[useful] -= weight * np.log(factor.inverse_diagonal[places])
        return self._sum_of_terms(factors) - losses


@dataclass(frozen=True)
class _Factor:
    """The Cholesky factor of a matrix on the columns that do not depend on those before them."""

    columns: np.ndarray  # (s,) the independent columns
    lower: np.ndarray  # (s, s) their factor
    log_determinant: float  # over all columns, with FLOOR as the pivot of dependent ones
    sound: bool  # all pivots exceed SOUND, so that columns can be removed by the inverse

    @classmethod
    def of(cls, matrix: np.ndarray, columns: np.ndarray) -> _Factor:
        """Factor all columns at once, or one by one where some depend on others."""
        part = matrix[np.ix_(columns, columns)]
        try:
            lower = np.linalg.cholesky(part)
            pivots = np.diagonal(lower) ** 2
        except np.linalg.LinAlgError:
            pivots = np.zeros(1)
        if np.all(pivots > FLOOR):
            return cls(columns, lower, float(np.log(pivots).sum()), bool(np.all(pivots > SOUND)))
        # Gaussian elimination without pivoting, which skips the columns that are dependent
        pivots = np.empty(len(columns))
        for k in range(len(columns)):
            pivots[k] = part[k, k]
            if pivots[k] > FLOOR:
                part[k + 1 :, k + 1 :] -= np.outer(part[k + 1 :, k], part[k, k + 1 :] / pivots[k])
        columns = columns[pivots > FLOOR]
        lower = np.linalg.cholesky(matrix[np.ix_(columns, columns)])
        return cls(columns, lower, float(np.log(np.maximum(pivots, FLOOR)).sum()), False)

    def whiten(self, values: np.ndarray) -> np.ndarray:
        """Solve the triangular system of the factor for values (s,) or (s, m)."""
        if not len(self.columns):
            return values
        return solve_triangular(self.lower, values, lower=True, check_finite=False)

    @cached_property
    def inverse_root(self) -> np.ndarray:
        """The inverse of the factor, of shape (s, s)."""
        return self.whiten(np.eye(len(self.columns)))

    @cached_property
    def inverse_diagonal(self) -> np.ndarray:
        """The diagonal of the inverse of the matrix, of shape (s,)."""
        return (self.inverse_root**2).sum(axis=0)


def _over(left: np.ndarray, pivot: np.ndarray) -> np.ndarray:
    """Divide squares of ``left`` (C, m) by pivots (C,); 0 where a pivot counts as zero."""
    real = pivot > FLOOR
    return np.where(real[:, None], left**2 / np.where(real, pivot, 1.0)[:, None], 0.0)
