"""Kernel ridge regression of many subsets at once on a device."""

from __future__ import annotations

from typing import Any

import numpy as np

from subsel._loops.device import Device
from subsel.criteria.accelerated.base import Accelerated
from subsel.criteria.accelerated.batches import Batch
from subsel.criteria.accelerated.scores import Scores
from subsel.criteria.kernels.kernel_ridge import CONDITION

__all__ = ["AcceleratedKernelRidge", "inverse_roots"]


class AcceleratedKernelRidge(Accelerated):
    """Held-out residuals from one factor of each kernel matrix, or from one per fold.

    Parameters
    ----------
    inner : Evaluator
        That of :class:`~subsel.criteria.KernelRidge`.
    device : Device
        The device that computes.
    """

    inner: Any

    def __init__(self, inner: Any, device: Device) -> None:
        super().__init__(inner, device)
        self.scores = Scores(inner.held_out, device)
        # kernels of differences of rows do not change with the origin, and centred values lose
        # fewer digits in ||x||^2 + ||z||^2 - 2 x'z
        centred = inner.criterion.kernel in ("rbf", "laplacian")
        self.X = []  # one table (p, n), or one per fold
        for X in inner.X:
            if centred:
                X = X - X.mean(axis=0)
            self.X.append(device.array(X.T.astype(float)))
        self.y = device.array(inner.task.y.astype(float))
        self.root = None if inner.root is None else device.array(inner.root)
        self.train = [device.array(rows) for rows in inner.folds.train]
        self.test = [device.array(rows) for rows in inner.folds.test]
        self.rows = device.array(inner.held_out.rows)

    def _alone(self, columns: np.ndarray) -> float:
        return float(self.inner._quality(self.inner._closed_form(columns), columns))

    def _bytes(self, size: int) -> float:
        n = self.inner.task.n_rows
        return 8.0 * (5 * n * n + 3 * n * size)

    def _evaluate(self, batch: Batch) -> np.ndarray:
        best = np.full(batch.shape[0], -np.inf)
        for alpha in self.inner.alphas.tolist():
            predictions, trusted = (self._together if self.inner.together else self._by_fold)(
                batch, alpha
            )
            if self.scores.sums_errors:
                qualities = self.scores.of_values(predictions, trusted)
            else:
                qualities = self.inner.held_out.quality(self.device.host(predictions))
                qualities = np.where(self.device.host(trusted), qualities, np.nan)
            best = np.maximum(best, qualities)  # NaN where any ridge is in doubt
        return best

    # The kernel -----------------------------------------------------------------------------------

    def _gathered(self, batch: Batch, table: Any, rows: Any = None) -> Any:
        """Gather the columns of each candidate, row by row, of shape (C, n, s), padded with 0."""
        table = table if rows is None else table[:, rows]
        return self.device.torch.where(
            batch.valid[:, :, None], table[batch.columns], 0.0
        ).transpose(1, 2)

    def _kernel(self, X: Any, Y: Any, n_columns: Any) -> Any:
        """Compute kernel matrices between the rows of two tables (C, n, s) and (C, m, s)."""
        c, torch = self.inner.criterion, self.device.torch
        gamma = 1.0 / n_columns if c.gamma is None else c.gamma
        gamma = (gamma if c.sigma is None else 1.0 / (2.0 * c.sigma**2)) + 0.0 * n_columns
        gamma = gamma[:, None, None]
        if c.kernel == "laplacian":
            return torch.exp(-gamma * torch.cdist(X, Y, p=1.0))
        sums = X @ Y.transpose(1, 2)
        if c.kernel in ("polynomial", "poly"):
            return (gamma * sums + c.coef0) ** c.degree
        if c.kernel == "sigmoid":
            return torch.tanh(gamma * sums + c.coef0)
        if c.kernel == "linear":
            return sums
        left, right = (X * X).sum(dim=2), (Y * Y).sum(dim=2)
        if c.kernel == "rbf":
            distances = (left[:, :, None] + right[:, None, :] - 2.0 * sums).clamp_(min=0.0)
            return distances.mul_(-gamma).exp_()
        scale = [torch.where(norm == 0, 1.0, norm).sqrt() for norm in (left, right)]
        return sums / (scale[0][:, :, None] * scale[1][:, None, :])

    def _root(self, K: Any, alpha: float) -> tuple[Any, Any]:
        """Invert kernel matrices with a ridge as products R'R.

        Adds ``alpha`` to the diagonals of ``K`` (C, n, n) in place. Returns the triangles R (C, n,
        n) and which of the matrices are safely regular.
        """
        # The eigenvalues of a semidefinite K plus alpha lie between alpha and its trace: alpha over
        # the trace bounds the inverse condition number from below. Where this is not enough, or K
        # may be indefinite, the condition number is that of the 1-norm, from the inverse itself.
        torch = self.device.torch
        diagonal = torch.diagonal(K, dim1=1, dim2=2)
        diagonal += alpha
        root = inverse_roots(torch, K)
        sound = root[:, -1, -1].isfinite()
        trusted = sound & self.inner.kernel.definite & (alpha > CONDITION * diagonal.sum(dim=1))
        unsettled = (~trusted & sound).nonzero()[:, 0]
        if len(unsettled):
            inverse = root[unsettled].mT @ root[unsettled]
            norms = (
                K[unsettled].abs().sum(dim=1).max(dim=1).values
                * inverse.abs().sum(dim=1).max(dim=1).values
            )
            trusted[unsettled] = 1.0 / norms > CONDITION
        return root, trusted

    # Predictions ----------------------------------------------------------------------------------

    def _together(self, batch: Batch, alpha: float) -> tuple[Any, Any]:
        """Predict all held-out rows from one factor of all rows.

        Returns the predictions (C, N), and which candidates can be trusted.
        """
        # With G = K + alpha I of all rows, the residuals of the rows T from a model of all other
        # rows are the solution e of (G^-1)_TT e = (G^-1 y)_T: (G^-1)_TT inverts the Schur
        # complement of the other rows in G. An, Liu and Venkatesh, Fast cross-validation algorithms
        # for least squares support vector machine and kernel ridge regression, Pattern Recognition
        # 40, 2007. For one row this is a division. Weights w enter as G = W^1/2 K W^1/2 + alpha I
        # and W^1/2 y.
        torch, y = self.device.torch, self.y
        X = self._gathered(batch, self.X[0])
        K = self._kernel(X, X, batch.valid.sum(dim=1).to(torch.float64))
        if self.root is not None:
            K, y = K * (self.root[:, None] * self.root), y * self.root
        root, trusted = self._root(K, alpha)
        u = _solved(root, y)
        if self.inner.folds.leave_one_out:
            residuals = (u / (root * root).sum(dim=1))[:, self.rows]
        else:
            residuals = torch.cat(
                [self._residuals(root[:, :, test], u[:, test]) for test in self.test], dim=1
            )
        if self.root is not None:
            residuals = residuals / self.root[self.rows]
        return self.y[self.rows] - residuals, trusted & residuals.isfinite().all(dim=1)

    def _residuals(self, part: Any, u: Any) -> Any:
        """Compute the residuals (C, m) of one fold from its columns of the roots (C, n, m)."""
        return _solved(inverse_roots(self.device.torch, part.mT @ part), u)

    def _by_fold(self, batch: Batch, alpha: float) -> tuple[Any, Any]:
        """Predict the held-out rows of each fold from a factor of its training rows.

        Returns the predictions (C, N), and which candidates can be trusted.
        """
        torch = self.device.torch
        n_columns = batch.valid.sum(dim=1).to(torch.float64)
        parts, sound = [], torch.ones(batch.shape[0], dtype=torch.bool, device=self.device.name)
        for number, (train, test) in enumerate(zip(self.train, self.test)):
            table = self.X[number if len(self.X) > 1 else 0]
            X, Z = self._gathered(batch, table, train), self._gathered(batch, table, test)
            root = None if self.root is None else self.root[train]
            K, y = self._kernel(X, X, n_columns), self.y[train]
            if root is not None:
                K, y = K * (root[:, None] * root), y * root
            inverse_root, trusted = self._root(K, alpha)
            dual = _solved(inverse_root, y)
            dual = dual if root is None else dual * root
            parts.append((self._kernel(Z, X, n_columns) @ dual[:, :, None])[:, :, 0])
            sound &= trusted & parts[-1].isfinite().all(dim=1)
        return torch.cat(parts, dim=1), sound


def _solved(root: Any, y: Any) -> Any:
    """Multiply the inverses ``R'R`` by vectors, one for all (n,) or one each (C, n)."""
    return (root.mT @ (root @ y[..., None]))[:, :, 0]


_LEAF = 64  # rows of a matrix up to which it is factored without halving


def inverse_roots(torch: Any, K: Any) -> Any:
    """Compute the inverse Cholesky factors R of matrices K (C, n, n), so that ``R'R`` inverts K.

    R is lower triangular; its last entry is NaN where a matrix is not definite. Matrices are halved
    as in :func:`~subsel.criteria.kernels.inverse_root.inverse_root`: nearly all of the work is in
    matrix products, which take a device a fraction of the time of factors and triangular systems.
    """
    # For K = L L' with L = [[L1, 0], [B, L2]]: B = K21 L1^-T, L2 L2' = K22 - B B' (the Schur
    # complement of K11), and L^-1 = [[L1^-1, 0], [-L2^-1 B L1^-1, L2^-1]].
    n = K.shape[1]
    if n <= _LEAF:
        factor, info = torch.linalg.cholesky_ex(K)
        root = torch.linalg.solve_triangular(
            factor, torch.eye(n, dtype=K.dtype, device=K.device), upper=False
        )
        return torch.where((info == 0)[:, None, None], root, float("nan"))
    half = n // 2
    first = inverse_roots(torch, K[:, :half, :half])
    below = K[:, half:, :half] @ first.mT  # the lower left block of the factor
    last = inverse_roots(torch, torch.baddbmm(K[:, half:, half:], below, below.mT, alpha=-1))
    root = torch.zeros_like(K)
    root[:, :half, :half], root[:, half:, half:] = first, last
    root[:, half:, :half] = -last @ (below @ first)
    return root
