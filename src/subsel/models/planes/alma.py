"""ALMA: a perceptron that approximates the largest margin of any norm."""

from __future__ import annotations

from typing import Any

import numpy as np

from subsel.models.two_classes import BinaryDecision

__all__ = ["ALMA"]


class ALMA(BinaryDecision):
    r"""The approximate large margin algorithm ALMA for two classes [1]_.

    The weights are corrected wherever a row lies within a margin that falls with every correction.

    Rows are divided by their p-norm, the weights have the dual norm :math:`\|w\|_q \le 1`,
    :math:`q = p / (p - 1)`. A row with :math:`y \langle w, x \rangle \le (1 - \alpha) \gamma_k`
    moves :math:`\theta` by :math:`\eta_k y x`, from which the weights are
    :math:`w_i = \mathrm{sign}(\theta_i) |\theta_i|^{p-1} / \|\theta\|_p^{p-2}`; after k - 1
    corrections :math:`\gamma_k = \sqrt{8 (p - 1) / k} / \alpha` and
    :math:`\eta_k = \sqrt{2 / ((p - 1) k)}`. Where a plane through the origin separates the classes,
    it ends with at least 1 - alpha of the largest margin. With p = 2 it is close to a support
    vector machine, with p near twice the logarithm of the number of columns to multiplicative
    updates, which find few relevant columns among many sooner. There is no threshold: centre the
    columns.

    Parameters
    ----------
    p : float, optional
        The norm of the rows, at least 2; None is twice the natural logarithm of the number of
        columns.
    alpha : float
        The share of the largest margin that may be lost, above 0 and at most 1.
    max_epochs : int
        The largest number of cycles over the rows.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        The weights, of length 1 in the dual norm.
    p_ : float
        The norm that was used.
    margin_ : float
        The smallest margin of a row, negative if a row is on the wrong side.
    n_corrections_, n_epochs_ : int
        The numbers of corrections and of cycles.

    References
    ----------
    .. [1] Gentile, *A new approximate maximal margin classification algorithm*, JMLR 2, 2001.

    Examples
    --------
    >>> model = ALMA(2, alpha=0.1).fit(np.array([[1.0, 1.0], [-1.0, 1.0]]), [1, 0])
    >>> bool(model.margin_ > 0.9 / np.sqrt(2))
    True
    """

    def __init__(
        self, p: float | None = None, *, alpha: float = 0.5, max_epochs: int = 100
    ) -> None:
        self.p = p
        self.alpha = alpha
        self.max_epochs = max_epochs

    def fit(self, X: Any, y: Any) -> ALMA:
        """Correct the weights until every row has its margin or ``max_epochs`` is reached."""
        if not 0 < self.alpha <= 1:
            raise ValueError(f"alpha must lie in (0, 1], got {self.alpha!r}.")
        if self.p is not None and self.p < 2:
            raise ValueError(f"p must be at least 2, got {self.p!r}.")
        X, codes, _ = self._receive(X, y)
        if self.p is None:
            self.p_ = max(2.0, 2 * np.log(X.shape[1]))
        else:
            self.p_ = float(self.p)
        signed = self._unit_rows(X) * (2 * codes - 1)[:, None]
        weights, self.n_corrections_, self.n_epochs_ = self._run(signed)
        size = np.linalg.norm(weights, self.p_ / (self.p_ - 1))
        self.coef_ = (weights / (size or 1.0))[None]
        self.margin_ = float((signed @ self.coef_[0]).min())
        return self

    def _run(self, signed: np.ndarray) -> tuple[np.ndarray, int, int]:
        """Give the weights, the number of corrections and that of cycles.

        ``signed`` holds the rows of unit length times their class, -1 or 1, shape (m, n).
        """
        theta, p, k = np.zeros(signed.shape[1]), self.p_, 1
        weights, n_epochs, before = theta, 0, 0
        while before != k and n_epochs < self.max_epochs:
            n_epochs, before = n_epochs + 1, k
            for row in signed:
                if row @ weights <= (1 - self.alpha) / self.alpha * np.sqrt(8 * (p - 1) / k):
                    theta = theta + np.sqrt(2 / ((p - 1) * k)) * row
                    theta /= max(1.0, float(np.linalg.norm(theta, p)))
                    weights = _dual(theta, p)
                    k += 1
        return weights, k - 1, n_epochs

    def _unit_rows(self, X: np.ndarray) -> np.ndarray:
        """Divide the rows by their p-norms; rows of zeros stay."""
        lengths = np.linalg.norm(X, self.p_, axis=1, keepdims=True)
        return X / np.where(lengths > 0, lengths, 1.0)

    def _decide(self, X: np.ndarray) -> np.ndarray:
        return self._unit_rows(X) @ self.coef_[0]


def _dual(theta: np.ndarray, p: float) -> np.ndarray:
    """Give the gradient of half the squared p-norm at theta."""
    # the inverse of the gradient of half the squared q-norm, since both are convex conjugates; the
    # q-norm of the result is the p-norm of theta
    length = float(np.linalg.norm(theta, p)) or 1.0
    return length * np.sign(theta) * (np.abs(theta) / length) ** (p - 1)
