"""How far apart the classes stand, in units of their scatter: Wilks, Hotelling, Mahalanobis, Bhattacharyya."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Literal

import numpy as np

from subsel.candidates import Candidates
from subsel.criteria.base import Evaluator, refuse_weights
from subsel.task import Task

__all__ = ["Scatter"]

FLOOR = 1e-10  # share of a column's total scatter below which what the others leave of it counts as nothing


@dataclass(frozen=True)
class Scatter:
    r"""Distance between the classes on a subset, from within-class scatter W, total scatter T and class means.

    - ``"wilks"``: :math:`\ln\det T - \ln\det W`, minus the logarithm of Wilks' lambda;
    - ``"hotelling"``: :math:`\mathrm{tr}(W^{-1} B)`, B = T - W (Hotelling-Lawley);
    - ``"mahalanobis"``: :math:`\sum_{a<b} \pi_a \pi_b\, d_{ab}^\top C^{-1} d_{ab}`, C the pooled covariance;
    - ``"bhattacharyya"``: :math:`\sum_{a<b} \pi_a\pi_b \left[\tfrac18 d^\top \bar C^{-1} d
      + \tfrac12 \ln \frac{\det \bar C}{\sqrt{\det C_a \det C_b}}\right]` with Gaussian classes (book-01 F15).

    Adding a column never lowers any of them, so branch and bound is exact. Constant columns count as absent; a column
    that the others determine adds nothing; a pivot under 1e-10 of its total scatter is raised to that in a determinant.
    For two classes Wilks, Hotelling and Mahalanobis order subsets alike. Memory: p x p per class.
    """

    kind: Literal["wilks", "hotelling", "mahalanobis", "bhattacharyya"] = "wilks"

    def bind(self, task: Task, seed: int | np.random.SeedSequence | None = None) -> Evaluator:
        """Take the moments of the classes."""
        if task.kind != "classification":
            raise ValueError("scatter between classes needs classes.")
        if self.kind not in ("wilks", "hotelling", "mahalanobis", "bhattacharyya"):
            raise ValueError(f"kind must be wilks, hotelling, mahalanobis or bhattacharyya, got {self.kind!r}.")
        refuse_weights(task, "Scatter")
        return _Moments(self.kind, task)


class _Moments(Evaluator):
    """A list of terms, each a log-determinant or a quadratic form of one scatter matrix."""

    monotone = True

    def __init__(self, kind: str, task: Task) -> None:
        self.judge = f"scatter ({kind})"
        X, codes = task.matrix, task.codes
        scale = X.std(axis=0)
        self.useful = scale > 1e-12 * np.maximum(1.0, np.abs(X).max(axis=0))
        X = (X - X.mean(axis=0)) / np.where(self.useful, scale, 1.0)
        shares = np.bincount(codes) / task.n_rows
        means = np.array([X[codes == c].mean(axis=0) for c in range(len(shares))])
        each = [np.cov(X[codes == c], rowvar=False, bias=True).reshape(X.shape[1], -1) for c in range(len(shares))]
        within = np.einsum("c,cij->ij", shares, np.array(each))
        between = (means.T * shares) @ means
        pairs = [(a, b) for a in range(len(shares)) for b in range(a)]
        self.forms: list[tuple[float, np.ndarray, np.ndarray]] = []  # weight, matrix, vectors as columns
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
        """Sweep the columns in one after the other."""
        columns = columns[self.useful[columns]]
        forms = sum(weight * _form(matrix, vectors, columns) for weight, matrix, vectors in self.forms)
        return float(forms + sum(weight * _log_determinant(matrix, columns) for weight, matrix in self.logs))

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Additions from the Schur complement at the base, anything else from scratch."""
        changes = candidates.changes()
        if changes is None or changes.added.shape[1] != 1 or changes.removed.shape[1]:
            return super().evaluate(candidates)
        base, added = changes.base[self.useful[changes.base]], changes.added[:, 0]
        gains = np.zeros(len(added))
        for weight, matrix, vectors in self.forms:
            pivot, left = _residual(matrix, vectors, base, added)
            gains += weight * _over(left, pivot).sum(axis=1)
        for weight, matrix in self.logs:
            pivot, _ = _residual(matrix, None, base, added)
            gains += weight * np.log(np.maximum(pivot, FLOOR))
        gains[~self.useful[added]] = 0.0
        return (self.quality(base) if len(base) else 0.0) + gains

    def fork(self) -> Evaluator:
        """There is no position to keep."""
        return copy(self)


def _residual(
    matrix: np.ndarray, vectors: np.ndarray | None, base: np.ndarray, added: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What the base leaves of each added column: its pivot, and its entry of each vector."""
    base = _independent(matrix, base)
    own = np.diagonal(matrix)[added].copy()
    left = np.zeros((len(added), 0)) if vectors is None else vectors[added].copy()
    if len(base):
        factor = np.linalg.cholesky(matrix[np.ix_(base, base)])
        cross = np.linalg.solve(factor, matrix[np.ix_(base, added)])
        own -= (cross**2).sum(axis=0)
        if vectors is not None:
            left -= cross.T @ np.linalg.solve(factor, vectors[base])
    return own, left


def _over(left: np.ndarray, pivot: np.ndarray) -> np.ndarray:
    """Squares over pivots; nothing where the pivot is nothing."""
    real = pivot > FLOOR
    return np.where(real[:, None], left**2 / np.where(real, pivot, 1.0)[:, None], 0.0)


def _independent(matrix: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The columns that the ones before them do not determine."""
    kept: list[int] = []
    for j in columns.tolist():
        pivot = matrix[j, j]
        if kept:
            pivot -= matrix[j, kept] @ np.linalg.solve(matrix[np.ix_(kept, kept)], matrix[kept, j])
        if pivot > FLOOR:
            kept.append(j)
    return np.array(kept, dtype=np.int64)


def _form(matrix: np.ndarray, vectors: np.ndarray, columns: np.ndarray) -> float:
    kept = _independent(matrix, columns)
    if not len(kept):
        return 0.0
    return float(np.sum(vectors[kept] * np.linalg.solve(matrix[np.ix_(kept, kept)], vectors[kept])))


def _log_determinant(matrix: np.ndarray, columns: np.ndarray) -> float:
    """The sum of the logarithms of the pivots, each at least the floor."""
    total, kept = 0.0, np.empty(0, dtype=np.int64)
    for j in columns:
        pivot, _ = _residual(matrix, None, kept, np.array([j]))
        total += float(np.log(max(pivot[0], FLOOR)))
        if pivot[0] > FLOOR:
            kept = np.append(kept, j)
    return total
